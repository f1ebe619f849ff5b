//! Valid and invalid lines of a tape.

use std::time::Duration;

use myriad::workbench::event::{Mouse, UserInput};
use myriad::workbench::key::Key;
use myriad::workbench::keys;
use myriad::workbench::open::OpenPlace;
use myriad::workbench::tape::commands::{self, SETTINGS, TABLE};
use myriad::workbench::tape::{Act, Tape};

fn acts(text: &str) -> Vec<Act> {
    let tape = Tape::parse(text).unwrap_or_else(|faults| panic!("{text:?}: {faults:?}"));
    tape.steps.into_iter().map(|step| step.act).collect()
}

/// Checks that a line presses one key, once.
#[track_caller]
fn presses(line: &str, key: &str) {
    let key = Key::parse(key).unwrap_or_else(|| panic!("no key {key}"));
    assert_eq!(acts(line), [Act::Press { keys: vec![key], speed: None }], "{line}");
}

#[test]
fn tape_keys_accept_both_naming_styles() {
    for (line, key) in [
        ("Enter", "enter"),
        ("Escape", "esc"),
        ("Ctrl+U", "ctrl-u"),
        ("ctrl-u", "ctrl-u"),
        ("Alt+7", "alt-7"),
        ("alt-Enter", "alt-enter"),
        ("F4", "f4"),
        ("Shift+F6", "shift-f6"),
        ("Shift+Tab", "shift-tab"),
        ("shift+n", "N"),
        ("N", "N"),
        ("n", "n"),
        ("Alt+N", "alt-n"),
        ("Ctrl+Alt+x", "ctrl-alt-x"),
        ("PageDown", "pagedown"),
        ("Space", "space"),
        ("]", "]"),
        ("?", "?"),
        ("ctrl-]", "ctrl-]"),
        ("Ctrl+/", "ctrl-/"),
    ] {
        presses(line, key);
    }
    // All names in the table of keys are accepted.
    for name in keys::TABLE.iter().flat_map(|binding| binding.keys) {
        presses(name, name);
        presses(&Key::parse(name).expect("a key").to_string(), name);
    }
}

#[test]
fn tape_is_parsed_into_settings_and_steps() {
    let text = "# a comment\n\nSet Width 90\nSet TypingSpeed 20ms\nOpen samples/gcd.myr # copied\nType \"a # b\"\nDown@100ms 3\n\
                Sleep 1.5\nWait@30s 'it is \"there\"'\nStill here\nStill there \"a caption\"\nHide\nShow\r\n";
    let tape = Tape::parse(text).expect("a tape");
    assert_eq!((tape.settings.width, tape.settings.height), (90, 36));
    assert_eq!(tape.settings.typing, Duration::from_millis(20));
    assert_eq!(tape.steps[0].line, 5);
    let key = |name: &str| Key::parse(name).expect("a key");
    let acts: Vec<Act> = tape.steps.into_iter().map(|step| step.act).collect();
    let typed = ["a", "space", "#", "space", "b"].map(key).to_vec();
    assert_eq!(
        acts,
        [
            Act::Open { name: "samples/gcd.myr".to_string(), text: None, place: None },
            Act::Press { keys: typed, speed: None },
            Act::Press { keys: vec![key("down"); 3], speed: Some(Duration::from_millis(100)) },
            Act::Sleep(Duration::from_millis(1500)),
            Act::Wait { text: "it is \"there\"".to_string(), limit: Some(Duration::from_secs(30)) },
            Act::Still { name: "here".to_string(), caption: None },
            Act::Still { name: "there".to_string(), caption: Some("a caption".to_string()) },
            Act::Hide,
            Act::Show,
        ]
    );
}

/// Checks the span, message and help of an invalid line.
#[track_caller]
fn wrong(line: &str, at: &str, message: &str, help: &str) {
    let text = format!("Sleep 1s\n{line}\nSleep 1s\n");
    let faults = Tape::parse(&text).expect_err(line);
    assert_eq!(faults.len(), 1, "{line}: {faults:?}");
    let fault = &faults[0];
    assert_eq!(&text[fault.span.clone()], at, "{line}: {fault:?}");
    assert!(fault.message.contains(message), "{line}: {fault:?}");
    assert!(fault.help.contains(help), "{line}: {fault:?}");
}

