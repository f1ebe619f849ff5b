//! Rules that users write: more than 60 with their verdicts, where they fire, and lines that are not rules.

mod attack;
mod machine;
mod windows;

use std::path::Path;
use std::sync::{Arc, LazyLock};

use crate::common::command::myriad;
use crate::common::compile::compile_at;
use crate::common::extent::seed;
use machine::refuted;
use myriad::lang::level::OptLevel;
use myriad::lang::random::Rng;
use myriad::testing::rules::{KnownRules, ProgramRules, UserRule, UserVerdict, apply, decide_all, read};

/// Verdicts, rules, and reasons: an indented line is the reason for the verdict above it.
static CASES: LazyLock<String> = LazyLock::new(|| {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/rules/verdicts.txt");
    std::fs::read_to_string(path).expect("the cases")
});

/// Returns the cases: the verdict, the rule, and the reason.
fn cases() -> Vec<(&'static str, &'static str, Option<&'static str>)> {
    let mut cases: Vec<(&str, &str, Option<&str>)> = Vec::new();
    for line in CASES.lines().filter(|line| !line.starts_with('#') && !line.is_empty()) {
        match (line.strip_prefix("  "), line.split_once(": ")) {
            (Some(reason), _) => cases.last_mut().expect("a verdict").2 = Some(reason),
            (None, Some((verdict, rule))) => cases.push((verdict, rule, None)),
            (None, None) => panic!("{line}"),
        }
    }
    cases
}

/// Decides the rules of a text.
fn decided(text: &str) -> Vec<(UserRule, UserVerdict)> {
    let lines = read(text, false);
    let verdicts = decide_all(&lines, &|| false).expect("not cancelled");
    let both = lines.into_iter().zip(verdicts);
    both.filter_map(|(line, verdict)| Some((line.rule.ok()?, verdict?))).collect()
}

#[test]
fn sixty_rules_have_the_right_verdicts() {
    let cases = cases();
    let text: String = cases.iter().map(|(_, rule, _)| format!("{rule}\n")).collect();
    let mut rng = Rng::new(seed(), 0);
    let found = decided(&text);
    assert_eq!(found.len(), cases.len());
    let mut count = [0, 0];
    for ((verdict, text, reason), (rule, own)) in cases.iter().zip(&found) {
        let ident = match own {
            UserVerdict::Proved { .. } => "proved",
            UserVerdict::Differs(_) | UserVerdict::WindowsDiffer(_) => "differs",
            UserVerdict::Unknown(_) => "unknown",
        };
        assert_eq!((ident, own.reason(rule).as_deref()), (*verdict, *reason), "{text}");
        count[usize::from(ident == "differs")] += 1;
        if let UserRule::Expression(rule) = rule {
            assert_eq!(refuted(rule, text, own, &mut rng), None);
        }
    }
    assert!(count[0] >= 30 && count[1] >= 30, "{count:?}");
}

const SPIN: &str = "\
fn spin(n: int) -> int { while true { n += 1; } return n; }
fn at(xs: [int], i: int) -> int { return xs[i] - xs[i]; }
fn zero(n: int) -> int { if n > 0 { return spin(n) - spin(n); } return n - n; }
test at([1, 2], 1) == 0;
test zero(-3) == 0;
";

