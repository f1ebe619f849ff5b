//! Names: completion, declarations and types, renaming, the jump list.

use crate::engine;
use crate::harness::{marked, picture, picture_at, state, type_keys};
use myriad::workbench::state::State;

const PROGRAM: &str = "// Doubles a number.\nfn double(number: int) -> int {\n    let twice = number * 2;\n    return twice;‸\n}\ntest double(2) == 4;\n";

/// Returns an answered state that suggests names.
fn answered(text: &str) -> State {
    let mut state = engine::answered(text);
    state.document.options.suggest_names = true;
    state
}

#[test]
fn list_completes_names_in_scope_and_keywords() {
    let mut s = answered(PROGRAM);
    type_keys(&mut s, "<enter>nu");
    let screen = picture(&s);
    assert!(screen.contains("number  number: int"), "{screen}");
    type_keys(&mut s, "<tab>");
    assert!(marked(&s).contains("    number‸\n"), "{}", marked(&s));
    type_keys(&mut s, "<enter>");
    assert!(marked(&s).contains("    number‸\n}"), "enter accepts: {}", marked(&s));
    type_keys(&mut s, " + do<tab>");
    assert!(marked(&s).contains("number + double‸\n"), "{}", marked(&s));
    type_keys(&mut s, "(1);<enter>whi<tab>");
    assert!(marked(&s).contains("    while‸\n"), "{}", marked(&s));
}

#[test]
fn typing_goes_on_whatever_the_list_shows() {
    // Enter starts a new line unless a row is chosen, and arrows move the cursor.
    for (keys, after) in [
        ("<enter>tw<enter>x", "    tw\n    x‸\n}"),
        ("<enter>tw = 3;", "    tw = 3;‸\n}"),
        ("<enter>tw<up>", "    re‸turn twice;"),
        ("<enter>tw<tab>x", "    twicex‸\n}"),
        ("<enter>tw<tab><esc>x", "    twx‸\n}"),
        ("<enter>tw<esc><tab>", "    tw  ‸\n}"),
        ("<enter>tw<tab><ctrl-u>", "    tw‸\n}"),
        ("<enter>t<tab>", "    t   ‸\n}"),
        ("<enter>// tw<tab>", "    // tw   ‸\n}"),
        ("<enter>let tw<tab>", "    let tw  ‸\n}"),
        ("<enter>twice<tab>", "    twice   ‸\n}"),
    ] {
        let mut s = answered(PROGRAM);
        type_keys(&mut s, keys);
        let text = marked(&s);
        assert!(text.contains(after), "{keys}: {text}");
    }
}

#[test]
fn tab_walks_the_list_and_one_undo_takes_it_back() {
    let mut s = answered(PROGRAM);
    type_keys(&mut s, "<enter>re");
    let only = marked(&s);
    type_keys(&mut s, "<tab><tab><shift-tab>");
    assert!(marked(&s).contains("    return‸\n"), "{}", marked(&s));
    type_keys(&mut s, "<ctrl-u>");
    assert_eq!(marked(&s), only);
    type_keys(&mut s, "<esc><backspace><backspace><ctrl-space>");
    assert!(picture(&s).contains("twice"), "on request: {}", picture(&s));
}

#[test]
fn list_fits_on_every_screen() {
    let mut s = answered(PROGRAM);
    type_keys(&mut s, "<enter>nu");
    for (width, height) in [(20, 5), (33, 8), (80, 24), (200, 60)] {
        picture_at(&mut s, width, height);
    }
    assert!(s.prompts.completion.is_some(), "a resize leaves it open");
}

#[test]
fn rename_changes_every_use_as_one_step() {
    let mut s = answered(PROGRAM);
    type_keys(&mut s, "<left><ctrl-n>");
    assert!(picture(&s).contains("rename twice to: twice"), "{}", picture(&s));
    type_keys(&mut s, "<ctrl-u>pair<enter>");
    let text = s.document.buffer.text().to_string();
    assert!(text.contains("let pair = number * 2;\n    return pair;"), "{text}");
    assert!(picture(&s).contains("renamed in 2 places"), "{}", picture(&s));
    type_keys(&mut s, "<ctrl-u>");
    assert!(s.document.buffer.text().contains("return twice;"));
    type_keys(&mut s, "<ctrl-end><up><home><ctrl-right><f1>rename the name<enter><ctrl-u>dbl<enter>");
    let text = s.document.buffer.text().to_string();
    assert!(text.contains("fn dbl(number") && text.contains("test dbl(2)"), "{text}");
}

