//! The program in a terminal with an invalid size: it continues, and is drawn again when the size is valid.
#![cfg(target_os = "linux")]

use std::time::Duration;

use crate::place::Place;
use crate::terminal::{Session, USUAL};

/// Opens the workbench in a terminal that reports this size.
fn open(size: (u16, u16)) -> (Session, Place) {
    let place = Place::new();
    let file = place.path().join("one.myr");
    std::fs::write(&file, "test 1 == 1;\n").expect("written");
    (Session::open(&file, size, &[]), place)
}

fn quit(mut session: Session) {
    session.send("\x11d");
    session.wait_for_end();
}

#[test]
fn program_survives_any_reported_terminal_size() {
    const ALL: u16 = u16::MAX;
    let (mut session, _place) = open(USUAL);
    session.wait_for("1 test passes");
    let sizes = [(0, 0), (0, 24), (80, 0), (1, 1), (ALL, 1), (1, ALL), (ALL, ALL), (1_000, 500), (2, ALL)];
    for (number, size) in sizes.into_iter().enumerate() {
        session.claim(size);
        // It notices the size, and it accepts keys.
        std::thread::sleep(Duration::from_millis(300));
        session.send(&format!("// {number}.\r"));
        std::thread::sleep(Duration::from_millis(300));
        let ended = session.ended();
        assert!(ended.is_none(), "{size:?}: it ended: {ended:?}");
        // Other content is on the screen until it is redrawn.
        session.wipe();
        session.claim(USUAL);
        session.wait_for(&format!("// {number}."));
        session.wait_for("one.myr");
        session.wait_for("F1 keys");
    }
    quit(session);
}

/// Serial lines, and some programs that run others, never report the terminal's size.
#[test]
fn terminal_without_a_size_gets_the_default_size() {
    let (mut session, _place) = open((0, 0));
    session.wait_for("1 test passes");
    session.wait_for("F1 keys");
    session.send("// typed");
    session.wait_for("// typed");
    quit(session);
}
