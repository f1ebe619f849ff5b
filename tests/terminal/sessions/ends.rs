//! Every way in which the program ends or stops; the unsaved text is kept and the terminal is restored.

use portable_pty::CommandBuilder;
use rustix::process::Signal;

use super::{PROGRAM, folder, journal, read};
use crate::terminal::Session;

#[test]
fn sigterm_keeps_the_text_and_the_next_start_brings_it_back() {
    let (_folder, file) = folder();
    let mut session = Session::open(&file, (80, 24), &[]);
    session.wait_for("1 test passes");
    session.send("// unsaved\r");
    session.wait_for("// unsaved");
    session.signal(Signal::TERM);
    assert_eq!(session.wait_for_end().exit_code(), 143);
    session.assert_restored();
    assert_eq!(read(&file), PROGRAM, "the file is as it was");
    assert_eq!(journal(&file), [format!("// unsaved\n{PROGRAM}")]);
    assert!(session.screen().contains("unsaved text is in"), "{}", session.screen());

    let mut session = Session::open(&file, (80, 24), &[]);
    session.wait_for("is back");
    session.wait_for("// unsaved");
    session.send("\x13");
    session.wait_for("✓ saved");
    session.send("\x11");
    assert_eq!(session.wait_for_end().exit_code(), 0);
    assert_eq!(read(&file), format!("// unsaved\n{PROGRAM}"));
    assert!(journal(&file).is_empty(), "what is saved need not be recovered");
}

/// Types a line into a file and kills the program once the journal has it. Returns the text in the journal.
fn leave_unsaved(file: &std::path::Path) -> String {
    let mut session = Session::open(file, (80, 24), &[]);
    session.wait_until("the first answer", |screen| screen.contains("passes") || screen.contains("no tests"));
    session.send("// unsaved\r");
    session.wait_until("the journal", |_| !journal(file).is_empty());
    session.signal(Signal::TERM);
    session.wait_for_end();
    journal(file).pop().expect("a text")
}

#[test]
fn unsaved_text_of_a_changed_file_is_offered_until_it_is_answered() {
    let (_folder, file) = folder();
    let text = leave_unsaved(&file);
    let changed = format!("// theirs\n{PROGRAM}");
    std::fs::write(&file, &changed).expect("written");
    let mut session = Session::open(&file, (80, 24), &[]);
    session.wait_for("1 unsaved text of twice.myr, which has changed since: alt-a lists them");
    session.wait_for("// theirs");
    // Typing does not end the offer.
    session.send("\x1b[B\x1b[B");
    session.wait_for("which has changed since");
    session.send("\x1ba");
    session.wait_for("+ // unsaved");
    session.send("\r");
    session.wait_for("recovered");
    assert_eq!(journal(&file).iter().filter(|kept| **kept == text).count(), journal(&file).len());
    session.send("\x11d");
    session.wait_for_end();
    assert_eq!(read(&file), changed);
    assert_eq!(journal(&file), [text], "a discarded text is kept");
    // It is not opened automatically any more.
    std::fs::write(&file, PROGRAM).expect("written");
    let mut session = Session::open(&file, (80, 24), &[]);
    session.wait_for("1 unsaved text of twice.myr: alt-a lists them");
    session.send("\x11");
    assert_eq!(session.wait_for_end().exit_code(), 0);
}

#[test]
fn unsaved_text_of_a_new_file_comes_back() {
    let (folder, _) = folder();
    let file = folder.path().join("new.myr");
    let text = leave_unsaved(&file);
    let mut session = Session::open(&file, (80, 24), &[]);
    session.wait_for("is back");
    session.send("\x13");
    session.wait_for("✓ saved");
    session.send("\x11");
    session.wait_for_end();
    assert_eq!(read(&file), text);
    assert!(journal(&file).is_empty());
}

#[test]
fn journal_path_is_printed_without_control_characters() {
    let (folder, file) = folder();
    let hostile = folder.beside().join("a\u{9b}2J\u{202e}b\u{200b}");
    let mut session = Session::open(&file, (80, 24), &[("XDG_STATE_HOME", hostile.to_str().expect("a text"))]);
    session.wait_for("1 test passes");
    session.send("// unsaved\r");
    session.wait_for("// unsaved");
    session.signal(Signal::TERM);
    assert_eq!(session.wait_for_end().exit_code(), 143);
    assert!(session.screen().contains("unsaved text is in"), "{}", session.screen());
    let sent = String::from_utf8_lossy(&session.sent()).into_owned();
    assert!(sent.contains("‹9b›"), "the name is there: {sent}");
    assert!(!sent.contains(['\u{9b}', '\u{202e}', '\u{200b}']), "and nothing that a terminal obeys: {sent:?}");
}

