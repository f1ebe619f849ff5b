//! `myriad improve` and `--opt 3`.

use std::fs;

use crate::common::command::{Called, myriad_in};

const TEXT: &str = "fn sum(n: int) -> int {
    let s = 0;
    let i = 0;
    while i < n { s += i; i += 1; }
    return s;
}
test sum(10) == 45;
test sum(0) == 0;
";

/// Calls the program with a store in a folder.
fn call(folder: &tempfile::TempDir, words: &str) -> Called {
    let store = ("MYRIAD_LEARNED".to_string(), folder.path().join("store"));
    let file = folder.path().join("sum.myr");
    fs::write(&file, TEXT).expect("a file");
    let file = file.to_string_lossy().into_owned();
    let words: Vec<&str> =
        words.split_whitespace().map(|word| if word == "FILE" { &file } else { word }).collect();
    myriad_in(&words, &[store])
}

fn steps(called: &Called) -> u64 {
    called.file()["tests"]
        .as_array()
        .expect("tests")
        .iter()
        .map(|test| test["steps"].as_u64().expect("steps"))
        .sum()
}

#[test]
fn improved_function_takes_fewer_steps_at_level_3() {
    let folder = tempfile::tempdir().expect("a folder");
    let improved = call(&folder, "improve FILE --format json");
    let file = improved.file();
    let found = file["routines"].as_array().expect("routines");
    let improved = found.iter().find(|found| found["routine"] == "test sum(10) == 45").expect("the test");
    assert_eq!(improved["outcome"], "better", "{file}");
    let [whole, learned] =
        ["2", "3"].map(|level| call(&folder, &format!("test FILE --format json --opt {level}")));
    assert!(steps(&learned) < steps(&whole), "{learned:?}");
    assert_eq!(file["steps"]["level_3"], steps(&learned));
    assert_eq!(learned.json()["opt"], 3, "{learned:?}");
    let ran = call(&folder, "run FILE sum 90 --opt 3");
    assert_eq!(ran.stdout, "4005\n", "{ran:?}");
    let again = call(&folder, "improve FILE");
    assert!(again.stdout.contains("test sum(10) == 45: better code is known already"), "{again:?}");
    let listed = call(&folder, "improve --list");
    assert!(
        listed.stdout.contains(" with better code\n") && listed.stdout.contains("instead of"),
        "{listed:?}"
    );
    assert!(call(&folder, "improve --forget").stdout.starts_with("everything learned is deleted"));
    assert!(call(&folder, "improve --list").stdout.starts_with("0 routines"));
}

#[test]
fn imported_rules_are_proved_and_can_be_switched_off() {
    let folder = tempfile::tempdir().expect("a folder");
    let rules = folder.path().join("rules.txt");
    fs::write(&rules, "mine: UNARY_INVERT; UNARY_INVERT => nothing\nwrong: UNARY_NOT; UNARY_NOT => nothing\n")
        .expect("written");
    let imported = call(&folder, &format!("improve --import {}", rules.display()));
    assert_eq!(imported.code, 1, "{imported:?}");
    assert!(imported.stdout.contains("proved   mine: "), "{imported:?}");
    assert!(imported.stdout.contains("refused  wrong: ") && imported.stdout.contains("its windows differ"));
    assert_eq!(call(&folder, "improve --off mine").stdout, "mine is now off\n");
    let listed = call(&folder, "improve --list").stdout;
    assert!(listed.contains("(off) (own) mine: UNARY_INVERT; UNARY_INVERT => nothing"), "{listed}");
    assert_eq!(call(&folder, "improve --on mine").stdout, "mine is now on\n");
    let exported = call(&folder, "improve --export").stdout;
    assert!(exported.ends_with("mine: UNARY_INVERT; UNARY_INVERT => nothing\n"), "{exported}");
    assert_eq!(call(&folder, "improve --off nobody").code, 2);
}

#[test]
fn import_ends_at_its_limit_and_keeps_what_is_proved() {
    let folder = tempfile::tempdir().expect("a folder");
    let rules = folder.path().join("rules.txt");
    // Half of the rules are proved at once; the search for a proof of the others is long, and in vain.
    let hard = "LOAD_CONST 7; BINARY_DIV; LOAD_CONST 3; BINARY_DIV => LOAD_CONST 21; BINARY_DIV";
    let easy = "UNARY_INVERT; UNARY_INVERT => nothing";
    let text: String = (0..80).map(|n| format!("r{n}: {}\n", if n % 2 == 0 { easy } else { hard })).collect();
    fs::write(&rules, text).expect("written");
    let words = format!("improve --import {} --format json", rules.display());
    let cut = call(&folder, &format!("{words} --seconds 0.1"));
    let document = cut.json();
    assert_eq!((cut.code, &document["partial"]["reason"]), (1, &"seconds".into()), "{cut:?}");
    assert!(cut.stderr.contains("of 80 rules are tried"), "{cut:?}");
    let count = |document: &serde_json::Value, what: &str| document[what].as_array().expect("rules").len();
    let known = count(&document, "kept");
    assert!(known < 40, "{cut:?}");
    let whole = call(&folder, &words).json();
    assert_eq!((count(&whole, "kept"), count(&whole, "refused")), (40 - known, 40 + known), "{whole}");
    assert!(whole.get("partial").is_none(), "{whole}");
}

#[test]
fn learned_code_traps_with_the_cause_of_the_source() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = "fn f(xs: [int; 8], k: int) -> int {
    if len(xs) < 4 { xs += [7]; }
    let i = 0;
    let s = 0;
    while i < 2 {
        s += len(xs) / i;
        i += 1;
    }
    return s + k;
}
test f([1], 4) == 0;
test f([1, 2], 4) == 0;
";
    let path = folder.path().join("trap.myr");
    fs::write(&path, text).expect("written");
    let improved = call(&folder, &format!("improve {} --format json", path.display())).file();
    let rows = improved["routines"].as_array().expect("routines");
    assert!(rows.iter().any(|row| row["outcome"] == "better"), "{improved}");
    for level in ["0", "1", "2", "3"] {
        let document = call(&folder, &format!("test {} --opt {level} --format json", path.display())).file();
        let causes =
            [0, 1].map(|test| document["tests"][test]["trap_cause"].as_str().unwrap_or("none").to_string());
        assert_eq!(causes, ["division of 2 by 0", "division of 3 by 0"], "level {level}");
    }
}
