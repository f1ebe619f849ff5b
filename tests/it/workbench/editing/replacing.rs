//! Replacing matches, and searching by regular expressions.

use crate::harness::{check, marked, picture, state, type_keys};

#[test]
fn replacement_goes_match_by_match_or_all_at_once() {
    check("‸one two one", "<ctrl-f>one<tab>six<enter>", "six two «one‸»");
    check("‸one two one", "<ctrl-f>one<tab>six<enter><enter>", "six two six‸");
    check("‸one two one", "<ctrl-f>one<tab>six<down><enter><esc>", "‸one two six");
    check("‸one two one", "<ctrl-f>one<tab>six<ctrl-a><esc>", "‸six two six");
    // Undo works at once: the bar closes once nothing is left to replace.
    check("‸one two one", "<ctrl-f>one<tab>six<ctrl-a><ctrl-u>", "«one‸» two one");
    check("‸one two one", "<ctrl-f>one<tab>six<enter><enter><ctrl-u>", "six two «one‸»");
    check("‸aXa", "<ctrl-f>a<tab><ctrl-a><esc>", "‸X");
    check("‸aaa", "<ctrl-f>a<tab>aa<ctrl-a><esc>", "‸aaaaaa");
    check("‸日本日\r\n", "<ctrl-f>日<tab>é<ctrl-a><esc>", "‸é本é\r\n");
    // Without a replacement, nothing is lost: the bar asks for one.
    check("‸one", "<ctrl-f>one<ctrl-a>", "«one‸»");
    check("‸one", "<ctrl-f>one<ctrl-a>x<ctrl-a><esc>", "‸x");
}

#[test]
fn search_bar_shows_both_fields_and_the_matches() {
    let mut s = state("‸one two one");
    type_keys(&mut s, "<ctrl-f>one<tab>six");
    let screen = picture(&s);
    assert!(screen.contains("search one → six") && screen.contains("1 of 2"), "{screen}");
    type_keys(&mut s, "<tab>x");
    assert!(picture(&s).contains("search: onex"), "{}", picture(&s));
    type_keys(&mut s, "<backspace><tab><ctrl-a>");
    assert!(picture(&s).contains("replaced 2 matches"), "{}", picture(&s));
    assert_eq!(&**s.document.buffer.text(), "six two six");
}

#[test]
fn regular_expressions_find_and_replace_with_groups() {
    check("‸let ab = 12;", "<ctrl-f><ctrl-r>[0-9]+<enter>", "let ab = «12‸»;");
    check("‸f(1, 2) f(3, 4)", "<ctrl-f><ctrl-r>(\\d), (\\d)<tab>$2, $1<ctrl-a><esc>", "f(‸2, 1) f(4, 3)");
    check("a\n‸b\na", "<ctrl-f><ctrl-r>^a$<down>", "«a‸»\nb\na");
    check("‸abc", "<ctrl-f><ctrl-r>x*", "‸abc");
    check("‸Éa éa", "<ctrl-f><ctrl-r>éa<enter><f3>", "Éa «éa‸»");
    // Plain text again.
    check("‸a.c abc", "<ctrl-f><ctrl-r><ctrl-r>a.c<tab>x<ctrl-a><esc>", "‸x abc");
}

#[test]
fn wrong_pattern_is_explained_and_changes_nothing() {
    let mut s = state("‸a(b");
    type_keys(&mut s, "<ctrl-f><ctrl-r>a(");
    assert!(picture(&s).contains("unclosed group"), "{}", picture(&s));
    type_keys(&mut s, "<tab>x<ctrl-a><enter><esc>");
    assert_eq!(marked(&s), "‸a(b");
}

#[test]
fn replacing_is_reached_by_the_help() {
    let mut s = state("‸one two");
    type_keys(&mut s, "<f1>text that replaces<enter><tab>two<tab>2<ctrl-a><esc>");
    assert_eq!(marked(&s), "one ‸2");
}
