//! The whole program in a real pseudo-terminal: typing, the screen, and recovery of unsaved text.

mod ends;

use std::path::{Path, PathBuf};
use std::time::Instant;

use portable_pty::CommandBuilder;
use rustix::process::Signal;

use crate::place::{self, Place};
use crate::terminal::Session;

const PROGRAM: &str = "\
fn twice(x: int) -> int {
    return x * 2;
}

test twice(4) == 8;
";

/// Creates a folder with the program in it.
fn folder() -> (Place, PathBuf) {
    let folder = Place::new();
    let file = folder.path().join("twice.myr");
    std::fs::write(&file, PROGRAM).expect("written");
    (folder, file)
}

/// Returns the unsaved texts in the journal.
fn journal(file: &Path) -> Vec<String> {
    let kept = place::journal(file.parent().expect("a folder"));
    kept.into_iter().map(|entry| entry.text).collect()
}

fn read(file: &Path) -> String {
    std::fs::read_to_string(file).expect("the file is there")
}

/// Five bugs of one program, repaired by two keys; an undo reverts it.
#[test]
fn a_sample_is_repaired() {
    let folder = Place::new();
    let file = folder.path().join("midpoint.myr");
    let sample = read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/midpoint.myr"));
    std::fs::write(&file, &sample).expect("written");
    let mut session = Session::open(&file, (160, 50), &[]);
    session.wait_for("5 of 10 tests fail");
    session.send("\x1bm");
    session.wait_for("& 15:5 ");
    session.send("\r");
    session.wait_for("10 tests pass");
    session.send("\x13");
    session.wait_for("saved");
    let repaired = read(&file);
    assert!(repaired.contains("    xs += [i];\n    while xs[i] % 2 != 0 { i += 1; }\n"), "{repaired}");
    session.send("\x15");
    session.wait_for("5 of 10 tests fail");
}

#[test]
fn session_of_open_edit_save_quit_writes_the_file() {
    let (_folder, file) = folder();
    let mut session = Session::open(&file, (80, 24), &[]);
    session.wait_for("1 test passes");
    session.wait_for(" mutants");
    // A comment at the top; then a statement is broken and repaired.
    session.send("// doubles\r");
    session.wait_for("// doubles");
    session.wait_for("1 test passes");
    session.send("\x1b[B\x1b[F\x7f\x7f");
    session.wait_for("…");
    session.wait_for("unfinished");
    session.send("2;");
    session.wait_for("1 test passes");
    // Wrong, but well-formed.
    session.send("\x7f\x7f3;");
    session.wait_for("1 of 1 test fails");
    session.send("\x7f\x7f2;");
    session.wait_for("1 test passes");
    session.wait_for("●");
    session.send("\x13");
    session.wait_for("✓ saved");
    session.send("\x11");
    assert_eq!(session.wait_for_end().exit_code(), 0);
    session.assert_restored();
    assert_eq!(read(&file), format!("// doubles\n{PROGRAM}"));
    assert!(journal(&file).is_empty());
}

#[test]
fn failing_test_is_traced_to_its_cause() {
    let (_folder, file) = folder();
    std::fs::write(&file, PROGRAM.replace("== 8", "== 9")).expect("written");
    let mut session = Session::open(&file, (80, 24), &[]);
    session.wait_for("1 of 1 test fails");
    session.send("\x1bu");
    session.wait_for("COMPARE_EQ");
    session.wait_for("✗ false");
    // The producer of the 8: the call returned it, and its product produced it.
    session.send("w");
    session.wait_for("returned by twice");
    session.send("w");
    session.wait_for("made by");
    session.send("\x11");
    assert_eq!(session.wait_for_end().exit_code(), 0);
}

#[test]
fn missing_file_is_created_at_the_first_save() {
    let (folder, _) = folder();
    let file = folder.path().join("new.myr");
    let mut session = Session::open(&file, (80, 24), &[]);
    session.wait_for("new.myr is new");
    session.wait_for("no tests");
    assert!(!file.exists(), "nothing is written before");
    session.send("test 1 + 1 == 2;");
    session.wait_for("1 test passes");
    session.send("\x13");
    session.wait_for("✓ saved");
    session.send("\x11");
    assert_eq!(session.wait_for_end().exit_code(), 0);
    assert_eq!(read(&file), "test 1 + 1 == 2;");
}

