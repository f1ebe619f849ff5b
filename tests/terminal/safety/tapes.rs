//! Sessions that are recorded as tapes: a tape is played like its session, survives a kill, and overwrites no file.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use portable_pty::CommandBuilder;
use rustix::process::Signal;

use super::scene::{DRAWN, PROGRAM, QUIT, SAVE, Scene, promised};
use super::shim::Faults;
use crate::terminal::{PATIENCE, Session, isolated, within};

const SIZE: (u16, u16) = (100, 30);

/// Starts a session that is written to `own.tape`.
fn recorded(scene: &Scene, environment: &[(&str, &str)]) -> Session {
    let session = start(scene, &["text.myr", "--record", "own.tape"], environment);
    session.wait_for(DRAWN);
    session
}

fn start(scene: &Scene, words: &[&str], environment: &[(&str, &str)]) -> Session {
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_myriad"));
    command.args(words);
    Session::start(command, &scene.file, SIZE, environment)
}

fn tape_of(scene: &Scene) -> PathBuf {
    scene.place.path().join("own.tape")
}

fn tape(scene: &Scene) -> String {
    fs::read_to_string(tape_of(scene)).expect("a tape")
}

/// Runs the program without a terminal.
fn call(scene: &Scene, words: &[&str]) -> Output {
    let folder = scene.place.path();
    let mut command = Command::new(env!("CARGO_BIN_EXE_myriad"));
    command.current_dir(&folder).args(words).envs(isolated(&folder));
    command.output().expect("it runs")
}

/// Returns the lines of the editor, without borders and figures.
fn editor(screen: &str) -> Vec<String> {
    let own = |line: &str| {
        line.split_once("│").map(|(_, rest)| rest.split('│').next().unwrap_or("").trim_end().to_string())
    };
    screen.lines().filter_map(own).collect()
}

#[test]
fn tape_of_a_session_is_played_like_it() {
    let scene = Scene::new(Some(PROGRAM));
    let mut session = recorded(&scene, &[]);
    session.send("// typed \"'`\r");
    session.wait_for("// typed");
    session.send("\x1b[200~// pasted\n// twice\n\x1b[201~");
    session.wait_for("// twice");
    // Faster than anyone types.
    session.send("// a burst of keys\r// and more\r");
    session.wait_for("// and more");
    // A click on the first line, then a copy of this line and its paste.
    session.send("\x1b[<0;9;2M\x1b[<0;9;2m");
    session.send("\x1b[H\x1b[1;2F\x03\x1b[F\r\x16");
    session.wait_until("the copy", |screen| screen.matches("// typed").count() == 2);
    session.send(SAVE);
    session.wait_for("saved");
    let shown = session.screen();
    session.send(QUIT);
    assert!(session.wait_for_end().success());
    session.assert_restored();
    let written = tape(&scene);
    for part in
        ["Set Width 100", "Open \"text.myr\"", "| test 1 == 1;", "Paste", "Burst", "Mouse click 9 2", "ctrl-s"]
    {
        assert!(written.contains(part), "no {part}:\n{written}");
    }
    assert!(!written.contains("ctrl-q"), "{written}");

    let saved = scene.text().expect("saved");
    let mut played = start(&scene, &["demo", "own.tape"], &[]);
    played.wait_for("the tape has ended");
    for line in saved.lines() {
        assert!(played.screen().contains(line), "no {line:?}:\n{}\n{written}", played.screen());
    }
    assert_eq!(editor(&played.screen()), editor(&shown), "{written}");
    played.send("x");
    assert!(played.wait_for_end().success());
    assert_eq!(scene.text().expect("saved"), saved, "a demo changes no file");
}

#[test]
fn tape_survives_a_kill_and_a_panic() {
    for (signal, key) in [(Some(Signal::KILL), ""), (None, "\x1b[24~")] {
        let scene = Scene::new(Some(PROGRAM));
        let mut session = recorded(&scene, &[("MYRIAD_TEST_PANIC", "f12")]);
        session.send("// first\r");
        let is_written = || tape(&scene).contains("// first");
        assert!(within(promised(PATIENCE / 8), is_written), "{}", tape(&scene));
        session.send(key);
        if let Some(signal) = signal {
            session.signal(signal);
        }
        session.wait_for_end();
        assert!(tape(&scene).ends_with('\n'));
        assert_eq!(
            tape(&scene).contains("f12") || tape(&scene).contains("F12"),
            signal.is_none(),
            "{}",
            tape(&scene)
        );
        let checked = call(&scene, &["demo", "own.tape", "--check"]);
        assert!(checked.status.success(), "{checked:?}");
    }
}

#[test]
fn tape_overwrites_no_file() {
    let scene = Scene::new(Some(PROGRAM));
    fs::write(tape_of(&scene), "mine").expect("written");
    for (words, message) in [
        (["text.myr", "--record", "own.tape"], "own.tape exists already"),
        (["text.myr", "--record", "text.myr"], "text.myr exists already"),
        (["text.myr", "--record", "none/own.tape"], "cannot create none/own.tape"),
        ([".", "--record", "other.tape"], "`--record` needs a program"),
        (["--record", "other.tape", "engines"], "not to commands"),
    ] {
        let mut session = start(&scene, &words, &[]);
        assert_eq!(session.wait_for_end().exit_code(), 2, "{words:?}");
        assert!(session.screen().contains(message), "{words:?}:\n{}", session.screen());
        assert_eq!((tape(&scene).as_str(), scene.text().as_deref()), ("mine", Some(PROGRAM)));
        assert_eq!(scene.place.names(), ["own.tape", "text.myr"]);
    }
}

#[test]
fn full_disk_ends_the_tape_and_not_the_session() {
    for rule in ["write:*:ENOSPC@own.tape", "write:1:short@own.tape;write:2+:EIO@own.tape"] {
        let scene = Scene::new(Some(PROGRAM));
        let faults = Faults::new(&scene, rule);
        let mut session = recorded(&scene, &faults.environment());
        session.send("\x1b[B");
        assert!(within(promised(PATIENCE / 8), || tape(&scene).contains("down")), "{}", tape(&scene));
        let before = tape(&scene);
        faults.arm();
        session.send("\x1b[A");
        session.wait_for("the tape ends here");
        session.send("// goes on\r");
        session.wait_until("the session goes on", |screen| {
            screen.contains("// goes on") && screen.contains("! tape ended") && !screen.contains("the tape")
        });
        session.send(SAVE);
        session.wait_for("saved");
        session.send(QUIT);
        assert!(session.wait_for_end().success());
        let said = "the tape ends before the session: it cannot be written";
        assert!(session.screen().contains(said), "{rule}: {}", session.screen());
        assert_eq!(tape(&scene), before, "{rule}");
        assert!(scene.text().expect("a text").contains("// goes on"));
    }
}
