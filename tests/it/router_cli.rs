//! `myriad router` and `myriad run --compiler hybrid`: what is said, the shape of documents, and what is learned.

use crate::common::command::{call, call_with, myriad_learning};

const PROGRAM: &str = "fn add(a: int, b: int) -> int { return a + b; }
fn gcd(a: int, b: int) -> int { while b != 0 { let t = a % b; a = b; b = t; } return a; }
test add(1, 2) == 3;
test gcd(12, 18) == 6;
";

#[test]
fn a_function_s_route_in_a_document() {
    let called = call_with("router - -k 20 --engine cpu --format json", PROGRAM);
    assert_eq!(called.code, 0, "{called:?}");
    let file = called.file();
    assert_eq!((file["evidence"].as_str(), file["theta"].as_str()), (Some("proved"), Some("-inf")));
    assert_eq!(
        (file["costs"]["unit"].as_str(), file["costs"]["origin"].as_str()),
        (Some("s"), Some("measured"))
    );
    let functions = file["functions"].as_array().expect("functions");
    let names: Vec<_> = functions.iter().map(|row| row["function"].as_str().unwrap()).collect();
    assert_eq!(names, ["add", "gcd"]);
    for row in functions {
        assert_eq!(row["path"].as_str(), Some("traditional"));
        assert!(row["reason"].as_str().is_some_and(|why| why.contains("proved")), "{row}");
        let (score, p) = (row["score"].as_f64().unwrap(), row["probability"].as_f64().unwrap());
        assert!((p - 1.0 / (1.0 + score.exp())).abs() < 1e-9);
        assert_eq!(row["features"].as_object().map(|features| features.len()), Some(11));
        assert!(row["counterfactual"].as_f64() > row["expected"].as_f64());
        assert!(row["measured"]["neural"].as_f64() > row["measured"]["traditional"].as_f64());
    }
    assert_eq!(functions[1]["features"]["loops"], 1);
}

#[test]
fn a_page_for_people() {
    let called = call_with("router - -k 10 --engine cpu --evidence verified --theta 100", PROGRAM);
    assert_eq!(called.code, 0, "{called:?}");
    for said in
        ["2 of 2 functions take the neural path", "gcd: neural", "(measured)", "(modelled)", "nesting 2"]
    {
        assert!(called.stdout.contains(said), "{said} in {}", called.stdout);
    }
    assert_eq!(call_with("router -", "fn f( {").code, 1);
    assert_eq!(call("router").code, 2);
    assert_eq!(call("router samples/gcd.myr --functions 3").code, 2);
    assert_eq!(call("router samples/gcd.myr --theta NaN").code, 2);
}

#[test]
fn what_is_learned_is_kept_and_forgotten() {
    let folder = tempfile::tempdir().expect("a folder");
    let history = folder.path().join("history");
    let call = |words: &str| {
        let words: Vec<&str> = words.split_whitespace().collect();
        myriad_learning(&words, PROGRAM.as_bytes(), &history)
    };
    assert_eq!(call("router - -k 10 --engine cpu").code, 0);
    let lines = std::fs::read_to_string(&history).expect("a history");
    assert_eq!(lines.lines().count(), 2, "{lines}");
    std::fs::write(&history, format!("{lines}broken\n")).expect("room");
    let called = call("run - gcd 12 18 --compiler hybrid --theta inf -k 10 --engine cpu --format json");
    assert_eq!((called.code, &called.file()["value"]), (0, &6.into()), "{called:?}");
    assert_eq!(called.file()["compiler"].as_str(), Some("hybrid"));
    assert_eq!(std::fs::read_to_string(&history).unwrap().lines().count(), 4);
    let called = call("run - gcd 12 18 --compiler hybrid");
    assert!(called.stdout.starts_with("6\ntraditional: "), "{called:?}");
    let called = call("router --reset");
    assert!(called.code == 0 && called.stdout.contains("deleted") && !history.exists(), "{called:?}");
    assert!(call("router --reset").stdout.contains("no history"));
}
