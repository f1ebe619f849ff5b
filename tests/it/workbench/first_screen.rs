//! A stranger's first minutes: the panels at the start, the example of an empty text, closing panels, colours, and keys of
//! other programs.

use std::sync::Arc;

use myriad::workbench::event::{Effect, Event, Mouse};
use myriad::workbench::open::first_body;
use myriad::workbench::panels::Panel;
use myriad::workbench::state::{FileInfo, State};
use myriad::workbench::theme::{Depth, Theme};

use super::engine::{answer, answered};
use super::harness::{drawn, marked, picture, picture_at, state, type_keys, words};

const TESTED: &str = "fn half(n: int) -> int {\n    return n / 2‸;\n}\ntest half(4) == 2;\n";

#[test]
fn first_screen_has_tests_mutants_and_the_reason_of_one() {
    let mut state = answered(TESTED);
    let shown = |state: &State| -> Vec<Panel> { state.layout().slots.iter().map(|slot| slot.active).collect() };
    picture_at(&mut state, 80, 24);
    assert_eq!(shown(&state), [Panel::EDITOR, Panel::TESTS, Panel::MUTANTS]);
    for size in [(120, 40), (160, 50)] {
        let screen = picture_at(&mut state, size.0, size.1);
        let mut all = shown(&state);
        all.sort();
        assert_eq!(all, [Panel::EDITOR, Panel::TESTS, Panel::MUTANTS, Panel::MUTANT], "{screen}");
        for word in ["second-order", "not propagated", "opened:", "like #"] {
            assert!(!screen.contains(word), "{word}:\n{screen}");
        }
    }
    // A place of its own for what is asked for.
    type_keys(&mut state, "<alt-9><alt-2><alt-1>");
    picture_at(&mut state, 160, 50);
    assert_eq!(shown(&state).len(), 6);
}

#[test]
fn opened_text_begins_at_the_first_name_of_the_first_body() {
    for (text, at) in [
        ("// fn no() { x }\nconst N = 1;\nfn f(a: int) -> int {\n    while a > 1 { }\n", Some("a > 1")),
        ("fn f() {\n}", Some("}")),
        // The body of a function on one line may be out of sight.
        ("fn f() -> int { return 7; }", Some("f() ->")),
        ("fn f(", None),
        ("test 1 == 1;", None),
        ("", None),
    ] {
        assert_eq!(
            first_body(text).map(|byte| &text[byte..]).map(|rest| &rest[..1]),
            at.map(|at| &at[..1]),
            "{text}"
        );
        assert_eq!(first_body(text), at.and_then(|at| text.find(at)), "{text}");
    }
}

#[test]
fn panel_that_was_opened_is_closed_by_a_key() {
    let mut state = answered(TESTED);
    type_keys(&mut state, "<f7><alt-c>");
    assert!(picture_at(&mut state, 160, 50).contains("CFG"));
    type_keys(&mut state, "<ctrl-w>");
    assert_eq!(state.screen.focus, Panel::EDITOR);
    type_keys(&mut state, "<alt-6>");
    assert!(!picture(&state).contains("CFG"), "{}", picture(&state));
}

fn new_file() -> State {
    let mut state = State::new("", FileInfo { path: Some("new.myr".into()), ..FileInfo::default() });
    state.apply(Event::Resize(80, 24));
    state
}

#[test]
fn empty_text_offers_an_example_that_tab_takes() {
    let mut state = new_file();
    let screen = picture(&state);
    assert!(screen.contains("fn sq(n: int)") && screen.contains("◂ tab writes this"), "{screen}");
    assert!(state.document.buffer.text().is_empty() && !state.dirty());
    let effects = state.apply(Event::Key(myriad::workbench::key::Key::parse("tab").expect("a key")));
    assert!(effects.contains(&Effect::Compile), "{effects:?}");
    answer(&mut state);
    let screen = picture(&state);
    assert!(screen.contains("1 survived") && !screen.contains("tab writes"), "{screen}");
    type_keys(&mut state, "<ctrl-u>");
    assert!(state.document.buffer.text().is_empty());
    assert!(!picture(&state).contains("fn sq"), "it does not come back\n{}", picture(&state));
    // Any other key removes it, and is what it always is.
    for (key, text) in [("x", "x"), ("<left>", ""), ("<alt-7>", "")] {
        let mut state = new_file();
        type_keys(&mut state, key);
        assert!(!picture(&state).contains("fn sq"), "{key}");
        type_keys(&mut state, "<alt-1><tab>");
        assert_eq!(state.document.buffer.text().trim(), text);
    }
    // A text has none.
    assert!(!picture(&super::harness::state("a‸")).contains("tab writes"));
}

