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
    assert_eq!(filled(low)[0], "x & -x");
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
fn elements_and_calls_are_expressions() {
    let norm = "fn square(a: int) -> int { return a * a; }\nfn norm(a: int, b: int) -> int { return ?; }\n\
                test norm(3, 5) == 34;\ntest norm(2, -9) == 85;\ntest norm(7, 1) == 50;\ntest norm(0, 4) == 16;\n";
    assert!(filled(norm).contains(&"square(a) + square(b)".to_string()));
    let last = "fn last(xs: [int]) -> int { return ?; }\ntest last([3, 8]) == 8;\ntest last([1, 2, 9, 0]) == 0;\n\
                test last([7]) == 7;\ntest last([5, 5, 6]) == 6;\n";
    assert!(["xs[len(xs) - 1]", "xs[len(xs) + -1]"].contains(&filled(last)[0].as_str()));
    let rank = "fn rank(p: bool, q: bool) -> int { return ?; }\ntest rank(true, true) == 2;\ntest rank(true, false) == 1;\n\
                test rank(false, true) == 1;\ntest rank(false, false) == 0;\n";
    assert_eq!(filled(rank)[0], "int(p) + int(q)");
}

#[test]
fn condition_of_a_loop_is_found_by_the_ways_that_pass() {
    let find = "fn find(xs: [int], x: int) -> int {\n    let i = 0;\n    while ? { i += 1; }\n    return i;\n}\n\
                test find([3, 5, 7], 5) == 1;\ntest find([3, 5, 7], 9) == 3;\ntest find([], 1) == 0;\ntest find([-4, -6], -6) == 1;\n\
                test find([9, -9, 2, 6], 6) == 3;\ntest find([1, 4], -1) == 2;\n";
    let found = filled(find);
    let both = ["i < len(xs) && xs[i] != x", "len(xs) != i && xs[i] != x"];
    assert!(both.contains(&found[0].as_str()), "{found:?}");
    let positive = "fn sum(xs: [int]) -> int {\n    let total = 0;\n    for x in xs { if ? { total += x; } }\n    return total;\n}\n\
                    test sum([1, -2, 3]) == 4;\ntest sum([]) == 0;\ntest sum([-5, 8, -1]) == 8;\ntest sum([9, 7, -9]) == 16;\n";
    assert_eq!(filled(positive)[0], "0 < x");
    let never = "fn count(n: int) -> int {\n    let i = 0;\n    if ? { i = 1; }\n    return i;\n}\ntest count(3) == 1;\ntest count(3) == 0;\n";
    let called = call_with("fill -", never);
    assert!(
        called.code == 1 && called.stderr.contains("no value of the `?` passes the test on line"),
        "{called:?}"
    );
}

#[test]
fn usual_expressions_come_first_and_constants_of_tests_last() {
    let later = "fn later(a: int) -> int { return ?; }\ntest later(3) == 4;\ntest later(10) == 11;\ntest later(-7) == -6;\n";
    assert_eq!(filled(later)[0], "a + 1");
    let most = "fn most(a: int) -> int { return ?; }\ntest most(300) == 100;\ntest most(150) == 100;\ntest most(8) == 8;\n\
                test most(-5) == -5;\n";
    assert_eq!(filled(most)[0], "min(a, 100)");
    let same = "fn same(a: int, b: int) -> int { return ?; }\ntest same(3, 4) == 77;\ntest same(5, 9) == 77;\ntest same(-8, 60) == 77;\n";
    let found = filled(same);
    assert!(found.len() == 1 || found[0] != "77", "{found:?}");
}

#[test]
fn two_holes_of_a_function_are_filled_together() {
    let mid = "fn mid(a: int, b: int) -> int {\n    if ? { return a; }\n    return ?;\n}\ntest mid(3, 5) == 5;\ntest mid(9, 2) == 9;\n\
               test mid(-4, 4) == 4;\ntest mid(7, 7) == 7;\ntest mid(0, -6) == 0;\n";
    let called = call_with("fill - --format json", mid);
    assert_eq!(called.code, 0, "{called:?}");
    assert_eq!(called.file()["type"], "bool, int");
    let best = solutions(&called).remove(0);
    let (condition, value) = best.split_once(", ").expect("two expressions");
    let whole = mid.replacen('?', condition, 1).replacen('?', value, 1);
    let tested = call_with("test - --format json", &whole);
    assert_eq!(tested.code, 0, "{whole}\n{tested:?}");
}

