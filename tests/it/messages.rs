//! Diagnostics: one mistake, its position and its message.

mod newcomers;

use std::sync::Arc;

use myriad::compiler::program::Compiled;
use myriad::compiler::stage::{check, lex, parse};
use myriad::report::diagnostics::diagnostics;

/// Runs lex and parse on a program.
fn parsed(text: &str) -> Compiled {
    let mut program = Compiled { text: Arc::from(text), ..Compiled::default() };
    lex::run(text, &mut program.tokens, &mut program.facts, &mut lex::LexScratch::default());
    if !program.facts.stopped() {
        parse::run(&program.tokens, &mut program.tree, &mut program.facts, &mut parse::ParseScratch::default());
    }
    program
}

/// Returns the diagnostics of lex and parse, as `line:column message`, joined by ` | `.
fn messages(text: &str) -> String {
    let found = diagnostics(&parsed(text));
    let shown = found.iter().map(|d| format!("{}:{} {}", d.start.line, d.start.column, d.message));
    shown.collect::<Vec<_>>().join(" | ")
}

#[track_caller]
fn says(text: &str, expected: &str) {
    assert_eq!(messages(text), expected, "{text}");
}

/// Checks the diagnostics of a statement in a function, on line 2.
#[track_caller]
fn body(text: &str, expected: &str) {
    says(&format!("fn f(a: int) -> int {{\n{text}\n}}"), expected);
}

#[test]
fn unexpected_token_message_names_the_expected_one() {
    body("return a + ;", "2:12 expected an expression, found `;`");
    body("return a b;", "2:10 expected an operator or `;`, found the name `b`");
    body("return;", "2:7 expected an expression, found `;`");
    body("let x;", "2:6 expected `:` or `=`, found `;`");
    body("let if = 3;", "2:5 `if` is a keyword, not a name");
    body("let x: string = 3;", "2:8 expected a type, found the name `string`");
    body("for i of 0..3 { }", "2:7 expected `in`, found the name `of`");
    body("for i in 0..3..4 { }", "2:14 expected an operator or `{`, found `..`");
    body("if a return 1;", "2:6 the block of this `if` has no braces");
    body("return [1, 2; 3];", "2:13 expected an operator, `,` or `]`, found `;`");
    body("return f(a, *);", "2:13 expected an argument or `)`, found `*`");
    body("return a[];", "2:10 expected an expression, found `]`");
    body("1 = a;", "2:3 this cannot be assigned to");
    body("else { }", "2:1 this `else` does not follow an `if`");
    body(";", "2:1 expected a statement, found `;`");
    body("return 2", "2:9 a `;` is missing here");
    body("return 1 < a < 3;", "2:14 comparisons do not chain");
}

#[test]
fn incomplete_item_message_names_the_missing_part() {
    let item = "expected an item: `fn`, `const`, `test` or `prop`";
    says("fn f(a int) -> int { return a; }", "1:8 expected `:` and a type, found the keyword `int`");
    says("fn f(a: int) { return a; }", "1:14 expected `->` and the type of the result, found `{`");
    says("fn f(a: [foo]) -> int { return 1; }", "1:10 expected `int` or `bool`, found the name `foo`");
    says("prop a in 0..3, b => a == b;", "1:19 expected `in`, found `=>`");
    says("prop \"x\" a in 0..3 => a == 1;", "1:10 expected `:`, found the name `a`");
    says("prop a in [0..3] => a;", "1:16 expected an operator, or `;` and the greatest length, found `]`");
    says("const X: int = 4;", "1:8 expected `=`, found `:`");
    says("test", "1:5 expected an expression, found the end of the file");
    says("x = 3;", &format!("1:1 {item}, found the name `x`"));
    says("fn f() -> int { return 1; };", &format!("1:28 {item}, found `;`"));
}

#[test]
fn bracket_error_names_the_unmatched_bracket() {
    body("return (a + 1;", "2:8 this `(` is never closed");
    body("return (a + 1];", "2:14 `]` does not close `(`");
    body("return a + 1);", "2:13 `)` closes nothing");
    says("fn f(a: int) -> int { while a { return a; }\ntest f(1) == 2;", "1:21 this `{` is never closed");
    says("fn f(a: int) -> int { return a; } }", "1:35 `}` closes nothing");
}