#[test]
fn impossible_file_name_is_refused() {
    let (folder, _) = folder();
    for (name, why) in [
        ("none/new.myr", "its folder does not exist"),
        ("twice.myr/new.myr", "is not a folder"),
        ("chekc", "no file and no command `"),
        ("chekc", "did you mean `myriad check`?"),
    ] {
        let file = folder.path().join(name);
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_myriad"));
        command.arg(name);
        let beside = folder.path().join("twice.myr");
        let mut session = Session::start(command, &beside, (80, 24), &[]);
        assert_eq!(session.wait_for_end().exit_code(), 2);
        assert!(session.screen().replace('\n', "").contains(why), "{name}: {}", session.screen());
        assert!(!file.exists());
    }
}

/// Starts the workbench with these arguments in a folder.
fn called(words: &[&str], folder: &Path, size: (u16, u16)) -> Session {
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_myriad"));
    command.args(words);
    Session::start(command, &folder.join("any"), size, &[])
}

#[test]
fn opening_another_file_switches_text_and_journal() {
    let (folder, file) = folder();
    let other = folder.path().join("sub/other.myr");
    std::fs::create_dir(folder.path().join("sub")).expect("made");
    std::fs::write(&other, "test 1 == 1;\ntest 2 == 2;\n").expect("written");
    let mut session = Session::open(&file, (80, 24), &[]);
    session.wait_for("1 test passes");
    session.send("\x0f");
    session.wait_for("sub/");
    session.send("sub\to");
    session.wait_until("the other is chosen", |screen| {
        screen.contains("open: sub/o") && screen.contains("▶       other.myr")
    });
    session.send("\r");
    session.wait_for("2 tests pass");
    session.wait_until("the other's name", |screen| screen.starts_with(" other.myr"));
    // Both files are watched; only the one on screen shows.
    std::fs::write(&file, "// not here\n").expect("written");
    std::fs::write(&other, "test 1 == 1;\ntest 2 == 2;\ntest 3 == 3;\n").expect("written");
    session.wait_for("3 tests pass");
    assert!(!session.screen().contains("not here"), "{}", session.screen());
    session.send("// mine\r");
    session.wait_for("●");
    // Unsaved text stays open, and is journaled together with that of the other file.
    session.send("\x0f");
    session.wait_for("▶open   ");
    session.send("\r");
    session.wait_for("// not here");
    session.wait_for("+1●");
    session.send("// unsaved\r");
    session.wait_for("// unsaved");
    session.send("\x1b[1;3D");
    session.wait_for("// mine");
    assert!(!read(&other).contains("// mine"));
    session.signal(Signal::TERM);
    assert_eq!(session.wait_for_end().exit_code(), 143);
    let mut kept = journal(&file);
    kept.sort();
    assert_eq!(kept, ["// mine\ntest 1 == 1;\ntest 2 == 2;\ntest 3 == 3;\n", "// unsaved\n// not here\n"]);
}

#[test]
fn call_without_a_file_shows_the_welcome() {
    let (folder, _) = folder();
    let mut session = called(&[], &folder.path(), (80, 24));
    session.wait_for("Welcome to Myriad");
    session.send("\x0f");
    session.wait_for("▶       twice.myr");
    assert!(session.screen().contains("sample gcd.myr"), "{}", session.screen());
    session.send("\r");
    session.wait_for("1 test passes");
    session.send("\x11");
    session.wait_for_end();

    let mut session = called(&["."], &folder.path(), (80, 24));
    session.wait_for("▶       twice.myr");
    assert!(!session.screen().contains("sample "), "{}", session.screen());
    session.send("\x15weak");
    session.wait_for("▶sample weak.myr");
    session.send("\r");
    session.wait_for("ctrl-s asks where to save it");
    session.send("\x13");
    session.wait_for("save as: weak.myr");
    session.send("\r");
    session.wait_for("✓ saved");
    session.send("\x11");
    session.wait_for_end();
    let sample = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/weak.myr");
    assert_eq!(read(&folder.path().join("weak.myr")), read(&sample));
}

#[test]
fn position_after_the_file_name_places_the_cursor() {
    let (folder, _) = folder();
    for (name, place) in [("twice.myr:2", "2:1"), ("twice.myr:2:5", "2:5"), ("twice.myr:99", "6:1")] {
        let mut session = called(&[name], &folder.path(), (80, 24));
        session.wait_for("1 test passes");
        session.wait_for(&format!(" {place} "));
        session.send("\x11");
        session.wait_for_end();
    }
    let mut session = called(&["new.myr:3"], &folder.path(), (80, 24));
    session.wait_for("new.myr is new");
    session.send("test 1 == 1;\x13");
    session.wait_for("✓ saved");
    session.send("\x11");
    session.wait_for_end();
    assert_eq!(read(&folder.path().join("new.myr")), "test 1 == 1;");
    assert!(!folder.path().join("new.myr:3").exists());
}

