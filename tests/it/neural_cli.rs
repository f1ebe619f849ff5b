//! `myriad neural` and `myriad run --compiler neural`: exit codes, messages, and the shape of documents.
//!
//! The weights are handmade: all layers are zero, so that each word depends only on the one before it. This
//! model can write one program, `const 1`, `RETURN`, which it does most of the time.

use crate::common::command::{Called, call, call_with, myriad};
use myriad::lang::opcode::Op;
use myriad::network::vocabulary::{BOS, Family, plain};
use myriad::network::weights::{Config, Weights, tensors, write};
use serde_json::Value;

const PROGRAM: &str = "fn yes() -> bool { return true; }
fn same(a: int) -> int { return a; }
fn one(a: bool, b: bool) -> int { if a { return 1; } if b { return 1; } return 1; }
test yes();
test same(3) == 3;
test one(true, false) == 1;
";

/// Creates a weights file, which is deleted when dropped.
fn weights() -> tempfile::NamedTempFile {
    let config = Config::new(32, 1);
    let mut weights = Weights { config, steps: 0, examples: 0, data: vec![0.0; config.parameters()] };
    for tensor in tensors(&config) {
        if tensor.vector {
            weights.data[tensor.offset..][..tensor.len()].fill(1.0);
        }
    }
    // A word's embedding points at the word that should follow it.
    let one = Family::Literal.word(2);
    let back = plain(Op::Return).expect("RETURN has a word");
    for (word, axis, number) in [(BOS, 0, 1.0), (one, 0, 0.5), (one, 1, 1.0), (back, 1, 20.0)] {
        weights.data[usize::from(word) * config.width + axis] = number;
    }
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    std::fs::write(file.path(), write(&weights, false).expect("whole weights")).expect("room for it");
    file
}