#[test]
fn literal_error_names_the_invalid_part() {
    body("return \"é\";", "2:9 unexpected `é` in a string");
    body("return 'ab';", "2:8 this is not one character");
    body(r"return '\q';", r"2:9 `\q` is not an escape");
    body("return 2147483648;", "2:8 `2147483648` does not fit an int");
    body("return 12ab;", "2:8 `12ab` is not a number");
    body("return \"abc;", "2:8 this string does not end on its line");
    body("return a ? 1;", "2:10 unexpected `?`");
}

#[test]
fn limits_name_the_limit_and_the_count() {
    says(&" ".repeat(70_000), "1:1 70000 bytes of source, but the limit is 65536");
    says(&"a ".repeat(9_000), "1:16385 9000 tokens, but the limit is 8192");
    let deep = format!("test {}1{} == 1;", "(".repeat(66), ")".repeat(66));
    says(&deep, "1:70 66 nested brackets, but the limit is 64");
}

#[test]
fn diagnostics_appear_exactly_for_programs_with_errors() {
    for seed in 0..2_000 {
        let text = crate::common::broken::program(seed);
        let mut program = parsed(&text);
        let Compiled { tokens, tree, checked, facts, .. } = &mut program;
        if !facts.stopped() {
            check::run(tokens, tree, checked, facts, &mut check::CheckScratch::default());
        }
        let found = diagnostics(&program);
        let errors = found.iter().filter(|d| d.code.is_error()).count();
        assert!(errors <= program.facts.errors as usize, "seed {seed}: {text}");
        assert_eq!(errors == 0, program.facts.errors == 0, "seed {seed}: {text}");
        for diagnostic in found {
            assert!(text.get(diagnostic.span.clone()).is_some(), "seed {seed}: {diagnostic:?}");
            assert!(!diagnostic.message.is_empty() && diagnostic.start <= diagnostic.end, "seed {seed}");
        }
    }
}

/// Returns the diagnostics of all stages, as `line:column message (help)`, joined by ` | `.
fn all(text: &str) -> String {
    let found = diagnostics(&crate::common::compile::compile(text));
    let errors = found.iter().filter(|d| d.code.is_error());
    let shown = errors.map(|d| {
        let help = d.help.as_ref().map_or(String::new(), |help| format!(" ({help})"));
        format!("{}:{} {}{help}", d.start.line, d.start.column, d.message)
    });
    shown.collect::<Vec<_>>().join(" | ")
}

/// Checks the diagnostics of a program with one mistake on lines 2 to 4.
#[track_caller]
fn one(lines: &str, expected: &str) {
    let text = format!("fn f(n: int) -> int {{\n{lines}\n    return n;\n}}\ntest f(1) == 1;");
    assert_eq!(all(&text), expected, "{text}");
}

#[test]
fn foreign_declaration_yields_one_diagnostic() {
    one("int x = 1; n = x;", "2:1 a variable is declared with `let` (`let x: int = …;`)");
    one("int[] xs = [1]; n = xs[0];", "2:1 a variable is declared with `let` (`let xs = …;`)");
    one("var x = 1; x += n;", "2:1 a variable is declared with `let` (`let x = …;`)");
    one("let mut x = 1; x += n;", "2:5 there is no `mut`: every variable can change (`let x = …;`)");
    one("let int x = 1; x += n;", "2:5 `let` is followed by the name, here `x` (`let x: int = …;`)");
    one("let test = 3; n = test;", "2:5 `test` is a keyword, not a name (choose another name)");
    one("let (a, b) = (1, 2); n = a + b;", "2:5 expected a name, found `(`");
    one(
        "const X = 3; n = X;",
        "2:1 a constant is declared outside of functions (move it out of this one, or declare a variable: `let X = …;`)",
    );
    one(
        "    fn g() -> int { return 1; }",
        "2:5 a function is declared outside of other functions (move it out of this one)",
    );
    let text = "int f(int n) {\n    return n;\n}\ntest f(1) == 1;";
    assert_eq!(
        all(text),
        "1:1 a function begins with `fn`, not with `int` (`fn f(n: int) -> int { … }`)",
        "and its calls are no mistakes"
    );
}