/// Returns the faults' places and messages.
fn faults(text: &str) -> Vec<(String, String)> {
    let faults = Tape::parse(text).expect_err(text);
    faults.into_iter().map(|fault| (text[fault.span].to_string(), fault.message)).collect()
}

#[test]
fn texts_follow_their_command_with_bars() {
    let place = Some(OpenPlace { line: 2, column: 5 });
    let (name, text) = ("a.myr".to_string(), Some("fn f\n\n  // \"'`| x \r".into()));
    let tape = "Open a.myr 2:5\n| fn f\n|\n|   // \"'`| x \r\nPaste # these lines\n| one\n|two\nBurst@0\n| \nPaste \"\"\nMouse drag 1 24 shift\n|\n";
    assert_eq!(
        acts(tape),
        [
            Act::Open { name, text, place },
            Act::Input(UserInput::Paste("one\ntwo".to_string())),
            Act::Input(UserInput::Burst { text: String::new(), is_continuation: true }),
            Act::Input(UserInput::Paste(String::new())),
            Act::Input(UserInput::Mouse { what: Mouse::Drag, column: 0, row: 23, shift: true }),
            Act::Press { keys: vec![Key::typing('|')], speed: None },
        ]
    );
}

#[test]
fn lines_of_the_configuration_are_read_together() {
    // Each of these lines alone would take the key of another command.
    let swapped =
        "Set Config 'keys.anywhere.save = [\"ctrl-q\"]'\nSet Config 'keys.anywhere.quit = [\"ctrl-s\"]'\n";
    assert!(Tape::parse(swapped).is_ok());
    let alone = swapped.lines().next().expect("a line");
    assert_eq!(faults(&format!("# keys\n{alone}\nDown\n"))[0].0, alone["Set Config ".len()..]);
    let twice = "Set Config 'editor.soft_wrap = true'\nSet Config 'editor.soft_wrap = false'\n";
    assert_eq!(faults(twice).len(), 1, "{:?}", faults(twice));
}

#[test]
fn tape_with_too_many_keys_is_refused() {
    let most = "Down 1000\n".repeat(100);
    assert!(Tape::parse(&most).is_ok());
    let faults = Tape::parse(&format!("{most}Type \"x\"\nUp\n")).expect_err("too many");
    assert_eq!(faults.len(), 2);
    assert!(faults[0].message.contains("presses 100001 keys"), "{faults:?}");
}

