//! Long lines that continue on the next row.

use crate::harness::{marked, picture, picture_at, state, type_keys};
use myriad::workbench::event::{Event, Mouse};
use myriad::workbench::state::State;

/// Returns a wrapped state whose editor is `cells` wide.
fn wrapped(text: &str, cells: u16) -> State {
    let mut s = state(text);
    type_keys(&mut s, "<f7><alt-z>");
    let gutter = s.gutter_width() as u16;
    s.apply(Event::Resize(gutter + cells, 14));
    assert_eq!(s.wrap_width(), Some(cells.into()));
    s
}

/// Returns the rows of the text on screen, without line numbers.
fn rows(s: &State) -> Vec<String> {
    let gutter = s.gutter_width();
    let lines =
        picture(s).lines().map(|line| line.chars().skip(gutter).collect::<String>()).collect::<Vec<_>>();
    let count = s.editor_rows(usize::from(s.screen.size.1)).len();
    lines[1..].iter().take(count).map(|line| line.trim_end().to_string()).collect()
}

#[test]
fn long_lines_break_after_blanks_or_within_words() {
    let s = wrapped("‸let total = one + two;\nabcdefghijklmnopqrstuvwxyz\nx", 14);
    let shown = rows(&s);
    assert_eq!(
        shown[..5],
        ["let total =", "one + two;", "abcdefghijklmn", "opqrstuvwxyz", "x"],
        "{}",
        picture(&s)
    );
    let s = wrapped("‸漢字漢字漢字漢字\n", 14);
    assert_eq!(rows(&s)[..2], ["漢字漢字漢字漢", "字"], "{}", picture(&s));
    assert!(rows(&s).iter().all(|row| !row.contains('›')), "nothing is cut");
}

#[test]
fn cursor_moves_by_rows_and_keeps_its_column() {
    let mut s = wrapped("ab‸c defg hijklm nopq\nxy", 14);
    type_keys(&mut s, "<down>");
    assert_eq!(marked(&s), "abc defg hi‸jklm nopq\nxy");
    type_keys(&mut s, "<down><down>");
    assert_eq!(marked(&s), "abc defg hijklm nopq\nxy‸");
    type_keys(&mut s, "<up><up>");
    assert_eq!(marked(&s), "ab‸c defg hijklm nopq\nxy");
    type_keys(&mut s, "<shift-down>x");
    assert_eq!(marked(&s), "abx‸jklm nopq\nxy");
    type_keys(&mut s, "<up>");
    assert_eq!(marked(&s), "‸abxjklm nopq\nxy");
}

#[test]
fn mouse_and_typing_find_the_place_that_is_drawn() {
    let mut s = wrapped("‸abc defg hijklm nopq\nxy", 14);
    let gutter = s.gutter_width() as u16;
    s.apply(Event::Mouse { what: Mouse::Click(1), column: gutter + 3, row: 2, shift: false });
    assert_eq!(marked(&s), "abc defg hij‸klm nopq\nxy");
    type_keys(&mut s, "Z<end>!");
    assert_eq!(marked(&s), "abc defg hijZklm nopq!‸\nxy");
    type_keys(&mut s, "<alt-z>");
    assert_eq!(s.wrap_width(), None);
}

#[test]
fn cursor_is_visible_after_every_key_at_every_width() {
    let long = "word ".repeat(60) + &"x".repeat(200) + "\n\tlet 漢字 = 1;\n";
    let mut s = state(&format!("‸{}", long.repeat(4)));
    type_keys(&mut s, "<alt-z>");
    let mut buffer = ratatui::buffer::Buffer::empty(ratatui::layout::Rect::new(0, 0, 1, 1));
    for (width, height) in [(20, 5), (40, 16), (80, 24), (200, 60)] {
        picture_at(&mut s, width, height);
        for key in [
            "<ctrl-end>",
            "<pageup>",
            "<up>",
            "<ctrl-home>",
            "<pagedown>",
            "<down>",
            "<end>",
            "<down>",
            "<left>",
        ] {
            for _ in 0..7 {
                type_keys(&mut s, key);
                buffer.resize(ratatui::layout::Rect::new(0, 0, width, height));
                let theme = myriad::workbench::theme::Theme::plain();
                let at = myriad::workbench::paint::draw(&s, &theme, &mut Default::default(), &mut buffer);
                assert!(at.is_some(), "{key} at {width}×{height}: {}", picture(&s));
            }
        }
    }
}
