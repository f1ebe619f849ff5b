//! `myriad learn` as a user calls it, with separate folders.

use std::path::Path;
use std::process::Command;

use crate::common::command::Called;
use crate::learn::file;

/// A temporary home folder.
struct Home(tempfile::TempDir);

impl Home {
    fn new() -> Home {
        Home(tempfile::tempdir().expect("a folder"))
    }

    fn at(&self, name: &str) -> std::path::PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, text: &str) -> String {
        let path = self.at(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        std::fs::write(&path, text).expect("written");
        path.display().to_string()
    }

    /// Calls `myriad learn` with these words.
    fn learn(&self, words: &[&str]) -> Called {
        let root = self.0.path();
        let output = Command::new(env!("CARGO_BIN_EXE_myriad"))
            .arg("learn")
            .args(words)
            .current_dir(root)
            .env("HOME", root)
            .env("XDG_STATE_HOME", root.join("state"))
            .env("XDG_DATA_HOME", root.join("data"))
            .env("MYRIAD_CONFIG", Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/common/config.toml"))
            .env_remove("CLICOLOR_FORCE")
            .output()
            .expect("the program runs");
        let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
        Called {
            code: output.status.code().expect("an end"),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
        }
    }
}

const CODE: &str = "fn twice(n: int) -> int { return n * 3; }\ntest twice(2) == 4;\n";
const SOLVED: &str = "fn twice(n: int) -> int { return n * 2; }\ntest twice(2) == 4;\n";

#[test]
fn lessons_are_listed_with_their_progress() {
    let home = Home::new();
    let listed = home.learn(&[]);
    assert_eq!((listed.code, listed.stderr.as_str()), (0, ""));
    assert!(listed.stdout.starts_with("0 of 18 lessons done\n"), "{}", listed.stdout);
    assert!(
        listed.stdout.contains("  1  tokens") && listed.stdout.contains("`myriad learn tokens`"),
        "{}",
        listed.stdout
    );

    home.write("data/myriad/learn/tree.myr", "test 1 == 1;\n");
    home.write(
        "state/myriad/lessons.json",
        "{\"version\":1,\"done\":{\"tokens\":1000,\"/home/me/mine.myr\":2000}}",
    );
    let listed = home.learn(&[]);
    let line = |name: &str| listed.stdout.lines().find(|line| line.contains(name)).unwrap_or("").to_string();
    assert!(
        line("  tokens ").contains("done, ") && line("  tokens ").contains("days ago"),
        "{}",
        listed.stdout
    );
    assert!(line("  tree ").ends_with("begun") && !line("  types ").contains("begun"), "{}", listed.stdout);
    assert!(line("mine.myr").contains("done, "), "{}", listed.stdout);
    assert!(listed.stdout.contains("`myriad learn tree`"), "the first that is not done: {}", listed.stdout);

    let document = home.learn(&["--format", "json"]).json();
    assert_eq!((document["version"].as_u64(), document["files"].as_array().map(Vec::len)), (Some(1), Some(0)));
    let lessons = document["learn"]["lessons"].as_array().expect("lessons");
    assert_eq!(lessons.len(), 18);
    assert_eq!((lessons[0]["state"].as_str(), lessons[0]["done"].as_u64()), (Some("done"), Some(1000)));
    assert_eq!((lessons[1]["name"].as_str(), lessons[1]["state"].as_str()), (Some("tree"), Some("begun")));
    assert_eq!((lessons[2]["state"].as_str(), lessons[2]["hints"].as_u64()), (Some("new"), Some(3)));
    assert!(lessons[2].get("done").is_none() && lessons[2]["goals"][0] == "no diagnostics");
    assert_eq!(document["learn"]["own"][0]["path"], "/home/me/mine.myr");
}

#[test]
fn broken_progress_file_is_reported_and_ignored() {
    let home = Home::new();
    home.write("state/myriad/lessons.json", "{\"version\":");
    let listed = home.learn(&[]);
    assert_eq!(listed.code, 0);
    assert!(listed.stderr.contains("lessons.json is not understood"), "{}", listed.stderr);
    assert!(listed.stdout.starts_with("0 of 18 lessons done\n"));
}

#[test]
fn unknown_lesson_name_suggests_the_intended_one() {
    let home = Home::new();
    for (word, said) in [
        ("tokans", "did you mean `myriad learn tokens`?"),
        ("prop", "did you mean `myriad learn properties`?"),
        ("99", "`myriad learn` lists all"),
        ("none.myr", "a file is opened as one, too"),
    ] {
        let called = home.learn(&[word]);
        assert_eq!(called.code, 2, "{word}");
        assert!(
            called.stderr.contains("there is no lesson and no file") && called.stderr.contains(said),
            "{called:?}"
        );
    }
    let called = home.learn(&["tokens", "tree"]);
    assert!(called.code == 2 && called.stderr.contains("one lesson is opened at a time"), "{called:?}");
}

#[test]
fn working_copy_is_kept_unless_a_restart_is_requested() {
    let home = Home::new();
    // Without a terminal the workbench does not open, but the working copy is created.
    let called = home.learn(&["tree"]);
    assert!(called.code == 2 && called.stderr.contains("needs a terminal"), "{called:?}");
    let work = home.at("data/myriad/learn/tree.myr");
    let begun = std::fs::read_to_string(&work).expect("begun");
    assert!(begun.starts_with("// The price of all tickets") && !begun.contains("//!"), "{begun}");
    std::fs::write(&work, "// mine\n").expect("written");
    home.learn(&["2"]);
    assert_eq!(std::fs::read_to_string(&work).expect("kept"), "// mine\n");
    home.learn(&["tree", "--again"]);
    assert_eq!(std::fs::read_to_string(&work).expect("anew"), begun);
    let before = std::fs::read_to_string(home.at("data/myriad/learn/tree.before.myr"));
    assert_eq!(before.expect("put aside"), "// mine\n");
    // A lesson of the user's own has its own working copy.
    let mine = home.write("mine.myr", &file("//! goal: tests pass\n", CODE));
    home.learn(&[&mine]);
    let own: Vec<_> = std::fs::read_dir(home.at("data/myriad/learn/own")).expect("a folder").collect();
    assert_eq!(own.len(), 1);
    let bad = home.write("bad.myr", &file("//! goal: tests fail\n", CODE));
    let called = home.learn(&[&bad]);
    assert!(called.code == 2 && called.stderr.contains("no goal reads like this"), "{called:?}");
}

#[test]
fn lesson_check_reports_goals_and_solution() {
    let home = Home::new();
    let right = home.write("right.myr", &file("//! goal: tests pass\n", CODE));
    let called = home.learn(&["--check", &right]);
    assert_eq!(called.code, 0, "{called:?}");
    assert!(
        called.stdout.contains("missing  0 of 1 test") && called.stdout.contains("no solution found"),
        "{called:?}"
    );

    let solved = home.write("solved.myr", SOLVED);
    let called = home.learn(&["--check", &right, "--solution", &solved]);
    assert!(called.code == 0 && called.stdout.contains("solution  reached  1 of 1 test"), "{called:?}");
    // A solution in the lesson's folder is found without being named.
    home.write("right.solution.myr", SOLVED);
    let document = home.learn(&["--check", &right, "--format", "json"]).file();
    let goal = &document["lesson"]["goals"][0];
    assert_eq!(
        (goal["start"]["state"].as_str(), goal["solution"]["state"].as_str()),
        (Some("missing"), Some("reached"))
    );
    assert_eq!(document["faults"].as_array().map(Vec::len), Some(0));

    let called = home.learn(&["--check", &right, "--solution", &home.write("wrong.myr", CODE)]);
    assert!(called.code == 1 && called.stderr.contains("does not reach 1 goal"), "{called:?}");
    let cheat = home.write("cheat.myr", "fn twice(n: int) -> int { return n * 3; }\ntest twice(2) == 6;\n");
    let called = home.learn(&["--check", &right, "--solution", &cheat]);
    assert!(
        called.code == 1 && called.stdout.contains("the solution changes test twice(2) == 4, which must stay"),
        "{called:?}"
    );

    let broken =
        home.write("broken.myr", &file("//! goal: tests pass\n", &CODE.replace("fn twice", "fn thrice")));
    let called = home.learn(&["--check", &broken]);
    assert!(called.code == 0 && called.stdout.contains("it starts with an error in line"), "{called:?}");

    let done = home.write("done.myr", &file("//! goal: tests pass\n", SOLVED));
    let called = home.learn(&["--check", &done]);
    assert!(called.code == 1 && called.stderr.contains("starts with every goal reached"), "{called:?}");
}

#[test]
fn lesson_check_shows_faults_with_their_lines() {
    let home = Home::new();
    let wrong = home.write(
        "wrong.myr",
        &file("//! gaol: tests pass\n//! goal: at most x steps in \"a\"\n//! key: alt-9z none\n", CODE),
    );
    let called = home.learn(&["--check", &wrong]);
    assert_eq!(called.code, 1);
    for said in [
        "wrong.myr:6:5",
        "there is no field `gaol`",
        "did you mean `goal`?",
        "^^^^",
        "wrong.myr:7:",
        "is not a valid lesson: 2 faults",
    ] {
        assert!(called.stderr.contains(said), "{said}: {}", called.stderr);
    }
    let document = home.learn(&["--check", &wrong, "--format", "json"]).file();
    let faults = document["faults"].as_array().expect("faults");
    assert_eq!(
        (faults[0]["line"].as_u64(), faults[0]["column"].as_u64(), faults[0]["end_column"].as_u64()),
        (Some(6), Some(5), Some(9))
    );
    assert!(document.get("lesson").is_none());
    // Keys are checked if everything else is valid.
    let wrong = home.write("key.myr", &file("//! goal: tests pass\n//! key: alt-9z none\n", CODE));
    let called = home.learn(&["--check", &wrong]);
    assert!(called.code == 1 && called.stderr.contains("the workbench has no key `alt-9z`"), "{called:?}");
    let called = home.learn(&["--check", &wrong, &wrong, "--solution", "x"]);
    assert!(called.code == 2 && called.stderr.contains("`--solution` applies to one lesson"), "{called:?}");
}
