//! What people read: one mistake, its place and its sentence.

use std::sync::Arc;

use myriad::program::Compiled;
use myriad::report::diagnostics::diagnostics;
use myriad::stage::{check, lex, parse};

/// A program as lex and parse leave it.
fn parsed(text: &str) -> Compiled {
    let mut program = Compiled { text: Arc::from(text), ..Compiled::default() };
    lex::run(text, &mut program.tokens, &mut program.facts, &mut lex::Scratch::default());
    if !program.facts.stopped() {
        parse::run(&program.tokens, &mut program.tree, &mut program.facts, &mut parse::Scratch::default());
    }
    program
}

/// The diagnostics of lex and parse, as `line:column message`, joined by ` | `.
fn messages(text: &str) -> String {
    let found = diagnostics(&parsed(text));
    let shown = found.iter().map(|d| format!("{}:{} {}", d.start.line, d.start.column, d.message));
    shown.collect::<Vec<_>>().join(" | ")
}

#[track_caller]
fn says(text: &str, expected: &str) {
    assert_eq!(messages(text), expected, "{text}");
}

/// The same for a statement in a function, on line 2.
#[track_caller]
fn body(text: &str, expected: &str) {
    says(&format!("fn f(a: int) -> int {{\n{text}\n}}"), expected);
}

#[test]
fn an_unexpected_token_says_what_was_expected() {
    body("return a + ;", "2:12 expected an expression, found `;`");
    body("return a b;", "2:10 expected an operator or `;`, found the name `b`");
    body("return;", "2:7 expected an expression, found `;`");
    body("let x;", "2:6 expected `:` or `=`, found `;`");
    body("let if = 3;", "2:5 expected a name, found the keyword `if` | 2:8 expected an expression, found `=`");
    body("let x: string = 3;", "2:8 expected a type, found the name `string`");
    body("for i of 0..3 { }", "2:7 expected `in`, found the name `of`");
    body("for i in 0..3..4 { }", "2:14 expected an operator or `{`, found `..`");
    body("if a return 1;", "2:6 expected an operator or `{`, found the keyword `return`");
    body("return [1, 2; 3];", "2:13 expected an operator, `,` or `]`, found `;`");
    body("return f(a, *);", "2:13 expected an argument or `)`, found `*`");
    body("return a[];", "2:10 expected an expression, found `]`");
    body("1 = a;", "2:3 this cannot be assigned to");
    body("else { }", "2:1 this `else` stands behind no `if`");
    body(";", "2:1 expected a statement, found `;`");
    body("return 2", "2:9 a `;` is missing here");
    body("return 1 < a < 3;", "2:14 comparisons do not chain");
}

#[test]
fn items_say_what_they_lack() {
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
fn brackets_say_which() {
    body("return (a + 1;", "2:8 this `(` is never closed");
    body("return (a + 1];", "2:14 `]` does not close `(`");
    body("return a + 1);", "2:13 `)` closes nothing");
    says("fn f(a: int) -> int { while a { return a; }\ntest f(1) == 2;", "1:21 this `{` is never closed");
    says("fn f(a: int) -> int { return a; } }", "1:35 `}` closes nothing");
}

#[test]
fn literals_say_what_is_wrong() {
    body("return \"é\";", "2:9 unexpected `é` in a string");
    body("return 'ab';", "2:8 this is not one character");
    body(r"return '\q';", r"2:9 `\q` is no escape");
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
fn every_finding_has_a_place_and_is_counted() {
    for seed in 0..2_000 {
        let text = crate::common::broken::program(seed);
        let mut program = parsed(&text);
        let Compiled { tokens, tree, checked, facts, .. } = &mut program;
        if !facts.stopped() {
            check::run(tokens, tree, checked, facts, &mut check::Scratch::default());
        }
        let found = diagnostics(&program);
        let errors = found.iter().filter(|d| d.code.is_error()).count();
        assert_eq!(errors, program.facts.errors as usize, "seed {seed}: {text}");
        for diagnostic in found {
            assert!(text.get(diagnostic.span.clone()).is_some(), "seed {seed}: {diagnostic:?}");
            assert!(!diagnostic.message.is_empty() && diagnostic.start <= diagnostic.end, "seed {seed}");
        }
    }
}
