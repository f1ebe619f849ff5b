//! Output of `myriad mutate` for other tools: reports, lists, diffs; and mutants that are excluded from the
//! count.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::common::command::{Called, myriad};
use crate::common::extent::skip;
use myriad::lang::mutation::{Group, Operator};

const PROGRAM: &str = "\
fn clamp(n: int, low: int, high: int) -> int {
    if n < low { return low; }
    if n > high { return high; } // myriad: ignore relational: nobody asks at the border
    return n;
}
// myriad: ignore: a seed like any other
fn seed(n: int) -> int { return n * 31 + 7; }
test \"below <i>\": clamp(-5, 0, 9) == 0;
test clamp(50, 0, 9) == 9;
test seed(1) > 0;
";

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder")
}

fn mutate(arguments: &[&str]) -> Called {
    myriad(&[&["mutate"], arguments].concat(), PROGRAM.as_bytes())
}

fn document(arguments: &[&str]) -> Value {
    let called = mutate(&[arguments, &["-", "--format", "json"]].concat());
    serde_json::from_str(&called.stdout).unwrap_or_else(|error| panic!("{error}: {}", called.stdout))
}

#[test]
fn the_json_report_is_valid() {
    let schema = include_str!("../report/mutation-testing-report-schema.json");
    let schema = jsonschema::validator_for(&serde_json::from_str(schema).unwrap()).unwrap();
    let folder = folder();
    let report = folder.path().join("report.json");
    let named = report.to_str().unwrap();
    let samples = ["samples/gcd.myr", "samples/weak.myr", "samples/sorting.myr"];
    let called = myriad(&[&["mutate", "--report", named, "--format", "json"], &samples[..]].concat(), b"");
    assert_eq!(called.code, 0, "{}", called.stderr);
    let own: Value = serde_json::from_str(&called.stdout).unwrap();
    let read: Value = serde_json::from_str(&fs::read_to_string(&report).unwrap()).unwrap();
    if let Err(error) = schema.validate(&read) {
        panic!("{error} at {}", error.instance_path());
    }
    assert!(schema.validate(&serde_json::json!({ "schemaVersion": "2" })).is_err());
    for file in own["files"].as_array().unwrap() {
        let mutants = read["files"][file["file"].as_str().unwrap()]["mutants"].as_array().unwrap();
        let count = |status: &str| mutants.iter().filter(|mutant| mutant["status"] == status).count() as f64;
        let noticed = count("Killed") + count("Timeout");
        let score = 100.0 * noticed / (noticed + count("Survived") + count("NoCoverage"));
        assert!((score - file["score"].as_f64().unwrap()).abs() <= 0.05, "{}: {score}", file["file"]);
        // The text of a mutant is at its position.
        for (mutant, own) in mutants.iter().zip(file["mutants"].as_array().unwrap()) {
            assert_eq!(mutant["location"]["start"]["line"], own["line"]);
            assert_eq!(mutant["replacement"], own["replacement"]);
        }
    }
    // With additional options.
    let called = mutate(&["-", "--why", "--matrix", "--report", named]);
    assert_eq!(called.code, 0, "{}", called.stderr);
    let read: Value = serde_json::from_str(&fs::read_to_string(&report).unwrap()).unwrap();
    assert!(schema.is_valid(&read));
    let mutants = read["files"]["<stdin>"]["mutants"].as_array().unwrap();
    assert!(
        mutants.iter().any(|mutant| mutant["description"].as_str().is_some_and(|d| d.contains("test clamp(")))
    );
    assert!(mutants.iter().any(|mutant| mutant["killedBy"].as_array().is_some_and(|by| by.len() > 1)));
}

#[test]
fn the_markdown_report_shows_each_survivor() {
    let folder = folder();
    let report = folder.path().join("report.md");
    let called = mutate(&["-", "--why", "--report", report.to_str().unwrap()]);
    assert_eq!(called.code, 0, "{}", called.stderr);
    insta::assert_snapshot!("report_markdown", fs::read_to_string(report).unwrap());
}

/// Returns the name of an installed browser.
pub fn browser() -> Option<&'static str> {
    let found = ["chromium", "chromium-browser", "google-chrome"];
    let runs = |name: &&str| {
        let version = Command::new(name).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
        version.is_ok_and(|status| status.success())
    };
    let browser = found.into_iter().find(runs);
    if browser.is_none() {
        skip("no browser is installed: chromium will do");
    }
    browser
}

