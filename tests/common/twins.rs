//! Twin against shader: the stages before one run on the CPU, the one on the device, and all columns are compared.

use std::sync::Arc;

use myriad::engine::gpu::stages::StageRunner;
use myriad::engine::{Compiled, Stage};
use myriad::stage::{check, emit, lex, lower, optimize, parse};

/// What the twins leave of `text`, up to and including `last`.
pub fn compile(text: &str, last: Stage) -> Compiled {
    let mut c = Compiled { text: Arc::from(text), ..Default::default() };
    let mut through = |stage: Stage| {
        let (fatal, errors) = (c.facts.stopped(), c.facts.errors > 0);
        match stage {
            Stage::Lex => lex::run(text, &mut c.tokens, &mut c.facts, &mut Default::default()),
            _ if fatal => {}
            Stage::Parse => parse::run(&c.tokens, &mut c.tree, &mut c.facts, &mut Default::default()),
            Stage::Check => {
                check::run(&c.tokens, &c.tree, &mut c.checked, &mut c.facts, &mut Default::default());
            }
            _ if errors => {}
            Stage::Lower => {
                let mut out = lower::Lowered::default();
                let input = lower::Input {
                    text: text.as_bytes(),
                    tokens: &c.tokens,
                    tree: &c.tree,
                    checked: &c.checked,
                };
                lower::run(input, &mut out, &mut c.facts, &mut Default::default());
                (c.lowered, c.routines, c.binders) = (out.ir, out.routines, out.binders);
            }
            Stage::Optimize => optimize::run(&c.lowered, &mut c.routines, &mut c.ir, &mut Default::default()),
            Stage::Emit => emit::run(&c.ir, &mut c.routines, &mut c.code, &mut Default::default()),
            Stage::Execute | Stage::Judge | Stage::Mutate => panic!("{} compiles nothing", stage.name()),
        }
    };
    for stage in Stage::ALL.into_iter().take_while(|stage| *stage as u32 <= last as u32) {
        through(stage);
    }
    c
}

/// A device for these tests. There always is one: a software adapter will do.
pub fn device() -> StageRunner {
    StageRunner::new().unwrap_or_else(|error| {
        panic!(
            "these tests need an adapter, if only a software one: apt-get install mesa-vulkan-drivers ({error})"
        )
    })
}

/// Runs `stage` on the device over all texts at once and compares everything with what its twin leaves.
pub fn compare(runner: &mut StageRunner, stage: Stage, texts: &[String]) {
    let before = (stage != Stage::Lex).then(|| Stage::ALL[stage as usize - 1]);
    let given: Vec<Compiled> = texts
        .iter()
        .map(|text| match before {
            Some(before) => compile(text, before),
            None => Compiled { text: Arc::from(text.as_str()), ..Default::default() },
        })
        .collect();
    let mut results = runner.run(stage, &given).unwrap_or_else(|error| panic!("{}: {error}", stage.name()));
    for (text, found) in texts.iter().zip(&mut results) {
        let expected = compile(text, stage);
        // The device reads back what later stages would leave, too.
        if (stage as u32) < Stage::Parse as u32 {
            found.tree.clear();
        }
        if (stage as u32) < Stage::Check as u32 {
            found.checked.clear();
        }
        if let Some(difference) = difference(&expected, found) {
            panic!("{}: {difference}\n---- of this program:\n{}", stage.name(), shorten(text));
        }
    }
}

/// The first difference between what a twin and a shader left.
pub fn difference(expected: &Compiled, found: &Compiled) -> Option<String> {
    macro_rules! records {
        ($($record:ident: $ty:ident,)*) => {$(
            let names = myriad::stage::$ty::COLUMNS;
            let (twin, shader) = (expected.$record.columns(), found.$record.columns());
            for ((name, twin), shader) in names.iter().zip(twin).zip(shader) {
                let name = format!("{}.{name}", stringify!($record));
                if twin.len() != shader.len() {
                    return Some(format!("{name}: twin has {} rows, shader {}", twin.len(), shader.len()));
                }
                if let Some(row) = (0..twin.len()).find(|&row| twin[row] != shader[row]) {
                    let (t, s) = (twin[row], shader[row]);
                    let place = place(expected, stringify!($record), row);
                    return Some(format!("{name}[{row}]: twin {t} ({t:#x}), shader {s} ({s:#x}); {place}"));
                }
            }
        )*};
    }
    records! {
        tokens: Tokens, tree: Tree, checked: Checked, lowered: Ir, ir: Ir, routines: Routines, binders: Binders,
        code: Bytecode,
    }
    (expected.facts != found.facts)
        .then(|| format!("facts: twin {:?}, shader {:?}", expected.facts, found.facts))
}

