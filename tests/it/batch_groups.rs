//! Batches of several problems: a base and tests for each group, and calls that go on where a killed one stopped.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::common::command::{Called, myriad};
use crate::common::extent::scaled;
use crate::common::rng::Rng;
use serde_json::{Value, json};

fn lines(called: &Called) -> Vec<Value> {
    called.stdout.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("{line}"))).collect()
}

fn statuses(found: &[Value]) -> Vec<&str> {
    found.iter().map(|line| line["status"].as_str().expect("a status")).collect()
}

fn input(candidates: &[Value]) -> String {
    candidates.iter().map(|line| format!("{line}\n")).collect()
}

/// The base of a problem: a function that multiplies, a helper, and tests.
fn base(factor: usize) -> String {
    format!(
        "fn times(x: int) -> int {{ return plus(x * {factor}, 0); }}\nfn plus(a: int, b: int) -> int {{ return a + b; }}\n\
         test times(2) == {};\nprop x in -20..20 => times(x) == x * {factor};\n",
        factor * 2
    )
}

fn times(body: &str) -> String {
    format!("fn times(x: int) -> int {{ {body} }}")
}

/// A folder with bases `a/1.myr`, `a/2.myr`, ….
fn bases(count: usize) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(folder.path().join("a")).expect("a folder");
    for n in 1..=count {
        std::fs::write(folder.path().join(format!("a/{n}.myr")), base(n)).expect("written");
    }
    folder
}

#[test]
fn groups_have_their_own_bases_and_tests() {
    let folder = bases(3);
    let path = folder.path().display().to_string();
    let mut asked = Vec::new();
    for n in [1, 2, 3, 2, 1] {
        asked.push(json!({"id": n, "group": format!("a/{n}"), "function": times("return x * 2;")}));
    }
    asked.push(json!({"id": "own", "base": base(7), "function": times("return 7 * x;")}));
    asked.push(json!({"id": "own tests", "base": base(7), "tests": "test times(1) == 8;", "function": times("return 7 * x;")}));
    asked.push(json!({"id": "broken base", "base": "fn f(", "function": times("return 7 * x;")}));
    asked.push(json!({"id": "no file", "group": "a/4", "function": times("return 7 * x;")}));
    asked.push(json!({"id": "outside", "group": "../a/1", "function": times("return 7 * x;")}));
    asked.push(json!({"id": "no group", "function": times("return 7 * x;")}));
    let called = myriad(&["batch", "--bases", &path, "--pass-at", "1"], input(&asked).as_bytes());
    let found = lines(&called);
    let (summary, found) = found.split_last().expect("a summary");
    assert_eq!(
        statuses(found),
        ["fail", "pass", "fail", "pass", "fail", "pass", "fail", "error", "error", "error", "error"],
        "{}",
        called.stdout
    );
    assert_eq!(found[6]["tests"], 3);
    for (place, said) in [
        (7, "do not compile: line 1"),
        (8, "there is no such file"),
        (9, "not the name of a file"),
        (10, "--bases"),
    ] {
        assert!(found[place]["message"].as_str().expect("a message").contains(said), "{}", found[place]);
    }
    let groups: Vec<&str> = summary["groups"]
        .as_array()
        .expect("groups")
        .iter()
        .map(|row| row["group"].as_str().expect("a name"))
        .collect();
    assert_eq!((groups, called.code), (vec!["a/1", "a/2", "a/3"], 2));
    assert!(called.stderr.contains("warning: 2 candidates have no group"), "{}", called.stderr);
    // Sources are judged by the tests of their group.
    let tests = folder.path().join("a/9.myr");
    std::fs::write(&tests, "test f() == 9;").expect("written");
    let source =
        |n: i32| json!({"id": n, "group": "a/9", "source": format!("fn f() -> int {{ return {n}; }}")});
    let called = myriad(&["batch", "--tests", &path], input(&[source(9), source(8)]).as_bytes());
    assert_eq!(statuses(&lines(&called)), ["pass", "fail"], "{}", called.stdout);
    assert_eq!(myriad(&["batch", "--bases", &tests.display().to_string()], b"").code, 2);
}

