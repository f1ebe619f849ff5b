//! Fields of documents, and the corresponding text output.

use serde_json::json;

use crate::common::command::{call, call_with, codes, myriad};
use crate::common::extent::one_in;

use super::{GCD, run};

#[test]
fn check_document_reports_code_and_position() {
    let called = call_with("check - --engine cpu --format json", "fn f(a: bool) -> int { return a; }\n");
    assert_eq!(called.code, 1);
    let document = called.json();
    assert_eq!(document["version"], 1);
    let file = &document["files"][0];
    assert_eq!(file["file"], "<stdin>");
    let finding = &file["diagnostics"][0];
    assert_eq!(finding["code"], "E0401");
    assert_eq!(finding["severity"], "error");
    let place = ["line", "column", "end_line", "end_column"].map(|field| finding[field].as_u64().unwrap());
    assert_eq!(place, [1, 31, 1, 32]);
    assert!(finding["message"].as_str().is_some_and(|m| m.contains("bool") && m.contains("int")));
    assert!(!called.stdout.contains("null"));
}

#[test]
fn columns_count_characters() {
    let program = "// é\nfn f(a: int) -> int { return /* é */ a; }\n";
    let called = call_with("check - --engine cpu --format json", program);
    assert!(codes(&called.file()).iter().all(|code| code.starts_with('E')), "{}", called.stdout);
    let program = "fn f(a: int) -> int { return a $ é; }\n";
    let finding = call_with("check - --engine cpu --format json", program).file()["diagnostics"][0].clone();
    assert_eq!((finding["code"].as_str(), finding["column"].as_u64()), (Some("E0101"), Some(32)));
}

#[test]
fn text_shows_source_and_carets() {
    let called = call_with("check - --engine cpu", "fn f(a: bool) -> int { return a; }\n");
    let told = called.stdout + &called.stderr;
    assert!(told.contains("error[E0401]") && told.contains("<stdin>:1:31") && told.contains(" ^"), "{told}");
    assert!(!told.contains('\x1b'), "colours go to terminals only");
}

#[test]
fn test_document_lists_results_of_tests_and_properties() {
    let program = "fn half(n: int) -> int { return 100 / n; }
test half(2) == 50;
test \"wrong\": half(4) == 26;
test half(0) == 0;
prop \"never five\": n in 1..100 => half(n) != 5;
prop n in 1..4 => half(n) > 0;
";
    let called = call_with("test - --engine cpu --format json", program);
    assert_eq!(called.code, 1);
    let mut tests = called.file()["tests"].clone();
    for test in tests.as_array_mut().unwrap() {
        let steps = test.as_object_mut().unwrap().remove("steps").unwrap();
        assert!(steps.as_u64().is_some_and(|steps| steps > 0));
    }
    assert_eq!(
        tests,
        json!([
            {"index": 0, "kind": "test", "line": 2, "status": "pass"},
            {"index": 1, "kind": "test", "name": "wrong", "line": 3, "status": "fail", "left": 25, "right": 26},
            {"index": 2, "kind": "test", "line": 4, "status": "trap", "trap": "DivideByZero", "trap_line": 1,
             "trap_cause": "division of 100 by 0"},
            {"index": 3, "kind": "prop", "name": "never five", "line": 5, "status": "fail", "left": 5, "right": 5,
             "counterexample": {"n": 17}, "inputs": 17},
            {"index": 4, "kind": "prop", "line": 6, "status": "pass", "inputs": 3},
        ])
    );
}

#[test]
fn broken_programs_have_empty_results() {
    let broken = "fn f( -> int { return 1; }\n";
    for (command, results) in [("test", "tests"), ("mutate", "mutants")] {
        let called = call_with(&format!("{command} - --engine cpu --format json"), broken);
        assert_eq!(called.code, 1);
        assert_eq!(called.file()[results], json!([]), "{}", called.stdout);
        assert!(!codes(&called.file()).is_empty());
    }
    let called = run(broken, &["f"]);
    assert_eq!(called.code, 1);
    assert!(called.file().get("value").is_none() && !codes(&called.file()).is_empty());
}

