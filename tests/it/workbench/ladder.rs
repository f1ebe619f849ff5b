//! Ladder: one line through all phases.

use std::sync::Arc;

use myriad::session::{Ladder, Rung};
use myriad::stage::passes::{agree, forms, run};
use myriad::workbench::state::State;

use super::engine::{answer, answered, found};
use super::harness::{picture, picture_at, type_keys, words};

const PROGRAM: &str = "\
fn f(a: int) -> int {
    return a * (2 + 3) +‸ 0;
}
fn g(n: int) -> int {
    let x = n;
    while true { if x > 9 { return x; } x += 1 + 1; }
}
test f(2) == 10;
test g(3) == 11;
";

/// What the job finds.
fn climbed(state: &State) -> Ladder {
    let compiled: Arc<_> = state.shown().expect("an answer").compiled.clone();
    let mut rungs: Vec<Rung> = Vec::new();
    let mut before: Option<Vec<_>> = None;
    for form in forms(&compiled) {
        let tallies = run(&compiled, &form, &|| false).expect("it is not cancelled");
        assert!(before.iter().flatten().zip(&tallies).all(|(old, new)| agree(old, new)));
        let steps = tallies.iter().map(|tally| tally.steps).collect();
        rungs.push(Rung { instructions: form.instructions(), name: form.name, steps, different: vec![] });
        before = Some(tallies);
    }
    Ladder { rungs }
}

fn ladder() -> State {
    let mut state = answered(PROGRAM);
    type_keys(&mut state, "<alt-k>");
    let what = climbed(&state);
    found(&mut state, None, what);
    state
}

#[test]
fn a_line_is_seen_in_each_phase() {
    let mut state = ladder();
    for (width, height) in [(80, 24), (120, 40), (160, 50)] {
        let drawing = picture_at(&mut state, width, height);
        insta::assert_snapshot!(format!("ladder_{width}x{height}"), drawing);
    }
    state.zoomed = true;
    insta::assert_snapshot!("ladder_alone", picture_at(&mut state, 100, 60));
}

#[test]
fn it_follows_the_cursor_and_leads_back() {
    let mut state = ladder();
    assert!(words(&picture(&state)).contains("return a * (2 + 3) + 0;"), "{}", picture(&state));
    // A row of the ladder stands for its token.
    let row =
        state.ladder.rows.iter().position(|row| row.parts.iter().any(|(_, text)| text.contains("BINARY_MUL")));
    state.lists[state.focus.index()].selected = row.expect("the product");
    type_keys(&mut state, "<enter>");
    assert_eq!(&state.buffer.text().to_string()[state.buffer.byte_of(state.buffer.head())..][..1], "*");
    type_keys(&mut state, "<down><down><down><down><home>");
    assert_eq!(state.ladder.key.line, 6);
    assert!(state.ladder.rows.iter().any(|row| row.parts.iter().any(|(_, text)| text.contains("JUMP"))));
    // On an empty line it stays where it was.
    type_keys(&mut state, "<ctrl-end>");
    assert_eq!(state.ladder.key.line, 6);
}

#[test]
fn what_does_not_compile_has_source_tokens_and_tree() {
    let mut state = answered("fn f(a: int) -> int {\n    return a + ‸true;\n}\ntest f(1) == 1;\n");
    type_keys(&mut state, "<alt-k>");
    answer(&mut state);
    let said: Vec<&str> =
        state.ladder.rows.iter().filter_map(|row| Some(row.parts.first()?.1.as_str())).collect();
    assert!(said.contains(&"tree") && !said.contains(&"bytecode"), "{said:?}");
}

#[test]
fn states_of_the_panel() {
    let snapshots = |state: &mut State, name: &str| {
        for (width, height) in [(80, 24), (120, 40), (160, 50)] {
            insta::assert_snapshot!(
                format!("ladder_{name}_{width}x{height}"),
                picture_at(state, width, height)
            );
        }
    };
    let mut state = answered("‸\n");
    type_keys(&mut state, "<alt-k>");
    snapshots(&mut state, "nothing");
    let mut state = answered(PROGRAM);
    type_keys(&mut state, "<alt-k>");
    snapshots(&mut state, "awaited");
    let mut state = ladder();
    type_keys(&mut state, "<esc><end>{");
    answer(&mut state);
    type_keys(&mut state, "<alt-k>");
    snapshots(&mut state, "stale");
}
