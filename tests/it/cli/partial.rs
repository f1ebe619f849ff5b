//! Calls that are cut short by `--seconds` or an interrupt: they print their results so far, marked as partial.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::common::command::{Called, call_with, myriad};
use crate::common::extent::HANG;

/// A legal program whose mutants take long: each survivor runs two thousand inputs of some hundred steps.
const DEAR: &str = "\
fn slow(n: int) -> int {
    let t = 0;
    for i in 0..20 { t += i % (n + 1) + i * 3 - (n + i) / 7; }
    if t < 0 { t = -t; }
    return t;
}
test slow(0) == slow(0);
prop n in 0..1000 => slow(n) >= -1;
prop n in 0..1000 => slow(n) >= -2;
";

/// Runs a call with a limit of one second, which must end soon.
#[track_caller]
fn cut(words: &str) -> Called {
    let started = Instant::now();
    let called = call_with(&format!("{words} --seconds 1"), DEAR);
    // Generous for a busy machine; without the limit these calls take minutes.
    assert!(started.elapsed() < HANG, "{words}: {:?}", started.elapsed());
    called
}

fn by_seconds() -> Value {
    json!({"reason": "seconds", "seconds": 1.0})
}

#[test]
fn mutate_at_its_time_limit_prints_the_judged_mutants() {
    let words = "mutate - --engine cpu --order 2 --budget 100000";
    let called = cut(&format!("{words} --format json --min-score 100"));
    assert_eq!(called.code, 1, "{called:?}");
    let file = called.file();
    assert_eq!(file["partial"], by_seconds());
    let mutants = file["mutants"].as_array().expect("mutants");
    // On a busy machine the tests may not have ended either.
    let unjudged = mutants.is_empty() && called.stderr.contains("its tests did not end");
    let pending = mutants.iter().filter(|mutant| mutant["status"] == "pending").count();
    assert!(unjudged || pending > 0 && mutants.len() > 100);
    let counted: u64 = file["counts"].as_object().expect("counts").values().filter_map(Value::as_u64).sum();
    assert_eq!(counted as usize + pending, mutants.len(), "counts are of what was judged");
    assert!(called.stderr.contains("is partial, the limit of 1 s is over"), "{}", called.stderr);
    assert!(!called.stderr.contains("the score"), "a partial score is not compared: {}", called.stderr);
    let text = cut(words);
    assert_eq!(text.code, 1);
    let done = ["mutants are judged", "its tests did not end"].iter().any(|done| text.stderr.contains(done));
    assert!(done, "{}", text.stderr);
}

#[test]
fn commands_on_dear_properties_stop_at_the_deadline_and_say_so() {
    // Fourteen thousand million steps.
    let mut dear =
        "fn s(x: int) -> int { let t = 0; for i in 0..90000 { t += i ^ x; } return t; }\n".to_string();
    for i in 0..20 {
        dear +=
            &format!("prop x in 0..1000000000, y in 0..{} if s(x) == y && x == 7 => x == y;\n", 1_000_000 + i);
    }
    for words in [
        "mutate - --engine cpu",
        "mutate - --engine cpu --prove --why --matrix",
        "repair -",
        "improve -",
        "noise - --engine cpu",
        "neural - --engine cpu",
        "page - --engine cpu",
        "race - --engine cpu",
    ] {
        let started = Instant::now();
        let called = call_with(&format!("{words} --seconds 1 --format json"), &dear);
        assert!(started.elapsed() < HANG, "{words}: {:?}", started.elapsed());
        let file = called.file();
        assert_eq!(
            (called.code, &file["partial"], &file["stopped"]),
            (1, &by_seconds(), &json!(true)),
            "{words}"
        );
    }
    let called = call_with("test - --engine cpu --seconds 1 --format json", &dear);
    assert_eq!((called.code, &called.file()["stopped"]["seconds"]), (1, &json!(1.0)));
}

#[test]
fn deadline_is_that_of_the_command_and_not_of_each_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let files: Vec<String> =
        (0..3).map(|i| folder.path().join(format!("{i}.myr")).display().to_string()).collect();
    files.iter().for_each(|file| std::fs::write(file, DEAR).expect("written"));
    let mut words = vec!["mutate", "--engine", "cpu", "--order", "2", "--budget", "100000"];
    words.extend(files.iter().map(String::as_str).chain(["--seconds", "1", "--format", "json"]));
    let called = myriad(&words, b"");
    let document = called.json();
    let all = document["files"].as_array().expect("files");
    assert_eq!(all.len(), 3);
    for file in &all[1..] {
        // Nothing is begun after the deadline.
        assert_eq!((&file["partial"], &file["mutants"]), (&by_seconds(), &json!([])));
    }
}

