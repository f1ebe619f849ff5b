//! Probes: lines `//? E` with the values of E. Nothing else may depend on them.

use myriad::compiler::program::Compiled;
use myriad::compiler::stage::chain::Compiler;
use myriad::lang::level::OptLevel;
use myriad::lang::limits;
use myriad::testing::probes::{Probe, Probes};
use serde_json::{Value, json};

use crate::common::command::{call_with, myriad};
use crate::common::repository::samples;

const TEXT: &str = "\
fn triple(n: int) -> int { return 3 * n; }
//? triple(4)
fn over(a: int, b: int) -> int {
    let q = a / b;
//? q
    return q;
}
fn turns(n: int) -> int { while n != 7 { n += 2; } return n; }
fn bad(n: int) -> int { let m = ; return n; }
fn list(n: int) -> [int] { return [n; 12]; }
const SIDE = 9;
//? triple(SIDE) > 26;   // the comment and the `;` do not count
//? [triple(1), triple(2)]
//? list(1)
//? [1 == 1] + []
//? 2 + over(1, 0)
//? 1 / (SIDE - 9)
//? bad(1)
//? triple(?)
//? turns(0)
//? unknown(3)
//? triple(true)
//? triple(
//? 3 +
//?
//? turns(1)
test triple(4) == 12;
";

fn compiled(text: &str) -> Compiled {
    let mut compiler = Compiler::at(OptLevel::default());
    compiler.holes = true;
    compiler.compile(text);
    compiler.compiled(&text.into())
}

fn probes(text: &str) -> Vec<Probe> {
    Probes::run(&compiled(text), limits::STEPS, &|| false).expect("not cancelled").0
}

fn words(text: &str) -> Vec<(u32, String)> {
    probes(text).into_iter().map(|probe| (probe.line, probe.texts()[0].clone())).collect()
}

#[test]
fn probe_has_the_value_of_its_expression_or_says_why_not() {
    let expected = [
        (2, "12"),
        (12, "true"),
        (13, "[3, 6]"),
        (14, "[1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]"),
        (15, "[true]"),
        (16, "DivideByZero on line 4"),
        (17, "DivideByZero"),
        (18, "unfinished at 9:25"),
        (19, "unfinished"),
        (20, "StepLimit on line 8"),
        (21, "unknown function"),
        (22, "wrong type"),
        (23, "never closed"),
        (24, "unexpected here"),
        (25, "no expression"),
        (26, "7"),
    ];
    let expected: Vec<(u32, String)> = expected.map(|(line, words)| (line, words.to_string())).to_vec();
    assert_eq!(words(TEXT), expected);
    // With fewer steps a run is not wrong, only cut.
    let few = Probes::run(&compiled(TEXT), 1_000, &|| false).expect("not cancelled");
    assert!(few.is_cut() && few.0[9].texts() == ["…"], "{:?}", few.0[9]);
    assert_eq!(probes(TEXT)[3].texts()[1], "[1, 1, …, 1] 12");
    assert_eq!(Probes::run(&compiled(TEXT), 1_000, &|| true), None);
    // A byte order mark and `\r\n`.
    assert_eq!(words("\u{feff}fn f() -> int { return 2; }\r\n//? f()\r\n"), [(2, "2".to_string())]);
}

/// Texts that would be more than an expression if they were only inserted.
#[test]
fn wrong_probe_does_not_change_the_others() {
    let good = "fn f(n: int) -> int { return n + 1; }\n//? f(1)\n";
    let deep = "(".repeat(64) + "1" + &")".repeat(64);
    let long = "1".to_string() + &" + 1".repeat(4_200);
    for wrong in [
        "1) == 1; test (2",
        "1; test 1 == 1",
        "f(1)) == 2; fn g(n: int) -> int { return (n",
        "] [",
        "fn",
        "const X = 3",
        "let x = 3",
        "return 3",
        "\"no end",
        "0x",
        "é",
        "}",
        "{",
        "f(1",
        "// a comment",
        "a b c",
        deep.as_str(),
        long.as_str(),
    ] {
        for text in [format!("//? {wrong}\n{good}//? f(2)\n"), format!("{good}//? {wrong}\n//? f(2)\n")] {
            let own = probes(&text);
            let texts: Vec<String> = own.iter().map(|probe| probe.texts()[0].clone()).collect();
            assert_eq!(own.len(), 3, "{wrong}: {own:?}");
            assert!(texts.contains(&"2".into()) && texts[2] == "3", "{wrong}: {texts:?}");
            let own = own.iter().find(|probe| probe.expression == wrong || probe.expression.is_empty());
            assert!(own.is_none_or(|probe| probe.test().is_none()), "{wrong}: {own:?}");
        }
    }
}

#[test]
fn probe_works_in_a_text_with_errors_and_only_outside_of_items() {
    let text = "fn f(n: int) -> int { return n + 1; }\n//? f(1)\nfn g(n: int -> { let x = 1\n\n//? f(2)\ntest f( == 2;\n//? f(3)\nfn h() -> int {\n";
    assert_eq!(words(text).iter().map(|(line, _)| *line).collect::<Vec<_>>(), [2, 5, 7], "{text}");
    assert!(words(text).iter().zip(2..).all(|((_, words), n)| *words == n.to_string()), "{:?}", words(text));
    assert_eq!(words("fn f() -> int {\n//? 1\n    return 1;\n//? 2\n}\n//? 3\n"), [(6, "3".to_string())]);
    let none = words("const A =\n//? 1\n    2;\n //? 2\n");
    assert!(none.is_empty(), "within an item, and not at the beginning of a line: {none:?}");
}