#[test]
fn foreign_loop_yields_one_diagnostic() {
    let range = "a `for` iterates over a range or a list";
    let one_range = format!("2:1 {range} (`for i in 0..n {{ … }}`)");
    one("for (let i = 0; i < n; i++) { n += i; }", &one_range);
    one("for (let i = 0; i < n; i += 1) { if i > 3 { break; } }", &one_range);
    one("for (int i = 0; i < n; ++i) n += i;", &one_range);
    one("for i = 0; i < n; i = i + 1 { n += i; }", &one_range);
    one("for (let i = 2; i <= n * 2; i++) { n += i; }", &format!("2:1 {range} (`for i in 2..=n * 2 {{ … }}`)"));
    let other = "`for i in 0..n { … }`; a `while` takes any condition";
    one("for (let i = n; i > 0; i--) { n += i; }", &format!("2:1 {range} ({other})"));
    one("for (;;) { break; }", &format!("2:1 {range} ({other})"));
    let twice = "for (let i = 0; i < n; i++) { }\n".repeat(2) + "let i = 1; n = i;";
    one(&twice, &format!("{one_range} | {}", one_range.replacen("2:", "3:", 1)));
    one("for (i in 0..n) { n += i; }", "2:5 the header of a `for` has no brackets (`for i in … { … }`)");
    one("for (let x of [n]) { n += x; }", "2:5 the header of a `for` has no brackets (`for x in … { … }`)");
    one("for i in (0..n) { n += i; }", "2:12 a range has no brackets (`for i in … { … }`)");
    one("loop { break; }", "2:1 there is no `loop` (`while true { … }`)");
    one("loop {\n    if n > 1 { break; }\n}", "2:1 there is no `loop` (`while true { … }`)");
    one(
        "do { n += 1; if n > 2 { continue; } } while (n < 3);",
        "2:1 there is no `do` (`while … { … }`, or `while true { … }` with a `break`)",
    );
    one("foreach x in [n] { n += x; }", "2:1 there is no `foreach` (`for x in xs { … }`)");
}

#[test]
fn block_without_braces_yields_one_diagnostic() {
    let lacking = "the block of this `if` has no braces (`if (n > 0) { … }`)";
    one("if (n > 0) return 1;", &format!("2:12 {lacking}"));
    one("if (n > 0)\n    return 1;", &format!("3:5 {lacking}"));
    one("if (n > 0) return 1; else return 2;", &format!("2:12 {lacking}"));
    one("if (n > 0) n = 1; else n = 2;", &format!("2:12 {lacking}"));
    one("if n > 0:\n    n = 1;", "2:9 the block of this `if` has no braces (`if n > 0 { … }`)");
    one("while (n > 0) n -= 1;", "2:15 the block of this `while` has no braces (`while (n > 0) { … }`)");
    one("if n > 0 { n = 1; } else return 2;", "2:26 the block of this `else` has no braces (`else { … }`)");
    one("if n > 0 { n = 1; } elif n > 1 { n = 2; }", "2:21 there is no `elif` (`else if … { … }`)");
    // An error inside the block is a separate mistake.
    one("if (n > 0) return m;", &format!("2:12 {lacking} | 2:19 there is no variable or constant `m` here"));
}

#[test]
fn foreign_operator_or_value_yields_one_diagnostic() {
    let division = "`//` begins a comment (`/` divides, and drops the remainder)";
    one("n = n // 2;", &format!("2:7 {division}"));
    one("n = n // 2; // halves", &format!("2:7 {division}"));
    one("n = f(n // 2);", &format!("2:9 {division}"));
    one("if n // 2 > 1 {\n    return 1;\n}", &format!("2:6 {division}"));
    one("n = 1 // the first one", "2:6 a `;` is missing here");
    one("n = 1 // one", "2:6 a `;` is missing here");
    one("n = n // 2", &format!("2:7 {division}"));
    one("n = n // n", &format!("2:7 {division}"));
    one("n++;", "2:2 there is no operator `++` (`n += 1;`, a statement of its own)");
    one("--n;", "2:1 there is no operator `--` (`n -= 1;`, a statement of its own)");
    one("let x = n++; n = x;", "2:10 there is no operator `++` (`n += 1;`, a statement of its own)");
    one("n = n - -1;", "");
    let value = "an `if` is a statement, not a value (`let x = 1; if … { x = 2; }`)";
    one("let x = if n > 1 { 1 } else if n > 0 { 2 } else { 3 };\nn = x;", &format!("2:9 {value}"));
    one("return if n > 1 { 1 } else { 2 };", &format!("2:8 {value}"));
    one("n = 1 if n > 1 else 2;", &format!("2:7 {value}"));
    one("let xs = {1, 2};", "2:10 a block is a statement, not a value (a list is written `[1, 2, 3]`)");
    one(
        "switch (n) { case 1: return 2; default: return 3; }",
        "2:1 there is no `switch` (`if … { … } else if … { … }`)",
    );
}