#[test]
fn rules_fire_only_where_their_condition_holds() {
    let folder = tempfile::tempdir().expect("a folder");
    let [rules, program] =
        ["a.rules", "a.myr"].map(|name| folder.path().join(name).to_string_lossy().into_owned());
    std::fs::write(&rules, "// dropped\na - a => 0\n\nx / 2 => x >> 1 // wrong\nx +* y => x\n")
        .expect("a file");
    std::fs::write(&program, SPIN).expect("a file");
    let called = myriad(&["rules", &rules, &program, "--opt", "0"], b"");
    assert_eq!(called.code, 1);
    for line in [
        "proved   2: a - a => 0\n         fires where `a` cannot trap and ends\n         fires 1 time at 3:74; saves 2 steps\n",
        "differs  4: x / 2 => x >> 1\n         x = -1: -1, not 0\n",
        "error    5: x +* y => x\n         column 4: ",
        "fire 1 time: ",
    ] {
        assert!(called.stdout.contains(line), "{line}\n{}", called.stdout);
    }
    let document = myriad(&["rules", &rules, &program, "--opt", "0", "--format", "json"], b"").file();
    let rows = &document["rules"];
    assert_eq!(rows[0]["places"], serde_json::json!([{"line": 3, "column": 74}]));
    assert_eq!(rows[1]["counterexample"], serde_json::json!({"x": -1}));
    assert_eq!(rows[1]["outcomes"], serde_json::json!([{"value": 0}, {"value": -1}]));
    assert_eq!((rows[2]["verdict"].as_str(), rows[2]["column"].as_u64()), (Some("error"), Some(4)));
    let steps = &document["steps"];
    let tested = myriad(&["test", "--rules", &rules, &program, "--opt", "0", "--format", "json"], b"");
    assert_eq!(tested.file()["rules"]["steps"], *steps);
    let sum = |file: &serde_json::Value| -> u64 {
        file["tests"].as_array().expect("tests").iter().map(|test| test["steps"].as_u64().expect("steps")).sum()
    };
    let plain = myriad(&["test", &program, "--opt", "0", "--format", "json"], b"");
    assert_eq!([sum(&plain.file()), sum(&tested.file())], [0, 1].map(|i| steps[i].as_u64().expect("steps")));
    assert!(plain.file().get("rules").is_none() && !tested.stderr.contains("panic"));
    let ir = myriad(&["stages", "--rules", &rules, &program, "--opt", "0", "--stage", "ir"], b"").stdout;
    assert_eq!(ir.matches("BINARY_SUB").count(), 2, "{ir}");
}

#[test]
fn wrong_lines_have_errors_at_their_places() {
    for (line, column, message) in [
        ("x => x", 1, "the left side must have an operator, or be an `if`"),
        ("x + y", 6, "a rule has the form `left => right`"),
        ("x + 1 => y", 10, "`y` is not on the left of `=>`"),
        ("foo + 1 => 1", 1, "`foo` is not a letter: `x` means any expression, `{ p }` any block"),
        (
            "x * k => x << log2(k)",
            1,
            "`log2(k)` is for the right side, with the condition `if k is a power of two`",
        ),
        ("x + k => k + x if k is even", 16, "a condition is "),
        ("x + k => k + x if j > 0", 16, "`j` is not on the left of `=>`"),
        ("if x > 0 { x } => { x }", 12, "`x` means both a block and an expression"),
        ("if c { p } if d { q } => { p }", 1, "a rule has expressions, or an `if` with blocks"),
        ("a && b => a + b", 3, "`&&` is not defined for an int"),
        ("[x] == [y] => x == y", 1, "`[` cannot be in a rule"),
        (" n: NOT => nothing", 2, "`NOT` is not an operation of rules"),
    ] {
        let [own] = &read(line, false)[..] else { panic!("{line}") };
        let error = own.rule.as_ref().expect_err(line);
        assert!(error.message.starts_with(message) && error.column == column, "{line}: {error:?}");
    }
    let long = "x + ".repeat(100) + "x => x";
    assert!(read(&long, false)[0].rule.is_err());
    assert_eq!(read("// only a comment\n\n", false).len(), 0);
    // In a program, rules are comments, and columns are those of the line.
    let program = "fn f(x: int) -> int { return x; } // x => y\n  //= x + 0 => x // kept\n//= x + 1 => y\n";
    let [kept, wrong] = &read(program, true)[..] else { panic!("two rules") };
    assert_eq!((kept.number, kept.text.as_str(), kept.rule.is_ok()), (2, "x + 0 => x", true));
    assert_eq!((wrong.number, wrong.rule.as_ref().expect_err("an error").column), (3, 14));
}