#[test]
fn stages_document_contains_each_stage() {
    let called = call_with("stages - --engine cpu --format json", GCD);
    assert_eq!(called.code, 0, "{called:?}");
    let file = called.file();
    assert_eq!(
        file["tokens"][0],
        json!({"index": 0, "kind": "Fn", "text": "fn", "line": 1, "column": 1, "end_line": 1, "end_column": 3})
    );
    assert_eq!(file["ast"][0]["kind"], "Fn");
    assert!(file["ast"][0].get("parent").is_none());
    assert!(file["types"].as_array().unwrap().iter().any(|row| row["type"] == "int"));
    for field in ["index", "op", "operands", "block", "line"] {
        assert!(file["ir"][0].get(field).is_some(), "{field}");
    }
    assert_eq!(file["bytecode"][0]["function"], "gcd");
    let addresses: Vec<u64> =
        file["bytecode"].as_array().unwrap().iter().map(|row| row["address"].as_u64().unwrap()).collect();
    assert!(addresses.is_sorted());

    let some = call_with("stages - --stage tokens,types --engine cpu --format json", GCD).file();
    assert!(some.get("types").is_some() && some.get("ir").is_none());
    let lowered = call_with("stages - --stage ir --after lower --engine cpu --format json", GCD).file();
    assert!(lowered["ir"].as_array().unwrap().len() >= file["ir"].as_array().unwrap().len());

    let broken = call_with("stages - --engine cpu --format json", "fn f( -> int { return 1; }\n");
    assert_eq!(broken.code, 1);
    assert!(!broken.file()["tokens"].as_array().unwrap().is_empty());
    assert_eq!(broken.file()["bytecode"], json!([]));
}

#[test]
fn documents_repeat_byte_for_byte() {
    for command in ["check", "test", "stages", "mutate"] {
        let words = format!("{command} samples/gcd.myr samples/broken.myr --engine cpu --format json");
        assert_eq!(call(&words).stdout, call(&words).stdout, "{command}");
    }
    let timed = call("test samples/gcd.myr --engine cpu --format json --timings");
    assert!(timed.file()["timings"]["wall"].is_number(), "{}", timed.stdout);
}

#[test]
fn stage_times_do_not_exceed_the_wall_time() {
    for command in ["test", "mutate"] {
        let words = format!("{command} samples/gcd.myr --engine cpu --timings");
        let called = call(&format!("{words} --format json"));
        let timings = &called.file()["timings"];
        let sum = |name: &str| -> f64 {
            let stages = timings[name].as_object().unwrap_or_else(|| panic!("{}", called.stdout));
            stages.values().filter_map(|time| time.as_f64()).sum()
        };
        let wall = timings["wall"].as_f64().unwrap_or_else(|| panic!("{}", called.stdout));
        // A tenth of a microsecond of rounding for each stage.
        assert!(sum("of_wall") > 0.0 && sum("of_wall") <= wall + 0.9, "{}", called.stdout);
        assert!(sum("of_wall") <= sum("stages") + 0.9, "{}", called.stdout);
        assert!(timings["threads"].as_u64().is_some_and(|threads| threads > 0), "{}", called.stdout);
        // Only survivors are proved.
        for times in ["stages", "of_wall"] {
            let proofs = timings[times].get("prove").map(|time| time.as_f64() > Some(0.0));
            assert_eq!(proofs, (command == "mutate").then_some(true), "{}", called.stdout);
        }
        // In the host's own memory nothing is transferred.
        assert!(timings.get("transfer").is_none(), "{}", called.stdout);
        assert!(call(&words).stdout.contains(" µs, of which lex "), "{}", call(&words).stdout);
    }
}

#[test]
fn cpu_and_gpu_print_the_same_documents() {
    let mut words = vec!["samples/midpoint.myr".to_string(), "samples/broken.myr".to_string()];
    for folder in ["tests/conformance", "tests/cases"] {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        words.extend(
            std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path().display().to_string()),
        );
    }
    let some = one_in(6, words.iter().cloned());
    for (command, files) in [("test", &some[..]), ("stages", &some[..]), ("mutate", &words[..1])] {
        let [cpu, gpu] = ["cpu", "gpu"].map(|engine| {
            let options = ["--format", "json", "--engine", engine];
            let mut call: Vec<&str> = vec![command];
            call.extend(files.iter().map(String::as_str));
            call.extend(options);
            myriad(&call, b"")
        });
        assert_eq!(cpu.code, gpu.code, "{command}: {}", gpu.stderr);
        assert!(cpu.stdout == gpu.stdout, "{command}: the documents differ");
    }
    let [cpu, gpu] = ["cpu", "gpu"].map(|engine| {
        let words = format!("run samples/sorting.myr merge_sort [3,-1,2] --format json --engine {engine}");
        call(&words).stdout
    });
    assert_eq!(cpu, gpu);
}