#[test]
fn shift_f3_of_tmux_and_xterm_goes_to_the_previous_match() {
    let (_folder, file) = folder();
    let mut session = Session::open(&file, (80, 24), &[("TERM", "tmux-256color")]);
    session.wait_for("1 test passes");
    session.send("\x06twice\r");
    session.wait_for("match 1 of 2");
    session.send("\x1bOR\x1bOR");
    session.wait_for("match 1 of 2");
    session.send("\x1b[1;2R");
    session.wait_for("match 2 of 2");
    session.send("\x1b[1;2R");
    session.wait_for("match 1 of 2");
    session.send("\x1b[28~");
    session.wait_for("match 2 of 2");
}

/// A terminal without bracketed paste sends pasted text as keys.
#[test]
fn sixty_kilobytes_pasted_as_keys_are_kept_unchanged() {
    let (_folder, file) = folder();
    let mut session = Session::open(&file, (80, 24), &[]);
    session.wait_for("1 test passes");
    let function = |n: usize| {
        format!(
            "fn f{n}(a: int) -> int {{\r    if a > {n} {{\r        return {n};\r    }}\r    return a;\r}}\r\r"
        )
    };
    let mut text = String::new();
    for n in 0.. {
        if text.len() >= 60_000 {
            break;
        }
        text.push_str(&function(n));
    }
    let begin = Instant::now();
    session.send(&text);
    session.send("// the end");
    session.wait_for("// the end");
    let took = begin.elapsed();
    println!("{} bytes took {took:?}", text.len());
    session.send("\x13");
    session.wait_for("✓ saved");
    assert_eq!(read(&file), format!("{}// the end{PROGRAM}", text.replace('\r', "\n")));
    session.send("\x11");
    session.wait_for_end();
}

#[test]
fn changes_from_outside_appear() {
    let (_folder, file) = folder();
    let mut session = Session::open(&file, (80, 24), &[]);
    session.wait_for("1 test passes");
    // Written in place, then renamed over, as other editors do.
    std::fs::write(&file, PROGRAM.replace("x * 2", "x + x")).expect("written");
    session.wait_for("return x + x;");
    let other = file.with_file_name("other");
    std::fs::write(&other, PROGRAM.replace("x * 2", "x << 1")).expect("written");
    std::fs::rename(&other, &file).expect("renamed");
    session.wait_for("return x << 1;");
    session.send("// mine\r");
    session.wait_for("●");
    std::fs::write(&file, PROGRAM).expect("written");
    session.wait_for("was also changed by another program");
    session.send("\x1ba");
    session.wait_for("take theirs");
    session.send("t");
    session.wait_for("your version is in");
    session.send("\x11");
    assert_eq!(session.wait_for_end().exit_code(), 0);
    assert_eq!(read(&file), PROGRAM);
    assert!(read(&file.with_file_name("twice.mine.myr")).starts_with("// mine\n"));
}

#[test]
fn no_color_variable_disables_colours() {
    let (_folder, file) = folder();
    let mut session = Session::open(&file, (80, 24), &[("NO_COLOR", "1")]);
    session.wait_for("1 test passes");
    session.send("\x11");
    session.wait_for_end();
    let bytes = session.sent();
    let text = String::from_utf8_lossy(&bytes);
    for colour in ["38;5;", "48;5;", "38;2;", "48;2;", "\x1b[31m", "\x1b[32m"] {
        assert!(!text.contains(colour), "{colour} was sent");
    }
}

#[test]
fn a_resized_terminal_is_filled() {
    let (_folder, file) = folder();
    let mut session = Session::open(&file, (80, 24), &[]);
    session.wait_for("1 test passes");
    session.resize((160, 50));
    session.wait_for("Energy");
    session.wait_for("Tokens  AST  IR");
    session.send("\x11");
    session.wait_for_end();
}

/// A terminal's reply to a query of another program is not text.
#[test]
fn a_late_reply_of_the_terminal_is_swallowed() {
    let (_folder, file) = folder();
    let mut session = Session::open(&file, (80, 24), &[]);
    session.wait_for("1 test passes");
    session.send("// a\x1b]11;rgb:0000/0000/0000\x1b\\b\x1bP1+r544e=78\x1b\\c");
    session.wait_for("// abc");
    session.send("\x1b]10;rgb:ffff/ffff/ffff\x07d\r\x13");
    session.wait_for("✓ saved");
    assert_eq!(read(&file), format!("// abcd\n{PROGRAM}"));
    session.send("\x11");
    session.wait_for_end();
}
