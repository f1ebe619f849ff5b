//! `myriad model`: the paper compared with this machine. Measured values differ between runs; the shape does
//! not.

use crate::common::extent::skip_unless_thorough;
use std::collections::HashMap;
use std::sync::LazyLock;

use crate::common::command::{call, call_with};
use serde_json::{Value, json};

/// A small program, which is measured quickly.
const PROGRAM: &str = "fn twice(a: int) -> int { return a + a; }
test twice(4) == 8;
prop a in 0..50 => twice(a) >= a;
";

fn model(words: &str) -> Value {
    let called = call_with(&format!("model - -k 12 --engine cpu --format json {words}"), PROGRAM);
    assert_eq!((called.code, called.stderr.as_str()), (0, ""));
    called.file()
}

/// The model of the small program.
static SMALL: LazyLock<Value> = LazyLock::new(|| model(""));

/// The model of a program with more mutants.
static LARGER: LazyLock<Value> =
    LazyLock::new(|| call("model samples/gcd.myr -k 100 --engine cpu --format json").file());

/// Checks that there is no null: a field that does not apply is absent.
fn no_null(value: &Value) {
    match value {
        Value::Null => panic!("null"),
        Value::Array(list) => list.iter().for_each(no_null),
        Value::Object(map) => map.values().for_each(no_null),
        _ => {}
    }
}

#[test]
fn document_has_every_equation_with_labelled_numbers() {
    let file = &*SMALL;
    no_null(file);
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

/// Returns a row of a section by the beginning of its name.
fn row<'a>(file: &'a Value, section: &str, name: &str) -> &'a Value {
    let sections = file["sections"].as_array().expect("sections");
    let section = sections.iter().find(|one| one["section"] == section).expect(section);
    let named = |row: &&Value| row["name"].as_str().is_some_and(|text| text.starts_with(name));
    section["rows"].as_array().expect("rows").iter().find(named).unwrap_or_else(|| panic!("{name}"))
}

fn measured(row: &Value) -> f64 {
    row["measured"]["value"].as_f64().unwrap_or_else(|| panic!("not measured: {row}"))
}

#[test]
fn candidates_and_programs_are_measured_separately() {
    let file = &*SMALL;
    let (candidates, programs) =
        (row(file, "eq12", "speedup, k candidates of one program"), row(file, "eq12", "speedup, k programs"));
    // Which of the two times is longer depends on the machine and its load.
    assert!(measured(programs) > 0.0 && measured(candidates) > 0.0, "{programs} {candidates}");
    let count = |row: &Value| row["note"].as_str().expect("a note").to_string();
    assert!(count(candidates).contains("12 candidates of twice count as 12 programs"), "{candidates}");
    assert!(count(programs).contains("what a user waits for: the same "), "{programs}");
    for name in ["speedup, neural, k candidates", "speedup, neural, k programs"] {
        assert!(measured(row(file, "table1", name)) > 0.0);
    }
    let findings = file["sections"][11]["findings"].as_array().expect("findings");
    let last = findings.last().and_then(Value::as_str).expect("a finding");
    assert!(last.starts_with("Compared are different programs: "), "{last}");
    let curves = file["curves"][0]["curves"].as_array().expect("curves");
    let counts = |name: &str| curves.iter().find(|curve| curve["name"] == name).map(|curve| &curve["counts"]);
    assert_eq!(counts("neural, k programs"), Some(&json!("programs")));
    assert_eq!(counts("neural, k candidates"), Some(&json!("candidates of one program")));
}

#[test]
fn figures_shared_with_the_race_match_it() {
    if skip_unless_thorough() {
        return;
    }
    let model = &*LARGER;
    let race =
        call("race samples/gcd.myr -k 100 --engine cpu --format json --contestants conventional,cpu").file();
    let figures = model["figures"].as_array().expect("figures");
    // On a machine with a GPU the race's loop copies to it; this one, on the CPU engine, does not.
    assert!(figures.iter().any(|figure| figure["contestant"] == "cpu"), "{figures:?}");
    for figure in figures {
        let raced = race["contestants"].as_array().expect("contestants").iter();
        let raced = raced.clone().find(|one| one["contestant"] == figure["contestant"]).expect("it raced");
        assert_eq!((&raced["title"], &raced["variants"]), (&figure["title"], &figure["programs"]));
        let rate = |value: &Value| value.as_f64().expect("a number");
        let factor = rate(&raced["speed"]["per_second"]) / rate(&figure["per_second"]);
        // Other work on the machine affects both; a figure that counts something else is off by a factor of
        // thousands.
        assert!((0.02..50.0).contains(&factor), "{factor}: {raced} {figure}");
        let name = format!("a second, {}", figure["title"].as_str().expect("a title"));
        assert_eq!(measured(row(model, "claims", &name)), rate(&figure["per_second"]));
    }
}