#[test]
fn rename_that_would_clash_changes_nothing_and_says_why() {
    for (name, why) in
        [("number", "is taken"), ("while", "is not a name"), ("1x", "is not a name"), ("", "is not a name")]
    {
        let mut s = answered(PROGRAM);
        let before = s.document.buffer.text().clone();
        type_keys(&mut s, &format!("<left><ctrl-n><ctrl-u>{name}<enter>"));
        assert!(picture(&s).contains(why), "{name}: {}", picture(&s));
        assert_eq!(*s.document.buffer.text(), before);
    }
    let mut s = state("‸ ");
    type_keys(&mut s, "<ctrl-n>");
    assert!(picture(&s).contains("no name is under the cursor"));
}

#[test]
fn rename_reaches_a_use_in_a_statement_with_an_error() {
    let text = "fn f‸(a: int) -> int { return a; }\nfn g() -> int { return f(1) }\n";
    let mut s = state(text);
    type_keys(&mut s, "<ctrl-n><ctrl-u>h<enter>");
    assert!(picture(&s).contains("renamed in 2 places"), "{}", picture(&s));
    assert_eq!(**s.document.buffer.text(), text.replace('‸', "").replace("f(", "h("));
}

#[test]
fn rename_uses_the_text_on_screen_before_its_answer_arrives() {
    let mut s = answered(PROGRAM);
    type_keys(&mut s, "<ctrl-home>// é<enter><ctrl-end><up><home><ctrl-right><ctrl-n><ctrl-u>two<enter>");
    let text = s.document.buffer.text().to_string();
    assert!(
        text.starts_with("// é\n// Doubles") && text.contains("fn two(") && text.contains("test two(2)"),
        "{text}"
    );
}

#[test]
fn status_line_shows_the_declaration_and_type_under_the_cursor() {
    let mut s = answered(PROGRAM);
    type_keys(&mut s, "<left><left>");
    assert!(picture(&s).contains("let twice: int"), "{}", picture(&s));
    type_keys(&mut s, "<ctrl-home><down><ctrl-right>");
    assert!(picture(&s).contains("fn double(number: int) -> int"), "{}", picture(&s));
    type_keys(&mut s, "<f11>");
    assert!(picture(&s).contains("fn double(number: int) -> int · Doubles a number."), "{}", picture(&s));
    type_keys(&mut s, "<down><end><left><left>");
    assert!(picture(&s).contains("2: int"), "{}", picture(&s));
    type_keys(&mut s, "<left><left>");
    assert!(picture(&s).contains("number * 2: int"), "{}", picture(&s));
}

#[test]
fn jumps_lead_back_and_forward_and_follow_edits() {
    let mut s = answered(PROGRAM);
    let at = |s: &State| s.document.buffer.place_in_characters(s.document.buffer.head());
    type_keys(&mut s, "<left><left>");
    let start = at(&s);
    type_keys(&mut s, "<f12>");
    assert_eq!(at(&s), (3, 9));
    type_keys(&mut s, "<ctrl-b>");
    assert_eq!(at(&s), start);
    type_keys(&mut s, "<shift-f2>");
    assert_eq!(at(&s), (3, 9));
    type_keys(&mut s, "<ctrl-home><enter><shift-f12>");
    assert_eq!(at(&s), (start.0 + 1, start.1), "the place has moved with the text");
    type_keys(&mut s, "<ctrl-g>1<enter><ctrl-f>double<enter><ctrl-b>");
    assert_eq!(at(&s), (1, 1), "before the search");
    type_keys(&mut s, "<ctrl-b>");
    assert_eq!(at(&s), (start.0 + 1, start.1), "before going to a line");
    let mut s = state("‸a");
    type_keys(&mut s, "<ctrl-b>");
    assert!(picture(&s).contains("no jump to go back from"));
}
