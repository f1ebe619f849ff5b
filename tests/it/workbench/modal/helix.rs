//! Macros, splits and menus of helix.

use super::super::harness::{marked, picture, type_keys};
use super::{check_all, modal};
use myriad::workbench::modal::KeySet;
use myriad::workbench::panels::Panel;

#[test]
fn helix_splits_lines_and_plays_macros() {
    check_all(
        KeySet::Helix,
        &[
            // Each line is deleted, and the line ends stay.
            ("‸one\ntwo\nthree", "xx<alt-s>d,", "\n‸\nthree"),
            ("o‸ne\ntwo", "vj<alt-s>cX<esc>,", "oX\nX‸wo"),
            // A macro: into the register without a letter, and into one with a letter; played twice.
            ("‸one two three", "Qwd<esc>Qq", "‸three"),
            ("‸one two three four", "\"aQwdQ\"a2q", "‸four"),
        ],
    );
}

#[test]
fn helix_menu_shows_symbols_and_macros_end_at_a_failure() {
    let mut s = modal(KeySet::Helix, "‸one two");
    type_keys(&mut s, "q");
    assert!(picture(&s).contains("nothing is recorded there: Q begins"), "{}", picture(&s));
    type_keys(&mut s, "Qfxd");
    assert!(picture(&s).contains("@@"), "the mode shows the register: {}", picture(&s));
    type_keys(&mut s, "Q");
    let before = marked(&s);
    type_keys(&mut s, "q");
    assert_eq!(marked(&s), before, "no x is in the line, so nothing is deleted");
    type_keys(&mut s, "<space>s");
    assert_eq!(s.screen.focus, Panel::SYMBOLS);
    // Without several lines, the key saves under another name.
    let mut s = modal(KeySet::Helix, "‸one two");
    type_keys(&mut s, "w<alt-s>");
    assert!(s.prompts.overlay.is_some());
}
