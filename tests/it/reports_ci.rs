//! `myriad mutate` for continuous integration: changed lines only, badges, histories, and comments of bounded size.

use std::fs;

use crate::common::command::myriad;
use serde_json::Value;

const PROGRAM: &str = "\
fn clamp(n: int, low: int, high: int) -> int {
    if n < low { return low; }
    if n > high { return high; }
    return n;
}
fn unused(n: int) -> int { return n * 31 + 7; }
test clamp(-5, 0, 9) == 0;
test clamp(50, 0, 9) == 9;
";

fn mutants(stdout: &str) -> Vec<Value> {
    let document: Value = serde_json::from_str(stdout).unwrap_or_else(|error| panic!("{error}: {stdout}"));
    document["files"][0]["mutants"].as_array().expect("mutants").clone()
}

#[test]
fn diffs_select_the_mutants_of_added_lines() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name).display().to_string();
    fs::write(at("a.myr"), PROGRAM).expect("written");
    fs::write(at("other.myr"), PROGRAM).expect("written");
    let diff = "diff --git a/a.myr b/a.myr\n--- a/a.myr\n+++ b/a.myr\n@@ -2,2 +2,2 @@\n-old\n+    if n < low { return low; }\n if n > high { return high; }\n";
    let [file, other] = [at("a.myr"), at("other.myr")];
    let called = myriad(&["mutate", &file, "--in-diff", "-", "--format", "json"], diff.as_bytes());
    let found = mutants(&called.stdout);
    assert!(found.len() > 3 && found.iter().all(|mutant| mutant["line"] == 2), "{}", called.stdout);
    let called = myriad(&["mutate", &other, "--in-diff", "-", "--format", "json"], diff.as_bytes());
    assert!(mutants(&called.stdout).is_empty(), "{}", called.stdout);
    for (words, input, said) in [
        (vec!["mutate", &file, "--in-diff", "-"], "@@ -1 +1 @@\n", "is not a unified diff: line 1"),
        (vec!["mutate", "-", "--in-diff", "-"], diff, "`-` is given more than once"),
    ] {
        let called = myriad(&words, input.as_bytes());
        assert!(called.code == 2 && called.stderr.contains(said), "{called:?}");
    }
}

#[test]
fn diffs_with_quoted_names_select_mutants_and_others_are_reported() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name).display().to_string();
    let hunk = "@@ -2,2 +2,2 @@\n-old\n+    if n < low { return low; }\n if n > high { return high; }\n";
    for (name, quoted) in [("é.myr", r#""b/\303\251.myr""#), ("a\"b\\c.myr", r#""b/a\"b\\c.myr""#)] {
        fs::write(at(name), PROGRAM).expect("written");
        let diff = format!("diff --git {quoted} {quoted}\n--- {quoted}\n+++ {quoted}\n{hunk}");
        let called = myriad(&["mutate", &at(name), "--in-diff", "-", "--format", "json"], diff.as_bytes());
        assert!(mutants(&called.stdout).len() > 3, "{called:?}");
        assert!(!called.stderr.contains("no entry of the diff"), "{called:?}");
        let other = diff.replace("b/", "b/other");
        let called = myriad(&["mutate", &at(name), "--in-diff", "-", "--format", "json"], other.as_bytes());
        assert!(
            mutants(&called.stdout).is_empty() && called.stderr.contains("no entry of the diff"),
            "{called:?}"
        );
    }
    let combined = "diff --cc é.myr\n--- a/é.myr\n+++ b/é.myr\n@@@ -1,1 -1,1 +1,1 @@@\n++x\n";
    let called = myriad(&["mutate", &at("é.myr"), "--in-diff", "-"], combined.as_bytes());
    assert!(called.code == 2 && called.stderr.contains("is a combined diff: line 1"), "{called:?}");
}

