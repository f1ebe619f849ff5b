setlocal commentstring=//\ %s comments=:// suffixesadd=.myr
setlocal expandtab shiftwidth=4 softtabstop=4
let b:undo_ftplugin = 'setlocal commentstring< comments< suffixesadd< expandtab< shiftwidth< softtabstop<'
