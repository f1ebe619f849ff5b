//! Sessions recorded as tapes: a tape that is played ends like the session.

use std::time::Duration;

use crossterm::event::KeyCode;
use myriad::lang::samples;
use myriad::workbench::config::{Bindings, Config, parse};
use myriad::workbench::demo::record::record;
use myriad::workbench::event::{Mouse, UserInput};
use myriad::workbench::key::Key;
use myriad::workbench::keymap::Keymap;
use myriad::workbench::keys::TABLE;
use myriad::workbench::modal::KeySet;
use myriad::workbench::offscreen::Offscreen;
use myriad::workbench::open::OpenPlace;
use myriad::workbench::state::State;
use myriad::workbench::tape::session::{Beginning, LARGEST, LONGEST_PAUSE, SessionTape};
use myriad::workbench::tape::{PRESSES, Tape, TapeSettings, config};
use myriad::workbench::theme::{Depth, Theme};

use super::options;
use crate::common::extent::{HANG, thorough};
use crate::common::rng::Rng;

/// Parts of texts that a tape must quote with care.
const PIECES: &[&str] = &[
    "fn f() -> int {\n    return 1;\n}\n",
    "test f() == 1;\n",
    "| a\n|\n",
    "\"'`",
    "# no comment\n",
    "  ",
    "\r\n",
    "\r",
    "\t",
    "漢字",
    "e\u{301}",
    "\u{feff}",
    "\u{202e}",
    "\u{85}",
    "\u{2028}",
    "\\n",
    "\"",
    "'",
    "`",
    "\x1b[31m",
    "\0",
];

fn beginning<'a>(text: &'a str, cursor: (usize, usize), config: &'a [String]) -> Beginning<'a> {
    Beginning { size: (90, 26), name: Some("own \"file\".myr"), text, cursor, presenter: false, config }
}

/// Returns a random key of the table, a typed character, or another key with a name.
fn key(rng: &mut Rng) -> Key {
    loop {
        let key = match rng.below(6) {
            0 | 1 => {
                Key::typing(*rng.pick(&['a', 'x', '1', '(', '{', '"', '\'', '`', '#', '|', '@', 'é', ' ', ';']))
            }
            2 => Key::parse(rng.pick::<&str>(&[
                "esc",
                "enter",
                "down",
                "backspace",
                "tab",
                "alt-@",
                "alt-#",
                "alt-\"",
            ]))
            .expect("a key"),
            3 => Key {
                code: *rng.pick(&[KeyCode::Delete, KeyCode::F(12), KeyCode::Char(' ')]),
                ctrl: rng.one_in(2),
                alt: rng.one_in(2),
                shift: false,
            },
            _ => Key::parse(rng.pick(&TABLE).keys[0]).expect("a key"),
        };
        // These keys end the session, show files and times of this machine, or an echo that fades.
        let is_local = ["ctrl-q", "ctrl-z", "ctrl-o", "f4", "alt-o", "alt-e", "shift-f7"]
            .iter()
            .any(|name| Key::parse(name) == Some(key));
        if !is_local {
            return key;
        }
    }
}

fn text(rng: &mut Rng) -> String {
    (0..rng.below(5)).map(|_| *rng.pick(PIECES)).collect()
}

fn input(rng: &mut Rng, state: &State) -> UserInput {
    let (width, height) = state.screen.size;
    match rng.below(20) {
        0 | 1 => {
            let what = *rng.pick(&[
                Mouse::Click(1),
                Mouse::Click(2),
                Mouse::Click(3),
                Mouse::Drag,
                Mouse::Scroll(-1),
                Mouse::Scroll(1),
                Mouse::ScrollAcross(1),
            ]);
            let (column, row) = (rng.below(width.into()) as u16, rng.below(height.into()) as u16);
            UserInput::Mouse { what, column, row, shift: rng.one_in(4) }
        }
        2 => UserInput::Paste(text(rng).replace("\r\n", "\n").replace('\r', "\n")),
        3 => UserInput::Burst {
            text: text(rng).replace("\r\n", "\n").replace('\r', "\n"),
            is_continuation: rng.one_in(3),
        },
        4 => UserInput::Resize(*rng.pick(&[60, 80, 100]), *rng.pick(&[12, 24, 30])),
        _ => UserInput::Key(key(rng)),
    }
}

/// A session in an offscreen workbench, written as a tape.
struct Recorded {
    tape: String,
    screen: String,
    text: String,
}