#[test]
fn foreign_comment_yields_one_diagnostic() {
    let form = "does not begin a comment (a comment begins with `//` and ends with its line)";
    one("/* it's { a } test */ n = 1;", &format!("2:1 `/*` {form}"));
    one("# don't if", &format!("2:1 `#` {form}"));
    let text = "/* Euclid's { const\n */\nfn f() -> int { return 1; }\ntest f() == 1;";
    assert_eq!(all(text), format!("1:1 `/*` {form}"));
}

#[test]
fn a_missing_brace_is_found_by_the_indentation() {
    let unclosed = "this `{` is never closed";
    one("    if n > 1 {\n        n = 2;", &format!("2:14 {unclosed}"));
    one(
        "    while n > 1 {\n        if n > 2 {\n            n -= 2;\n        n -= 1;\n    }",
        &format!("3:18 {unclosed}"),
    );
    one("    if n > 1 {\n        n = 2;\n    } else {\n        n = 3;", &format!("4:12 {unclosed}"));
    one("    if n > 1\n    {\n        n = 2;", &format!("3:5 {unclosed}"));
    // If the layout shows nothing, the function's brace is reported.
    one("if n > 1 {\nn = 2;", &format!("1:21 {unclosed}"));
    let text = "fn f() -> int {\n    return 1;\n\nfn g() -> int {\n    return 1;\n}\n";
    assert_eq!(all(text), format!("1:15 {unclosed}"));
    one(
        "    if n > 1 {\n        n = 2;\n    }\n    }",
        "5:5 this `}` closes the function `f` (remove it, or add the `{` that it closes)",
    );
}

#[test]
fn suggested_names_are_near_long_enough_and_in_scope() {
    one(
        "return coutn;",
        "2:8 there is no variable or constant `coutn` here | 3:5 this can never run (the statements before it in the block always leave the block)",
    );
    let text = |use_: &str| {
        format!(
            "fn gcd(count: int, ab: int) -> int {{ return {use_}; }}\nfn other(far: int) -> int {{ return far; }}"
        )
    };
    let unknown = |name: &str| format!("1:45 there is no variable or constant `{name}` here");
    assert_eq!(all(&text("coutn")), unknown("coutn") + " (did you mean `count`?)");
    assert_eq!(all(&text("x")), unknown("x"), "one letter is near to every other");
    assert_eq!(all(&text("ac")), unknown("ac"), "two letters are");
    assert_eq!(all(&text("fat")), unknown("fat"), "a variable of another function is none here");
    assert_eq!(all(&text("mount")), unknown("mount") + " (did you mean `count`?)");
    assert_eq!(all(&text("moult")), unknown("moult"), "two of five letters differ");
    assert_eq!(all(&text("gdc(1, 2)")), "1:45 there is no function `gdc` (did you mean `gcd`?)");
    assert_eq!(all(&text("range(2)")), "1:45 there is no function `range` (`for i in 0..n { … }`)");
}