#[test]
fn completions_that_change_nothing_do_not_pass() {
    let line = |function: &str| json!({"id": function, "base": base(2), "function": function});
    let wanted = |function: &str, replaces: &str| json!({"id": function, "base": base(2), "function": function, "replaces": replaces});
    let plus = "fn plus(a: int, b: int) -> int { return b + a; }";
    let asked = [
        line(""),
        line("// nothing"),
        line("fn tims(x: int) -> int { return x * 2; }"),
        line("no code"),
        line(plus),
        wanted(plus, "times"),
        wanted(&times("return x + x;"), "times"),
        wanted(&times("return x + x;"), "none"),
    ];
    let called = myriad(&["batch"], input(&asked).as_bytes());
    let found = lines(&called);
    assert_eq!(
        statuses(&found),
        ["missing", "missing", "missing", "invalid", "pass", "missing", "pass", "error"],
        "{}",
        called.stdout
    );
    assert_eq!(found[0]["message"], "it defines no function of its base: `times`, `plus`");
    assert_eq!(found[5]["message"], "it does not define `times`");
    assert_eq!((&found[0]["tests_passed"], &found[0]["tests"]), (&json!(0), &json!(0)));
}

/// A base whose tests compare two functions.
const DOUBLED: &str = "fn f(x: int) -> int { return x * 2; }\n";
const ORACLE: &str = "fn oracle(x: int) -> int { return x + x; }\n";
const COMPARED: &str = "test f(2) == oracle(2);\nprop x in -50..50 => f(x) == oracle(x);\n";
const ZERO: &str = "fn f(x: int) -> int { return 0; }";
const CHEAT: &str = "fn f(x: int) -> int { return 0; } fn oracle(x: int) -> int { return 0; }";

#[test]
fn candidates_that_replace_their_judge_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("written");
        path.display().to_string()
    };
    let whole = at("whole.myr", &[DOUBLED, ORACLE, COMPARED].concat());
    let (base, tests) = (at("base.myr", DOUBLED), at("tests.myr", &[ORACLE, COMPARED].concat()));
    let helper =
        "fn f(x: int) -> int { return twice(x); } const TWO = 2; fn twice(x: int) -> int { return x * TWO; }";
    let oracle = "fn oracle(x: int) -> int { return x * 2; }";
    let bodies = [ZERO, CHEAT, helper, oracle, "fn f(x: int) -> int { return 2 * x; } test f(0) == 0;", ""];
    let judge = |words: &[&str], replaces: Option<&str>| {
        let line = |body: &&str| json!({"id": 1, "function": body, "replaces": replaces});
        let asked: Vec<Value> = bodies.iter().map(line).collect();
        let called = myriad(&[&["batch"], words].concat(), input(&asked).as_bytes());
        let found = lines(&called);
        (called, found)
    };
    for words in [&["--base", &whole][..], &["--base", &base, "--tests", &tests]] {
        for words in [words.to_vec(), [words, &["--exact"]].concat()] {
            let (called, found) = judge(&words, Some("f"));
            let wanted = ["fail", "refused", "pass", "missing", "refused", "missing"];
            assert_eq!(statuses(&found), wanted, "{words:?}: {called:?}");
            assert_eq!(
                found[1]["message"],
                "it replaces `oracle`, too: with `replaces`, it brings `f` and new functions only"
            );
            assert_eq!(
                (called.stderr.contains("warning"), &found[1]["tests"]),
                (false, &json!(0)),
                "{called:?}"
            );
            assert!(found.iter().all(|record| record.get("replaced").is_none()), "{called:?}");
        }
    }
    // Without `replaces`, any one function of the base may be replaced, but none of the tests.
    let (called, found) = judge(&["--base", &whole], None);
    assert_eq!(statuses(&found), ["fail", "refused", "pass", "pass", "pass", "missing"], "{called:?}");
    assert_eq!((&found[0]["replaced"], &found[3]["replaced"]), (&json!("f"), &json!("oracle")));
    let warned = called.stderr.matches("warning: tests also call `oracle`").count();
    assert_eq!(warned, 1, "{called:?}");
    let (called, found) = judge(&["--base", &base, "--tests", &tests], None);
    assert_eq!(statuses(&found), ["fail", "refused", "pass", "refused", "pass", "missing"], "{called:?}");
    assert_eq!(found[3]["message"], "it replaces `oracle`, which belongs to the tests");
    assert!(!called.stderr.contains("warning"), "{called:?}");
    // The tests of the call have no function to replace.
    let (_, found) = judge(&["--base", &base, "--tests", &tests], Some("oracle"));
    assert!(found.iter().all(|record| record["status"] == "error"), "{found:?}");
}

