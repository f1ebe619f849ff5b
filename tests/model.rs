//! `myriad model`: the paper beside this machine. What is measured differs from run to run; the shape does not.

mod common;

use common::command::{call, call_with};
use serde_json::{Value, json};

/// A small program, so that it is measured quickly.
const PROGRAM: &str = "fn twice(a: int) -> int { return a + a; }
test twice(4) == 8;
prop a in 0..50 => twice(a) >= a;
";

fn model(words: &str) -> Value {
    let called = call_with(&format!("model - -k 12 --engine cpu --format json {words}"), PROGRAM);
    assert_eq!((called.code, called.stderr.as_str()), (0, ""));
    called.file()
}

/// No null anywhere: a field that does not apply is absent.
fn no_null(value: &Value) {
    match value {
        Value::Null => panic!("null"),
        Value::Array(list) => list.iter().for_each(no_null),
        Value::Object(map) => map.values().for_each(no_null),
        _ => {}
    }
}

#[test]
fn the_document_has_every_equation_and_says_of_each_number_what_it_is() {
    let file = model("");
    no_null(&file);
    assert_eq!(file["file"], "<stdin>");
    let sections = file["sections"].as_array().expect("sections");
    let numbers: Vec<u64> = sections.iter().filter_map(|section| section["equation"].as_u64()).collect();
    assert_eq!(numbers, (1..=16).collect::<Vec<_>>());
    let idents: Vec<&str> = sections[16..].iter().filter_map(|section| section["section"].as_str()).collect();
    assert_eq!(idents, ["energy", "memory", "table1", "table2", "claims"]);
    for row in sections.iter().flat_map(|section| section["rows"].as_array().expect("rows")) {
        for column in ["quoted", "modelled", "measured"] {
            let cell = &row[column];
            let number = cell["value"].is_number() || (cell["low"].is_number() && cell["high"].is_number());
            assert!(cell.is_null() || number || cell["text"].is_string(), "{row}");
        }
        assert!(row["name"].is_string() && row["unit"].is_string(), "{row}");
    }
    let whole = &sections[0]["rows"].as_array().expect("rows")[6];
    assert_eq!((&whole["name"], &whole["quoted"]["value"]), (&json!("T_trad, one program"), &json!(50.0)));
    assert!(whole["measured"]["value"].as_f64().is_some_and(|time| time > 0.0 && time < 50.0), "{whole}");
    assert_eq!(file["machine"]["k"], 12);
    assert!(file["advice"]["approach"].is_string() && file["advice"]["why"].is_string());
    let curves = file["curves"].as_array().expect("curves");
    assert_eq!(curves.len(), 3);
    assert!(curves[0]["curves"].as_array().is_some_and(|curves| curves.len() >= 2), "{}", curves[0]);
}

#[test]
fn single_equations_and_wrong_ones() {
    let file = model("--equation 16,1");
    let sections = file["sections"].as_array().expect("sections");
    assert_eq!(sections.iter().map(|s| s["section"].as_str()).collect::<Vec<_>>(), [Some("eq1"), Some("eq16")]);
    assert!(file["advice"].is_null() && file["curves"].is_null());
    assert_eq!(call("model --equation 17").code, 2);
    assert_eq!(call("model nowhere.myr").code, 2);
}

#[test]
fn a_program_with_errors_is_not_measured() {
    let called = call_with("model - --engine cpu --format json", "fn f( {}");
    assert_eq!(called.code, 1);
    assert_eq!(called.file()["sections"], json!([]));
    assert!(!called.file()["diagnostics"].as_array().expect("diagnostics").is_empty());
}

#[test]
fn the_page_is_for_people() {
    let called = call_with("model - -k 12 --engine cpu", PROGRAM);
    assert_eq!(called.code, 0, "{called:?}");
    for words in [
        "(1) one program",
        "(16) an iteration on a CPU",
        "paper (quoted)",
        "modelled",
        "measured",
        "latency of k programs",
        "memory for k programs",
        "advice for k = 12",
    ] {
        assert!(called.stdout.contains(words), "`{words}` is not in {}", called.stdout);
    }
}