/// Mistakes of people who come from other languages: a statement or an item, what is said, and the help.
#[test]
fn spelling_of_another_language_is_answered_with_the_one_here() {
    let cases = [
        (
            "return a as int;",
            "expected an operator or `;`, found the name `as`",
            "`int(…)` converts a bool to 0 or 1; there are no other conversions",
        ),
        (
            "xs.append(a);",
            "unexpected `.`",
            "there are no methods and no fields: `xs += [x];` appends `x` to a list",
        ),
        ("return a.abs();", "unexpected `.`", "there are no methods and no fields: write `abs(x)`"),
        (
            "return xs.first;",
            "unexpected `.`",
            "there are no methods and no fields: a function takes the value, as in `len(xs)`",
        ),
        ("return len(“abc”);", "unexpected `“`", "a string has double quotes: `\"abc\"`"),
        ("return $a + $b;", "unexpected `$`", "a name consists of letters, digits and `_`"),
        ("return a − 1;", "unexpected `−`", "minus is `-`"),
        ("for i = 0 to a { }", "expected `in`, found `=`", "`for i in 0..n { … }`"),
        (
            "return a in xs;",
            "expected an operator or `;`, found the keyword `in`",
            "`in` only follows the variable of a loop or a property: search the list in a loop",
        ),
        (
            "return f\"{a}\";",
            "expected an operator or `;`, found a string",
            "a string has no prefix, and nothing is inserted into it",
        ),
        (
            "let g = |x| x + 1;",
            "expected an expression, found `|`",
            "a function is declared by `fn`, and is not a value",
        ),
        ("return a =< 1;", "expected an operator or `;`, found `=`", "`<=` compares"),
        (
            "let t = (a, 1);",
            "expected an operator or `)`, found `,`",
            "there are no tuples: use several variables, or return a list",
        ),
        (
            "a, b = b, a;",
            "expected an operator or `;`, found `,`",
            "there are no tuples: use several variables, or return a list",
        ),
        ("return xs[1..];", "expected an expression, found `]`", "a slice has both bounds: `xs[a..len(xs)]`"),
        ("return xs[..2];", "expected an expression, found `..`", "a slice has both bounds: `xs[0..b]`"),
        (
            "return xs[1:3];",
            "expected an operator, `..` or `]`, found `:`",
            "a slice is written with two dots: `xs[a..b]`",
        ),
        (
            "xs += a; return 1;",
            "expected a list `[int]`, found an int",
            "`[…]` around it makes a list of one element",
        ),
        (
            "total = 0; return 1;",
            "there is no variable or constant `total` here",
            "`let total = …;` declares it",
        ),
        ("let a = 1; let a = 2; return a;", "`a` is already declared here", "`a = …;` changes it"),
        ("return min(1, 2, 3);", "`min` takes 2 arguments, but 3 given", "nest the calls: `min(a, min(b, c))`"),
        ("return len(xs, 1);", "`len` takes 1 argument, but 2 given", "it is `fn len(xs: [_]) -> int`"),
        (
            "return _f(1);",
            "`_f` takes 3 arguments, but 1 given",
            "it is `fn _f(a: int, xs: [int], b: int) -> int`",
        ),
        ("return lenght(xs);", "there is no function `lenght`", "`len(xs)`"),
        (
            "if a == 1 { } else if a = 2 { } return 1;",
            "expected an operator or `{`, found `=`",
            "`==` compares; `=` assigns",
        ),
        ("if !a { } return 1;", "`!` is not defined for an int", "compare it: `… == 0`"),
        ("if true & false { } return 1;", "`&` is not defined for a bool", "`&&` is and"),
        (
            "if a == \"x\" { } return 1;",
            "expected an int, found a list `[int]`",
            "a character has single quotes: `'a'`",
        ),
        (
            "return sum(xs);",
            "there is no function `sum`",
            "the built-in functions are `len`, `abs`, `min`, `max` and `int`: write it with a loop",
        ),
        (
            "let ys = [[1], [2]]; return 1;",
            "expected an int, found a list `[int]`",
            "lists do not nest: use one list, and compute the index",
        ),
    ];
    let function =
        |body: &str| format!("fn _f(a: int, xs: [int], b: int) -> int {{\n{{{body}}}\nreturn a;\n}}");
    let items = [
        ("test 1 = 1;", "expected an operator or `;`, found `=`", "`==` compares; `=` assigns"),
        (
            "test \"a\" { }",
            "expected an operator or `;`, found `{`",
            "a test is one condition: `test \"a name\": f(1) == 2;`",
        ),
        (
            "fn f(n: int): int { return n; }",
            "expected `->` and the type of the result, found `:`",
            "the type of the result follows `->`: `-> int`",
        ),
        (
            "fn main() { }",
            "expected `->` and the type of the result, found `{`",
            "every function returns a value: `-> int`",
        ),
        (
            "fn f(a) -> int { return a; }",
            "expected `:` and a type, found `)`",
            "a parameter has a type: `n: int`",
        ),
        (
            "fn f(a: int) -> int return a;",
            "expected `{`, found the keyword `return`",
            "the body of a function has braces: `{ … }`",
        ),
        (
            "fn f(xs: [[int]]) -> int { return 1; }",
            "expected `int` or `bool`, found `[`",
            "lists do not nest: use one list, and compute the index",
        ),
        (
            "const XS = [1, 2];",
            "a constant is an int or a bool, not a list",
            "write a function that returns the list",
        ),
    ];
    let items = items.map(|(item, message, help)| (item.to_string(), message, help));
    for (text, message, help) in
        cases.map(|(body, message, help)| (function(body), message, help)).into_iter().chain(items)
    {
        let found = diagnostics(&crate::common::compile::compile(&text));
        let errors: Vec<(&str, Option<&str>)> =
            found.iter().map(|one| (one.message.as_str(), one.help.as_deref())).collect();
        assert_eq!(errors.first(), Some(&(message, Some(help))), "{text}: {errors:?}");
    }
}