#[test]
fn invalid_tape_lines_are_reported_with_help() {
    wrong("Tpye \"x\"", "Tpye", "no command and no key `Tpye`", "did you mean `Type`?");
    wrong("Slep 1s", "Slep", "no command", "did you mean `Sleep`?");
    wrong("type \"x\"", "type", "no command", "did you mean `Type`?");
    wrong("Crtl+U", "Crtl+U", "no key `Crtl+U`", "did you mean `ctrl-u`?");
    wrong("entr", "entr", "no key", "did you mean `enter`?");
    wrong("Zzzzzz", "Zzzzzz", "no key", "docs/demo.md");
    wrong("F13", "F13", "no key", "did you mean `f1");
    wrong("Output demo.gif", "Output", "no command", "--cast");
    wrong("Screenshot a.png", "Screenshot", "no command", "Still NAME");
    wrong("Source other.tape", "Source", "no command", "Open FILE");
    wrong("\"text\"", "\"text\"", "no command", "Type");
    wrong("Type", "Type", "missing", "Type \"TEXT\"");
    wrong("Type hello", "hello", "quotes", "Type \"TEXT\"");
    wrong("Type \"hello", "\"hello", "no end", "end it with \"");
    wrong("Type \"a\" \"b\"", "\"b\"", "too many words", "Type \"TEXT\"");
    wrong("Type \"a\"b", "b", "must be a space", "quotes");
    wrong("Type@fast \"a\"", "fast", "not a time", "500ms");
    wrong("Sleep", "Sleep", "missing", "Sleep TIME");
    wrong("Sleep soon", "soon", "not a time", "500ms");
    wrong("Sleep -1s", "-1s", "not a time", "500ms");
    wrong("Sleep 1e3", "1e3", "not a time", "500ms");
    wrong("Sleep 1h", "1h", "not a time", "500ms");
    wrong("Sleep 99999s", "99999s", "not a time", "ten minutes");
    wrong("Sleep@1s 2s", "Sleep@1s", "no time after", "Sleep TIME");
    wrong("Down 0", "0", "number of times", "from 1 to");
    wrong("Down 1001", "1001", "number of times", "from 1 to");
    wrong("Down three", "three", "number of times", "from 1 to");
    wrong("Down 1 2", "2", "too many words", "KEY [TIMES]");
    wrong("Wait", "Wait", "missing", "Wait \"TEXT\"");
    wrong("Wait text", "text", "in quotes", "Wait \"TEXT\"");
    wrong("Wait \"\"", "\"\"", "in quotes", "Wait \"TEXT\"");
    wrong("Hide all", "all", "too many words", "Hide");
    wrong("Still", "Still", "missing", "Still NAME");
    wrong("Still a b", "b", "must be in quotes", "Still NAME");
    wrong("Still a \"b\" c", "c", "too many words", "Still NAME");
    let long = format!("\"{}\"", "x".repeat(151));
    wrong(&format!("Still a {long}"), &long, "too long", "150 characters");
    wrong("Still ../../etc/passwd", "../../etc/passwd", "not a valid name", "letters, digits");
    wrong("Open", "Open", "missing", "Open FILE");
    wrong("Open a.myr 3", "3", "not a place", "12:5");
    wrong("Open a.myr 3:0", "3:0", "not a place", "12:5");
    wrong("Open a.myr 3:1 x", "x", "too many words", "Open FILE");
    wrong("Paste", "Paste", "missing", "Paste \"TEXT\"");
    wrong("Paste text", "text", "in quotes", "Paste \"TEXT\"");
    wrong("Paste \"a\"\n| b", "\"a\"", "two texts", "Paste \"TEXT\"");
    wrong("Paste@1s \"a\"", "Paste@1s", "no time after", "Paste \"TEXT\"");
    wrong("Burst", "Burst", "missing", "Burst \"TEXT\"");
    wrong("Mouse", "Mouse", "missing", "Mouse ACTION");
    wrong("Mouse click 3", "Mouse", "missing", "Mouse ACTION");
    wrong("Mouse clack 3 4", "clack", "not an action", "double-click");
    wrong("Mouse click 0 4", "0", "not the number of a cell", "Mouse ACTION");
    wrong("Mouse click 3 65537", "65537", "not the number of a cell", "Mouse ACTION");
    wrong("Mouse click 3 4 ctrl", "ctrl", "only `shift`", "Mouse ACTION");
    wrong("Mouse click 3 4 shift x", "x", "too many words", "Mouse ACTION");
    wrong("Resize 80", "Resize", "missing", "Resize COLUMNS ROWS");
    wrong("Resize 80 1", "1", "not a size from 5 to 500", "Resize COLUMNS ROWS");
    wrong("Open ..", "..", "not the name of a file", "samples/gcd.myr");
    wrong("Set Width 100", "Set", "after a command", "before the first command");
    let many = Tape::parse(&"Nonsense\n".repeat(1000)).expect_err("nonsense");
    assert_eq!(many.len(), 50);
}