#[test]
fn probe_becomes_a_test_that_passes() {
    let text = "fn f(n: int) -> int { return n - 1; }\nfn is(n: int) -> bool { return n > 1; }\nfn none() -> [int] { return []; }\n";
    let with = "//? f(1) + f(2)\n//? f(-2147483647)\n//? is(4)\n//? is(0)\n//? is(2) && is(1)\n//? f(2) == 1\n//? none()\n//? [is(1), is(2)]\n";
    let own = probes(&format!("{text}{with}"));
    let tests: Vec<String> = own.iter().map(|probe| probe.test().expect("a value")).collect();
    assert_eq!(
        tests,
        [
            "test f(1) + f(2) == 1;",
            "test f(-2147483647) == -2147483648;",
            "test is(4);",
            "test !is(0);",
            "test !(is(2) && is(1));",
            "test f(2) == 1;",
            "test none() == [];",
            "test [is(1), is(2)] == [false, true];"
        ]
    );
    let called = call_with("test -", &(text.to_string() + &tests.join("\n")));
    assert_eq!(called.code, 0, "{called:?}");
}

/// A text with probes and the same with plain comments: equal code, mutants and documents.
#[test]
fn nothing_else_depends_on_a_probe() {
    for path in samples() {
        let text = std::fs::read_to_string(&path).expect("a sample");
        let line = |mark: &str, expression: &str| format!("//{mark} {expression}\n");
        let with = |mark: &str| {
            let own = line(mark, "len([1, 2])") + &line(mark, "1 / 0") + &line(mark, "no(");
            format!("{own}{text}\n{own}")
        };
        let [probed, plain] = ["?", "!"].map(|mark| Compiled { text: "".into(), ..compiled(&with(mark)) });
        assert_eq!(format!("{probed:?}"), format!("{plain:?}"), "{}", path.display());
        assert_eq!(probes(&with("?")).len(), 6, "{}", path.display());
    }
    let plain = TEXT.replace("//?", "//!");
    for words in ["check - --partial", "test - --partial", "check -", "fmt -"] {
        let words = format!("{words} --format json");
        let (probed, plain) = (call_with(&words, TEXT), call_with(&words, &plain));
        assert_eq!(probed.stdout.replace("//?", "//!"), plain.stdout, "{words}");
    }
    let correct: String =
        TEXT.lines().filter(|line| !line.contains("= ;")).map(|line| format!("{line}\n")).collect();
    let correct = correct.replace("//? bad(1)\n", "");
    for words in ["mutate - --engine cpu", "test -", "fmt -", "stages -"] {
        let words = format!("{words} --format json");
        let (probed, plain) = (call_with(&words, &correct), call_with(&words, &correct.replace("//?", "//!")));
        assert_eq!(probed.stdout.replace("//?", "//!"), plain.stdout, "{words}");
        assert_eq!(probed.code, plain.code, "{words}");
        assert!(probed.code < 2, "{probed:?}");
    }
}

#[test]
fn run_with_values_prints_the_probes() {
    let text = "//? half(9)\nfn half(n: int) -> int {\n    return n / 2;\n}\n//? 1 / half(1)\n//? half()\n//? half(?)\n";
    let called = myriad(&["run", "-", "half", "5", "--values"], text.as_bytes());
    let lines: Vec<&str> = called.stdout.lines().map(str::trim_end).collect();
    let page = [
        "1  //? half(9)               ◂ 4",
        "2  fn half(n: int) -> int {  n = 5",
        "3      return n / 2;         → 2",
        "4  }",
        "5  //? 1 / half(1)           ◂ DivideByZero",
        "6  //? half()                ◂ wrong arguments",
        "7  //? half(?)               ◂ unfinished",
        "2",
    ];
    assert_eq!(lines, page, "{}", called.stdout);
    let called = myriad(&["run", "-", "half", "5", "--values", "--format", "json"], text.as_bytes());
    let probes: Value = json!([
        {"line": 1, "expression": "half(9)", "value": 4},
        {"line": 5, "expression": "1 / half(1)", "trap": "DivideByZero"},
        {"line": 6, "expression": "half()", "error": "E0403"},
        {"line": 7, "expression": "half(?)", "trap": "Hole"},
    ]);
    assert_eq!(called.file()["probes"], probes, "{}", called.stdout);
    let without = myriad(&["run", "-", "half", "5", "--format", "json"], text.as_bytes());
    assert_eq!(without.file().get("probes"), None);
}

#[test]
fn partial_run_goes_up_to_the_first_error() {
    let text = "fn f(n: int) -> int {\n    if n > 3 {\n        let m = n +;\n        return m;\n    }\n    return n;\n}\nfn g( -> int { return 1; }\n";
    let run = |words: &str| call_with(&format!("run - {words} --format json"), text);
    let without = run("f 2");
    assert_eq!((without.code, without.file().get("value")), (1, None), "{without:?}");
    let called = run("f 2 --partial");
    assert_eq!((called.code, &called.file()["value"]), (1, &json!(2)), "{called:?}");
    assert_eq!(called.file()["diagnostics"], without.file()["diagnostics"]);
    let called = run("f 4 --partial --values");
    let file = called.file();
    assert_eq!((called.code, &file["trap"], &file["hole_line"]), (1, &json!("Hole"), &json!(3)), "{called:?}");
    assert!(called.stderr.contains("the error on line 3, column 9"), "{}", called.stderr);
    // For the values the statement is skipped, and what depends on it is a guess.
    let values = file["values"].as_array().expect("values");
    let returned = values.iter().find(|line| line["line"] == 6).expect("the line after the errors");
    assert_eq!(returned["values"][0]["seen"][0]["guess"], json!(true), "{returned}");
    // A function with an error in its header does not exist.
    let called = run("g --partial");
    assert_eq!((called.code, called.file().get("value")), (1, None), "{called:?}");
}
