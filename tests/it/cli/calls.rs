//! `run`: arguments and results of calls, and how they end.

use serde_json::json;

use crate::common::command::myriad;

use super::{refused, run};

#[test]
fn run_prints_the_value_of_a_call() {
    let program = "fn neg(n: int) -> int { return -n; }
fn not(b: bool) -> bool { return !b; }
fn rest(xs: [int; 4]) -> [int; 4] { return xs[1..len(xs)]; }
fn flags(bs: [bool]) -> [bool] { return bs; }
fn size(text: [int; 64], k: int) -> int { return len(text) * k; }
";
    for (words, value) in [
        (&["neg", "-5"][..], json!(5)),
        (&["neg", "-0x10"], json!(16)),
        (&["neg", "0xFFFF_FFFF"], json!(1)),
        (&["neg", "'a'"], json!(-97)),
        (&["neg", "-2147483648"], json!(-2147483648)),
        (&["neg", "(3)"], json!(-3)),
        (&["not", "true"], json!(false)),
        (&["rest", "[1, 2, -3]"], json!([2, -3])),
        (&["rest", "[7]"], json!([])),
        (&["rest", "[5; 3]"], json!([5, 5])),
        (&["flags", "[]"], json!([])),
        (&["flags", "[true, false]"], json!([true, false])),
        (&["size", "\"a\\n\\\"\"", "10"], json!(30)),
    ] {
        let called = run(program, words);
        assert_eq!(called.code, 0, "{words:?}: {called:?}");
        assert_eq!(called.file()["value"], value, "{words:?}");
        assert!(called.file()["steps"].as_u64().is_some_and(|steps| steps > 0));
    }
    let text = myriad(&["run", "-", "rest", "[1, 2, 3]", "--engine=cpu"], program.as_bytes());
    assert_eq!(text.stdout, "[2, 3]\n");
}

#[test]
fn trapping_call_reports_its_trap_and_line() {
    let program = "fn over(n: int) -> int {
    return 1 / n;
}

fn short(xs: [int; 2]) -> int { return len(xs); }
fn deep(n: int) -> int { if n == 0 { return 0; } return deep(n - 1); }
fn spin() -> int { while true { } }
";
    for (words, trap, line) in [
        (&["over", "0"][..], "DivideByZero", 2),
        (&["short", "[1, 2, 3]"], "CapacityExceeded", 5),
        (&["deep", "128"], "RecursionTooDeep", 6),
        (&["spin"], "StepLimit", 7),
    ] {
        let called = run(program, words);
        assert_eq!(called.code, 1, "{words:?}: {called:?}");
        let file = called.file();
        assert_eq!((&file["trap"], &file["trap_line"]), (&json!(trap), &json!(line)), "{words:?}");
        assert!(file.get("value").is_none());
    }
    assert_eq!(run(program, &["deep", "127"]).file()["value"], 0);
}

#[test]
fn call_with_wrong_arguments_is_refused() {
    let call = |words: &[&str]| run("fn f(a: int, xs: [bool]) -> int { return a + len(xs); }\n", words);
    refused(&call(&["g", "1"]), 2, &["`g`", "`f`"]);
    refused(&call(&["f", "1"]), 2, &["takes 2 arguments", "1"]);
    refused(&call(&["f", "1", "[]", "3"]), 2, &["takes 2 arguments"]);
    refused(&call(&["f", "true", "[]"]), 2, &["argument 1", "int"]);
    refused(&call(&["f", "1", "[1]"]), 2, &["argument 2", "[bool]"]);
    refused(&call(&["f", "1 + 1", "[]"]), 2, &["argument 1", "literal"]);
    refused(&call(&["f", "x", "[]"]), 2, &["argument 1"]);
    refused(&call(&["f", "1, 2", "[]"]), 2, &["argument 1"]);
    refused(&call(&["f", "1) == 1; test argument(2", "[]"]), 2, &["argument 1"]);
    refused(&call(&["f", "", "[]"]), 2, &["argument 1"]);
    refused(&call(&["f", "2147483648", "[]"]), 2, &["argument 1", "2147483648"]);
    refused(&call(&["f", "\"abc", "[]"]), 2, &["argument 1"]);
}