#[test]
fn colours_follow_the_list_and_return_with_esc() {
    let mut state = answered(TESTED);
    let ground = |state: &State| drawn(state, &Theme::new(Depth::True))[(0, 5)].bg;
    let dark = ground(&state);
    type_keys(&mut state, "<alt-T><down><down>");
    let light = ground(&state);
    assert_ne!(light, dark);
    assert!(picture(&state).contains("▶ light"), "{}", picture(&state));
    type_keys(&mut state, "<esc>");
    assert_eq!(ground(&state), dark);
    type_keys(&mut state, "<alt-T><ctrl-n><ctrl-n><enter>");
    assert_eq!(ground(&state), light);
    // A theme that the terminal's background chose is the first row.
    type_keys(&mut state, "<alt-T><up><up><enter>");
    assert_eq!(ground(&state), dark);
}

#[test]
fn control_and_letters_move_in_lists() {
    let mut state = answered(TESTED);
    type_keys(&mut state, "<alt-7><home><ctrl-n><ctrl-j>");
    assert_eq!(state.list(Panel::MUTANTS).selected, 2);
    type_keys(&mut state, "<ctrl-p><ctrl-k>");
    assert_eq!(state.list(Panel::MUTANTS).selected, 0);
    type_keys(&mut state, "/3<ctrl-n>");
    assert!(picture(&state).contains("filter: 3"));
    // In the editor they are what they were.
    type_keys(&mut state, "<esc><esc><alt-1><f2>");
    assert!(picture(&state).contains("rename") || picture(&state).contains("no name"), "{}", picture(&state));
}

#[test]
fn click_with_control_follows_a_name_and_with_alt_adds_a_cursor() {
    let mut state = answered("fn one() -> int {\n    return 1;\n}\n‸test one() == 1;\n");
    let gutter = state.gutter_width() as u16;
    let mouse =
        |what, column: u16, line: u16| Event::Mouse { what, column: gutter + column, row: line, shift: false };
    state.apply(mouse(Mouse::Follow, 6, 4));
    assert!(marked(&state).starts_with("fn ‸one"), "{}", marked(&state));
    state.apply(mouse(Mouse::AddCursor, 0, 4));
    state.apply(mouse(Mouse::AddCursor, 0, 2));
    assert_eq!(state.document.buffer.others().len(), 2);
    type_keys(&mut state, "x");
    let text = state.document.buffer.text().to_string();
    assert_eq!(text, "fn xone() -> int {\nx    return 1;\n}\nxtest one() == 1;\n");
}

#[test]
fn counter_counts_variants_and_a_key_judges_all() {
    let mut state = answered(TESTED);
    let judged = state.engine.judged.ever;
    assert!(judged > 0);
    type_keys(&mut state, "<alt-B><f7>");
    let said = words(&picture_at(&mut state, 100, 30));
    assert!(said.contains("variants compiled and tested since the start"), "{said}");
    assert!(said.contains(&format!("the last text had {judged} in 40 ms, measured")), "{said}");
    let all = state.shown().expect("a program").variants();
    assert!(said.contains(&format!("of the {all} variants of this program")), "{said}");
    let effects = type_keys(&mut state, "a");
    assert!(effects.contains(&Effect::JudgeAll(true)), "{effects:?}");
    assert!(picture(&state).contains("each key judges all"), "{}", picture(&state));
    assert_eq!(type_keys(&mut state, "a"), [Effect::JudgeAll(false)]);
    // Another text has its own choice.
    type_keys(&mut state, "a<ctrl-o>other.myr<enter>");
    let (number, text) = (state.prompts.requests(), Arc::from("test 1 == 1;"));
    let opened =
        myriad::workbench::event::Opened { number, file: FileInfo::default(), text, place: None, note: None };
    let effects = state.apply(Event::Opened(Box::new(opened)));
    assert!(effects.contains(&Effect::JudgeAll(false)), "{effects:?}");
}

#[test]
fn states_without_a_text_are_drawn_with_the_example() {
    let mut state = state("‸");
    for size in [(20, 5), (40, 12), (160, 50)] {
        picture_at(&mut state, size.0, size.1);
    }
    assert!(picture_at(&mut state, 160, 50).contains("test sq(2) == 4;"));
}
