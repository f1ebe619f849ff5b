//! The question about the terminal's background colour, and terminals that answer it in all ways.

use std::time::{Duration, Instant};

use myriad::workbench::theme::{Depth, Look, Palette, Theme};
use ratatui::style::Color;

use crate::place::Place;
use crate::terminal::{Session, USUAL};

const QUESTION: &[u8] = b"\x1b]11;?\x1b\\";
const PROGRAM: &str = "test 1 == 1;\n";

/// Opens the workbench in a terminal with 24-bit colours that does not report its background otherwise.
fn open() -> (Session, Place) {
    let place = Place::new();
    let file = place.path().join("one.myr");
    std::fs::write(&file, PROGRAM).expect("written");
    let session = Session::open(&file, USUAL, &[("COLORTERM", "truecolor"), ("COLORFGBG", "")]);
    (session, place)
}

fn contains(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

/// Returns whether the program has drawn with a palette since a number of bytes.
fn draws(session: &Session, from: usize, palette: Palette) -> bool {
    let Some(Color::Rgb(red, green, blue)) = Theme::new(Depth::True).with(palette).style(Look::Keyword).fg
    else {
        panic!("a colour of 24 bits")
    };
    contains(&session.sent()[from..], format!("38;2;{red};{green};{blue}").as_bytes())
}

#[track_caller]
fn wait_for_palette(session: &Session, from: usize, palette: Palette) {
    session.wait_until(&format!("{palette:?}"), |_| draws(session, from, palette));
}

/// Quits. The text was never changed, so nothing is asked.
fn quit(mut session: Session, place: &Place) {
    session.send("\x11");
    session.wait_for_end();
    session.assert_restored();
    let text = std::fs::read_to_string(place.path().join("one.myr")).expect("the file is there");
    assert_eq!(text, PROGRAM);
}

#[test]
fn palette_follows_the_answer_of_the_terminal() {
    for (answer, palette) in [
        ("\x1b]11;rgb:ffff/ffff/f0f0\x1b\\", Palette::Light),
        ("\x1b]11;rgb:fa/fa/fa\x07", Palette::Light),
        ("\x1b]11;rgb:1111/1111/1b1b\x1b\\", Palette::Dark),
    ] {
        let (mut session, place) = open();
        session.wait_for("1 test passes");
        assert!(contains(&session.sent(), QUESTION), "it does not ask");
        let from = session.sent().len();
        session.send(answer);
        // Something is drawn with the palette again.
        session.send("\x0c");
        wait_for_palette(&session, from, palette);
        assert!(!session.screen().contains("rgb"), "{}", session.screen());
        quit(session, &place);
    }
}

#[test]
fn terminal_that_never_answers_delays_nothing() {
    let (mut session, place) = open();
    let begun = Instant::now();
    session.wait_for("one.myr");
    let shown = begun.elapsed();
    // Far less than a person waits for an answer; the builds of tests are slow.
    assert!(shown < Duration::from_secs(10), "{shown:?}");
    wait_for_palette(&session, 0, Palette::Dark);
    session.send("x");
    session.wait_for("xtest 1 == 1;");
    session.send("\x15");
    session.wait_for(" test 1 == 1;");
    quit(session, &place);
}

#[test]
fn late_or_wrong_answer_reaches_no_text() {
    let (mut session, place) = open();
    session.wait_for("1 test passes");
    for garbage in [
        "\x1b]11;rgb:zz/zz/zz\x1b\\",
        "\x1b]11;rgb:ffff\x07",
        "\x1b]11;red\x1b\\",
        "\x1b]10;rgb:ffff/ffff/ffff\x1b\\",
        "\x1b]4;1;rgb:ffff/0000/0000\x07",
    ] {
        session.send(garbage);
    }
    // In two pieces, after a pause.
    session.send("\x1b]11;rgb:ffff/ff");
    std::thread::sleep(Duration::from_millis(200));
    session.send("ff/ffff\x1b\\");
    let from = session.sent().len();
    session.send("\x0c");
    wait_for_palette(&session, from, Palette::Light);
    // The keys around it are the user's.
    session.send("a\x1b]11;rgb:0000/0000/0000\x07b");
    session.wait_for("abtest 1 == 1;");
    session.send("\x15\x15");
    session.wait_for(" test 1 == 1;");
    assert!(!session.screen().contains("rgb"), "{}", session.screen());
    quit(session, &place);
}
