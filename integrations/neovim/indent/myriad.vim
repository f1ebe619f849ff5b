setlocal cindent cinoptions=(s,m1,j1,J1
let b:undo_indent = 'setlocal cindent< cinoptions<'
