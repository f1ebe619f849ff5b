//! Properties over small domains are tried on all values, after the inputs that mutants are judged with.

use serde_json::json;

use crate::common::command::call_with;
use myriad::engine::Engine;
use myriad::engine::cpu::CpuEngine;
use myriad::lang::limits::SAMPLES;
use myriad::lang::verdict::Outcome;

#[test]
fn small_domain_is_tried_whole_and_the_failing_input_decides() {
    let tests = |text: &str| {
        let words = "test - --engine cpu";
        let called = call_with(&format!("{words} --format json"), text);
        (called.file()["tests"][0].clone(), call_with(words, text).stdout)
    };
    let program = |domain: &str, claim: &str| {
        format!("fn id(x: int) -> int {{ return x; }}\nprop x in {domain} => {claim};")
    };
    let (fails, _) = tests(&program("0..3000", "id(x) != 1717"));
    assert_eq!((fails["status"].as_str(), &fails["counterexample"]["x"]), (Some("fail"), &1717.into()));
    assert_eq!((&fails["inputs"], fails.get("all")), (&1718.into(), None));
    let (holds, text) = tests(&program("0..3000", "id(x) == x"));
    assert_eq!((&holds["inputs"], &holds["all"]), (&3000.into(), &true.into()));
    assert!(text.contains("all 3,000 inputs, "), "{text}");
    let (few, _) = tests(&program("0..30", "id(x) == x"));
    assert_eq!((&few["inputs"], &few["all"]), (&30.into(), &true.into()));
    // Too large; and too dear: the first inputs decide, as for mutants.
    let dear = "fn id(x: int) -> int { let t = x; for i in 0..1000 { t ^= i; t ^= i; } return t; }\nprop x in 0..3000 => id(x) == x;";
    for text in [&program("0..65537", "id(x) == x"), dear] {
        let (sampled, line) = tests(text);
        assert_eq!((&sampled["inputs"], sampled.get("all")), (&SAMPLES.into(), None));
        assert!(!line.contains("all "), "{line}");
    }
}

#[test]
fn mutants_are_judged_with_the_same_inputs_as_before() {
    // The property fails on an input that is not drawn, so it still judges mutants.
    let text = "fn id(x: int) -> int { return x + 0; }\nprop x in 0..3000 => id(x) == x && x != 1717;";
    let base = CpuEngine::with_threads(1).base(&text.into(), &|| false).expect("the CPU engine does not fail");
    let entry = base.entries[0];
    assert_eq!((entry.outcome, entry.inputs, entry.samples), (Outcome::Pass, SAMPLES, SAMPLES));
    assert_eq!(call_with("test - --engine cpu", text).code, 1);
    let file = call_with("mutate - --engine cpu --format json", text).file();
    let mutants = file["mutants"].as_array().expect("mutants");
    assert!(mutants.iter().any(|mutant| mutant["killed_by"] == json!([0])), "{file}");
}

/// A repair that fails on a value of a small domain is not one, and a program that fails there is repaired.
#[test]
fn repairs_hold_on_all_values_of_small_domains() {
    let property = "prop x in 0..3000 => id(x) == x;\n";
    let fails_late = format!("fn id(x: int) -> int {{ if x == 1717 {{ return 0; }} return x; }}\n{property}");
    let fails_early =
        format!("fn id(x: int) -> int {{ if x == 1717 {{ return 0; }} return x + 1; }}\n{property}");
    for text in [fails_late, fails_early] {
        let called = call_with("repair - --engine cpu --format json", &text);
        let file = called.file();
        let repairs = file["repairs"].as_array().expect("repairs");
        assert!(!repairs.is_empty() && called.code == 0, "{called:?}");
        for repair in repairs {
            let mut mended = text.clone();
            let edits = repair["edits"].as_array().expect("edits");
            for edit in edits.iter().rev() {
                // All edits are in the first line.
                let at = |name: &str| edit[name].as_u64().expect("a column") as usize - 1;
                mended
                    .replace_range(at("column")..at("end_column"), edit["replacement"].as_str().expect("text"));
            }
            assert_eq!(call_with("test - --engine cpu", &mended).code, 0, "{repair}\n{mended}");
        }
    }
}