/// Returns the elements of a page after a browser has loaded it.
pub fn dom(browser: &str, profile: &Path, page: &Path) -> String {
    let mut call = Command::new(browser);
    call.args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"]);
    call.args(["--disable-background-networking", "--disable-component-update", "--disable-sync"]);
    call.args(["--allow-file-access-from-files", "--virtual-time-budget=5000", "--dump-dom"]);
    call.arg(format!("--user-data-dir={}", profile.display()));
    let done = call.arg(format!("file://{}", page.display())).stderr(Stdio::null()).output().expect("it runs");
    String::from_utf8_lossy(&done.stdout).into_owned()
}

/// In a browser, in frames of 1280 and 400 pixels, the page has all of the source and a state for each mutant,
/// without horizontal scrolling.
#[test]
fn the_page_shows_source_mutants_and_states() {
    let Some(browser) = browser() else { return };
    let folder = folder();
    let report = folder.path().join("report.html");
    let own = document(&[]);
    let all = own["files"][0]["mutants"].as_array().unwrap().len();
    let called = mutate(&["-", "--why", "--matrix", "--report", report.to_str().unwrap()]);
    assert_eq!(called.code, 0, "{}", called.stderr);
    let text = fs::read_to_string(&report).unwrap();
    assert!(!text.contains("http") && !text.contains("<script"), "nothing is fetched, nothing runs");
    let frames = folder.path().join("frames.html");
    let look = "<!doctype html><body><script>
        for (const width of [1280, 400]) {
            const frame = document.createElement('iframe');
            frame.width = width; frame.height = 900; frame.src = 'report.html';
            frame.onload = () => {
                const page = frame.contentDocument, root = page.scrollingElement;
                page.querySelectorAll('details').forEach(one => one.open = true);
                const said = document.createElement('pre');
                const lines = [...page.querySelectorAll('ol.source > li > code')].map(line => line.textContent);
                const states = page.querySelectorAll('ol.source ul > li > b').length;
                said.id = 'w' + width;
                said.textContent = JSON.stringify({ over: root.scrollWidth - root.clientWidth, states, lines,
                    inside: root.clientWidth });
                document.body.append(said);
            };
            document.body.append(frame);
        }
    </script></body>";
    fs::write(&frames, look).unwrap();
    let seen = dom(browser, &folder.path().join("profile"), &frames);
    for width in [1280, 400] {
        let marked = seen.split_once(&format!("id=\"w{width}\">")).map(|(_, rest)| rest);
        let marked = marked.and_then(|rest| rest.split_once("</pre>")).unwrap_or_else(|| panic!("{seen}")).0;
        let plain =
            marked.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&");
        let said: Value = serde_json::from_str(&plain).unwrap_or_else(|error| panic!("{error}: {plain}"));
        assert_eq!(said["over"], 0, "{width} pixels");
        assert!(said["inside"].as_u64().unwrap() <= width);
        assert_eq!(said["states"], all);
        let lines: Vec<&str> = said["lines"].as_array().unwrap().iter().map(|l| l.as_str().unwrap()).collect();
        assert_eq!(lines, PROGRAM.lines().collect::<Vec<_>>());
    }
}

#[test]
fn ignore_comments_exclude_mutants_from_the_count() {
    let own = &document(&[])["files"][0];
    let mutants = own["mutants"].as_array().unwrap();
    let on = |line: u64| mutants.iter().filter(move |mutant| mutant["line"] == line);
    assert!(on(3).all(|mutant| (mutant["operator"] == "relational") == (mutant["status"] == "ignored")));
    assert!(on(3).any(|mutant| mutant["ignored"] == "nobody asks at the border"));
    // The comment above applies to the next line that has code.
    assert!(on(7).count() > 5 && on(7).all(|mutant| mutant["ignored"] == "a seed like any other"));
    assert!(on(2).all(|mutant| mutant["status"] != "ignored"));
    let ignored = mutants.iter().filter(|mutant| mutant["status"] == "ignored").count();
    assert_eq!(own["counts"]["ignored"], ignored);
    // Without such comments, ignoring is not mentioned; comments in strings do not count.
    let plain = PROGRAM.replace("myriad:", "perhaps:") + "test len(\"// myriad: ignore\") == 17;\n";
    let called = myriad(&["mutate", "-", "--format", "json"], plain.as_bytes());
    assert!(!called.stdout.contains("\"ignored\""), "{}", called.stdout);
}

