; Highlights of Myriad; later patterns win in neovim, earlier ones in helix and in tree-sitter's own tool.

(comment) @comment
(string) @string
(character) @constant.character
(integer) @constant.numeric
(boolean) @constant.builtin.boolean

(function name: (identifier) @function)
(call function: (identifier) @function.call)
(call function: "int" @function.builtin)
((call function: (identifier) @function.builtin)
  (#any-of? @function.builtin "len" "abs" "min" "max"))

(constant name: (identifier) @constant)
((identifier) @constant
  (#match? @constant "^[A-Z][A-Z0-9_]+$"))
(parameter name: (identifier) @variable.parameter)
(binder name: (identifier) @variable.parameter)

["fn" "const" "let"] @keyword
["test" "prop"] @keyword.directive
["if" "else"] @keyword.control.conditional
["while" "for" "in" "break" "continue"] @keyword.control.repeat
"return" @keyword.control.return
["int" "bool"] @type.builtin

[
  "=" "+=" "-=" "*=" "/=" "%=" "&=" "|=" "^=" "<<=" ">>="
  "||" "&&" "==" "!=" "<" "<=" ">" ">=" "|" "^" "&" "<<" ">>" "+" "-" "*" "/" "%" "!" "~"
  ".." "..=" "->" "=>"
] @operator

["(" ")" "[" "]" "{" "}"] @punctuation.bracket
["," ";" ":"] @punctuation.delimiter
"?" @punctuation.special

(identifier) @variable
