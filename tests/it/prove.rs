//! `myriad prove`: proofs, counterexamples, and honest answers where neither is found.

use std::fs;

use crate::common::command::{Called, call, myriad};

/// Compares two programs.
fn prove(a: &str, b: &str, options: &[&str]) -> Called {
    let folder = tempfile::tempdir().expect("a folder");
    let [one, two] = ["a.myr", "b.myr"].map(|name| folder.path().join(name).to_string_lossy().into_owned());
    fs::write(&one, a).expect("a file");
    fs::write(&two, b).expect("a file");
    myriad(&[&["prove", &one, &two, "--engine", "cpu"], options].concat(), b"")
}

/// Returns the verdict on the only function.
fn verdict(a: &str, b: &str) -> serde_json::Value {
    let called = prove(a, b, &["--format", "json"]);
    let functions = called.file()["functions"].clone();
    assert_eq!(called.code, i32::from(functions[0]["verdict"] != "proved"), "{called:?}");
    functions[0].clone()
}

#[test]
fn equal_normal_forms_are_proved() {
    let row = verdict(
        "fn f(a: int, b: int) -> int { return (a + b) * 2; }",
        "fn f(a: int, b: int) -> int { let s = b; s += a; return s + s; }",
    );
    assert_eq!((&row["verdict"], &row["method"]), (&"proved".into(), &"normal-form".into()), "{row}");
}

#[test]
fn difference_is_shown_by_its_smallest_input() {
    let row = verdict("fn f(a: int) -> int { return a / 3; }", "fn f(a: int) -> int { return (a + 1) / 3; }");
    assert_eq!((&row["verdict"], &row["arguments"]), (&"differs".into(), &serde_json::json!([2])), "{row}");
    assert_eq!(row["outcomes"], serde_json::json!([{"value": 0}, {"value": 1}]));
    let called = prove("fn f(a: int) -> int { return a; }", "fn f(a: int) -> int { return 1 / a; }", &[]);
    assert_eq!(called.stdout, "differs  f(0): gives 0, then traps (DivideByZero)\n", "{called:?}");
}

#[test]
fn helper_of_the_same_name_is_compared_too() {
    let a = "fn h(a: int) -> int { if a > 9 { return h(a - 9); } return a; } fn f(a: int) -> int { return h(a) * 2; }";
    let b = "fn h(a: int) -> int { if a > 8 { return h(a - 9); } return a; } fn f(a: int) -> int { return h(a) + h(a); }";
    let equal = prove(a, &a.replace("* 2", "+ h(a)"), &["--function", "f"]);
    assert!(equal.stdout.starts_with("proved   f: "), "{equal:?}");
    let called = prove(a, b, &["--function", "f"]);
    assert_eq!(called.stdout, "differs  f(9): gives 18, then gives 0\n", "{called:?}");
}

#[test]
fn mutant_is_compared_with_its_program() {
    let document = call("mutate samples/gcd.myr --engine cpu --format json").file();
    let mutants = document["mutants"].as_array().expect("mutants");
    let first =
        |status: &str| mutants.iter().find(|mutant| mutant["status"] == status).expect(status)["id"].clone();
    let killed = call(&format!("prove samples/gcd.myr --mutant {} --engine cpu", first("killed")));
    assert!(killed.stdout.starts_with("differs  "), "{killed:?}");
    let equivalent = call(&format!("prove samples/gcd.myr --mutant {} --engine cpu", first("equivalent")));
    assert!(equivalent.code == 0 && equivalent.stdout.starts_with("proved   "), "{equivalent:?}");
}

#[test]
fn functions_that_cannot_be_compared_are_refused() {
    let a = "fn f(a: int) -> int { return a; }";
    let refused = |called: Called, word: &str| {
        assert!(called.code == 2 && called.stderr.contains(word), "{called:?}");
    };
    refused(prove(a, a, &["--function", "g"]), "no function `g`");
    refused(prove(a, "fn f(a: bool) -> int { return 1; }", &["--function", "f"]), "of the same type");
    refused(prove(a, "fn g(a: int) -> int { return a; }", &[]), "no function in common");
    refused(call("prove samples/gcd.myr --mutant 99999"), "99999");
}
