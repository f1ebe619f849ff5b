//! `mutate`: its document and text, the score, and the resulting exit code.

use serde_json::json;

use crate::common::command::{call, call_with};

use super::{GCD, refused};

#[test]
fn mutate_document_lists_mutants_in_order_of_id() {
    let called = call_with("mutate - --engine cpu --format json", GCD);
    assert_eq!(called.code, 0, "{called:?}");
    let file = called.file();
    let mutants = file["mutants"].as_array().unwrap();
    assert!(mutants.len() > 20);
    for (id, mutant) in mutants.iter().enumerate() {
        assert_eq!(mutant["id"], id);
        for field in
            ["operator", "line", "column", "end_line", "end_column", "original", "replacement", "status"]
        {
            assert!(mutant.get(field).is_some(), "{field} in {mutant}");
        }
        let noticed = mutant["status"] == "killed" || mutant["status"] == "timeout";
        assert_eq!(mutant.get("killed_by").is_some(), noticed, "{mutant}");
    }
    let counted: u64 = file["counts"].as_object().unwrap().values().map(|n| n.as_u64().unwrap()).sum();
    assert_eq!(counted as usize, mutants.len());
    assert!(file["score"].as_f64().is_some_and(|score| score > 50.0));

    let some = call_with("mutate - --operators relational --engine cpu --format json", GCD).file();
    let some = some["mutants"].as_array().unwrap();
    assert!(!some.is_empty() && some.iter().all(|m| m["operator"] == "relational"));
    for mutant in some {
        assert_eq!(mutant, &mutants[mutant["id"].as_u64().unwrap() as usize]);
    }

    let pairs = call_with("mutate - --order 2 --budget 200 --engine cpu --format json", GCD).file();
    let pairs = pairs["mutants"].as_array().unwrap();
    assert_eq!(pairs.len(), 200);
    assert_eq!(&pairs[..mutants.len()], &mutants[..]);
    assert!(pairs[mutants.len()..].iter().all(|m| m["pair"].as_array().is_some_and(|pair| pair.len() == 2)));
}

#[test]
fn second_order_mutants_do_not_count_in_the_score() {
    let single = call("mutate samples/weak.myr --engine cpu --format json").file();
    let both = call("mutate samples/weak.myr --order 2 --budget 4000 --engine cpu --format json").file();
    assert_eq!(single["score"], both["score"]);
    assert_eq!((&single["counts"], &single["counts"]), (&single["single_counts"], &both["single_counts"]));
    let sum = |counts: &serde_json::Value| {
        counts.as_object().expect("counts").values().map(|n| n.as_u64().expect("a number")).sum::<u64>()
    };
    assert_eq!((sum(&both["counts"]), both["mutants"].as_array().map(Vec::len)), (4000, Some(4000)));
    assert_eq!(sum(&both["single_counts"]) + sum(&both["pair_counts"]), 4000);
    // With second-order mutants the score would be above the required minimum; with first-order mutants only,
    // it is below.
    let (noticed, survived) = (
        both["counts"]["killed"].as_f64().expect("a number")
            + both["counts"]["timeout"].as_f64().expect("a number"),
        both["counts"]["survived"].as_f64().expect("a number"),
    );
    let score = single["score"].as_f64().expect("a score");
    let between = (score + 100.0 * noticed / (noticed + survived)) / 2.0;
    assert!(between > score + 1.0, "{score} {between}");
    let least =
        format!("mutate samples/weak.myr --order 2 --budget 4000 --engine cpu --min-score {between:.1}");
    refused(&call(&least), 1, &["the score", "surviving mutants"]);
}

/// Two of three: 66.666… %.
const TWO_OF_THREE: &str = "fn both(a: bool, b: bool) -> bool { return a && b; }\ntest both(true, true);\n";

#[test]
fn minimum_score_is_compared_with_the_exact_ratio() {
    let file = call_with("mutate - --engine cpu --format json", TWO_OF_THREE).file();
    assert_eq!((&file["score"], &file["counts"]["survived"]), (&json!(66.7), &json!(1)));
    let least = |least: &str| call_with(&format!("mutate - --engine cpu --min-score {least}"), TWO_OF_THREE);
    refused(&least("66.7"), 1, &["the score 66.67 % (2 of 3) is below 66.7 %"]);
    refused(&least("66.6667"), 1, &["the score 66.66667 % (2 of 3) is below 66.6667 %"]);
    for passed in ["0", "66.6", "66.66", "66.666666666666666"] {
        assert_eq!(least(passed).code, 0, "{passed}");
    }
    // Above a lower rounded figure: 5 of 7.
    let above = "fn f(x: int) -> int {\n    return x + 1;\n}\ntest f(1) > 0;\n";
    assert_eq!(call_with("mutate - --engine cpu --min-score 71.42", above).code, 0);
    assert_eq!(call_with("mutate - --engine cpu --min-score 71.43", above).code, 1);
}

