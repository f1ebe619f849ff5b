//! Remarks about what level 2 does not expand.

use std::collections::BTreeSet;

use crate::common::cases::programs;
use crate::common::command::{call, call_with};
use crate::common::{called, twins, typed};
use myriad::compiler::program::Compiled;
use myriad::compiler::stage::{Stage, optimize};
use myriad::lang::NONE;
use myriad::lang::level::OptLevel;
use myriad::lang::opcode::Op;
use myriad::report::steps;

fn compile(text: &str) -> Compiled {
    twins::compile_at(OptLevel::Whole, text, Stage::Emit)
}

/// Returns the remarks with their lines.
fn remarks(text: &str) -> Vec<(u32, String)> {
    steps::remarks(&compile(text)).into_iter().map(|own| (own.span.line, own.text)).collect()
}

#[test]
fn remarks_name_the_condition_that_fails() {
    let f = |body: &str| format!("fn f(n: int, xs: [int; 4]) -> int {{\n{body}\n}}\ntest f(2, [1]) == 0;");
    let long = "n += n * 3; n ^= n << 1; n -= n & 7;".repeat(4);
    let longer = "n += n * n ^ n; n ^= n << 3;".repeat(12);
    let cases = [
        ("return fib(n); } fn fib(n: int) -> int { return fib(n - 1);", "`fib` not inlined: it is recursive"),
        (
            "return a(n); } fn a(n: int) -> int { return b(n); } fn b(n: int) -> int { return a(n);",
            "`a` not inlined: it is recursive",
        ),
        (
            "return a(n); } fn a(n: int) -> int { return b(n)[0]; } fn b(n: int) -> [int; 1] { return [n];",
            "`a` not inlined: it calls `b`",
        ),
        (
            &format!("return g(n); }} fn g(n: int) -> int {{ {long} return n;"),
            "`g` not inlined: it has 72 instructions, more than 40",
        ),
        ("return len(g(n)); } fn g(n: int) -> [int; 2] { return [n, n];", "`g` not inlined: it returns a list"),
        (
            "return g(n, n, n); } fn g(a: int, b: int, c: int) -> int { a += b; b += c; c += a; return a * b * c;",
            "`g` not inlined: storing its arguments would take more steps",
        ),
        (
            "if n > 5 { return 0; } return f(n + g(n), xs); } fn g(n: int) -> int { let m = n * n; return m ^ m >> 1;",
            "`g` not inlined: a recursion leaves no bound on memory",
        ),
        ("for i in 0..n { n -= i; } return n;", "not unrolled: the number of rounds is not known"),
        ("for i in 0..17 { n -= i; } return n;", "not unrolled: it runs 17 times, more than 16"),
        ("for x in xs { n -= x; } return n;", "not unrolled: the loop runs over a list"),
        ("for i in 0..4 { for x in xs { n -= x * i; } } return n;", "not unrolled: a loop is inside"),
        ("for i in 0..4 { i = i + n; n -= i; } return n;", "not unrolled: its variable is assigned"),
        (
            &format!("for i in 0..4 {{ {longer} n -= i; }} return n;"),
            "not unrolled: the loop has more than 128 instructions",
        ),
        (
            &format!("for i in 0..9 {{ {long} n -= i; }} return n;"),
            "not unrolled: its copies would have 666 instructions, more than 256",
        ),
        ("while n > 9 { n -= xs[1]; } return n;", "`xs[1]` not hoisted: it may trap"),
        (
            "let k = n; while k > 9 { k -= n * 3; } return k;",
            "`n * 3` not hoisted: the number of rounds is not known",
        ),
        (
            "let k = n; for x in xs { k -= n * 3 + x; } return k;",
            "`n * 3` not hoisted: the loop runs over a list",
        ),
        (
            "let k = n; for i in 0..99 { k -= n * 3 + i; if k < 0 { return k; } } return k;",
            "`n * 3` not hoisted: the loop is left from inside",
        ),
        (
            "let k = n; for i in 0..99 { if k > i { k -= n * 3; } } return k;",
            "`n * 3` not hoisted: not every round computes it",
        ),
        (
            "let k = n; for i in 0..99 { k -= f(n, xs) + i; } return k;",
            "`f(n, xs)` not hoisted: it calls a function",
        ),
        (
            "let k = n; for i in 0..99 { k -= len([n, n]) + i; } return k;",
            "`len([n, n])` not hoisted: it makes a list",
        ),
        ("return (n + 1) * xs[0] ^ (n + 1);", "`n + 1` not computed once: it would save no steps"),
        (
            "while n * n + n * 3 + n * 5 + n * 7 + n * 11 > 9 { n -= 1; } return n;",
            "not rotated: its test has 22 instructions, more than 16",
        ),
        ("return len([1, 99999999]);", "not put in the code: an element has more than 24 bits"),
    ];
    for (body, wanted) in cases {
        let found = remarks(&f(body));
        assert!(found.contains(&(2, wanted.to_string())), "{wanted}\n{body}\n{found:?}");
    }
}