#[test]
fn few_tests_are_said_to_fit_many_expressions() {
    let one = "fn f(a: int, b: int) -> int { return ?; }\ntest f(3, 4) == 7;\n";
    let called = call_with("fill - --format json", one);
    let evidence = &called.file()["evidence"];
    assert_eq!(evidence["tests"], 1);
    assert!(evidence["fits"].as_u64() > Some(1) && evidence["size"].as_u64() > Some(2), "{evidence}");
    let text = call_with("fill -", one).stdout;
    let [said, asked, first] = ["  1 test fits ", "what should f(", "    1. "].map(|part| text.find(part));
    assert!(said.is_some() && said < asked && asked < first, "{text}");
    let many = format!("{one}test f(1, 5) == 6;\ntest f(20, 4) == 24;\n");
    assert!(call_with("fill - --format json", &many).file()["evidence"].is_null());
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
fn solutions_that_differ_only_in_traps_are_asked_about() {
    let hanoi = "fn hanoi(discs: int) -> int {\n    if ? { return 0; }\n    return 2 * hanoi(discs - 1) + 1;\n}\ntest hanoi(10) == 1023;\n";
    let called = call_with("fill - --format json", hanoi);
    assert_eq!(solutions(&called), ["discs < 1", "discs == 0"]);
    let question = &called.file()["question"];
    assert_eq!(question["answers"][0]["test"], "test hanoi(-1) == 0;", "{question}");
    assert_eq!(question["traps"], serde_json::json!([2]), "{question}");
    assert!(call_with("fill -", hanoi).stdout.contains("    a trap  by expression 2\n"));
}

/// The answer for the first expression excludes most others, and also those that are too large to be tried.
#[test]
fn question_separates_the_first_solution_from_others() {
    let sum = "fn f(a: int, b: int, c: int) -> int { return ?; }\ntest f(7, 0, 5) == 12;\n";
    let called = call_with("fill - --format json", sum);
    let question = &called.file()["question"];
    let own = question["answers"].as_array().expect("answers").iter().find(|own| own["ranks"][0] == 1);
    assert_eq!(own.expect("the first one's")["ranks"].as_array().map(Vec::len), Some(1), "{question}");
    let numbers: Vec<i32> = question["call"].as_str().expect("a call")[2..]
        .split([',', ')', ' '])
        .filter_map(|number| number.parse().ok())
        .collect();
    let [a, b, c] = numbers[..] else { panic!("{question}") };
    assert!(a != b && b != c && a != c && ![0, 1].contains(&b), "{question}");
}

#[test]
fn property_that_reaches_the_hole_late_is_used() {
    let late = "fn f(n: int) -> int {\n    if n < 70 { return 0; }\n    return ?;\n}\nprop n in 0..100 => f(n) == (n / 70) * (n * 3);\n";
    assert!(filled(late).contains(&"n * 3".to_string()));
}

#[test]
fn sole_solution_is_compared_with_larger_ones() {
    let average = "fn average(a: int, b: int) -> int { return ?; }\ntest average(4, 6) == 5;\ntest average(-3, -5) == -4;\n\
                   test average(2147483647, 2147483645) == 2147483646;\n";
    let called = call_with("fill - --format json", average);
    assert!(solutions(&called).len() > 1 && called.file()["question"].is_object(), "{called:?}");
}

#[test]
fn what_cannot_be_filled_has_a_reason() {
    let contradiction = "fn f(x: int) -> bool { return ?; }\ntest f(1);\ntest !f(1);\n";
    let three = "fn f(x: int) -> int { return ? + ? * ?; }\ntest f(1) == 2;\n";
    let apart =
        "fn f(x: int) -> int { return ?; }\nfn g(x: int) -> int { return ?; }\ntest f(1) + g(1) == 2;\n";
    let list = "fn f(x: int) -> [int] { return ?; }\ntest f(1) == [2];\n";
    let unreached = "fn f(x: int) -> int { return ?; }\ntest 1 == 1;\n";
    let whole = "fn f(x: int) -> int { return x; }\ntest f(1) == 1;\n";
    for (text, reason) in [
        (contradiction, "no value of the `?` passes the test on line 3"),
        (three, "has 3 `?`"),
        (apart, "in different functions"),
        (list, "is a [int]"),
        (unreached, "no test or property"),
        (whole, "has no `?`"),
    ] {
        let called = call_with("fill -", text);
        assert_eq!(called.code, 1, "{called:?}");
        assert!(called.stderr.contains(reason), "{called:?}");
    }
}