#[test]
fn a_score_with_a_survivor_is_not_shown_as_100() {
    // One survivor is less than half of a tenth of a percent.
    let functions = (0..200).map(|f| format!("fn f{f}(n: int) -> int {{ return n * 3 + 5 - n / 2; }}\n"));
    let tests = (0..200).map(|f| format!("test f{f}(7) == 23 && f{f}(100) == 255;\n"));
    let program = functions.chain(tests).collect::<String>() + TWO_OF_THREE;
    let folder = tempfile::tempdir().expect("a folder");
    let report = |end: &str| folder.path().join(format!("report.{end}")).display().to_string();
    let (html, markdown) = (report("html"), report("md"));
    let document =
        call_with("mutate - --engine cpu --format json --operators arithmetic,logical", &program).file();
    let counts = &document["counts"];
    assert!(counts["survived"] == 1 && counts["killed"].as_u64() > Some(2000), "{counts}");
    assert_eq!(document["score"], 99.9);
    let words = format!(
        "mutate - --engine cpu --operators arithmetic,logical --min-score 100 --report {html} --report {markdown}"
    );
    let called = call_with(&words, &program);
    refused(&called, 1, &["the score 99.9 % ("]);
    assert!(called.stdout.contains("score 99.9 %"), "{}", called.stdout);
    for report in [html, markdown] {
        let report = std::fs::read_to_string(report).expect("written");
        // The rows of functions come after the first fold.
        let total = report.split("<details>").next().unwrap_or_default();
        assert!(total.contains("99.9 %") && !total.contains("100.0 %"));
    }
}

#[test]
fn second_order_mutant_shows_both_of_its_changes() {
    let text = call("mutate samples/gcd.myr --order 2 --engine cpu").stdout;
    let (singles, pairs) =
        text.split_once(" second-order mutants, which do not count in the score").expect("second order");
    let rows = |part: &str| -> Vec<String> {
        part.lines().filter(|line| line.starts_with("  survived")).map(str::to_string).collect()
    };
    let (singles, pairs) = (rows(singles), rows(pairs));
    assert!(singles.len() > 5 && pairs.len() > 5, "{text}");
    assert!(singles.iter().all(|row| row.matches(" → ").count() == 1), "{text}");
    assert!(pairs.iter().all(|row| row.matches(" → ").count() == 2 && row.contains("  & ")), "{text}");
}

#[test]
fn mutate_text_groups_digits_and_uses_the_right_plural() {
    let text = call("mutate samples/gcd.myr --order 2 --budget 4000 --engine cpu").stdout;
    let pairs = text.lines().find(|line| line.contains(" second-order mutants, which")).expect("second order");
    assert!(pairs.starts_with("  and 3,"), "{pairs}");
    let one = "fn f(n: int) -> int { return n; }\ntest f(2) == 2;\ntest f(2) == 3;\n";
    let text = call_with("mutate - --budget 1 --engine cpu", one).stdout;
    assert!(text.starts_with("<stdin>: 1 first-order mutant"), "{text}");
    assert!(text.contains("  1 of 2 tests does not pass and judges nothing\n"), "{text}");
}

#[test]
fn mutation_operators_are_listed_with_their_changes() {
    use myriad::lang::mutation::Operator;
    let listed = call("mutate --operators help");
    assert_eq!((listed.code, listed.stderr.as_str()), (0, ""));
    let rows = |text: &str| -> Vec<String> {
        text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
    };
    let wanted: Vec<String> = { Operator::ALL.iter() }
        .map(|one| format!("{} {} {}", one.name(), one.group().name(), one.summary()))
        .collect();
    assert_eq!(rows(&listed.stdout), wanted);
    // A file may be given as well, and JSON is supported.
    assert_eq!(call("mutate samples/gcd.myr --operators help").stdout, listed.stdout);
    let document = call("mutate --operators help --format json").json();
    assert_eq!(document["files"], json!([]));
    let last = Operator::ALL.last().expect("an operator");
    let row = document["operators"].as_array().and_then(|rows| rows.last()).expect("a row");
    assert_eq!(row, &json!({"name": last.name(), "group": last.group().name(), "changes": last.summary()}));
    // A mistyped operator prints the same list; without a file there is nothing to do.
    let mistyped = call("mutate samples/gcd.myr --operators relationa");
    refused(&mistyped, 2, &["`relationa`", listed.stdout.trim_end()]);
    refused(&call("mutate --operators relational"), 2, &["FILE"]);
    refused(&call("mutate"), 2, &["FILE"]);
}

#[test]
fn mutate_exit_code_reflects_score_and_tests() {
    assert_eq!(call("mutate samples/weak.myr --min-score 99 --engine cpu").code, 1);
    assert_eq!(call("mutate samples/weak.myr --min-score 1 --engine cpu").code, 0);
    // Without passing tests nothing can be judged; without mutants there is no score.
    assert_eq!(call_with("mutate - --engine cpu", "fn f() -> int { return 1; }\n").code, 1);
    assert_eq!(call_with("mutate - --engine cpu", "fn f() -> int { return 1; }\ntest f() == 2;\n").code, 1);
    let nothing = call_with("mutate - --engine cpu --format json --min-score 90", "test true;\n");
    assert_eq!((nothing.code, &nothing.file()["score"]), (0, &json!(null)));
}