fn neural(program: &str, words: &str, weights: &tempfile::NamedTempFile) -> Called {
    let path = weights.path().to_str().expect("UTF-8");
    let mut arguments: Vec<&str> = words.split_whitespace().collect();
    arguments.extend(["--engine", "cpu", "--weights", path]);
    myriad(&arguments, program.as_bytes())
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

#[test]
fn json_document_reports_each_function() {
    let called = neural(PROGRAM, "neural - -k 40 --seed 3 --format json", &weights());
    // The model cannot write `same`.
    assert_eq!(called.code, 1, "{called:?}");
    assert!(called.stderr.contains("`same`") && !called.stderr.contains("`yes`"), "{}", called.stderr);
    let functions = called.file()["functions"].clone();
    let yes = &functions[0];
    assert_eq!((yes["function"].as_str(), &yes["k"], &yes["seed"]), (Some("yes"), &40.into(), &3.into()));
    let (valid, correct) = (number(&yes["valid"]), number(&yes["correct"]));
    assert!(correct >= 10.0 && correct <= valid && valid <= 40.0, "{yes}");
    assert!((number(&yes["p_correct"]) - correct / 40.0).abs() < 1e-9);
    assert!(number(&yes["p_correct_low"]) < correct / 40.0 && number(&yes["p_correct_high"]) > correct / 40.0);
    let curve = yes["p_success"].as_array().expect("points");
    assert_eq!(curve.iter().map(|point| number(&point["k"])).collect::<Vec<_>>(), [1., 2., 5., 10., 20., 40.]);
    assert_eq!(number(&curve[0]["model"]), number(&curve[0]["unbiased"]));
    assert_eq!(number(&curve[5]["unbiased"]), 1.0);
    let best = &yes["best"];
    assert_eq!((best["evidence"].as_str(), &best["inputs"]), (Some("proved"), &0.into()));
    assert_eq!(best["steps"], best["base_steps"]);
    assert_eq!(best.get("error_bound"), None);
    let ops: Vec<&str> =
        yes["bytecode"].as_array().unwrap().iter().map(|i| i["op"].as_str().unwrap()).collect();
    assert_eq!(ops, ["LOAD_CONST", "RETURN"]);

    let same = &functions[1];
    assert_eq!((&same["correct"], same.get("best"), same.get("bytecode")), (&0.into(), None, None));
    let rounds = same["rounds"].as_array().expect("rounds");
    // The first round has 16 draws. Rounds with feedback follow, unless success is improbable.
    let draws: f64 = rounds.iter().map(|round| number(&round["draws"])).sum();
    let given_up = same.get("given_up");
    assert_eq!(given_up.map_or(3.0 * 40.0, |given_up| number(&given_up["draws"])), draws, "{same}");
    assert!(given_up.is_none_or(|given_up| number(&given_up["p_success"]) < 0.05), "{same}");
    assert_eq!((number(&rounds[0]["draws"]), number(&rounds[0]["refuted_before"])), (16.0, 0.0));
    assert!(rounds.iter().skip(1).all(|round| number(&round["refuted_before"]) > 0.0), "{same}");
    let sum: f64 =
        ["invalid", "trap", "wrong", "timeout", "refuted"].iter().map(|f| number(&rounds[0][f])).sum();
    assert_eq!(sum, 17.0, "16 draws and the greedy one");

    // Its code for `one` is shorter than the deterministic compiler's, and all four inputs are tried.
    let best = &functions[2]["best"];
    assert_eq!(best["evidence"].as_str(), Some("proved"), "{}", functions[2]);
    assert!(number(&best["steps"]) < number(&best["base_steps"]));
}

#[test]
fn output_is_reproducible_for_equal_seeds() {
    let weights = weights();
    let of = |words: &str| neural(PROGRAM, words, &weights).stdout;
    let first = of("neural - --function yes -k 50 --format json");
    assert_eq!(first, of("neural - --function yes -k 50 --format json"));
    assert_ne!(first, of("neural - --function yes -k 50 --seed 2 --format json"));
}

#[test]
fn text_output_reports_candidates_and_evidence() {
    let called = neural(PROGRAM, "neural - --function yes -k 40", &weights());
    assert_eq!((called.code, called.stderr.as_str()), (0, ""));
    for words in [
        "yes: 40 drawn",
        "proved",
        "equation 7",
        "unbiased",
        "Equation 7, 1 − (1 − p)^k, takes p for known",
        "LOAD_CONST",
    ] {
        assert!(called.stdout.contains(words), "`{words}` is not said:\n{}", called.stdout);
    }
}

#[test]
fn out_of_reach_function_is_reported_with_its_reason() {
    let long = format!(
        "fn f(a: int) -> int {{ return a{}; }}\nfn yes() -> bool {{ return true; }}",
        " + a".repeat(200)
    );
    let weights = weights();
    let called = neural(&long, "neural - -k 20 --format json", &weights);
    assert_eq!(called.code, 0, "what is within reach is compiled: {called:?}");
    let reason = called.file()["functions"][0]["out_of_reach"].as_str().unwrap_or("").to_string();
    assert!(reason.contains("more than 256"), "{reason}");
    let called = neural(&long, "neural - --function f -k 20", &weights);
    assert_eq!(called.code, 1);
    assert!(called.stderr.contains("out of the model's reach"), "{}", called.stderr);
}

#[test]
fn neural_bytecode_runs_with_its_evidence() {
    let weights = weights();
    let called = neural(PROGRAM, "run - one false false --compiler neural -k 40 --format json", &weights);
    assert_eq!(called.code, 0, "{called:?}");
    let file = called.file();
    assert_eq!((&file["value"], &file["steps"]), (&1.into(), &2.into()));
    assert_eq!((file["compiler"].as_str(), file["evidence"].as_str()), (Some("neural"), Some("proved")));
    let called = neural(PROGRAM, "run - one false false --compiler neural -k 40", &weights);
    assert!(called.stdout.starts_with("1\nproved"), "{}", called.stdout);
    let called = neural(PROGRAM, "run - one false false --compiler traditional --format json", &weights);
    assert_eq!((called.code, called.file().get("evidence")), (0, None));
    let called = neural(PROGRAM, "run - same 3 --compiler neural -k 4", &weights);
    assert_eq!(called.code, 1);
    assert!(called.stderr.contains("--compiler traditional"), "{}", called.stderr);
}

#[test]
fn invalid_arguments_are_refused_with_a_reason() {
    let weights = weights();
    for (words, code, said) in [
        ("neural", 2, "FILE"),
        ("neural - --function nowhere", 2, "its functions are `yes`"),
        ("neural - -k 0", 2, "-k"),
        ("neural - --risk 0", 2, "error rate"),
        ("neural - --confidence 95", 2, "confidence"),
        ("neural - --temperature 0", 2, "number from"),
        ("neural - --top-p 1.5", 2, "probability"),
        ("neural --eval samples/gcd.myr", 2, "--eval"),
        ("neural - --functions 5", 2, "--eval"),
        ("run - yes --compiler magical", 2, "neural"),
    ] {
        let called = neural(PROGRAM, words, &weights);
        assert!(called.code == code && called.stderr.contains(said), "{words}: {called:?}");
    }
    let called = neural("fn f() -> int { return x; }", "neural - --format json", &weights);
    assert_eq!((called.code, called.file()["functions"].as_array().map(Vec::len)), (1, Some(0)));
}

#[test]
fn unusable_weights_are_refused() {
    let call = |path: &str| myriad(&["neural", "-", "--weights", path], PROGRAM.as_bytes());
    let called = call("nowhere.safetensors");
    assert!(called.code == 2 && called.stderr.contains("nowhere.safetensors"), "{called:?}");
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), b"not weights").unwrap();
    let called = call(file.path().to_str().unwrap());
    assert!(called.code == 2 && called.stderr.contains("not available"), "{called:?}");
    // Weights for another instruction set are refused with its name; other features are unaffected.
    let whole = std::fs::read(weights().path()).unwrap();
    let isa = format!("\"isa\":\"{}\"", myriad::network::vocabulary::TARGET_ISA);
    let at = whole.windows(isa.len()).position(|bytes| bytes == isa.as_bytes());
    let at = at.expect("the version is stamped into weights");
    let mut other = whole;
    other[at + "\"isa\":\"".len()] = b'9';
    std::fs::write(file.path(), other).unwrap();
    let called = call(file.path().to_str().unwrap());
    assert!(called.code == 2 && called.stderr.contains("instruction set 9"), "{called:?}");
    // A single corrupted bit.
    let mut damaged = std::fs::read(weights().path()).unwrap();
    let last = damaged.len() - 4;
    damaged[last] ^= 1;
    std::fs::write(file.path(), damaged).unwrap();
    let called = call(file.path().to_str().unwrap());
    assert!(called.code == 2 && called.stderr.contains("the weights are damaged"), "{called:?}");
}