/// A program with two lines whose comments name an operator that does not exist.
const MISSPELT: &str = "\
fn f(x: int) -> int {
    return x + 1; // myriad: ignore constants: any would do
}
fn g(x: int) -> int {
    return x - 1; // myriad: ignore constant, swaap
}
fn h(x: int) -> int { return x * 2; } // myriad: ignor
test f(1) > 0;
test g(1) < 9;
test h(2) == 4;
";

#[test]
fn ignore_comment_with_unknown_operator_is_an_error() {
    let document = myriad(&["mutate", "-", "--format", "json"], MISSPELT.as_bytes());
    assert_eq!(document.code, 1);
    let file = document.file();
    let mutants = file["mutants"].as_array().unwrap();
    assert!(mutants.len() > 10 && mutants.iter().all(|mutant| mutant["status"] != "ignored"));
    let found: Vec<(u64, u64, u64, &str)> = { file["diagnostics"].as_array().unwrap().iter() }
        .map(|found| {
            assert_eq!(found["code"], "W0005");
            let place = |field: &str| found[field].as_u64().unwrap();
            (place("line"), place("column"), place("end_column"), found["help"].as_str().unwrap())
        })
        .collect();
    let wanted = [
        (2, 37, 46, "did you mean `constant`? A reason follows a colon"),
        (5, 47, 52, "did you mean `swap`? A reason follows a colon"),
        (7, 50, 55, "did you mean `ignore`?"),
    ];
    assert_eq!(found, wanted);
    let text = myriad(&["mutate", "-"], MISSPELT.as_bytes());
    assert_eq!(text.code, 1);
    for said in [
        "warning[W0005]: there is no mutation operator `constants`, so this comment ignores nothing",
        "error: <stdin>: 3 comments meant to ignore mutants ignore nothing",
    ] {
        assert!(text.stderr.contains(said), "{}", text.stderr);
    }
    assert!(!text.stdout.contains("ignored"), "{}", text.stdout);
    // Other commands only warn, and ordinary words are not mistakes.
    assert_eq!(myriad(&["test", "-"], MISSPELT.as_bytes()).code, 0);
    let people =
        "// myriad: a program\n// myriad: ignore: all is a seed\nfn f() -> int { return 1; }\ntest f() == 1;\n";
    let checked = myriad(&["check", "-", "--format", "json"], people.as_bytes());
    assert_eq!(checked.file()["diagnostics"], serde_json::json!([]));
}

#[test]
fn duplicates_are_folded_only_among_counted_mutants() {
    // The change of 1 to 0 has the bytecode of `x * 1`, which has a lower id.
    let program = "fn f(x: int) -> int {\n    return x + 1;COMMENT\n}\ntest f(3) > 2;\n";
    let judged = |comment: &str, options: &[&str]| {
        let program = program.replace("COMMENT", comment);
        let called = myriad(&[&["mutate", "-", "--format", "json"], options].concat(), program.as_bytes());
        called.file()
    };
    let find = |file: &Value, replacement: &str| {
        let mutants = file["mutants"].as_array().unwrap().clone();
        mutants.into_iter().find(|m| m["operator"] == "constant" && m["replacement"] == replacement).unwrap()
    };
    let plain = judged("", &[]);
    assert_eq!(find(&plain, "0")["status"], "duplicate");
    let ignored = judged(" // myriad: ignore arithmetic: the operator is right", &[]);
    assert_eq!(find(&ignored, "0")["status"], "survived");
    assert_eq!(ignored["score"], 60.0);
    assert_eq!((&ignored["counts"]["killed"], &ignored["counts"]["survived"]), (&3.into(), &2.into()));
    // Likewise among the mutants of some operators, and in each shard as in the whole.
    let constants = judged("", &["--operators", "constant"]);
    assert_eq!(find(&constants, "0")["status"], "survived");
    let counted = constants["counts"].as_object().unwrap();
    assert_eq!((&counted["duplicate"], &counted["survived"]), (&0.into(), &2.into()));
}

#[test]
fn listed_mutants_are_pending_and_have_diffs() {
    let (judged, listed) = (document(&[]), document(&["--list", "--diff"]));
    let [judged, listed] =
        [&judged, &listed].map(|document| document["files"][0]["mutants"].as_array().unwrap());
    assert_eq!(judged.len(), listed.len());
    for (judged, listed) in judged.iter().zip(listed) {
        assert_eq!((&judged["id"], &judged["replacement"]), (&listed["id"], &listed["replacement"]));
        assert_eq!(listed["status"], "pending");
        let diff = listed["diff"].as_str().unwrap();
        assert!(diff.starts_with("@@ ") && diff.contains("\n-") && diff.contains("\n+"), "{diff}");
    }
    let called = mutate(&["-", "--diff"]);
    assert!(called.stdout.contains("\n    -    if n < low { return low; }\n"), "{}", called.stdout);
}

