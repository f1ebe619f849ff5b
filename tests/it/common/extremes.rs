//! Extreme programs: chains, nesting and sizes at their limits and just beyond, and odd bytes.

use super::{broken, programs, typed};

/// Puts `text` as the only statement before the end of a function.
fn body(text: &str) -> String {
    format!("fn f(a: int, b: bool, xs: [int]) -> int {{ {text} return a; }}\n")
}

fn chain(operand: &str, operator: &str, n: usize) -> String {
    vec![operand; n + 1].join(operator)
}

fn nested(open: &str, inside: &str, close: &str, n: usize) -> String {
    format!("{}{inside}{}", open.repeat(n), close.repeat(n))
}

/// Concatenates texts up to a size in bytes.
fn filled(generate: impl Fn(u64) -> String, bytes: usize) -> String {
    let mut text = String::new();
    for seed in 0.. {
        let next = generate(seed);
        if text.len() + next.len() > bytes {
            break;
        }
        text += &next;
    }
    text
}

/// Empty and tiny texts, and odd bytes.
fn small() -> Vec<String> {
    let lines = "fn f(a: int) -> int {\n    let b = a\n    return b;\n}\ntest f(1) == 1 // one\ntest \"x\n";
    let mut texts: Vec<String> =
        ["", "\n", "\r\n", "\u{feff}", "\u{feff}test true;", "//", "\"", "'", "\0", "é", "\u{feff}\u{feff}"]
            .map(String::from)
            .to_vec();
    texts.push(lines.into());
    texts.push(lines.replace('\n', "\r\n"));
    texts.push(lines.replace('\n', "\r"));
    // Prefixes of a program with a bit of everything.
    let whole = "const N = 2; fn f(xs: [int; 3], b: bool) -> int { let t: int = -xs[0]; if b { t += 1; } else if t < 2 \
                 { return N; } else { xs[1] = t; } while b { b = !b; } for i in 0..=t { break; } for x in xs[0..1] { \
                 continue; } return len(xs) + f([1; N], b); } test \"a\": f([], true) == 1; prop \"p\": x in 0..3, \
                 ys in [-1..2; 3] if x < 2 && ys != [] => f(ys, x == 1) == 1;";
    texts.extend((0..whole.len()).step_by(3).map(|end| whole[..end].to_string()));
    texts
}

/// Chains, whose trees are as deep as the program has tokens.
fn chains() -> Vec<String> {
    let test = |expression: String| format!("test {expression} == 0;\n");
    vec![
        test(chain("1", " + ", 4000)),
        test(chain("1", "-", 4080)),
        test(chain("1", "*", 4000)),
        test(format!("{}{}", "1 + 2 * ".repeat(2000), 3)),
        test(format!("{}{}", "1 * 2 + ".repeat(2000), 3)),
        test(chain("1", " < ", 100)),
        test(chain("1", " == ", 4000)),
        format!("test {};\n", chain("true", " && ", 4000)),
        format!("test {};\n", chain("true || false", " && ", 2000)),
        format!("test {}1 == 1;\n", "-".repeat(8000)),
        format!("test {}true;\n", "!".repeat(8000)),
        format!("test {}true;\n", "- ! ~ ".repeat(2600)),
        test(format!("[1]{}", "[0]".repeat(2600))),
        test(format!("[1]{}", "[0..1]".repeat(1600))),
        format!("test [{}] == [];\n", "1, ".repeat(4000)),
        format!("test f({}) == 1;\n", "1, ".repeat(4000)),
        body(&format!("if b {{ a = 2; }}{}", " else if b { a = 3; }".repeat(700))),
        body(&format!("if b {{}}{}", " else if b {}".repeat(1600))),
        body(&format!("if b {{}}{} else {{}}", " else if {}".repeat(1600))),
        body(&format!("if b {{ return 1; }}{} else {{ return 2; }}", " else if b { return 3; }".repeat(800))),
        body(&"a += 1; ".repeat(2000)),
        body(&"let _x = a; ".repeat(1500)),
        body(&"if b { a = 1; } ".repeat(1000)),
        body(&"{ let x = a; a = x; } ".repeat(700)),
        body(&"a + 1; ".repeat(2000)),
        body(&"a = 1 \n".repeat(2500)),
        body(&"x = y; ".repeat(2000)),
        "} ".repeat(8000),
        "{ ".repeat(60),
        "fn f( ".repeat(2000),
        "fn f() -> int { ".repeat(1300),
        "if else ".repeat(4000),
        body(&"if b ".repeat(2000)),
        body(&"else ".repeat(4000)),
        format!("prop {} => true;\n", chain("x in 0..1", ", ", 1200)),
        format!("prop {} if x == 0 => true;\n", chain("x in 0..1", ", ", 1200)),
        format!("prop x in 0..9 if {} => true;\n", chain("x < 8", " && ", 1900)),
        format!("prop x in 0..9 if {} > 3 => x > 0;\n", chain("x", " + ", 4000)),
        "prop x in 0..9 if x > 3 => x > 0;\n".repeat(200),
        "prop x in 0..9 if ".repeat(1000),
        format!("prop x in 0..9 {}", "if x > 3 ".repeat(1500)),
        format!("prop x in 0..9 {}", "if ".repeat(4000)),
        format!("prop x in [0..9; 3] if {}", "(".repeat(60)),
        format!("prop x in 0..9 if {} => true;", nested("(", "x > 1", ")", 63)),
        format!("fn f({}) -> int {{ return 0; }}\n", chain("x: [int; 3]", ", ", 1000)),
        (0..1600)
            .map(|i| format!("const C{i} = {} + 1;\n", if i == 0 { "0".into() } else { format!("C{}", i - 1) }))
            .collect(),
        (0..1600).map(|i| format!("const C{i} = C{} + 1;\n", i + 1)).collect(),
    ]
}

