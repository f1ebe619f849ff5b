//! A tape in a terminal: it plays without input, any key pauses it, and esc ends it.

use portable_pty::CommandBuilder;

use crate::place::Place;
use crate::terminal::Session;

const TAPE: &str = "\
Open own.myr
Type \"// typed by a tape\"
Enter
Wait \"1 test passes\"
Sleep 300ms
Type \"// and more\"
Wait@30s \"never there\"
";

#[test]
fn tape_plays_and_changes_no_files() {
    let folder = Place::new();
    let (tape, own) = (folder.path().join("a.tape"), folder.path().join("own.myr"));
    std::fs::write(&tape, TAPE).expect("written");
    std::fs::write(&own, "test 1 == 1;\n").expect("written");
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_myriad"));
    command.args(["demo", "a.tape"]);
    let mut session = Session::start(command, &tape, (80, 24), &[]);
    session.wait_for("// typed by a tape");
    session.wait_for("// and more");
    session.send("x");
    session.wait_for("paused: any key continues");
    session.send("x");
    session.wait_until("the tape goes on", |screen| !screen.contains("paused"));
    session.send("\x1b");
    assert!(session.wait_for_end().success());
    session.assert_restored();
    assert_eq!(std::fs::read_to_string(&own).expect("read"), "test 1 == 1;\n");
    assert!(folder.journal().is_empty(), "a demo has no journal");
}

#[test]
fn presenter_mode_shows_pressed_keys() {
    let folder = Place::new();
    let file = folder.path().join("own.myr");
    std::fs::write(&file, "test 1 == 1;\n").expect("written");
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_myriad"));
    command.args(["--present", "own.myr"]);
    let mut session = Session::start(command, &file, (80, 24), &[]);
    session.wait_for("1 test passes");
    session.send("\x1b[18~");
    session.wait_for("F7  show only the focused panel");
    // It fades without a key.
    session.wait_until("the key fades", |screen| !screen.contains("only the focused panel"));
    session.send("\x11");
    assert!(session.wait_for_end().success());
    session.assert_restored();
}

#[test]
fn laboratory_is_shown_on_request() {
    let folder = Place::new();
    let file = folder.path().join("own.myr");
    std::fs::write(&file, "test 1 == 1;\n").expect("written");
    for (words, shows) in [(&["--lab", "own.myr"][..], true), (&["own.myr"], false)] {
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_myriad"));
        command.args(words);
        let mut session = Session::start(command, &file, (200, 60), &[]);
        session.wait_for("1 test passes");
        session.wait_until("the tabs are there", |screen| screen.contains("Noise") == shows);
        session.send("\x11");
        assert!(session.wait_for_end().success());
    }
}