#[test]
fn ids_and_groups_are_returned_as_written() {
    let mut asked = String::new();
    for id in ["1.0", "1", "1e3", "-0", "123456789012345678901234567890", "\"1.0\""] {
        asked += &format!("{{\"id\": {id}, \"group\": {id}, \"source\": \"test 1 == 1;\"}}\n");
    }
    asked += "[1, \"fn f() -> int { return 1; }\"]\n";
    let called = myriad(&["batch", "--pass-at", "1"], asked.as_bytes());
    let text = |place: usize| called.stdout.lines().nth(place).expect("a line");
    assert!(text(0).starts_with("{\"id\":1.0,\"group\":1.0,\"status\":\"pass\""), "{}", called.stdout);
    assert!(text(4).starts_with("{\"id\":123456789012345678901234567890,\"group\":"));
    assert!(text(6).contains("a candidate is an object, and this is an array"));
    assert!(text(7).contains("{\"group\":1e3,\"candidates\":1") && text(7).contains("{\"group\":\"1.0\","));
}

/// Candidates for problems, in turn, some of them wrong or no candidates, with blank lines between.
fn interleaved(problems: usize, count: u64) -> Vec<Value> {
    let mut rng = Rng::new(count);
    let candidate = |n: u64| {
        let problem = n as usize % problems + 1;
        let body = match rng.below(4) {
            0 => format!("return x * {problem};"),
            1 => format!("return x * {problem} + {};", rng.below(50)),
            2 => format!("let y = {}; return x * {problem} + y - {};", rng.below(9), rng.below(9)),
            _ => format!("return x * {};", rng.below(problems)),
        };
        json!({"id": n, "group": format!("a/{problem}"), "function": times(&body)})
    };
    (0..count).map(candidate).collect()
}

#[test]
fn order_of_lines_changes_no_verdict() {
    let folder = bases(12);
    let path = folder.path().display().to_string();
    let mut asked = interleaved(12, scaled(600));
    let judge = |asked: &[Value], words: &[&str]| {
        let called = myriad(&[&["batch", "--bases", &path], words].concat(), input(asked).as_bytes());
        let mut found: Vec<String> = called.stdout.lines().map(String::from).collect();
        found.sort();
        assert!(found.len() == asked.len() && called.code == 1, "{}", called.stderr);
        found
    };
    let [turns, exact] = [judge(&asked, &[]), judge(&asked, &["--exact"])];
    asked.sort_by_key(|line| line["group"].to_string());
    let sorted = judge(&asked, &["--threads", "1"]);
    assert!(turns == sorted && turns == exact);
}

