//! Moving and duplicating lines.

use crate::harness::{check, state, type_keys};

#[test]
fn lines_move_with_their_selection() {
    check("a‸\nb\nc", "<alt-down>", "b\na‸\nc");
    check("a\nb‸\nc", "<ctrl-up>", "b‸\na\nc");
    check("«a\nb‸»\nc\n", "<ctrl-down>", "c\n«a\nb‸»\n");
    check("«a\n‸»b\nc", "<alt-down>", "b\n«a\n‸»c");
    check("a\r\nb‸", "<alt-up>", "b‸\r\na");
    check("日‸本\nx", "<alt-down>", "x\n日‸本");
    check("a‸\nb", "<alt-down><ctrl-u>", "a‸\nb");
    for (text, key) in
        [("a‸\nb", "<alt-up>"), ("a\nb‸", "<alt-down>"), ("a\nb‸\n", "<alt-down>"), ("‸", "<alt-down>")]
    {
        check(text, key, text);
    }
}

#[test]
fn lines_are_duplicated_below() {
    check("a‸b\nc", "<ctrl-shift-down>", "ab\na‸b\nc");
    check("a\nb‸", "<alt-shift-down>", "a\nb\nb‸");
    check("«a\nb‸»\n", "<ctrl-shift-down>", "a\nb\n«a\nb‸»\n");
    check("a‸\r\n", "<ctrl-shift-down>", "a\r\na‸\r\n");
    check("a‸", "<ctrl-shift-down><ctrl-u>", "a‸");
    check("‸", "<ctrl-shift-down>", "\n‸");
}

#[test]
fn lines_move_by_the_help_as_well() {
    let mut s = state("a‸\nb\n");
    type_keys(&mut s, "<f1>move the lines down<enter>");
    assert_eq!(&**s.document.buffer.text(), "b\na\n");
}