#[test]
fn no_test_is_offered_that_a_failing_test_may_contradict() {
    let text = "fn f(a: int, b: int) -> int { if a > b { return a; } return a; }\nfn g(n: int) -> int { return n + 1; }\n\
                test f(2, 1) == 2;\ntest g(0) - g(0) == 0;\n";
    let offered = |text: &str| {
        let called = myriad(&["mutate", "-", "--why", "--format", "json"], text.as_bytes()).file();
        let tests =
            called["mutants"].as_array().unwrap().iter().filter_map(|row| row["survived"]["test"].as_str());
        ["test f(", "test g("].map(|begin| tests.clone().any(|test| test.starts_with(begin)))
    };
    assert_eq!(offered(text), [true, true]);
    assert_eq!(offered(&format!("{text}test f(1, 2) == 2;\n")), [false, true]);
}

#[test]
fn since_option_mutates_only_new_lines() {
    let folder = folder();
    let old: PathBuf = folder.path().join("old.myr");
    fs::write(&old, PROGRAM.replace("    if n < low { return low; }\n", "    // to come\n")).unwrap();
    let since = document(&["--since", old.to_str().unwrap()]);
    let lines: Vec<u64> =
        since["files"][0]["mutants"].as_array().unwrap().iter().map(|m| m["line"].as_u64().unwrap()).collect();
    assert!(!lines.is_empty() && lines.iter().all(|line| *line == 2), "{lines:?}");
    fs::write(&old, PROGRAM).unwrap();
    let none = &document(&["--since", old.to_str().unwrap()])["files"][0];
    assert_eq!((none["mutants"].as_array().unwrap().len(), &none["score"]), (0, &Value::Null));
}

#[test]
fn since_option_takes_a_revision() {
    let folder = folder();
    let git = |words: &[&str]| {
        let mut command = Command::new("git");
        command.args(["-c", "user.name=a", "-c", "user.email=a@example.org"]).args(words);
        let called = command.current_dir(folder.path()).output();
        called.is_ok_and(|called| called.status.success())
    };
    if !git(&["init", "--quiet"]) {
        return skip("git is not installed");
    }
    let [file, new] = ["a.myr", "new.myr"].map(|name| folder.path().join(name));
    fs::write(&file, PROGRAM.replace("    if n < low { return low; }\n", "")).unwrap();
    assert!(git(&["add", "a.myr"]) && git(&["commit", "--quiet", "-m", "one"]));
    fs::write(&file, PROGRAM).unwrap();
    fs::write(&new, "fn one() -> int { return 1; }\ntest one() == 1;\n").unwrap();
    let since = |revision: &str, path: &Path| {
        myriad(&["mutate", path.to_str().unwrap(), "--format", "json", "--since", revision], b"")
    };
    let lines = |path: &Path| -> BTreeSet<u64> {
        let file = since("HEAD", path).file();
        file["mutants"].as_array().unwrap().iter().map(|mutant| mutant["line"].as_u64().unwrap()).collect()
    };
    assert_eq!(lines(&file), [2].into());
    assert_eq!(lines(&new), [1].into(), "the revision does not have this file");
    let called = since("no-such-revision", &file);
    assert_eq!(called.code, 2, "{}", called.stdout);
    assert!(called.stderr.contains("git has no such revision"), "{}", called.stderr);
}

#[test]
fn line_ending_changes_make_no_line_new() {
    let folder = folder();
    let old: PathBuf = folder.path().join("old.myr");
    let since = |old_text: &str, text: &str| {
        fs::write(&old, old_text).unwrap();
        let words = ["mutate", "-", "--format", "json", "--since", old.to_str().unwrap()];
        let file = myriad(&words, text.as_bytes()).file();
        let mutants = file["mutants"].as_array().unwrap().clone();
        mutants.iter().map(|mutant| mutant["line"].as_u64().unwrap()).collect::<Vec<_>>()
    };
    let dos = PROGRAM.replace('\n', "\r\n");
    assert_eq!(since(PROGRAM, &dos), [0u64; 0]);
    assert_eq!(since(&dos, PROGRAM), [0u64; 0]);
    assert_eq!(since(PROGRAM.trim_end(), &dos), [0u64; 0]);
    let lines = since(&PROGRAM.replace("n < low", "n <= low"), &dos);
    assert!(!lines.is_empty() && lines.iter().all(|line| *line == 2), "{lines:?}");
}