/// Nesting at the limit and beyond.
fn nesting() -> Vec<String> {
    let mut texts = Vec::new();
    for n in [63, 64, 65, 66, 1000] {
        texts.push(format!("test {};\n", nested("(", "true", ")", n)));
        texts.push(format!("test {} == 1;\n", nested("abs(", "1", ")", n)));
        texts.push(format!("test {} == 1;\n", nested("[", "1", "]", n)));
        texts.push(format!("test {} == 1;\n", nested("[1][", "0", "]", n)));
        texts.push(body(&nested("{", "", "}", n - 1)));
        texts.push(body(&nested("while b {", "break;", "}", n - 1)));
        texts.push(body(&nested("if b { a = 1; } else {", "a = 2;", "}", n - 1)));
        texts.push(body(&format!("a = {};", nested("(", "1", ")", n - 1))));
        texts.push("(".repeat(n));
        texts.push("{".repeat(n));
        texts.push(format!("fn f() -> int {}", "{".repeat(n)));
        texts.push(format!("test {}", "[(".repeat(n / 2)));
    }
    texts
}

/// Counts and sizes at the limit and beyond.
fn sizes() -> Vec<String> {
    let functions =
        |n: usize| (0..n).map(|i| format!("fn f{i}() -> int {{ return {i}; }}\n")).collect::<String>();
    let names = |n: usize| (0..n).map(|i| format!("let v{i} = {i}; ")).collect::<String>();
    let params = |n: usize| (0..n).map(|i| format!("p{i}: int")).collect::<Vec<_>>().join(", ");
    let full = filled(typed::program, 60_000);
    vec![
        functions(256),
        functions(257),
        (0..256).map(|i| format!("test {i} == {i};\n")).collect(),
        (0..257).map(|i| format!("test {i} == {i};\n")).collect(),
        (0..128).map(|i| format!("test {i} == {i};\nprop x in 0..{i} => x < {i};\n")).collect(),
        body(&names(64)),
        body(&names(65)),
        body(&names(1000)),
        format!("fn f({}) -> int {{ return 0; }}", params(16)),
        format!("fn f({}) -> int {{ return 0; }}", params(17)),
        "; ".repeat(8191),
        "; ".repeat(8192),
        "; ".repeat(8193),
        format!("test {}1 == 1;", "-".repeat(8187)),
        format!("test {}1 == 1;", "-".repeat(8188)),
        "x".repeat(65_536),
        "x".repeat(65_537),
        "0".repeat(65_536),
        format!("\"{}\"", "a".repeat(65_534)),
        format!("\"{}", "\\n".repeat(32_000)),
        format!("//{}", "a".repeat(65_534)),
        format!("//{}", "a".repeat(65_535)),
        format!("test true; //{}", "é".repeat(32_000)),
        format!("{} {}a {}b", "y".repeat(20_000), "y".repeat(20_000), "y".repeat(20_000)),
        (0..5000).map(|i| format!("n{i} ")).collect(),
        (0..2700).map(|i| format!("n{} ", i % 7)).collect(),
        format!("test len(\"{}\") == 64;\n", "a".repeat(64)),
        format!("test len(\"{}\") == 65;\n", "a".repeat(65)),
        format!("test len(\"{}\") == 65;\n", "a".repeat(60_000)),
        format!("{full}//{}", " ".repeat(65_534 - full.len())),
        filled(broken::program, 60_000),
        filled(broken::program, 30_000),
    ]
}

