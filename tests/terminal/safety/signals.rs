//! Signals: the text is kept within a second and the program ends as requested, even if its terminal is not
//! read.

use std::time::{Duration, Instant};

use portable_pty::CommandBuilder;
use rustix::process::{Pid, Signal, kill_process};

use super::scene::{DRAWN, PROGRAM, SECOND, Scene, mode, ms, promised, seed};
use crate::extent::scale;
use crate::place::journal_of;
use crate::rng::Rng;
use crate::terminal::{PATIENCE, Session, within};

/// Signals that end the workbench with an exit code, and their numbers.
const ENDS: [(Signal, u32); 10] = [
    (Signal::HUP, 1),
    (Signal::INT, 2),
    (Signal::QUIT, 3),
    (Signal::TERM, 15),
    (Signal::USR1, 10),
    (Signal::USR2, 12),
    (Signal::ALARM, 14),
    (Signal::VTALARM, 26),
    (Signal::PROF, 27),
    (Signal::XCPU, 24),
];

/// Signals that end it by the signal itself, since the thread that receives a real one cannot continue.
const FAULTS: [Signal; 7] =
    [Signal::ABORT, Signal::FPE, Signal::ILL, Signal::TRAP, Signal::SYS, Signal::SEGV, Signal::BUS];

/// Maximum time that the program may take to end.
const END: Duration = Duration::from_secs(3);

fn ends(signal: Signal, number: Option<u32>, stalled: bool) {
    let scene = Scene::new(Some(PROGRAM));
    let mut session = scene.open(&[]);
    session.send("// one\r");
    session.wait_for("// one");
    let mut text = format!("// one\n{PROGRAM}");
    if stalled {
        session.stall();
        session.send("// two\r");
        text = format!("// one\n// two\n{PROGRAM}");
        // The screen does not show that it was typed, but a second later it is kept.
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
    let status = session.wait_for_end();
    let as_told = match number {
        Some(number) => status.signal().is_none() && status.exit_code() == 128 + number,
        None => status.signal().is_some(),
    };
    scene.require(as_told, Some(&session), || format!("{signal:?}: it ended with {status:?}"));
    println!("{signal:?}, stalled: {stalled}: {took:?}");
    if !stalled {
        session.assert_restored();
    }
    // The exit was orderly: the kept text remains, readable by its owner only.
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
    for (signal, number) in ENDS {
        ends(signal, Some(number), false);
    }
    for signal in FAULTS {
        ends(signal, None, false);
    }
}

#[test]
fn each_signal_keeps_the_text_while_nobody_reads_the_terminal() {
    for (signal, number) in ENDS.into_iter().take(4) {
        ends(signal, Some(number), true);
    }
    ends(Signal::ABORT, None, true);
}

/// Starts the workbench on the scene's file, as a job of a shell.
fn job(scene: &Scene) -> (Session, Pid) {
    let mut shell = CommandBuilder::new("bash");
    shell.args(["--norc", "--noprofile", "-i"]);
    let mut session = Session::start(shell, &scene.file, (80, 24), &[("PS1", "ready> ")]);
    session.wait_for("ready> ");
    session.send(&format!("'{}' text.myr\r", env!("CARGO_BIN_EXE_myriad")));
    session.wait_for(DRAWN);
    let pid = session.job();
    (session, pid)
}

/// Returns whether a process is stopped.
fn is_stopped(pid: Pid) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero())).unwrap_or_default();
    stat.rsplit(") ").next().is_some_and(|rest| rest.starts_with('T'))
}

#[test]
fn suspension_keeps_the_text_first() {
    let scene = Scene::new(Some(PROGRAM));
    let (mut session, pid) = job(&scene);
    let mut rng = Rng::new(seed());
    let mut typed = String::new();
    for round in 0..8 * scale() {
        session.send(&format!("// {round}\r"));
        typed.push_str(&format!("// {round}\n"));
        let by_key = round % 2 == 0;
        std::thread::sleep(ms(rng.below(120)));
        if by_key {
            session.send("\x1a");
        } else {
            // A signal may overtake keys, so wait for them.
            session.wait_for(&format!("// {round}"));
            kill_process(pid, Signal::TSTP).expect("the signal is sent");
        }
        let stopped = within(PATIENCE, || is_stopped(pid));
        scene.require(stopped, Some(&session), || format!("round {round}: it does not stop"));
        let kept = scene.keeps(&format!("{typed}{PROGRAM}"));
        scene.require(kept, Some(&session), || format!("round {round}: stopped, and the text is not kept"));
        let given = within(PATIENCE, || session.is_given_back());
        scene.require(given, Some(&session), || format!("round {round}: the terminal is not the shell's"));
        session.send("fg\r");
        let taken = within(PATIENCE, || session.is_taken());
        scene.require(taken, Some(&session), || format!("round {round}: the terminal is not taken again"));
        session.wait_for(&format!("// {round}"));
    }
}

#[test]
fn sigstop_and_resume_retake_the_terminal() {
    let scene = Scene::new(Some(PROGRAM));
    let (mut session, pid) = job(&scene);
    scene.require(session.is_taken(), Some(&session), || "the terminal is not taken".to_string());
    kill_process(pid, Signal::STOP).expect("the signal is sent");
    session.wait_for("ready>");
    session.send("fg\r");
    let taken = within(PATIENCE, || session.is_taken());
    scene.require(taken, Some(&session), || "the terminal is not taken again".to_string());
    // Keys arrive without Enter and are not echoed.
    session.send("// one");
    session.wait_for("// one");
    session.send("\x1b[B\x1b[A\r");
    let kept = within(promised(SECOND), || scene.keeps(&format!("// one\n{PROGRAM}")));
    scene.require(kept, Some(&session), || "what was typed is not kept".to_string());
    scene.require(!session.screen().contains("^["), Some(&session), || "keys are echoed".to_string());
}