#[test]
fn verdicts_follow_the_rules_of_a_program() {
    let program = "//= x + 0 => x\n//= x - y => y - x // wrong\n//= a - a => 0\n//= x => y\n\
                   fn f(n: int) -> int { return n + 0 + 0; }\ntest f(2) == 2;\n";
    let mut known = KnownRules::default();
    let rules = ProgramRules::of(program, &program.into(), &mut known, &|| false).expect("not cancelled");
    assert_eq!((known.len(), rules.proved(), rules.applied.steps), (3, 2, [11, 7]));
    let said: [(&str, bool, &[&str]); 4] = [
        ("//= x + 0 => x", true, &["fires 2 times at 5:32, 5:36; saves 4 steps", "saves 4 steps"]),
        ("  //= x - y => y - x", false, &["x = 1, y = 0: -1, not 1", "x = 1, y = 0"]),
        (
            "//= a - a => 0",
            true,
            &[
                "proved; does not fire here; fires where `a` cannot trap and ends",
                "proved; does not fire here",
                "proved",
            ],
        ),
        ("//= x => y", false, &["`y` is not on the left of `=>`", "not a rule"]),
    ];
    for (line, is_proved, said) in said {
        let (own, forms) = rules.on_line(line, true).expect(line);
        assert_eq!(
            (own, &forms[..]),
            (is_proved, &said.iter().map(|said| said.to_string()).collect::<Vec<_>>()[..])
        );
    }
    assert!(rules.on_line("//= z + 0 => z", true).is_none() && rules.on_line("x + 0 => x", true).is_none());
}

#[test]
fn many_changes_are_kept_as_few() {
    let rules = "x + y => y + x\nx * y => y * x\nx & y => y & x\nx | y => y | x\nx ^ y => y ^ x\n";
    let text = "fn f(a: int, b: int) -> int { return ((a + b) * (a & b)) | ((a ^ b) * (b ^ a)); }\ntest f(6, 3) == 27;\n";
    let lines = read(rules, false);
    let verdicts = decide_all(&lines, &|| false).expect("not cancelled");
    let program = Arc::new(compile_at(OptLevel::Lowered, text));
    let applied = apply(&program, &lines, &verdicts, &|| false).expect("not cancelled");
    let fired: u32 = applied.fired.iter().map(|own| own.count).sum();
    assert_eq!((applied.changes.len(), fired), (32, 56), "7 places in each of 8 sweeps");
    assert_eq!(applied.changes.iter().map(|change| change.fired.count).sum::<u32>(), fired);
    let last = applied.changes.last().expect("a change");
    assert!(last.line.is_none() && Arc::ptr_eq(&last.program, &applied.program));
    assert!(applied.changes[..31].iter().all(|change| change.line.is_some()));
}

/// `MYRIAD_BLESS=1` writes the output.
#[test]
fn page_has_what_the_program_prints() {
    const COMMAND: &str = "```console\n$ myriad rules --opt 0 area.myr\n";
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/rules.md");
    let page = std::fs::read_to_string(&path).expect("the page");
    let (_, rest) = page.split_once("```myriad\n").expect("an example");
    let (program, rest) = rest.split_once("```").expect("its end");
    let (_, rest) = rest.split_once(COMMAND).expect("a command");
    let (said, _) = rest.split_once("```").expect("its end");
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("area.myr").to_string_lossy().into_owned();
    std::fs::write(&file, program).expect("a file");
    let printed = myriad(&["rules", "--opt", "0", &file], b"").stdout.replace(&file, "area.myr");
    if std::env::var_os("MYRIAD_BLESS").is_some() && printed != said {
        let now = page.replace(&format!("{COMMAND}{said}"), &format!("{COMMAND}{printed}"));
        std::fs::write(&path, now).expect("the page can be written");
    } else {
        assert_eq!(printed, said, "run this test with MYRIAD_BLESS=1");
    }
}
