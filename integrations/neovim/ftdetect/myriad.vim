autocmd BufRead,BufNewFile *.myr setfiletype myriad
