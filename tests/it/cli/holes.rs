//! Programs with `?`: what commands say about them, and which refuse them.

use serde_json::{Value, json};

use crate::common::command::{Called, call_with};

const TEXT: &str = "\
fn price(count: int) -> int {
    if count > 10 { return ?; }
    return count * 3;
}
fn half(n: int) -> int { return n / 2; }
test price(4) == 12;
test price(11) == 40;
test price(4) == ?;
test half(4) == 2;
prop n in 0..20 => price(n) == n * 3;
";

const BROKEN: &str = "\
fn price(count: int) -> int {
    let x = ;
    return count * 3;
}
fn half(n: int) -> int { return n / 2; }
test price(4) == 12;
test half(4) == 2;
test half(4) == ?;
";

fn statuses(called: &Called) -> Vec<String> {
    let file = called.file();
    let tests = file["tests"].as_array().expect("tests");
    tests.iter().map(|test| test["status"].as_str().expect("a status").to_string()).collect()
}

#[test]
fn check_lists_holes_and_finds_no_error() {
    let called = call_with("check - --format json", TEXT);
    assert_eq!(called.code, 0, "{called:?}");
    let holes = json!([{"line": 2, "column": 28, "type": "int"}, {"line": 8, "column": 18, "type": "int"}]);
    assert_eq!((&called.file()["holes"], &called.file()["diagnostics"]), (&holes, &json!([])));
    assert_eq!(call_with("check -", TEXT).stdout.lines().next(), Some("<stdin>:2:28: a hole of type int"));
    // Without holes the document is as before.
    let called = call_with("check - --format json", "test 1 == 1;\n");
    assert_eq!(called.file().get("holes"), None);
    // An error leaves it out.
    assert_eq!(
        call_with("check - --format json", BROKEN).file()["holes"],
        json!([{"line": 8, "column": 17, "type": "int"}])
    );
    let called = call_with("check - --format json --partial", BROKEN);
    let holes = json!([{"line": 2, "column": 5}, {"line": 8, "column": 17, "type": "int"}]);
    assert_eq!((called.code, &called.file()["holes"]), (1, &holes));
}

#[test]
fn tests_that_arrive_at_a_hole_are_unfinished() {
    let called = call_with("test - --format json", TEXT);
    assert_eq!(called.code, 1, "{called:?}");
    assert_eq!(statuses(&called), ["pass", "unfinished", "unfinished", "pass", "unfinished"]);
    let tests = &called.file()["tests"];
    assert_eq!((&tests[1]["hole_line"], &tests[1]["hole_column"]), (&json!(2), &json!(28)));
    assert_eq!(
        (&tests[1]["trap"], &tests[1]["trap_line"], &tests[1]["left"]),
        (&Value::Null, &Value::Null, &Value::Null)
    );
    assert_eq!(
        (&tests[2]["hole_line"], &tests[2]["left"], &tests[2]["right"]),
        (&json!(8), &json!(12), &Value::Null)
    );
    assert_eq!(tests[4]["counterexample"], json!({"n": 11}));
    let text = call_with("test -", TEXT).stdout;
    assert!(text.contains("line 7: arrives at the hole on line 2, column 28\n"), "{text}");
    assert!(text.contains("line 8: arrives at the hole on line 8, column 18\n          left:  12\n"), "{text}");
}

#[test]
fn programs_with_errors_have_results_only_with_partial() {
    let called = call_with("test - --format json", BROKEN);
    assert_eq!((called.code, &called.file()["tests"]), (1, &json!([])));
    let called = call_with("test - --format json --partial", BROKEN);
    assert_eq!(called.code, 1, "{called:?}");
    assert_eq!(statuses(&called), ["unfinished", "pass", "unfinished"]);
    assert_eq!(
        (&called.file()["tests"][0]["hole_line"], &called.file()["tests"][2]["left"]),
        (&json!(2), &json!(2))
    );
}

#[test]
fn call_that_arrives_at_a_hole_fails_with_its_place() {
    let called = call_with("run - price 20 --format json", TEXT);
    let said = "error: price is not finished: it arrives at the `?` on line 2, column 28\n";
    assert!(called.code == 1 && called.stderr.starts_with(said), "{called:?}");
    assert_eq!((&called.file()["hole_line"], &called.file()["hole_column"]), (&json!(2), &json!(28)));
    assert_eq!(call_with("run - price 2", TEXT).stdout, "6\n");
    let traced = call_with("run - price 20 --trace", TEXT).stdout;
    assert!(traced.contains("it traps after 5 steps: Hole on line 2, at `?`"), "{traced}");
}

#[test]
fn commands_that_need_a_whole_program_refuse_a_hole() {
    for words in [
        "export - --to c",
        "prove - --mutant 0",
        "improve - --function price --format json",
        "noise -",
        "neural - --function price -k 1",
        "router - -k 1",
        "run - price 2 --compiler hybrid -k 1",
        "repair -",
        "mutate - --min-score 1",
    ] {
        let engine = if words.starts_with("improve") { "" } else { "--engine cpu" };
        let called = call_with(&format!("{words} {engine}"), TEXT);
        let said = "is not finished: the `?` on line 2, column 28";
        assert!(called.code == 1 && called.stderr.contains(said), "{words}: {called:?}");
    }
    // Calls that do not arrive at it are made.
    let called = call_with("noise - --test 3 --engine cpu -k 20", TEXT);
    assert_eq!(called.code, 0, "{called:?}");
    assert_eq!(call_with("mutate - --engine cpu", TEXT).code, 0);
}

#[test]
fn candidate_with_a_hole_never_passes() {
    let line = |id: u32, source: &str| json!({"id": id, "source": source}).to_string() + "\n";
    let whole = "fn f(n: int) -> int { return n; }\ntest f(1) == 1;\n";
    let comment = format!("{whole}// really?\n");
    let open = whole.replace("return n;", "if n > 5 { return ?; } return n;");
    let lines =
        line(0, whole) + &line(1, &comment) + &line(2, &open) + &line(3, &whole.replace("== 1", "== ?"));
    let called = call_with("batch -", &lines);
    assert_eq!(called.code, 1, "{called:?}");
    let status = |line: &str| serde_json::from_str::<Value>(line).expect("a record")["status"].clone();
    let statuses: Vec<Value> = called.stdout.lines().map(status).collect();
    assert_eq!(statuses, ["pass", "pass", "unfinished", "unfinished"]);
}