#[test]
fn evaluation_measures_each_class() {
    let called = neural("", "neural --eval --functions 6 -k 1 --format json", &weights());
    assert_eq!(called.code, 0, "{called:?}");
    let document = called.json();
    let classes = document["classes"].as_array().expect("classes");
    let named: Vec<[&str; 2]> =
        classes.iter().map(|row| ["set", "class"].map(|field| row[field].as_str().unwrap())).collect();
    assert_eq!(
        named,
        [["generated", "simple"], ["generated", "complex"], ["written", "simple"], ["written", "complex"]]
    );
    assert_eq!((&classes[0]["functions"], &classes[1]["functions"]), (&3.into(), &3.into()));
    assert!(number(&classes[2]["functions"]) >= 200.0 && number(&classes[3]["functions"]) >= 150.0);
    for row in classes {
        for part in ["p_correct", "success", "valid", "faster_than_level_1", "faster_than_level_2"] {
            assert!((0.0..=1.0).contains(&number(&row[part])), "{row}");
        }
        assert!(number(&row["success"]) < 0.2, "this model knows one program: {row}");
        assert_eq!(row["k"], 1);
    }
    let failed = document["failed"].as_array().expect("what fails");
    assert!(failed.len() > 300 && failed[0]["function"].is_string());
}

#[test]
fn list_literals_of_untaught_lengths_are_out_of_reach() {
    let list = |n: usize| (0..n).map(|i| (11 * i + 3).to_string()).collect::<Vec<_>>().join(", ");
    let text =
        |n: usize| format!("fn f(_a: int) -> [int; 16] {{ return [{}]; }}\ntest len(f(1)) == {n};\n", list(n));
    for n in [6, 7, 9, 11, 13, 16] {
        let called = call_with("neural - -k 2 --engine cpu --format json", &text(n));
        let why = called.file()["functions"][0]["out_of_reach"].to_string();
        assert!(why.contains(&format!("a list literal of {n} elements")), "{}", called.stdout);
        assert!(!called.stdout.contains("draw more candidates"), "{}", called.stdout);
    }
    for n in [4, 5] {
        let called = call_with("neural - -k 4 --engine cpu --format json", &text(n));
        assert!(called.file()["functions"][0].get("out_of_reach").is_none(), "{}", called.stdout);
    }
}

/// The search for one of the sample's functions gives up, and that for another one does not.
#[test]
fn more_draws_are_advised_only_where_the_search_did_not_give_up() {
    let mut is_mixed = false;
    for seed in 1..=4 {
        let called =
            call(&format!("neural samples/calculator.myr -k 1 --seed {seed} --engine cpu --format json"));
        let file = called.file();
        let missed = file["functions"]
            .as_array()
            .expect("functions")
            .iter()
            .filter(|row| row.get("best").is_none() && row.get("tested").is_none());
        let (gave_up, missed): (Vec<&Value>, Vec<&Value>) = missed.partition(|row| row["given_up"].is_object());
        let names = |rows: &[&Value]| {
            rows.iter()
                .map(|row| format!("`{}`", row["function"].as_str().expect("a name")))
                .collect::<Vec<_>>()
        };
        for (rows, help) in
            [(&missed, "help: draw more candidates"), (&gave_up, "help: more candidates would hardly help")]
        {
            let before = called.stderr.lines().zip(called.stderr.lines().skip(1));
            let named = { before }.find(|(_, line)| line.starts_with(help)).map(|(error, _)| error.to_string());
            let wanted = format!("error: no correct candidate was found for {}", names(rows).join(", "));
            assert_eq!(named, (!rows.is_empty()).then_some(wanted), "{seed}: {}", called.stderr);
        }
        is_mixed |= !missed.is_empty() && !gave_up.is_empty();
    }
    assert!(is_mixed, "no seed has both");
}
