//! Signals: the text is kept within a second and the program ends as it is told, even if nobody reads its terminal.

use std::time::{Duration, Instant};

use rustix::process::Signal;

use super::scene::{PROGRAM, SECOND, Scene, mode, promised};
use crate::place::journal_of;
use crate::terminal::within;

/// What ends the workbench, and the number in its exit code.
const SIGNALS: [(Signal, u32); 4] = [(Signal::HUP, 1), (Signal::INT, 2), (Signal::QUIT, 3), (Signal::TERM, 15)];

/// As long as the program may take to end.
const END: Duration = Duration::from_secs(3);

fn ends(signal: Signal, number: u32, stalled: bool) {
    let scene = Scene::new(Some(PROGRAM));
    let mut session = scene.open(&[]);
    session.send("// one\r");
    session.wait_for("// one");
    let mut text = format!("// one\n{PROGRAM}");
    if stalled {
        session.stall();
        session.send("// two\r");
        text = format!("// one\n// two\n{PROGRAM}");
        // Nothing shows that it was typed, but a second later it is kept.
        let kept = within(promised(SECOND), || scene.keeps(&text));
        scene.require(kept, Some(&session), || "typed while nobody reads the terminal, not kept".to_string());
    }
    let begin = Instant::now();
    session.signal(signal);
    let kept = within(promised(SECOND), || scene.keeps(&text));
    scene.require(kept, Some(&session), || format!("{signal:?}: the text is not kept within a second"));
    let ended = within(promised(END).saturating_sub(begin.elapsed()), || session.ended().is_some());
    scene.require(ended, Some(&session), || format!("{signal:?}: it does not end within {END:?}"));
    let took = begin.elapsed();
    session.go_on();
    let code = session.wait_for_end().exit_code();
    scene.require(code == 128 + number, Some(&session), || format!("{signal:?}: it ended with {code}"));
    println!("{signal:?}, stalled: {stalled}: {took:?}");
    if !stalled {
        session.assert_restored();
    }
    // The end was orderly: what is kept is there to stay, for its owner alone.
    scene.require(scene.keeps(&text), None, || "what was kept is gone".to_string());
    scene.require(scene.text().as_deref() == Some(PROGRAM), None, || "the file has changed".to_string());
    for entry in scene.place.journal() {
        let path = entry.path.as_deref();
        scene.require(path == Some(&*scene.file), None, || format!("{} is of {path:?}", entry.name));
        scene.require(entry.mode == 0o600, None, || format!("{} has mode {:o}", entry.name, entry.mode));
    }
    let of_folder = mode(&journal_of(&scene.place.path()));
    scene.require(of_folder == 0o700, None, || format!("the folder's mode is {of_folder:o}"));
}

#[test]
fn each_signal_keeps_the_text() {
    for (signal, number) in SIGNALS {
        ends(signal, number, false);
    }
}

#[test]
fn each_signal_keeps_the_text_while_nobody_reads_the_terminal() {
    for (signal, number) in SIGNALS {
        ends(signal, number, true);
    }
}
