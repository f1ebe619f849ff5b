//! The key that explains a row, in every panel, and the names in the help.

use myriad::session::{BlockProfile, Graph, Recorded};
use myriad::workbench::event::Event;
use myriad::workbench::panels::{Panel, count, text_lines};
use myriad::workbench::state::{Overlay, State};

use super::engine::{answered, found};
use super::harness::{picture, picture_at, type_keys};
use super::run::recorded;

const PROGRAM: &str = "\
const LIMIT = 4;
fn half(a: int, b: int) -> int {
    let r = a / b;
    ‸while r > LIMIT { r = half(r, 2); }
    return r;
}
test \"fine\": half(8, 2) == 4;
test \"wrong\": half(9, 2) == 5;
test \"trap\": half(1, 0) == 0;
";

/// Presses the key in a panel; returns the page.
fn page(state: &mut State) -> String {
    type_keys(state, "K");
    let Some(Overlay::Page(view)) = &state.prompts.overlay else {
        panic!("no page in {}:\n{}", state.screen.focus.title(), picture(state));
    };
    let text = view.text.clone().expect("an explanation");
    type_keys(state, "<esc>");
    assert!(state.prompts.overlay.is_none());
    text
}

/// Goes to the first row of a panel that contains a text; returns its page.
fn of_row(state: &mut State, panel: Panel, text: &str) -> String {
    type_keys(state, &format!("<alt-1><{}>", panel.row().keys[0]));
    let row = text_lines(state, panel).iter().position(|line| line.contains(text));
    let row = row.unwrap_or_else(|| panic!("no {text:?} in {:?}", text_lines(state, panel)));
    state.screen.select(panel, row);
    page(state)
}

fn judged() -> State {
    let mut state = answered(PROGRAM);
    let graph = Graph::of(&state.shown().expect("a program").compiled);
    found(&mut state, None, BlockProfile { graph: graph.into(), counts: vec![] });
    state.apply(Event::Resize(160, 50));
    state
}

#[test]
fn every_row_of_every_panel_has_a_page() {
    let mut state = judged();
    type_keys(&mut state, "<alt-u>");
    recorded(&mut state);
    assert!(state.results.findings.current::<Recorded>().is_some());
    for panel in Panel::all().filter(|panel| *panel != Panel::EDITOR) {
        type_keys(&mut state, &format!("<alt-1><{}>", panel.row().keys[0]));
        if state.prompts.overlay.is_some() {
            type_keys(&mut state, "<esc>");
        }
        state.focus_on(panel);
        let rows = if panel.is_list() { count(&state, panel).min(200) } else { 1 };
        for row in 0..rows.max(1) {
            state.screen.select(panel, row);
            let page = page(&mut state);
            assert!(page.starts_with("# ") && page.lines().count() > 2, "{}: {page}", panel.title());
            assert_eq!(state.screen.focus, panel, "the page closes to the panel");
        }
    }
}

#[test]
fn rows_are_explained_by_what_is_in_them() {
    let mut state = judged();
    for (panel, row, said) in [
        (Panel::TOKENS, "while", "# While, syntax"),
        (Panel::AST, "Let", "# Let, syntax"),
        (Panel::IR, "BINARY_DIV", "# BINARY_DIV, instruction"),
        (Panel::BYTECODE, "RETURN", "# RETURN, instruction"),
        (Panel::TESTS, "trap", "# DivideByZero, trap"),
        (Panel::TESTS, "division of 1 by 0", "# DivideByZero, trap"),
        (Panel::MUTANTS, "relational", "# relational, mutation operator"),
        (Panel::SYMBOLS, "LIMIT", "# ConstName, syntax"),
        (Panel::CALLS, "recursive call", "# Call, syntax"),
    ] {
        let page = of_row(&mut state, panel, row);
        assert!(page.contains(said), "{} {row}: {page}", panel.title());
    }
    let outcome = of_row(&mut state, Panel::TESTS, "wrong");
    assert!(outcome.contains("fails"), "{outcome}");
    // A pass, in the list of passes.
    let mut state = answered("fn f() -> int {\n    return ‸1 + 2;\n}\ntest f() == 3;\n");
    type_keys(&mut state, "<alt-4>]]");
    let pass =
        text_lines(&state, Panel::IR).into_iter().position(|line| line.contains("fold 1")).expect("a pass");
    state.screen.select(Panel::IR, pass);
    let text = page(&mut state);
    assert!(text.starts_with("# fold") && text.contains("```myr"), "{text}");
    // A panel without rows explains itself, with its keys.
    type_keys(&mut state, "<alt-q>");
    let own = page(&mut state);
    assert!(own.starts_with("# Paper, panel") && own.contains("choose the slider k"), "{own}");
}

#[test]
fn diagnostics_are_explained_by_their_codes() {
    let mut state = answered("fn f(a: int) -> int {\n    return ‸b;\n}\n");
    let page = of_row(&mut state, Panel::DIAGNOSTICS, "E0301");
    assert!(page.starts_with("# E0301"), "{page}");
}

#[test]
fn help_finds_names_and_enter_explains_them() {
    let mut state = judged();
    type_keys(&mut state, "<f1>list_len");
    let shown = picture_at(&mut state, 80, 24);
    assert!(shown.contains("Explained by enter") && shown.contains("LIST_LEN_VAR"), "{shown}");
    type_keys(&mut state, "<enter>");
    insta::assert_snapshot!("explained_80x24", picture(&state));
    type_keys(&mut state, "<end>");
    assert!(!picture(&state).contains("more lines"));
    type_keys(&mut state, "<home><esc>");
    assert!(state.prompts.overlay.is_none());
    // Without a filter, the help lists keys and marks only.
    type_keys(&mut state, "<f1><end>");
    assert!(!picture(&state).contains("Explained by enter"));
}

#[test]
fn symbols_and_calls_follow_the_cursor_and_lead_to_places() {
    let mut state = judged();
    for (panel, name) in [(Panel::SYMBOLS, "symbols"), (Panel::CALLS, "calls")] {
        type_keys(&mut state, &format!("<alt-1><{}>", panel.row().keys[0]));
        for (width, height) in [(80, 24), (160, 50)] {
            insta::assert_snapshot!(format!("{name}_{width}x{height}"), picture_at(&mut state, width, height));
        }
    }
    // The cursor is in the loop's line, after the declaration of `r`.
    type_keys(&mut state, "<alt-1><up><end><left><left>");
    type_keys(&mut state, &format!("<{}>", Panel::SYMBOLS.row().keys[0]));
    let selected = text_lines(&state, Panel::SYMBOLS)[state.list(Panel::SYMBOLS).selected].clone();
    assert!(selected.trim_start().starts_with("b "), "{selected}");
    type_keys(&mut state, "<enter>");
    assert_eq!(state.document.buffer.place(state.document.buffer.head()), (1, 16));
    assert_eq!(state.screen.focus, Panel::EDITOR);
}