#[test]
fn reports_of_partial_results_are_marked() {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["report.md", "report.html"] {
        let path = folder.path().join(name);
        cut(&format!("mutate - --engine cpu --group repair --report {}", path.display()));
        let report = std::fs::read_to_string(&path).expect("a report");
        assert!(report.contains("(partial)"), "{report}");
    }
}

#[test]
fn why_and_matrix_end_at_the_time_limit() {
    for option in ["--why", "--matrix"] {
        let called = cut(&format!("mutate - --engine cpu --group repair --format json {option}"));
        assert_eq!((called.code, &called.file()["partial"]), (1, &by_seconds()), "{option}: {}", called.stderr);
    }
}

#[test]
fn complete_results_are_not_marked_as_partial() {
    let text = "fn f(n: int) -> int { return n + 1; }\ntest f(1) == 2;\ntest f(-3) == -2;\n";
    for words in ["mutate - --engine cpu --why", "noise - --engine cpu -k 100", "neural - --engine cpu -k 10"] {
        let called = call_with(&format!("{words} --seconds 600 --format json"), text);
        assert!(called.file().get("partial").is_none(), "{words}: {called:?}");
    }
}

#[test]
fn noise_at_its_time_limit_prints_only_completed_tests() {
    let called = cut("noise - --engine cpu -k 100000 --format json");
    let file = called.file();
    assert_eq!((called.code, &file["partial"]), (1, &by_seconds()), "{}", called.stderr);
    assert!(file["tests"].as_array().is_some_and(|tests| tests.len() < 3), "{file}");
}

#[test]
fn neural_at_its_time_limit_is_marked_as_partial() {
    let called = call_with("neural - --engine cpu -k 65536 --seconds 0.1 --format json", DEAR);
    let file = called.file();
    let partial = json!({"reason": "seconds", "seconds": 0.1});
    assert_eq!((called.code, &file["partial"]), (1, &partial), "{}", called.stderr);
    assert_eq!(file["functions"], json!([]));
}

#[test]
fn race_at_its_time_limit_is_partial_and_succeeds() {
    let called = cut("race - --engine cpu -k 100000 --contestants conventional --format json");
    let file = called.file();
    assert_eq!((called.code, &file["partial"]), (0, &by_seconds()), "{}", called.stderr);
    let text = cut("race - --engine cpu -k 100000 --contestants conventional");
    assert!(text.stdout.contains("partial: the limit of 1 s is over"), "{}", text.stdout);
}

#[cfg(target_os = "linux")]
mod interrupt {
    use std::io::Write;
    use std::process::{Command, Output, Stdio};

    use super::*;

    /// Runs a call and interrupts it after two seconds.
    fn interrupted(words: &str) -> Output {
        let mut child = Command::new(env!("CARGO_BIN_EXE_myriad"))
            .args(words.split_whitespace())
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .env("MYRIAD_CONFIG", "tests/it/common/config.toml")
            .env("MYRIAD_HISTORY", "")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        // Long enough for a fast machine, too.
        let dearer = DEAR.replace("0..20 ", "0..400 ");
        let dearer = if words.starts_with("test") { dearer.replace("0..1000", "0..1000000") } else { dearer };
        child.stdin.take().expect("a pipe").write_all(dearer.as_bytes()).expect("written");
        await_handler(child.id());
        std::thread::sleep(Duration::from_secs(1));
        let pid = rustix::process::Pid::from_child(&child);
        rustix::process::kill_process(pid, rustix::process::Signal::INT).expect("sent");
        child.wait_with_output().expect("the program ends")
    }

    /// Waits until a process has a handler for interrupts.
    fn await_handler(process: u32) {
        let started = Instant::now();
        while started.elapsed() < Duration::from_secs(60) {
            let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
            let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
            let caught = caught.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
            // SIGINT is signal 2, which is bit 1.
            if caught.is_some_and(|mask| mask & 2 != 0) {
                return;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        panic!("no handler after a minute");
    }

    #[test]
    fn an_interrupt_leaves_partial_results() {
        let race = "race - --engine cpu -k 100000 --repetitions 1000 --contestants conventional --seconds 600";
        let mutate = "mutate - --engine cpu --order 2 --budget 100000";
        for words in [mutate, "noise - --engine cpu -k 100000", race, "test - --engine cpu --inputs 65536"] {
            let output = interrupted(&format!("{words} --format json"));
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert_eq!(output.status.code(), Some(1), "{words}: {said}");
            let document: Value = serde_json::from_slice(&output.stdout).expect("a document");
            assert_eq!(document["files"][0]["partial"], json!({"reason": "interrupt"}), "{words}");
            assert!(said.contains("is partial, interrupted"), "{words}: {said}");
        }
    }
}