#[cfg(debug_assertions)]
#[test]
fn panic_restores_the_terminal_and_keeps_the_text() {
    let (_folder, file) = folder();
    let mut session = Session::open(&file, (80, 24), &[("MYRIAD_TEST_PANIC", "f12")]);
    session.wait_for("1 test passes");
    session.send("// unsaved\r");
    session.wait_for("// unsaved");
    session.send("\x1b[24~");
    assert_ne!(session.wait_for_end().exit_code(), 0);
    session.assert_restored();
    assert!(session.screen().contains("MYRIAD_TEST_PANIC"), "the message is readable:\n{}", session.screen());
    assert_eq!(read(&file), PROGRAM);
    assert_eq!(journal(&file), [format!("// unsaved\n{PROGRAM}")]);
}

#[test]
fn closed_terminal_ends_the_program_and_keeps_the_text() {
    let (_folder, file) = folder();
    let mut session = Session::open(&file, (80, 24), &[]);
    session.wait_for("1 test passes");
    session.send("// unsaved\r");
    session.wait_for("// unsaved");
    session.close();
    session.wait_for_end();
    assert_eq!(read(&file), PROGRAM);
    assert_eq!(journal(&file), [format!("// unsaved\n{PROGRAM}")]);
}

#[test]
fn suspended_program_releases_and_retakes_the_terminal() {
    let (_folder, file) = folder();
    let mut shell = CommandBuilder::new("bash");
    shell.args(["--norc", "--noprofile", "-i"]);
    let mut session = Session::start(shell, &file, (80, 24), &[("PS1", "ready> ")]);
    session.wait_for("ready> ");
    session.send(&format!("'{}' +1 twice.myr\r", env!("CARGO_BIN_EXE_myriad")));
    session.wait_for("1 test passes");
    session.send("// one\r\x1a");
    session.wait_for("Stopped");
    assert!(
        !session.screen().contains("1 test passes"),
        "the shell has its screen back:\n{}",
        session.screen()
    );
    session.send("fg\r");
    session.wait_for("// one");
    session.send("// two\r\x0c");
    session.wait_for("// two");
    session.send("\x13");
    session.wait_for("✓ saved");
    session.send("\x11");
    session.wait_until("the prompt again", |screen| screen.trim_end().ends_with("ready>"));
    session.send("exit\r");
    session.wait_for_end();
    assert_eq!(read(&file), format!("// one\n// two\n{PROGRAM}"));
}

/// The unsaved text of a file whose name is not UTF-8 can be recovered, also from the list of programs.
#[test]
#[cfg(target_os = "linux")]
fn file_with_a_non_utf8_name_is_recovered() {
    use std::os::unix::ffi::OsStrExt;
    let (folder, _) = folder();
    let file = folder.path().join(std::ffi::OsStr::from_bytes(b"tw\xffice.myr"));
    std::fs::write(&file, PROGRAM).expect("written");
    let mut session = Session::open(&file, (80, 24), &[]);
    session.wait_for("1 test passes");
    session.send("\x1b[1;5H// one\r");
    session.wait_until("the journal", |_| journal(&file) == [format!("// one\n{PROGRAM}")]);
    session.kill();
    session.wait_for_end();
    // The list of programs reports it, too.
    let command = CommandBuilder::new(env!("CARGO_BIN_EXE_myriad"));
    let mut session = Session::start(command, &file, (80, 24), &[]);
    session.wait_for("1 unsaved text of earlier runs: alt-a lists them");
    session.send("\x1ba");
    session.wait_for("Unsaved texts of earlier runs:");
    session.send("\x1b");
    session.wait_for("Welcome to Myriad");
    session.send("\x11");
    assert_eq!(session.wait_for_end().exit_code(), 0);
    let mut session = Session::open(&file, (80, 24), &[]);
    session.wait_for("is back");
    session.wait_for("// one");
    session.send("\x13");
    session.wait_for("✓ saved");
    session.wait_until("the text to leave the journal", |_| journal(&file).is_empty());
    session.send("\x11");
    session.wait_for_end();
    assert_eq!(read(&file), format!("// one\n{PROGRAM}"));
}