/// Programs that are hard for check: long chains of declarations, uses, sums and constants, deep blocks and
/// groups.
fn checking() -> Vec<String> {
    let body = |s: String| format!("fn f(a: int, p: [int; 1]) -> int {{ {s} return a; }}\n");
    let list = |f: &dyn Fn(usize) -> String, n: usize| (0..n).map(f).collect::<String>();
    let nest = |open: &str, n: usize, inner: &str, close: &str| {
        format!("{}{inner}{}", open.repeat(n), close.repeat(n))
    };
    let whiles = |n: usize, inner: &str| body(nest("while true { ", n, inner, " }"));
    vec![
        body(format!("let x0 = p; {}", list(&|i| format!("let x{} = x{i}; ", i + 1), 1500))),
        body(format!("let x0 = p; {}", list(&|i| format!("let x{} = p + x{i}; ", i + 1), 1100))),
        body(format!("let x0 = missing; {}", list(&|i| format!("let x{} = x{i} + x{i}; ", i + 1), 1100))),
        body("let x = 1; ".repeat(1500)),
        body("{ let x = a; a = x; } ".repeat(650)),
        body(format!("{} a = x; {}", "{ let x = 1; ".repeat(60), "}".repeat(60))),
        body(format!("{} let x = 2; let x = 3; {}", "for x in 0..a { ".repeat(62), "}".repeat(62))),
        body(format!("let y = {}; y = y;", nest("p + (", 62, "p", ")"))),
        body(format!("let y = p{}; y = y;", " + p".repeat(4000))),
        body(format!("let y = p{}; y = y;", " + missing".repeat(3900))),
        body(format!("let y = {}; y = y;", nest("[] + (", 62, "[]", ")"))),
        body(format!("let y = []{}; y = y;", " + []".repeat(2500))),
        body(format!("a = {};", nest("f(", 62, "a", ", p)"))),
        body(format!("a = {};", nest("[", 60, "1", "]"))),
        body(format!("p = {}; p = {} + p;", nest("(", 62, "[]", ")"), nest("(", 62, "[]", ")"))),
        body(format!("p = [{}];", "1, ".repeat(4000))),
        body(format!("p = [{}];", "[], ".repeat(2000))),
        body(format!("a = f({});", "a, ".repeat(4000))),
        body(list(&|i| format!("if a == {i} {{ return a; }} else "), 500) + "{ a = 1; }"),
        list(&|i| format!("const C{} = C{i} + 1;\n", i + 1), 1100) + "const C0 = 1;",
        "const C0 = 1;\n".to_string() + &list(&|i| format!("const C{} = C{i} + 1;\n", i + 1), 1150),
        "const A = 1;\n".repeat(1600),
        format!("const A = 1{};", " + 1".repeat(4000)),
        format!("const B = 2; const A = 1{};", " - B * 3".repeat(2000)),
        format!("const A = {}1;", "-".repeat(8000)),
        format!("const A = {};", nest("1 - (", 63, "7 / 0", ")")),
        format!("const A = {}[1; 2]{};", "[1; ".repeat(50), "[0]]".repeat(50)),
        whiles(60, &"if a > 0 { break; } ".repeat(700)),
        whiles(31, "{ break; }"),
        format!("fn f(a: int) -> int {{ {} }}", nest("while true { { ", 30, "break;", " } }")),
        format!("fn f(a: int) -> int {{ {} }}", nest("if a > 0 { return 1; } else { ", 60, "return 2;", " }")),
        format!("fn f({}) -> int {{ return p1; }}", list(&|i| format!("p{i}: int, "), 1500)),
        format!("fn f({}) -> int {{ return p; }}", "p: int, ".repeat(1500)),
        format!("fn f({}", "p, ".repeat(4000)),
        format!("fn f() -> int {{ {} return 1; }}", "let x ".repeat(4000)),
        "fn f() -> int { return f(); }\n".repeat(600),
        "fn len(a: int) -> int { return len(a); }\n".repeat(400),
        format!("prop {} => true;", list(&|i| format!("b{i} in 0..b{i}, "), 1000) + "z in 0..1"),
    ]
}

/// Returns all extreme programs.
pub fn extremes() -> Vec<String> {
    let hostile = programs::hostile().into_iter().map(|(_, text)| text).collect();
    [small(), chains(), checking(), nesting(), sizes(), hostile].concat()
}