/// Runs a random session.
fn session(seed: u64, key_set: KeySet) -> Recorded {
    let mut rng = Rng::new(seed);
    let mut configured = Config::default();
    configured.editor.0.key_set = key_set;
    let keys = match rng.one_in(2) {
        true => parse("keys.editor.complete = \"f10\"\nkeys.anywhere.save = [\"ctrl-w\", \"alt-'\"]\n").1,
        false => Bindings::default(),
    };
    let lines = config::write(&configured, &keys);
    let folder = tempfile::tempdir().expect("a folder");
    let mut of_session = myriad::workbench::Options { keys: keys.map(), ..options() };
    (of_session.config.editor, of_session.config.engine.opt) = (configured.editor, configured.engine.opt);
    let theme = Theme::new(Depth::True);
    let mut off = Offscreen::start(of_session, theme, (90, 26), folder.path().into(), true).expect("started");
    off.use_taped_clipboard();
    let program = match rng.below(3) {
        0 => samples::named("gcd.myr").expect("a sample").text.to_string(),
        1 => text(&mut rng),
        _ => String::new(),
    };
    let place = OpenPlace { line: 1 + rng.below(4), column: 1 + rng.below(9) };
    off.open("own \"file\".myr", &program, Some(place)).expect("opened");
    off.say(None);
    off.settle(HANG);
    let buffer = &off.state().document.buffer;
    let cursor = buffer.place_in_characters(buffer.head());
    let (mut tape, mut written) = SessionTape::begin(&beginning(&program, cursor, &lines));
    let mut now = Duration::ZERO;
    for _ in 0..40 {
        now += Duration::from_millis(*rng.pick(&[0, 3, 70, 120, 499, 500, 2_000, 3_600_000]));
        let input = input(&mut rng, off.state());
        written += &tape.record(now, &input);
        off.handle_event(input.into());
        off.settle(HANG);
        if off.ended() {
            break;
        }
    }
    written += &tape.flush();
    Recorded {
        tape: written,
        screen: off.picture().text(),
        text: off.state().document.buffer.text().to_string(),
    }
}

#[test]
fn random_session_ends_like_its_tape() {
    // Each key set once or twice: the player waits for all that the session finds about each text.
    for seed in 0..if thorough() { 6 } else { 3 } {
        let key_set = [KeySet::Standard, KeySet::Vi, KeySet::Helix][seed as usize % 3];
        let session = session(seed, key_set);
        let tape =
            Tape::parse(&session.tape).unwrap_or_else(|faults| panic!("{seed}: {faults:?}\n{}", session.tape));
        let (configured, keys) = config::of(&tape.settings.config).expect("a configuration");
        assert_eq!(configured.editor.0.key_set, key_set);
        let mut options = myriad::workbench::Options { keys: keys.map(), ..options() };
        (options.config.editor, options.config.engine.opt) = (configured.editor, configured.engine.opt);
        let folder = tempfile::tempdir().expect("a folder");
        let played = record(&tape, options, folder.path()).expect("it is played to its end");
        assert_eq!(played.text, session.text, "{seed}:\n{}", session.tape);
        let shown = played.last.text();
        let differs = shown.lines().zip(session.screen.lines()).find(|(played, own)| played != own);
        assert_eq!(differs, None, "{seed}:\n{}\n{shown}\n{}", session.screen, session.tape);
    }
}

/// Returns the lines after the program for inputs with their times in milliseconds.
fn lines(inputs: &[(u64, UserInput)]) -> String {
    let (mut tape, _) = SessionTape::begin(&beginning("", (1, 1), &[]));
    let mut lines: String =
        inputs.iter().map(|(at, input)| tape.record(Duration::from_millis(*at), input)).collect();
    lines += &tape.flush();
    lines
}

fn typed(text: &str, from: u64, each: u64) -> Vec<(u64, UserInput)> {
    let key = |(at, c)| (from + each * at as u64, UserInput::Key(Key::typing(c)));
    text.chars().enumerate().map(key).collect()
}

#[test]
fn keys_typed_in_a_row_are_one_command() {
    let mut inputs = typed("let \"x\"", 1_000, 100);
    inputs.extend(typed("\r\r", 2_000, 150));
    inputs.extend(typed("a", 2_400, 0));
    inputs.push((7_200_000, UserInput::Paste("one".into())));
    inputs.push((7_200_005, UserInput::Paste("two\nthree".into())));
    inputs.push((7_200_100, UserInput::Mouse { what: Mouse::Click(2), column: 0, row: 9, shift: true }));
    assert_eq!(
        lines(&inputs),
        "Sleep 1000ms\nType@100ms 'let \"x\"'\nSleep 300ms\nenter@150ms 2\nSleep 100ms\nType \"a\"\nSleep 10000ms\n\
         Paste \"one\"\nPaste\n| two\n| three\nSleep 95ms\nMouse double-click 1 10 shift\n"
    );
}

#[test]
fn tape_lasts_as_long_as_its_session() {
    let mut inputs = typed(&"x".repeat(150), 3_000, 70);
    inputs.extend(typed("\r\r\rabc", 90_000, 400));
    let last = inputs.last().expect("some").0;
    let (_, begin) = SessionTape::begin(&beginning("", (1, 1), &[]));
    let tape = Tape::parse(&(begin + &lines(&inputs))).expect("a tape");
    let folder = tempfile::tempdir().expect("a folder");
    let length = record(&tape, options(), folder.path()).expect("played").length;
    let pause = Duration::from_millis(90_000 - (3_000 + 149 * 70)) - LONGEST_PAUSE;
    let difference = (length + pause).abs_diff(Duration::from_millis(last));
    assert!(difference < Duration::from_millis(600), "{length:?} of {last} ms");
}