#[test]
fn memory_for_100_programs_is_measured_or_empty() {
    if skip_unless_thorough() {
        return;
    }
    // The small program has fewer mutants.
    let few = &*SMALL;
    assert!(row(few, "memory", "source")["measured"].is_null());
    let many = &*LARGER;
    let source = measured(row(many, "memory", "source"));
    assert_eq!(source, many["machine"]["bytes"].as_f64().expect("bytes"));
    assert!(measured(row(many, "memory", "traditional, all")) > source);
    assert!(row(many, "memory", "source")["modelled"].is_null());
    assert!(row(many, "memory", "candidates' bytecode")["measured"].is_null());
}

#[test]
fn growth_is_fitted_to_sweeps() {
    if skip_unless_thorough() {
        return;
    }
    let file = &*LARGER;
    for (section, name) in [
        ("eq1", "exponent of n, T"),
        ("eq1", "exponent of n, parse"),
        ("eq9", "exponent of n"),
        ("eq9", "exponent of L"),
        ("eq9", "exponent of d"),
    ] {
        // Any value is accepted: other work on the machine may delay one size and not the next.
        let row = row(file, section, name);
        assert!(measured(row).abs() < 20.0 && row["measured"]["spread"].is_number(), "{row}");
    }
    let identity = row(file, "eq11", "T_neural(100)");
    assert_eq!(identity["identity"], json!(true));
}

/// Rows with the same name have the same number in a document, in whichever section, and identities hold.
#[test]
fn rows_of_equal_name_have_equal_figures() {
    if skip_unless_thorough() {
        return;
    }
    for file in [&*SMALL, &*LARGER] {
        let mut known: HashMap<(&str, &str), &Value> = HashMap::new();
        let sections = file["sections"].as_array().expect("sections").iter();
        for row in sections.flat_map(|section| section["rows"].as_array().expect("rows")) {
            let name = row["name"].as_str().expect("a name");
            for column in ["quoted", "modelled", "measured"] {
                let Some(cell) = row.get(column) else { continue };
                let before = known.insert((name, column), cell).unwrap_or(cell);
                assert_eq!(before, cell, "{name}, {column}");
            }
            if row["identity"] == json!(true) {
                let of = |column: &str| row[column]["value"].as_f64().expect("a number");
                let (one, other) = (of("modelled"), of("measured"));
                assert!((one - other).abs() <= 1e-12 * other.abs(), "{row}");
            }
        }
        // T_verify is the sampler's, so T_neural is the sum of its terms for every k.
        let terms = |name: &str| measured(row(file, "eq11", &format!("T_neural({name})")));
        let gen_and_verify = |name: &str| {
            measured(row(file, "eq9", &format!("T_gen({name})")))
                + measured(row(file, "eq10", &format!("T_verify({name})")))
        };
        for k in ["1", "10"] {
            assert!((terms(k) - gen_and_verify(k)).abs() < 1e-9, "{k}");
        }
    }
}

/// Each figure has one source, so that only the machine's noise is between two commands.
#[test]
fn router_and_model_agree_on_the_times_of_routing_and_of_the_traditional_path() {
    let costs = call("router samples/gcd.myr -k 1 --engine cpu --format json").file()["costs"].clone();
    for (name, cost) in [("T_routing, a function", "routing"), ("T_trad, a function", "traditional")] {
        let ratio = measured(row(&LARGER, "eq14", name)) / (1e3 * costs[cost].as_f64().expect("a cost"));
        assert!((1.0 / 3.0..3.0).contains(&ratio), "{name}: {ratio} {costs}");
    }
}

#[test]
fn equation_option_selects_sections_or_is_refused() {
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
fn text_output_shows_equations_and_advice() {
    if skip_unless_thorough() {
        return;
    }
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
