//! `myriad watch`: results whenever a file is saved.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};

use serde_json::Value;

use crate::common::command::myriad;
use crate::extent::HANG;

const GOOD: &str = "fn larger(a: int, b: int) -> int {\n    if a > b { return a; }\n    return b;\n}\n\ntest larger(1, 2) == 2;\n";

struct Watching {
    child: Child,
    lines: Receiver<String>,
}

impl Watching {
    fn start(arguments: &[&str]) -> Watching {
        let mut child = Command::new(env!("CARGO_BIN_EXE_myriad"))
            .arg("watch")
            .args(arguments)
            .env("MYRIAD_CONFIG", concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/common/config.toml"))
            .stdout(Stdio::piped())
            .spawn()
            .expect("it starts");
        let output = BufReader::new(child.stdout.take().expect("a pipe"));
        let (sender, lines) = channel();
        std::thread::spawn(move || output.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
        Watching { child, lines }
    }

    /// Returns the first line of JSON that has a field.
    fn json(&self, field: &str) -> Value {
        loop {
            let line = self.lines.recv_timeout(HANG).expect("a line");
            let value: Value = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
            if value.get(field).is_some() {
                return value;
            }
        }
    }

    /// Returns the first line that contains a text.
    fn line(&self, text: &str) -> String {
        loop {
            let line = self.lines.recv_timeout(HANG).expect("a line");
            if line.contains(text) {
                return line;
            }
        }
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn each_save_is_tested_and_its_mutants_are_judged() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.myr");
    fs::write(&path, GOOD).expect("it is written");
    let watching = Watching::start(&[path.to_str().expect("a name"), "--format", "json"]);
    let tests = watching.json("passed");
    assert_eq!((&tests["passed"], &tests["failing"]), (&1.into(), &Value::Array(vec![])), "{tests}");
    let mutants = watching.json("mutants");
    assert!(mutants["score"].as_f64().is_some_and(|score| score < 100.0), "{mutants}");
    assert!(!mutants["survivors"].as_array().expect("a list").is_empty(), "{mutants}");
    let found = watching.json("suggestions");
    assert!(found["suggestions"][0].as_str().is_some_and(|test| test.starts_with("test larger(")), "{found}");

    fs::write(&path, GOOD.replace("a > b", "a < b")).expect("it is written");
    let tests = watching.json("passed");
    assert_eq!(tests["failing"][0]["outcome"], "fails: 1, not 2", "{tests}");
    let repairs = watching.json("repairs");
    assert_eq!(repairs["repairs"][0], "line 2: `<` → `>`", "{repairs}");

    // An editor that replaces the file by another one, with an error.
    let other = folder.path().join("b");
    fs::write(&other, "test 1 ==").expect("it is written");
    fs::rename(&other, &path).expect("it is replaced");
    let tests = watching.json("passed");
    assert_eq!(tests["diagnostics"][0]["code"], "E0201", "{tests}");
}

/// A checkout of another branch moves folders away and makes them again; a release switches a link.
#[cfg(unix)]
#[test]
fn file_is_watched_after_its_folder_was_made_again_and_after_its_link_was_switched() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    let bad = GOOD.replace("a > b", "a < b");
    for program in ["first", "second"] {
        fs::create_dir(at(program)).expect("it is made");
        fs::write(at(program).join("a.myr"), GOOD).expect("it is written");
    }
    std::os::unix::fs::symlink("second/a.myr", at("link.myr")).expect("it is linked");
    let (file, link) = (at("first/a.myr"), at("link.myr"));
    let names = [&file, &link].map(|path| path.to_str().expect("a name"));
    let watching = Watching::start(&[names[0], names[1], "--format", "json"]);
    let wait_for = |name: &str, passed: u64| {
        while {
            let tests = watching.json("passed");
            !(tests["file"].as_str().is_some_and(|file| file.ends_with(name)) && tests["passed"] == passed)
        } {}
    };
    wait_for("first/a.myr", 1);
    wait_for("link.myr", 1);

    fs::rename(at("first"), at("old")).expect("it is moved");
    fs::create_dir(at("first")).expect("it is made");
    fs::write(&file, &bad).expect("it is written");
    wait_for("first/a.myr", 0);
    fs::write(&file, GOOD).expect("it is written");
    wait_for("first/a.myr", 1);

    fs::create_dir(at("third")).expect("it is made");
    fs::write(at("third/b.myr"), &bad).expect("it is written");
    std::os::unix::fs::symlink("third/b.myr", at("new")).expect("it is linked");
    fs::rename(at("new"), &link).expect("it is switched");
    wait_for("link.myr", 0);
    fs::write(at("third/b.myr"), GOOD).expect("it is written");
    wait_for("link.myr", 1);
}

#[test]
fn text_output_names_what_fails_and_how_to_mend_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.myr");
    fs::write(&path, GOOD.replace("a > b", "a < b")).expect("it is written");
    let watching = Watching::start(&[path.to_str().expect("a name")]);
    watching.line("0 of 1 test pass");
    assert_eq!(watching.line("line 6").trim(), "line 6: larger(1, 2) == 2: fails: 1, not 2");
    assert_eq!(watching.line("repair").trim(), "repair: line 2: `<` → `>`");
}

#[test]
fn wrong_calls_are_refused() {
    let missing = myriad(&["watch", "nowhere.myr"], b"");
    assert_eq!(missing.code, 2, "{missing:?}");
    let stdin = myriad(&["watch", "-"], b"");
    assert_eq!(stdin.code, 2, "{stdin:?}");
}

#[test]
fn failing_input_of_a_small_domain_is_printed_when_it_is_found() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.myr");
    fs::write(&path, "fn id(x: int) -> int { return x; }\nprop x in 0..3000 => id(x) != 1717;\n")
        .expect("it is written");
    let watching = Watching::start(&[path.to_str().expect("a name"), "--format", "json"]);
    assert_eq!(watching.json("passed")["passed"], 1);
    let found = watching.json("passed");
    assert_eq!((&found["passed"], &found["failing"][0]["line"]), (&0.into(), &2.into()), "{found}");
}
