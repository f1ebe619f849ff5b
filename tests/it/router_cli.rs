//! `myriad router` and `myriad run --compiler hybrid`: messages, the shape of documents, and the history.

use crate::common::command::{call, call_with, myriad_learning};
use myriad::network::weights::{Config, Weights, write};

const PROGRAM: &str = "fn add(a: int, b: int) -> int { return a + b; }
fn gcd(a: int, b: int) -> int { while b != 0 { let t = a % b; a = b; b = t; } return a; }
test add(1, 2) == 3;
test gcd(12, 18) == 6;
";

#[test]
fn json_document_explains_each_route() {
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
    assert_eq!(file["route"].as_str(), Some("cost"));
    for row in functions {
        assert_eq!(row["path"].as_str(), Some("traditional"));
        assert!(row["reason"].as_str().is_some_and(|why| why.contains(" costs least: ")), "{row}");
        let ways = row["costs"]["ways"].as_array().expect("ways");
        assert_eq!(ways.len(), 5);
        let executions = &row["costs"]["executions"];
        let executions = executions["tests"].as_f64().unwrap() + executions["mutants"].as_f64().unwrap();
        let step = row["costs"]["step"].as_f64().unwrap();
        for way in ways {
            let number = |name: &str| way[name].as_f64().unwrap();
            assert!((number("execution") - executions * number("steps") * step).abs() < 1e-12, "{way}");
            assert!((number("total") - number("compile") - number("execution")).abs() < 1e-12, "{way}");
        }
        let least = ways.iter().min_by(|a, b| a["total"].as_f64().partial_cmp(&b["total"].as_f64()).unwrap());
        assert_eq!(least.map(|way| &way["way"]), Some(&row["way"]));
        let (score, p) = (row["score"].as_f64().unwrap(), row["probability"].as_f64().unwrap());
        assert!((p - 1.0 / (1.0 + score.exp())).abs() < 1e-9);
        assert_eq!(row["features"].as_object().map(|features| features.len()), Some(11));
        assert!(row["counterfactual"].as_f64() > row["expected"].as_f64());
        assert!(row["measured"]["neural"].as_f64() > row["measured"]["traditional"].as_f64());
    }
    assert_eq!(functions[1]["features"]["loops"], 1);
}

#[test]
fn paper_route_decides_by_the_threshold() {
    let called = call_with("router - -k 10 --engine cpu --route paper --format json", PROGRAM);
    assert_eq!(called.code, 0, "{called:?}");
    let file = called.file();
    assert_eq!(file["route"].as_str(), Some("paper"));
    for row in file["functions"].as_array().expect("functions") {
        assert!(row["reason"].as_str().is_some_and(|why| why.contains("evidence `proved` needs")), "{row}");
        assert!(row.get("way").is_none() && row["costs"]["ways"].is_array(), "{row}");
    }
    assert_eq!(call("router samples/gcd.myr --route other").code, 2);
    assert_eq!(call("router --regret").code, 2);
}

