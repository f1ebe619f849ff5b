//! Under the shell's resource limits, whatever the system refuses, the text is kept and the terminal is
//! restored.

use std::fs;
use std::time::Duration;

use portable_pty::CommandBuilder;
use rustix::process::{Resource, Rlimit, prlimit};

use super::scene::{SECOND, Scene, promised};
use crate::terminal::{Session, within};

const PROGRAM: &str = include_str!("../../../samples/gcd.myr");

/// Opens the workbench under limits, given as options of `ulimit`.
fn open(scene: &Scene, limits: &str) -> Session {
    let mut command = CommandBuilder::new("sh");
    let script = format!(
        "ulimit {limits}; exec '{}' --engine cpu '{}:1'",
        env!("CARGO_BIN_EXE_myriad"),
        scene.file.display()
    );
    command.args(["-c", &script]);
    Session::start(command, &scene.file, (80, 24), &[])
}

/// Returns the smallest address space limit, in KiB, under which the program can be loaded.
fn least() -> u64 {
    let loads = |limit: &u64| {
        let script = format!("ulimit -v {limit}; exec '{}' --version", env!("CARGO_BIN_EXE_myriad"));
        std::process::Command::new("sh")
            .args(["-c", &script])
            .output()
            .is_ok_and(|output| output.status.success())
    };
    (20_000..2_000_000).step_by(4_000).find(loads).expect("some limit is enough")
}

/// The program runs and keeps typed text; or it ends with the text kept and the terminal restored; or it does
/// not start and reports why.
fn survives(limits: &str) {
    let scene = Scene::new(Some(PROGRAM));
    let mut session = open(&scene, limits);
    let drawn = |session: &Session| session.screen().contains("The greatest");
    within(promised(Duration::from_secs(3)), || session.ended().is_some() || drawn(&session));
    let begun = drawn(&session);
    let text = format!("// one\n{PROGRAM}");
    if begun {
        session.try_send("// one\r");
        // It may have ended before it received the text.
        let shown = |session: &Session| session.screen().contains("// one") && drawn(session);
        within(promised(SECOND), || session.ended().is_some() || shown(&session));
        let typed = shown(&session);
        let kept = !typed || within(promised(SECOND), || scene.keeps(&text));
        scene.require(kept, Some(&session), || format!("{limits}: the text is not kept"));
    }
    if within(Duration::from_millis(500), || session.ended().is_some()) {
        let code = session.wait_for_end().exit_code();
        scene.require(code != 101, Some(&session), || format!("{limits}: a panic"));
        // A terminal that accepts no frame for lack of memory counts as lost: there is no message, and nothing
        // was typed.
        let said = begun || !matches!(code, 2 | 3) || session.screen().contains("error");
        scene.require(said, Some(&session), || format!("{limits}: it ended with {code} and says nothing"));
        session.assert_restored();
    } else {
        scene.require(begun, Some(&session), || format!("{limits}: it neither begins nor ends"));
    }
}

#[test]
fn refused_memory_loses_no_text() {
    let least = least();
    for more in [0, 8, 16, 24, 32, 48, 100, 250, 600] {
        survives(&format!("-v {}", least + more * 1024));
    }
}

#[test]
fn few_descriptors_or_a_small_stack_lose_no_text() {
    for limits in ["-n 6", "-n 12", "-n 20", "-s 64"] {
        survives(limits);
    }
}

/// If memory is taken away while the user types, the program ends as on a signal.
#[test]
fn exhausted_memory_ends_the_program_and_keeps_the_text() {
    let scene = Scene::new(Some(PROGRAM));
    let mut session = open(&scene, "-v 4000000");
    session.wait_for("8 tests pass");
    session.send("// one\r");
    session.wait_for("// one");
    let status =
        fs::read_to_string(format!("/proc/{}/status", session.pid().as_raw_nonzero())).expect("it runs");
    let size = status
        .lines()
        .find_map(|line| line.strip_prefix("VmSize:")?.trim().strip_suffix(" kB")?.parse::<u64>().ok());
    let most = size.expect("its size") * 1024 + (64 << 10);
    let limit = Rlimit { current: Some(most), maximum: Some(most) };
    prlimit(Some(session.pid()), Resource::As, limit).expect("limited");
    // A paste that needs more memory than is left.
    let line = "// two\n".repeat(400_000);
    session.try_send(&format!("\x1b[200~{line}\x1b[201~"));
    let ended = within(promised(Duration::from_secs(3)), || session.ended().is_some());
    let kept = within(promised(SECOND), || {
        scene.place.journal().iter().any(|entry| entry.text.starts_with("// one\n"))
    });
    scene.require(kept, Some(&session), || "the text is not kept".to_string());
    if ended {
        let code = session.wait_for_end().exit_code();
        scene.require(code != 101, Some(&session), || "a panic".to_string());
        session.assert_restored();
    }
}