/// Where in the source a row of a record comes from.
fn place(c: &Compiled, record: &str, row: usize) -> String {
    let token = match record {
        "lowered" => c.lowered.token.get(row),
        "ir" => c.ir.token.get(row),
        "routines" => c.routines.token.get(row),
        "binders" => c.binders.token.get(row),
        "code" => c.code.token.get(row),
        _ => None,
    }
    .map_or(row, |t| *t as usize);
    let (Some(&lo), Some(&hi)) = (c.tokens.lo.get(token), c.tokens.hi.get(token)) else {
        return "no token".into();
    };
    let bytes = c.text.as_bytes();
    let show = |from: usize, to: usize| {
        String::from_utf8_lossy(bytes.get(from..to.min(bytes.len())).unwrap_or_default()).into_owned()
    };
    let (lo, hi) = (lo as usize, hi as usize);
    format!(
        "token {token}, line {}: …{}«{}»{}…",
        c.tokens.line[token] + 1,
        show(lo.saturating_sub(60), lo),
        show(lo, hi.min(lo + 60)),
        show(hi, hi + 60)
    )
}

fn shorten(text: &str) -> String {
    match text.char_indices().nth(4000) {
        Some((end, _)) => format!("{}… ({} bytes)", &text[..end], text.len()),
        None => text.into(),
    }
}

/// All cases that are files: conformance, cases and samples.
pub fn files() -> Vec<String> {
    let mut texts = Vec::new();
    for folder in ["tests/conformance", "tests/cases", "samples"] {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        let Ok(entries) = std::fs::read_dir(&root) else { continue };
        let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
        paths.sort();
        for path in paths.iter().filter(|path| path.extension().is_some_and(|e| e == "myr")) {
            texts.push(std::fs::read_to_string(path).expect("a readable case"));
        }
    }
    assert!(texts.len() >= 10, "the cases are not where they should be");
    texts
}

/// The extremes of the language: chains, nesting and sizes at their limits.
pub fn extremes() -> Vec<String> {
    let chain = |op: &str, n: usize| format!("test {} == 0;\n", vec!["1"; n + 1].join(op));
    let nested = |n: usize| format!("test {}true{};\n", "(".repeat(n), ")".repeat(n));
    let wrap = |s: String| format!("fn f(a: int) -> int {{ {s} return a; }}\n");
    vec![
        String::new(),
        "\n".into(),
        "\u{feff}test true;".into(),
        chain(" + ", 4000),
        chain("-", 4080),
        chain(" < ", 100),
        format!("test {}1 == 1;\n", "-".repeat(8000)),
        format!("test {}true;\n", "!".repeat(8000)),
        nested(64),
        nested(65),
        wrap(format!("{}{}", "{".repeat(63), "}".repeat(63))),
        wrap(format!("if a == 1 {{ a = 2; }}{}", " else if a == 2 { a = 3; }".repeat(700))),
        (0..256).map(|i| format!("fn f{i}() -> int {{ return {i}; }}\n")).collect(),
        (0..257).map(|i| format!("fn f{i}() -> int {{ return {i}; }}\n")).collect(),
        (0..257).map(|i| format!("test {i} == {i};\n")).collect(),
        "; ".repeat(8192),
        "; ".repeat(8193),
        "x".repeat(65_536),
        "0".repeat(65_536),
        format!("\"{}\"", "a".repeat(65_534)),
        format!("\"{}", "\\n".repeat(32_000)),
        format!("//{}", "a".repeat(65_534)),
        format!("//{}", "a".repeat(65_535)),
        format!("{} {}a {}b", "y".repeat(20_000), "y".repeat(20_000), "y".repeat(20_000)),
        (0..5000).map(|i| format!("n{i} ")).collect(),
        (0..2700).map(|i| format!("n{} ", i % 7)).collect(),
        format!("test len(\"{}\") == 64;\n", "a".repeat(64)),
        format!("test len(\"{}\") == 65;\n", "a".repeat(60_000)),
    ]
}

/// What is hard on check: long chains of declarations, uses, sums and constants, deep blocks and groups.
pub fn hard_to_check() -> Vec<String> {
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