#[test]
fn carriage_return_within_a_line_does_not_split_the_diff() {
    let folder = folder();
    let report = folder.path().join("report.md");
    let program = "fn f(x: int) -> int {\n    return x + 1; // one\rline\n}\ntest f(1) > 0;";
    let words = ["mutate", "-", "--diff", "--report", report.to_str().unwrap()];
    let called = myriad(&words, program.as_bytes());
    assert_eq!(called.code, 0, "{}", called.stderr);
    let wanted = ["@@ -2 +2 @@", "-    return x + 1; // one␍line", "+    return x * 1; // one␍line"];
    let markdown = fs::read_to_string(&report).unwrap();
    for text in [called.stdout.replace("\n    ", "\n"), markdown.clone()] {
        assert!(text.contains(&format!("\n{}\n", wanted.join("\n"))), "{text}");
    }
    assert!(!markdown.contains('\r'));
    // Windows line endings are line endings.
    let dos = program.replace('\r', " ").replace('\n', "\r\n");
    assert_eq!(myriad(&words, dos.as_bytes()).code, 0);
    assert!(!fs::read_to_string(&report).unwrap().contains('␍'));
}

#[test]
fn file_names_are_escaped_in_markdown() {
    let folder = folder();
    let (report, file) = (folder.path().join("r.md"), folder.path().join("a|*b*_c_[x](y)<b>@me.myr"));
    fs::write(&file, PROGRAM).unwrap();
    let called = myriad(&["mutate", file.to_str().unwrap(), "--report", report.to_str().unwrap()], b"");
    assert_eq!(called.code, 0, "{}", called.stderr);
    let markdown = fs::read_to_string(&report).unwrap();
    assert!(markdown.contains("/a\\|*b*_c_[x](y)<b>@me.myr` | "), "{markdown}");
    assert!(markdown.contains("/a|*b*_c_[x](y)&lt;b&gt;@me.myr</code>: "), "{markdown}");
}

#[test]
fn unwritable_report_is_an_error() {
    for name in ["report", "report.txt", "/nowhere/report.json", "/proc/report.html"] {
        let called = mutate(&["-", "--report", name]);
        assert_eq!(called.code, 2, "{name}: {}", called.stderr);
        assert!(called.stderr.contains(name), "{}", called.stderr);
    }
}

/// The larger groups add operators. Naming one of them selects the group; without it nothing changes.
#[test]
fn operator_groups_add_operators() {
    let program = "fn f(n: int) -> int {\n    if n > 2 { return 1; } else { return n; }\n}\ntest f(3) == 1;\ntest f(2) == 2;\n";
    let operators = |options: &[&str]| {
        let called = myriad(&[&["mutate", "-", "--format", "json"], options].concat(), program.as_bytes());
        let mutants = called.file()["mutants"].as_array().unwrap().clone();
        mutants.iter().map(|mutant| mutant["operator"].as_str().unwrap().to_string()).collect::<Vec<_>>()
    };
    let (default, strong) = (operators(&[]), operators(&["--group", "strong"]));
    assert_eq!(default, operators(&["--group", "default"]));
    assert!(!default.iter().any(|operator| operator == "else-part"));
    let group = |operator: &str| Operator::from_name(operator).expect("an operator").group();
    let old: Vec<&String> = strong.iter().filter(|operator| group(operator) == Group::Default).collect();
    assert_eq!(old, default.iter().collect::<Vec<_>>());
    assert_eq!(operators(&["--operators", "else-part"]), ["else-part"]);
    assert_eq!(operators(&["--operators", "return-value"]), ["return-value"; 4]);
    assert!(operators(&["--operators", "deletion"]).iter().all(|operator| operator == "deletion"));
    let repair = operators(&["--group", "repair"]);
    let coarse: Vec<&String> = repair.iter().filter(|operator| group(operator) < Group::Repair).collect();
    assert_eq!(coarse, strong.iter().collect::<Vec<_>>());
    // One more and one less than a returned variable.
    assert_eq!(operators(&["--operators", "off-by-one"]), ["off-by-one"; 4]);
}