#[test]
fn badges_and_histories_have_the_score() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name).display().to_string();
    let [svg, badge, history] = [at("score.svg"), at("score.badge.json"), at("scores.jsonl")];
    let words = ["mutate", "-", "--report", &svg, "--report", &badge, "--history", &history];
    let first = myriad(&words, PROGRAM.as_bytes());
    assert!(first.code == 0 && !first.stdout.contains("score of each call"), "{first:?}");
    let more = PROGRAM.to_string() + "test unused(1) == 38;\n";
    let second = myriad(&words, more.as_bytes());
    assert!(second.stdout.contains("score of each call") && second.stdout.contains('*'), "{}", second.stdout);
    let own = myriad(&["mutate", "-", "--format", "json"], more.as_bytes()).file();
    let score = format!("{:.1} %", own["score"].as_f64().expect("a score"));
    let badge: Value = serde_json::from_str(&fs::read_to_string(&badge).expect("read")).expect("JSON");
    assert_eq!((&badge["schemaVersion"], badge["message"].as_str()), (&1.into(), Some(score.as_str())));
    let svg = fs::read_to_string(&svg).expect("read");
    assert!(svg.starts_with("<svg ") && svg.contains(&format!(">{score}<")), "{svg}");
    let lines = fs::read_to_string(&history).expect("read");
    let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!((lines.len(), &lines[1]["score"]), (2, &own["score"]));
    assert_eq!(lines[1]["files"][0]["counts"], own["single_counts"]);
    for other in ["notes\n", "{\"name\":\"app\",\"version\":\"1\"}\n"] {
        fs::write(&history, other).expect("written");
        let refused = myriad(&words, PROGRAM.as_bytes());
        assert!(
            refused.code == 2 && refused.stderr.contains("line 1 is not a line of a history"),
            "{refused:?}"
        );
        assert_eq!(fs::read_to_string(&history).expect("read"), other);
    }
}

#[test]
fn reports_have_functions_tests_copies_and_coverage() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name).display().to_string();
    let [json, html, markdown] = [at("r.json"), at("r.html"), at("r.md")];
    let words = ["mutate", "-", "--why", "--report", &json, "--report", &html, "--report", &markdown];
    let called = myriad(&words, PROGRAM.as_bytes());
    assert_eq!(called.code, 0, "{}", called.stderr);
    let own = myriad(&["mutate", "-", "--format", "json"], PROGRAM.as_bytes()).file();
    let copies: Vec<&Value> =
        own["mutants"].as_array().expect("mutants").iter().filter(|own| own["status"] == "duplicate").collect();
    assert!(!copies.is_empty());
    let read: Value = serde_json::from_str(&fs::read_to_string(json).expect("read")).expect("JSON");
    let rows = read["files"]["<stdin>"]["mutants"].as_array().expect("mutants");
    for copy in copies {
        let original = copy["copy_of"].as_u64().expect("an original");
        assert!(original < copy["id"].as_u64().expect("an id"));
        let row = rows.iter().find(|row| row["id"] == format!("0.{}", copy["id"])).expect("its row");
        assert_eq!(row["statusReason"], format!("its bytecode equals that of mutant 0.{original}"));
    }
    let unreached = rows.iter().filter(|row| row["status"] == "NoCoverage").collect::<Vec<_>>();
    // No test reaches `return n`, nor the other function.
    assert!(unreached.iter().any(|row| row["location"]["start"]["line"] == 6));
    assert!(
        unreached
            .iter()
            .all(|row| [4, 6].contains(&row["location"]["start"]["line"].as_u64().expect("a line")))
    );
    let html = fs::read_to_string(html).expect("read");
    for said in
        ["<summary>2 functions</summary>", "<summary>2 tests</summary>", "no test reaches it", "same code as"]
    {
        assert!(html.contains(said), "{said}");
    }
    let markdown = fs::read_to_string(markdown).expect("read");
    for said in ["| `unused` |", "| `clamp` |", "notices"] {
        assert!(markdown.contains(said), "{said}: {markdown}");
    }
}

#[test]
fn markdown_of_ten_files_fits_a_comment() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut words =
        vec!["mutate".to_string(), "--report".into(), folder.path().join("r.md").display().to_string()];
    let report = words[2].clone();
    for n in 0..10 {
        let function = |i: usize| {
            format!(
                "fn a_function_with_a_long_name_{i}(first: int, second: int) -> int {{ return (first + second * {i}) * (first - second) + first / {}; }}\n",
                i + 1
            )
        };
        let text: String =
            (0..18).map(function).collect::<String>() + "test a_function_with_a_long_name_0(0, 0) == 0;\n";
        let path = folder.path().join(format!("a-file-with-a-long-name-{n}.myr"));
        fs::write(&path, text).expect("written");
        words.push(path.display().to_string());
    }
    let called = myriad(&words, b"");
    assert_eq!(called.code, 0, "{}", called.stderr);
    let page = fs::read_to_string(report).expect("read");
    assert!(page.len() < 60_000 && page.len() > 20_000, "{}", page.len());
    assert_eq!((page.matches("<details>").count(), page.matches("</details>").count()), (10, 10));
    assert_eq!(page.matches("```").count() % 2, 0);
    assert!(
        page.contains("| **all** |") && page.contains("other function") && page.contains("\nand "),
        "{page}"
    );
}
