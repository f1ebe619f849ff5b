//! `myriad fill`: what it writes in the place of a `?` passes all tests, and what cannot be filled has a reason.

use crate::common::command::{Called, call_with};

fn solutions(called: &Called) -> Vec<String> {
    let file = called.file();
    let all = file["solutions"].as_array().expect("solutions");
    all.iter().map(|own| own["text"].as_str().expect("a text").to_string()).collect()
}

/// Fills a text; tests the text with each solution. Returns the solutions.
fn filled(text: &str) -> Vec<String> {
    let called = call_with("fill - --format json --most 40", text);
    assert_eq!(called.code, 0, "{called:?}");
    let found = solutions(&called);
    assert!(!found.is_empty(), "{text}");
    for own in &found {
        let whole = text.replacen('?', own, 1);
        let tested = call_with("test - --format json", &whole);
        assert_eq!(tested.code, 0, "{whole}\n{tested:?}");
    }
    found
}

#[test]
fn smallest_expression_with_the_needed_values_is_found() {
    let low = "fn low(x: int) -> int { return ?; }\nprop x in -100..100 => low(x) == x - (x & (x - 1));\n";
    assert_eq!(filled(low), ["x & -x"]);
    let inside = "fn f(a: int, b: int) -> int { let c = a * b; return max(?, 3); }\ntest f(2, 3) == 4;\ntest f(5, 7) == 33;\n\
                  test f(9, 9) == 79;\ntest f(4, -2) == 3;\n";
    assert!(filled(inside).contains(&"c - 2".to_string()));
    let even = "fn even(n: int) -> bool { return ?; }\nprop n in -50..50 => even(n) == (n % 2 == 0);\n";
    filled(even);
}

#[test]
fn hole_in_a_loop_is_filled_by_running_candidates() {
    let sum = "fn sum(xs: [int]) -> int {\n    let total = 0;\n    for x in xs { total = ?; }\n    return total;\n}\n\
               test sum([1, 2, 3]) == 6;\ntest sum([]) == 0;\ntest sum([5]) == 5;\ntest sum([4, -4, 9]) == 9;\n";
    let found = filled(sum);
    assert!(found.iter().any(|own| ["total + x", "x + total"].contains(&own.as_str())), "{found:?}");
    let search = "fn find(xs: [int], x: int) -> int {\n    let i = 0;\n    while ? { i += 1; }\n    return i;\n}\n\
                  test find([3, 5, 7], 5) == 1;\ntest find([3, 5, 7], 9) == 3;\ntest find([], 1) == 0;\ntest find([4], 4) == 0;\n";
    filled(search);
}

#[test]
fn each_engine_writes_the_same_document() {
    let text = "fn f(a: int, b: int) -> int { return ?; }\ntest f(2, 3) == 7;\ntest f(5, 7) == 36;\ntest f(9, 9) == 82;\n";
    let [cpu, gpu] =
        ["cpu", "gpu"].map(|engine| call_with(&format!("fill - --engine {engine} --format json"), text));
    assert_eq!(cpu.code, 0, "{cpu:?}");
    assert_eq!(cpu.file(), gpu.file());
}

#[test]
fn solutions_that_differ_are_asked_about() {
    let average = "fn average(a: int, b: int) -> int { return ?; }\ntest average(4, 6) == 5;\ntest average(-3, -5) == -4;\n\
                   test average(7, 2) == 4;\n";
    let called = call_with("fill - --format json", average);
    let question = &called.file()["question"];
    assert!(question["call"].as_str().expect("a call").starts_with("average("), "{question}");
    assert!(question["answers"].as_array().expect("answers").len() >= 2, "{question}");
    // `repair` fills, too.
    let repaired = call_with("repair - --format json", average);
    assert_eq!(repaired.code, 0, "{repaired:?}");
    assert_eq!(repaired.file()["repairs"][0]["edits"][0]["rule"], "hole");
}

#[test]
fn what_cannot_be_filled_has_a_reason() {
    let contradiction = "fn f(x: int) -> bool { return ?; }\ntest f(1);\ntest !f(1);\n";
    let two = "fn f(x: int) -> int { return ? + ?; }\ntest f(1) == 2;\n";
    let list = "fn f(x: int) -> [int] { return ?; }\ntest f(1) == [2];\n";
    let unreached = "fn f(x: int) -> int { return ?; }\ntest 1 == 1;\n";
    let whole = "fn f(x: int) -> int { return x; }\ntest f(1) == 1;\n";
    for (text, reason) in [
        (contradiction, "no value of the `?` passes the test on line 3"),
        (two, "several `?`"),
        (list, "is a [int]"),
        (unreached, "no test or property"),
        (whole, "has no `?`"),
    ] {
        let called = call_with("fill -", text);
        assert_eq!(called.code, 1, "{called:?}");
        assert!(called.stderr.contains(reason), "{called:?}");
    }
}