#[test]
fn remarks_are_silent_about_what_is_expanded() {
    let text = "\
fn g(n: int) -> int { return n * n; }
fn f(n: int) -> int {
    let s = 0;
    for i in 0..3 { s += g(n + i); }
    for i in 0..40 { s += n * 3 ^ i; }
    while s > 9 { s -= len([1, 2]); }
    return s;
}
test f(1) == 0;
";
    let expected = [
        (5, "not unrolled: it runs 40 times, more than 16"),
        (6, "`len([1, 2])` not hoisted: it makes a list"),
        (9, "`f` not inlined: it has 44 instructions, more than 40"),
    ];
    assert_eq!(remarks(text), expected.map(|(line, text)| (line, text.to_string())));
}

#[test]
fn remarks_exist_only_at_level_2() {
    let text = "fn f(n: int) -> int { return f(n); } test f(1) == 0;";
    for level in [OptLevel::Lowered, OptLevel::Local] {
        assert_eq!(optimize::missed(&twins::compile_at(level, text, Stage::Emit)), []);
    }
}

/// Every call and every loop that stays in the code of its own routine has a remark.
#[test]
fn calls_and_loops_that_stay_have_remarks() {
    let random = (0..300).flat_map(|seed| [typed::program(seed), called::program(seed)]);
    let texts = programs(&["samples", "tests/cases"]).into_iter().map(|(_, text)| text).chain(random);
    let mut counts = [0; 2];
    for text in texts {
        let c = compile(&text);
        let missed = optimize::missed(&c);
        let stays = |ops: &[Op]| -> BTreeSet<u32> {
            let own = (0..c.ir.op.len()).filter(|i| c.ir.site[*i] == NONE);
            own.filter(|i| ops.iter().any(|op| *op as u32 == c.ir.op[*i])).map(|i| c.ir.token[i]).collect()
        };
        let remarked = |name: &str| -> BTreeSet<u32> {
            missed.iter().filter(|own| own.expansion == name).map(|own| own.token).collect()
        };
        for (at, (ops, name)) in
            [(&[Op::Call][..], "inline"), (&[Op::ForRange, Op::ForList], "unroll")].into_iter().enumerate()
        {
            let (stays, remarked) = (stays(ops), remarked(name));
            assert!(stays.is_subset(&remarked), "{name}: {stays:?}, {remarked:?}\n{text}");
            counts[at] += stays.len();
        }
    }
    assert!(counts.iter().all(|count| *count > 100), "{counts:?}");
}

#[test]
fn remarks_are_in_text_and_documents() {
    let text = "fn f(n: int) -> int { if n < 1 { return 0; } return f(n - 1); }\ntest f(1) == 0;\n";
    let page = call_with("stages - --opt 2 --remarks --engine cpu", text);
    assert!(page.stdout.contains(" 1:53  `f` not inlined: it is recursive\n"), "{}", page.stdout);
    let file = call_with("stages - --opt 2 --stage ir --remarks --engine cpu --format json", text).file();
    assert_eq!(file["remarks"][0]["expansion"], "inline");
    assert_eq!(file["remarks"][0]["remark"], "`f` not inlined: it is recursive");
    assert_eq!((&file["remarks"][0]["line"], &file["remarks"][0]["column"]), (&1.into(), &53.into()));
    assert!(file.get("ir").is_some());
    let without = call_with("stages - --opt 2 --engine cpu --format json", text).file();
    assert!(without.get("remarks").is_none());
    let low = call("stages samples/gcd.myr --remarks --engine cpu");
    assert!(low.stdout.contains("--opt 2"), "{}", low.stdout);
}