#[test]
fn invalid_tape_settings_are_reported_with_help() {
    for (line, at, message, help) in [
        ("Set", "Set", "missing", "Set NAME VALUE"),
        ("Set Width", "Set", "missing", "Set NAME VALUE"),
        ("Set Widht 100", "Widht", "no setting `Widht`", "did you mean `Width`?"),
        ("Set Frobnicate 100", "Frobnicate", "no setting", "there are Width, Height"),
        ("Set Width 5", "5", "not a value of Width", "from 20 to 1000"),
        ("Set Height 60000", "60000", "not a value of Height", "from 5 to 500"),
        ("Set Figures guessed", "guessed", "not a value of Figures", "`held` or `measured`"),
        ("Set TypingSpeed fast", "fast", "not a time", "500ms"),
        ("Set Clipboard mine", "mine", "not a value of Clipboard", "`own` or `taped`"),
        ("Set Presenter maybe", "maybe", "not a value of Presenter", "`on` or `off`"),
        ("Set Config 'router.theta = 1'", "'router.theta = 1'", "not a value of Config", "editor.key_set"),
        ("Set Config editor", "editor", "not a value of Config", "keys.PLACE.COMMAND"),
        ("Set Config 'editor.key_set = 3'", "'editor.key_set = 3'", "key_set", "vi"),
        ("Set Config 'editor.colour = 3'", "'editor.colour = 3'", "colour", "editor"),
        ("Set Config 'editor.key_set ='", "'editor.key_set ='", "", ""),
    ] {
        let faults = Tape::parse(line).expect_err(line);
        assert_eq!(faults.len(), 1, "{line}");
        assert_eq!(&line[faults[0].span.clone()], at, "{line}: {faults:?}");
        assert!(faults[0].message.contains(message) && faults[0].help.contains(help), "{line}: {faults:?}");
    }
}

#[test]
fn duplicate_stills_and_missing_programs_are_reported() {
    let faults = Tape::parse("Still a\nStill a\n").expect_err("twice");
    assert!(faults[0].message.contains("a still `a` above"), "{faults:?}");
    let mut tape = Tape::parse("Open none.myr\nOpen samples/gcd.myr\n").expect("a tape");
    let faults =
        tape.find(|name| if name == "none.myr" { Err("it is gone".to_string()) } else { Ok(String::new()) });
    let faults = faults.expect_err("one is gone");
    assert_eq!((faults.len(), faults[0].span.clone()), (1, 0..13));
    assert!(faults[0].message.contains("it is gone"));
}

/// `MYRIAD_BLESS=1` rewrites the tables of the page.
#[test]
fn demo_page_contains_the_command_tables() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/demo.md");
    let page = std::fs::read_to_string(path).expect("the page");
    let begin = page.find("| command |").expect("a table");
    let end = page[begin..].find("\n\n## ").map_or(page.len(), |end| begin + end + 1);
    if std::env::var_os("MYRIAD_BLESS").is_some() {
        let page = format!("{}{}{}", &page[..begin], commands::markdown(), &page[end..]);
        return std::fs::write(path, page).expect("written");
    }
    assert_eq!(
        page[begin..end],
        commands::markdown(),
        "run the test demo_page_contains_the_command_tables with MYRIAD_BLESS=1"
    );
}

#[test]
fn forms_in_the_command_tables_are_parsed() {
    for row in TABLE.iter().filter(|row| !row.word.is_empty()) {
        assert!(row.form.starts_with(row.word), "{}", row.form);
        if row.word != "Set" {
            let optional = row.form.find(" [").map_or(row.form.len(), |at| at);
            let line = row.form[..optional].replace("TIME", "1s").replace("FILE", "a.myr");
            let line = line.replace("ACTION", "click").replace("COLUMNS", "80").replace("ROWS", "24");
            let line = line.replace("COLUMN", "7").replace("ROW", "8");
            assert_eq!(acts(&line).len(), 1, "{line}");
        }
    }
    for row in SETTINGS {
        let value =
            if row.otherwise.contains(' ') { format!("\"{}\"", row.otherwise) } else { row.otherwise.into() };
        let line = format!("Set {} {value}", row.word);
        assert!(Tape::parse(&line).is_ok_and(|tape| tape.steps.is_empty()), "{line}");
    }
}