#[test]
fn key_without_a_name_is_a_comment() {
    for code in [KeyCode::Null, KeyCode::CapsLock, KeyCode::F(99), KeyCode::Char('\u{85}')] {
        let key = Key { code, ctrl: true, alt: false, shift: false };
        assert_eq!(lines(&[(0, UserInput::Key(key))]), "# a key without a name\n", "{key:?}");
    }
}

#[test]
fn last_key_can_be_left_out() {
    let (mut tape, _) = SessionTape::begin(&beginning("", (1, 1), &[]));
    let key = |name: &str| UserInput::Key(Key::parse(name).expect("a key"));
    assert!(!tape.waits());
    let first = tape.record(Duration::ZERO, &key("down")) + &tape.record(Duration::ZERO, &key("ctrl-q"));
    assert_eq!(first, "down\n");
    assert!(tape.waits());
    tape.forget();
    assert_eq!((tape.flush(), tape.waits()), (String::new(), false));
}

/// A text whose test fails; one change repairs it.
const BROKEN: &str =
    "fn twice(n: int) -> int {\n    return n * 3;\n}\n\ntest twice(4) == 8;\ntest twice(5) == 10;\n";

/// Plays keys in an offscreen session: `.` waits until everything has arrived. Returns the session's text, and the tape.
fn pressed(script: &[&str]) -> (String, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let theme = Theme::new(Depth::True);
    let mut off = Offscreen::start(options(), theme, (90, 26), folder.path().into(), true).expect("started");
    off.use_taped_clipboard();
    off.open("own \"file\".myr", BROKEN, None).expect("opened");
    off.settle(HANG);
    let (mut tape, mut written) = SessionTape::begin(&beginning(BROKEN, (1, 1), &[]));
    for (number, name) in script.iter().enumerate() {
        if *name == "." {
            off.settle(HANG);
            continue;
        }
        let input = UserInput::Key(Key::parse(name).expect("a key"));
        written += &tape.record(Duration::from_millis(100 * number as u64), &input);
        let (prefixed, awaits) = (off.state().prompts.prefixed, off.awaits());
        off.handle_event(input.into());
        if awaits && off.state().status.refused {
            written += &tape.refuse(prefixed);
        }
    }
    off.settle(HANG);
    (off.state().document.buffer.text().to_string(), written + &tape.flush())
}

#[test]
fn key_that_came_before_the_rows_plays_to_the_same_text() {
    for script in [
        &["end", "space", "alt-m", "enter"][..],
        &["end", "space", "ctrl-t", "m", "enter", "enter"],
        &["end", "space", "alt-m", "down", "j", ".", "enter"],
        &["end", "space", "ctrl-t", "t", "x"],
        &["end", "space", "alt-7", "t", "alt-1", "y"],
    ] {
        let (text, written) = pressed(script);
        let tape = Tape::parse(&written).expect("a tape");
        let folder = tempfile::tempdir().expect("a folder");
        let played = record(&tape, options(), folder.path()).expect("it is played to its end");
        assert_eq!(played.text, text, "{script:?}:\n{written}");
    }
}

#[test]
fn tape_of_a_long_session_can_be_played() {
    let (mut tape, begin) = SessionTape::begin(&beginning("test 1 == 1;", (1, 1), &[]));
    let (mut text, mut at) = (begin, Duration::ZERO);
    for number in 0..PRESSES + 1_000 {
        at += Duration::from_millis(100);
        text += &tape.record(at, &UserInput::Key(Key::typing(if number % 7 == 0 { '\r' } else { 'x' })));
    }
    text += &tape.flush();
    assert!(tape.is_full());
    assert_eq!(tape.record(at, &UserInput::Paste("more".into())), "");
    assert!(Tape::parse(&text).is_ok() && text.ends_with("cannot be longer.\n"));
    let (mut tape, begin) = SessionTape::begin(&beginning("", (1, 1), &[]));
    let long = UserInput::Paste("x".repeat(LARGEST / 3));
    let text: String = (0..4).map(|_| tape.record(at, &long)).collect();
    assert!(tape.is_full() && begin.len() + text.len() <= LARGEST);
    assert!(Tape::parse(&(begin + &text)).is_ok());
}

#[test]
fn tape_contains_the_configuration_of_its_session() {
    let all = "editor.key_set = \"vi\"\neditor.soft_wrap = true\nengine.opt = 2\nengine.budget = 7\n\
               [keys.anywhere]\nsave = [\"ctrl-'\", \"alt-`\", 'alt-\"']\nquit = []\n";
    let (configured, keys, faults) = parse(all);
    assert_eq!(faults, []);
    let lines = config::write(&configured, &keys);
    let (_, text) = SessionTape::begin(&beginning("", (1, 1), &lines));
    let TapeSettings { config: read, .. } = Tape::parse(&text).expect("a tape").settings;
    let (again, same) = config::of(&read).expect("a configuration");
    assert_eq!((again.editor, again.engine), (configured.editor, configured.engine));
    assert_eq!(same.map().as_deref(), keys.map().as_deref());
    assert_ne!(same.map().as_deref(), Some(Keymap::standard()));
}