#[test]
fn killed_batches_resume_to_the_same_bytes() {
    let folder = bases(10);
    let at = |name: &str| folder.path().join(name).display().to_string();
    let mut text = String::new();
    let mut rng = Rng::new(7);
    for line in interleaved(10, scaled(4_000)) {
        text += &format!("{line}\n");
        match rng.below(40) {
            0 => text += "\n",
            1 => text += "  \r\n",
            2 => text += "no candidate\n",
            _ => {}
        }
    }
    let text = text.trim_end();
    std::fs::write(at("in.jsonl"), text).expect("written");
    let [candidates, path, out] = [at("in.jsonl"), folder.path().display().to_string(), at("out.jsonl")];
    let words = ["batch", &candidates, "--bases", &path, "--pass-at", "1,10"];
    let started = Instant::now();
    let whole = myriad(&words, b"");
    // Half of the time, so that the first call is killed before it ends.
    let time = (started.elapsed() / 2).as_millis().max(1) as usize;
    let resume = [&words[..], &["--resume", &out]].concat();
    let mut kills = 0;
    for turn in 0..10u64 {
        let mut child = Command::new(env!("CARGO_BIN_EXE_myriad"))
            .args(&resume)
            .env("MYRIAD_CONFIG", concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/common/config.toml"))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the program starts");
        std::thread::sleep(Duration::from_millis(rng.below(time) as u64));
        kills += u32::from(child.try_wait().expect("asked").is_none());
        let _ = child.kill();
        child.wait().expect("ended");
        // A kill within a write leaves a part of a line.
        let length = std::fs::metadata(&out).map_or(0, |meta| meta.len());
        if turn % 2 == 1 && length > 0 {
            let file = std::fs::OpenOptions::new().write(true).open(&out).expect("opened");
            file.set_len(length - rng.below(length.min(90) as usize) as u64).expect("cut");
        }
    }
    let last = myriad(&resume, b"");
    let found = std::fs::read_to_string(&out).expect("read");
    assert!(found == whole.stdout, "{}", last.stderr);
    assert_eq!((last.code, last.stdout.as_str(), kills > 0), (whole.code, "", true), "{kills}");
    // A finished call changes nothing, also after an interrupt.
    std::fs::write(
        &out,
        found.lines().take(50).map(|line| format!("{line}\n")).collect::<String>()
            + "{\"partial\":{\"reason\":\"interrupt\",\"lines\":50}}\n",
    )
    .expect("written");
    for _ in 0..2 {
        assert_eq!(myriad(&resume, b"").code, whole.code);
        assert!(std::fs::read_to_string(&out).expect("read") == whole.stdout);
    }
    // The output of another call is refused and kept.
    let own: String = found.lines().take(3).map(|line| format!("{line}\n")).collect();
    let stale = own.replacen("\"steps\":", "\"steps\":9", 1);
    for other in [
        "{\"id\":\"x\",\"status\":\"pass\",\"tests_passed\":1,\"tests\":1,\"steps\":1}\n",
        "my notes\n",
        "my notes",
        "{\"name\":\"my-app\"}",
        &format!("{own}my notes"),
        &format!("{found}my notes"),
        &format!("{found}{{\"partial\":{{}}}}\nmy notes\n"),
        &stale,
    ] {
        std::fs::write(&out, other).expect("written");
        let refused = myriad(&resume, b"");
        assert_eq!((refused.code, std::fs::read_to_string(&out).expect("read").as_str()), (2, other));
        assert!(refused.stderr.contains("is not the output of this call"), "{}", refused.stderr);
    }
}

#[test]
fn shards_resume_and_merge() {
    let folder = bases(4);
    let at = |name: &str| folder.path().join(name).display().to_string();
    let path = folder.path().display().to_string();
    let text = input(&interleaved(4, 90));
    let words = ["batch", "--bases", &path];
    let whole = myriad(&[&words[..], &["--pass-at", "1"]].concat(), text.as_bytes());
    let parts: Vec<String> = (1..=3)
        .map(|n| {
            let [shard, out] = [format!("{n}/3"), at(&format!("part-{n}"))];
            let words = [&words[..], &["--shard", &shard, "--resume", &out]].concat();
            assert_eq!(myriad(&words, text.as_bytes()).code, 1);
            let found = std::fs::read_to_string(&out).expect("read");
            std::fs::write(&out, &found[..found.len() / 2]).expect("cut");
            assert_eq!(myriad(&words, text.as_bytes()).code, 1);
            assert!(std::fs::read_to_string(&out).expect("read") == found);
            out
        })
        .collect();
    let mut merge = vec!["merge", "--pass-at", "1"];
    merge.extend(parts.iter().map(String::as_str));
    assert_eq!(myriad(&merge, b"").stdout, whole.stdout);
    assert_eq!(
        myriad(&[&words[..], &["--shard", "1/2", "--resume", &parts[0]]].concat(), text.as_bytes()).code,
        2
    );
}