#[test]
fn text_output_shows_paths_and_value_origins() {
    let called = call_with("router - -k 10 --engine cpu --evidence tested --theta 100", PROGRAM);
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
fn router_history_is_kept_and_reset() {
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
    // The draws for gcd are those that the router made, so they count once.
    assert_eq!(std::fs::read_to_string(&history).unwrap().lines().count(), 3);
    let called = call("run - gcd 12 18 --compiler hybrid");
    assert!(called.stdout.starts_with("6\ntraditional: "), "{called:?}");
    let called = call("router --reset");
    assert!(called.code == 0 && called.stdout.contains("deleted") && !history.exists(), "{called:?}");
    assert!(call("router --reset").stdout.contains("no history"));
}

#[test]
fn hybrid_run_compares_the_costs_of_one_call() {
    let run = |words: &str| {
        let called = call_with(&format!("run - gcd 12 18 --compiler hybrid {words} --format json"), PROGRAM);
        assert_eq!((called.code, &called.file()["value"]), (0, &6.into()), "{called:?}");
        called.file().clone()
    };
    let file = run("");
    let executions = &file["costs"]["executions"];
    assert_eq!((&executions["tests"], &executions["calls"]), (&0.0.into(), &1.0.into()));
    assert_eq!(file["path"].as_str(), Some("traditional"));
    let way = file["way"].as_str().expect("the cost decides").replace('-', " ");
    let reason = file["reason"].as_str().expect("a reason");
    assert!(reason.starts_with(&format!("{way} costs least: ")) && reason.contains("; network: "), "{reason}");
    // The steps are those of the chosen level.
    let at = |words: &str| {
        call_with(&format!("run - gcd 12 18 {words} --format json"), PROGRAM).file()["steps"].clone()
    };
    assert_eq!(file["steps"], at(&format!("--opt {}", &way[6..])));
    let file = run("--opt 2");
    assert_eq!((file["way"].as_str(), &file["steps"]), (Some("level-2"), &at("--opt 2")));
    let allowed = |file: &serde_json::Value| {
        let ways = file["costs"]["ways"].as_array().expect("ways").clone();
        ways.iter().filter(|way| way["allowed"] == true).count()
    };
    assert_eq!(allowed(&file), 2);
    let file = run("--route paper");
    assert!(file.get("way").is_none() && allowed(&file) == 5, "{file}");
    assert!(file["reason"].as_str().is_some_and(|why| why.contains("evidence `proved` needs")), "{file}");
}

/// Levels have different code, so the line of a trap is that of the code that ran.
#[test]
fn trap_of_hybrid_run_names_its_line_and_cause() {
    let program = "fn ratio(a: int, b: int) -> int {\n  let c = a;\n  return c / b;\n}\n";
    let traditional = call_with("run - ratio 7 0 --format json", program).file();
    for words in ["", "--opt 2", "--theta inf -k 5"] {
        let file =
            call_with(&format!("run - ratio 7 0 --compiler hybrid {words} --format json"), program).file();
        for field in ["trap", "trap_cause"] {
            assert_eq!(file[field], traditional[field], "{words} {field}: {file}");
        }
        // The network's code has no places in the source, so its line is the function's.
        let line = if file["path"] == "neural" { 1 } else { 3 };
        assert_eq!(file["trap_line"], line, "{words}: {file}");
    }
    assert_eq!(traditional["trap_line"], 3);
}

#[test]
fn equal_draws_are_recorded_once_in_the_history() {
    let folder = tempfile::tempdir().expect("a folder");
    let history = folder.path().join("history");
    let lines = |words: &str, text: &str| {
        let words: Vec<&str> = words.split_whitespace().collect();
        let called = myriad_learning(&words, text.as_bytes(), &history);
        assert_eq!(called.code, 0, "{called:?}");
        std::fs::read_to_string(&history).expect("a history").lines().count()
    };
    for _ in 0..3 {
        assert_eq!(lines("router - -k 10 --engine cpu", PROGRAM), 2);
    }
    // Draws that are known already add nothing, also where the function has moved in the file.
    assert_eq!(lines("router - -k 5 --engine cpu", PROGRAM), 2);
    let moved = format!("// A comment.\nfn first() -> int {{ return 1; }}\n{PROGRAM}");
    assert_eq!(lines("router - -k 10 --engine cpu", &moved), 3);
    // Other draws are added.
    assert_eq!(lines("router - -k 10 --engine cpu --seed 2", PROGRAM), 5);
    assert_eq!(lines("router - -k 10 --engine cpu --temperature 0.5", PROGRAM), 7);
}

/// Returns a function that is too long for the network.
fn too_long() -> String {
    format!("fn long(a: int) -> int {{ return a{}; }}\ntest long(1) == 301;\n", " + a".repeat(300))
}

#[test]
fn network_failure_is_reported_with_the_path_taken() {
    let program = format!("{PROGRAM}{}", too_long());
    let called = call_with("router - -k 10 --engine cpu --evidence tests --theta inf", &program);
    assert_eq!(called.code, 0, "{called:?}");
    let page = &called.stdout;
    assert!(page.contains("3 of 3 functions take the neural path (the network fails for 1, so"), "{page}");
    let (others, long) = page.split_once("\nlong: neural\n").expect("the long one");
    let failed = "the network fails: out of the model's reach: ";
    assert!(
        long.contains(failed) && long.contains("; the traditional compiler's code is taken instead"),
        "{page}"
    );
    assert!(!others.contains("the network fails:"), "{page}");
    // The document agrees.
    let called = call_with("router - -k 10 --engine cpu --evidence tests --theta inf --format json", &program);
    let file = called.file();
    let rows = file["functions"].as_array().expect("functions");
    let said: Vec<_> = rows
        .iter()
        .map(|row| (row["path"].as_str(), row["taken"].as_str(), row["failure"].is_string()))
        .collect();
    let neural = (Some("neural"), Some("neural"), false);
    assert_eq!(said, [neural, neural, (Some("neural"), Some("traditional"), true)]);
    // If no function takes the neural path, none fails there.
    let page = call_with("router - -k 10 --engine cpu --theta -inf", &program).stdout;
    assert!(page.contains("0 of 3 functions take the neural path;") && !page.contains("fails"), "{page}");
}

/// Untrained weights write no correct candidate.
#[test]
fn incorrect_candidates_count_as_network_failure() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("random.weights");
    let weights = Weights::random(Config::new(32, 1), 3);
    std::fs::write(&path, write(&weights, false).expect("whole weights")).expect("a file");
    let words = format!("router - -k 4 --engine cpu --theta inf --weights {}", path.display());
    let called = call_with(&words, PROGRAM);
    assert_eq!(called.code, 0, "{called:?}");
    let failed =
        "the network fails: 0 of 4 candidates are correct; the traditional compiler's code is taken instead";
    assert_eq!(called.stdout.matches(failed).count(), 2, "{}", called.stdout);
    assert!(called.stdout.contains("(the network fails for 2, so"), "{}", called.stdout);
}

#[test]
fn the_terms_of_equation_11_add_up() {
    let file = call_with("router - -k 20 --engine cpu --format json", PROGRAM).file();
    for row in file["functions"].as_array().expect("functions") {
        let measured = &row["measured"];
        let of = |name: &str| measured["candidates"][name].as_f64().unwrap_or_else(|| panic!("{name}: {row}"));
        assert!((of("t_gen") + of("t_verify") - of("t_neural")).abs() < 1e-9 && of("t_gen") > 0.0, "{row}");
        assert!(of("t_neural") <= measured["neural"].as_f64().expect("a time"), "{row}");
        assert_eq!(of("k"), 20.0);
    }
    let page = call_with("router - -k 20 --engine cpu", PROGRAM).stdout;
    assert_eq!(page.matches("  T_neural(20) ").count(), 2, "{page}");
}
