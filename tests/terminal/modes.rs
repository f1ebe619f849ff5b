//! Keys of the configuration, and modal editing, in a real terminal.

use crate::place::Place;
use crate::terminal::{Session, USUAL};

const PROGRAM: &str = "\
fn twice(x: int) -> int {
    return x * 3;
}

test twice(4) == 8;
";

fn open(configuration: &str) -> (Session, Place) {
    let place = Place::new();
    let file = place.path().join("twice.myr");
    std::fs::write(&file, PROGRAM).expect("written");
    let config = place.path().join("own.toml");
    std::fs::write(&config, format!("[engine]\nidle = \"off\"\n{configuration}")).expect("written");
    let session = Session::open(&file, USUAL, &[("MYRIAD_CONFIG", config.to_str().expect("a path"))]);
    (session, place)
}

fn saved(place: &Place) -> String {
    std::fs::read_to_string(place.path().join("twice.myr")).expect("the file is there")
}

/// A bug is corrected by keys of vi, saved and left by `:wq`.
#[test]
fn vi_keys_correct_save_and_quit() {
    let (mut session, place) = open("[editor]\nkey_set = \"vi\"\n");
    session.wait_for("NORMAL · 1:1");
    session.wait_for("1 of 1 test fails");
    session.send("j$F3");
    session.wait_for("NORMAL · 2:16");
    session.send("r2");
    session.wait_for("1 test passes");
    session.send("Gyyp");
    session.wait_until("two tests", |screen| screen.matches("test twice(4) == 8;").count() == 2);
    session.send("cwprop");
    session.wait_for("INSERT");
    session.send("\x1b");
    session.wait_for("NORMAL");
    // The word with its replacement, and the copied line.
    session.send("uu");
    session.wait_until("one test", |screen| screen.matches("test twice(4) == 8;").count() == 1);
    // Function keys and ctrl keys are those of the standard set.
    session.send("\x1bOP");
    session.wait_for("filter: ");
    session.send("\x1b");
    session.wait_for("NORMAL");
    session.send(":wq\r");
    session.wait_for_end();
    session.assert_restored();
    assert_eq!(saved(&place), PROGRAM.replace('3', "2"));
}

#[test]
fn own_keys_work_and_mistakes_stay_in_sight() {
    let keys =
        "[keys.editor]\nrename = []\n[keys.anywhere]\nhelp = \"F2\"\nsave = \"ctrl-o\"\nsafe = \"alt-s\"\n";
    let (mut session, _place) = open(keys);
    // `ctrl-o` opens files: two commands on one key. The first mistake is in the last line.
    // A long path leaves room for the place only as `own.toml:7`.
    let mistake = |screen: &str| screen.contains("own.toml, line 7") || screen.contains("own.toml:7");
    session.wait_until("the mistake's place", mistake);
    session.send("x");
    session.wait_until("the mistake's place", mistake);
    session.send("\x15\x1bOQ");
    session.wait_for("filter: ");
    session.send("this help");
    session.wait_until("its key", |screen| screen.contains("F2") && !screen.contains("alt-?"));
    session.send("\x1b");
    session.wait_until("the list is closed", |screen| !screen.contains("filter: "));
    session.send("\x11");
    session.wait_for_end();
}
