//! One cursor for the editor and all panels.

use super::PROGRAM;
use crate::engine::answered;
use crate::harness::{marked, picture, type_keys};
use myriad::lang::verdict::MutantStatus;
use myriad::workbench::event::{Event, Mouse};
use myriad::workbench::panels::Panel;
use myriad::workbench::state::State;

/// Returns the row of each panel that is marked as the element under the cursor.
fn linked(state: &State) -> Vec<String> {
    let screen = picture(state);
    screen.lines().filter_map(|l| l.find(['›', '▶']).map(|at| l[at..].to_string())).collect()
}

#[test]
fn cursor_is_shared_by_editor_and_panels() {
    // From the editor, on the `%` of line 4: rows of tree, IR and bytecode.
    let mut state = answered(&PROGRAM.replace("‸b !=", "b !=").replace("a %", "a ‸%"));
    for (key, row) in
        [("<alt-2>", "Percent"), ("<alt-3>", "Binary %"), ("<alt-4>", "BINARY_MOD"), ("<alt-5>", "BINARY_MOD")]
    {
        type_keys(&mut state, &format!("<alt-1>{key}"));
        let found = linked(&state);
        assert!(found.iter().any(|l| l.starts_with('▶') && l.contains(row)), "{key}: {found:?}");
    }
    // From the tree: down to the operands; the bytecode follows.
    type_keys(&mut state, "<alt-1><alt-5><alt-3><down>");
    assert_eq!(
        state.link().map(|l| state.shown().map(|s| s.place(s.span(l.token).map_or(0, |s| s.start as u32)))),
        Some(Some((4, 17)))
    );
    // Enter goes there in the editor.
    type_keys(&mut state, "<enter>");
    assert!(marked(&state).contains("let t = ‸a % b"), "{}", marked(&state));
    // A mutant's position; the survivors come first.
    type_keys(&mut state, "<alt-7><home>");
    let (id, verdict) = state.chosen_mutant().unwrap();
    assert_eq!(verdict.status, MutantStatus::Survived);
    let lo = state.shown().unwrap().mutant(id).unwrap().edits[0].lo;
    type_keys(&mut state, "<enter>");
    assert_eq!(state.document.buffer.byte_of(state.document.buffer.head()), lo as usize);
}

#[test]
fn positions_follow_edits_before_results_arrive() {
    let mut state = answered(PROGRAM);
    type_keys(&mut state, "<ctrl-home>// one more line<enter>");
    // Before any answer, the link still finds `b` one line further down.
    assert!(state.pending() && !state.stale());
    type_keys(&mut state, "<down><down><home><ctrl-right>");
    assert!(marked(&state).contains("while ‸b"), "{}", marked(&state));
    let link = state.link().expect("an element");
    assert_eq!(state.shown().and_then(|s| s.span(link.token)).map(|s| s.len()), Some(1));
}

#[test]
fn keys_go_to_definition_and_next_diagnostic() {
    let mut state = answered(PROGRAM);
    type_keys(&mut state, "<f12>");
    assert!(marked(&state).contains("fn gcd(a: int, ‸b: int)"), "{}", marked(&state));
    let mut state = answered("‸fn f() -> int {\n    return x;\n}\nfn g() -> int {\n    return y;\n}\n");
    type_keys(&mut state, "<f8>");
    assert!(marked(&state).contains("return ‸x"), "{}", marked(&state));
    type_keys(&mut state, "<f8>");
    assert!(marked(&state).contains("return ‸y"), "{}", marked(&state));
    type_keys(&mut state, "<f8>");
    assert!(marked(&state).contains("return ‸x"), "{}", marked(&state));
}

#[test]
fn tabs_and_rows_take_clicks() {
    let mut state = answered(PROGRAM);
    let screen = picture(&state);
    let column = |what: &str| {
        let line = screen.lines().next().expect("a line");
        line.find(what).map(|at| line[..at].chars().count() as u16).expect("the tab is there")
    };
    let click = |column, row| Event::Mouse { what: Mouse::Click(1), column, row, shift: false };
    state.apply(click(column("BC"), 0));
    assert_eq!(state.screen.focus, Panel::BYTECODE);
    let x = column("Tok");
    state.apply(click(x, 2));
    assert_eq!(state.list(Panel::BYTECODE).selected, state.list(Panel::BYTECODE).top + 1);
    state.apply(Event::Mouse { what: Mouse::Scroll(1), column: x, row: 3, shift: false });
    assert_eq!(state.list(Panel::BYTECODE).top, 3);
}
