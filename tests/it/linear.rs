//! The cost of hostile inputs is proportional to their size: ten times the input takes about ten times the
//! time.

use std::ffi::OsStr;
use std::time::{Duration, Instant};

use crate::common::command::{Called, myriad, with_config};
use crate::common::extent::HANG;

/// Times below this are not compared, since they are mostly startup.
const LEAST: Duration = Duration::from_millis(100);

/// Returns the time of a call, and its result.
fn timed(call: impl FnOnce() -> Called) -> (Duration, Called) {
    let started = Instant::now();
    let called = call();
    (started.elapsed(), called)
}

/// Compares the times of an input and of one that is ten times as long. Quadratic work takes a hundred times as
/// long; up to thirty times is allowed, for a busy machine.
#[track_caller]
fn proportional(what: &str, small: usize, code: i32, call: impl Fn(usize) -> Called) {
    let (short, called) = timed(|| call(small));
    assert_eq!(called.code, code, "{what}: {}", &called.stderr[..called.stderr.len().min(500)]);
    let (long, _) = timed(|| call(small * 10));
    assert!(long <= short.max(LEAST) * 30, "{what}: {short:?}, and ten times as much takes {long:?}");
}

/// Calls the program on a file with some text.
fn of_file(name: &str, text: &str, words: &[&str]) -> Called {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(name);
    std::fs::write(&path, text).expect("written");
    let file = path.into_os_string();
    let words: Vec<&OsStr> =
        words.iter().map(|word| if *word == "FILE" { file.as_os_str() } else { OsStr::new(*word) }).collect();
    myriad(&words, b"")
}

const PROGRAM: &str = "\nfn f(n: int) -> int { return n; }\ntest f(1) == 1;\n";

#[test]
fn lesson_check_time_is_linear_in_faults() {
    let check = |header: &str, n: usize| {
        let text = format!("//! lesson: A\n{}{PROGRAM}", header.repeat(n));
        of_file("a.myr", &text, &["learn", "--check", "FILE"])
    };
    proportional("unknown fields", 5_000, 1, |n| check("//! wrong: x\n", n));
    proportional("bad goals", 3_000, 1, |n| check("//! goal: foo bar baz\n", n));
    let keep = |n: usize| {
        let text = format!("//! lesson: A\n//! keep: {}\n{PROGRAM}", "foo, ".repeat(n));
        of_file("a.myr", &text, &["learn", "--check", "FILE"])
    };
    proportional("many faults on one line", 3_000, 1, keep);
}

#[test]
fn tape_check_time_is_linear_in_length() {
    let check = |text: String| of_file("a.tape", &text, &["demo", "--check", "FILE"]);
    let stills = |n: usize| check((0..n).map(|i| format!("Still a{i}\n")).collect());
    proportional("stills", 2_000, 0, stills);
    // Typing costs as much as in the workbench, so a tape has a limit.
    let (time, typed) = timed(|| check(format!("Type \"{}\"\n", "a".repeat(1 << 20))));
    assert_eq!(typed.code, 1);
    assert!(typed.stderr.contains("presses 1048576 keys, but the limit is 10000"), "{}", &typed.stderr[..200]);
    assert!(time < HANG, "{time:?}");
}

#[test]
fn config_check_time_is_linear_in_unknown_keys() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("config.toml");
    proportional("unknown keys", 4_000, 2, |n| {
        let keys: String = (0..n).map(|i| format!("keyx{i} = 1\n")).collect();
        std::fs::write(&path, keys).expect("written");
        with_config("check samples/gcd.myr", &path)
    });
}

#[test]
fn check_time_is_linear_in_errors_on_one_line() {
    proportional("unexpected characters", 800, 1, |n| {
        of_file("a.myr", &"$ ".repeat(n), &["check", "FILE", "--format", "json"])
    });
    proportional("declared before", 150, 1, |n| {
        let text = format!("fn f(n: int) -> int {{ {} return n; }}", "let a=1; ".repeat(n));
        of_file("a.myr", &text, &["check", "FILE"])
    });
    // Two names of thirty thousand letters.
    let name = "a".repeat(30_000);
    let (time, _) = timed(|| {
        of_file("a.myr", &format!("fn f({name}: int) -> int {{ return {name}b; }}"), &["check", "FILE"])
    });
    assert!(time < HANG, "{time:?}");
}

#[test]
fn merge_time_is_linear_in_json_members() {
    let shard =
        myriad(&["mutate", "-", "--engine", "cpu", "--format", "json", "--shard", "1/1"], PROGRAM.as_bytes());
    assert_eq!(shard.code, 0, "{shard:?}");
    proportional("members", 1_000, 0, |n| {
        let members: String = (0..n).map(|i| format!("\"k{i}\":1,")).collect();
        let text = shard.stdout.replacen("\"mutants\":", &format!("{members}\"mutants\":"), 1);
        of_file("a.json", &text, &["merge", "FILE"])
    });
}
