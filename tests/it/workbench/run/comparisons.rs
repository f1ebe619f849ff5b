//! A run next to another one: before an edit, of a passing input, of the last passing text.

use super::{FAILING, op, recorded, snapshots};
use crate::engine::{answer, answered};
use crate::harness::{picture, picture_at, type_keys};
use myriad::lang::index::Index;
use myriad::session::CompareWith;

#[test]
fn runs_before_and_after_an_edit_are_compared() {
    let mut state = answered(&FAILING.replace("len(xs) - 1", "len(xs) - ‸1"));
    type_keys(&mut state, "<alt-u><alt-u><enter>");
    recorded(&mut state);
    // This run, and the run after a change.
    type_keys(&mut state, "x");
    recorded(&mut state);
    assert!(picture_at(&mut state, 160, 50).contains("equal to the end"), "{}", picture(&state));
    type_keys(&mut state, "<esc><delete>0");
    answer(&mut state);
    type_keys(&mut state, "<alt-u>");
    recorded(&mut state);
    let beside = state.run.recorded.as_ref().and_then(|recorded| recorded.beside.clone()).unwrap().unwrap();
    let (own, other) = beside.divergence.first.expect("one round more");
    type_keys(&mut state, "X");
    assert_eq!(state.run.position, own);
    let there = beside.around.iter().find(|around| around.offset == 0).unwrap();
    assert_eq!(there.said.line, 4);
    assert!(other.number() < beside.steps);
    snapshots(&mut state, "beside");
    type_keys(&mut state, "xx");
    assert!(state.run.against.is_none(), "alone again, whatever is chosen among the mutants");
}

#[test]
fn failing_input_is_compared_with_a_passing_one() {
    let text = "fn low(n: int) -> bool {\n    if n < 7 {\n        return true;\n    }\n    return false;\n}\nprop \"all are low\": n in 0..10 => low(‸n);\n";
    let mut state = answered(text);
    type_keys(&mut state, "<alt-u>");
    recorded(&mut state);
    let title = state.run.title().unwrap();
    assert!(title.starts_with("all are low with n = "), "{title}");
    // The nearby input that passes.
    type_keys(&mut state, "x");
    assert_eq!(state.run.against, Some(CompareWith::Passing));
    recorded(&mut state);
    snapshots(&mut state, "passing");
    let beside = state.run.recorded.as_ref().unwrap().beside.clone().unwrap().unwrap();
    assert_eq!(beside.title, "all are low with n = 6");
    type_keys(&mut state, "X");
    assert_eq!(state.run.position, beside.divergence.first.unwrap().0);
    // Another input, compared with the previous one.
    type_keys(&mut state, "e");
    assert!(picture(&state).contains("run: \"all are low\"(7)"), "{}", picture(&state));
    type_keys(&mut state, "<backspace><backspace>3)<enter>");
    recorded(&mut state);
    assert_eq!(state.run.title().as_deref(), Some("all are low with n = 3"));
    type_keys(&mut state, "x");
    recorded(&mut state);
    let beside = state.run.recorded.as_ref().unwrap().beside.clone().unwrap().unwrap();
    assert_eq!(beside.title, title);
    assert!(beside.divergence.first.is_some());
    type_keys(&mut state, "x");
    assert!(
        matches!(state.run.against, Some(CompareWith::Mutant(_))),
        "it holds for this one: {:?}",
        state.run.against
    );
    type_keys(&mut state, "x");
    assert_eq!(state.run.against, None);
}

#[test]
fn failing_run_is_compared_with_the_last_passing_text() {
    let mut state = answered(&FAILING.replace("len(xs) - 1", "len(xs)‸"));
    // While it is typed the text may not compile; the test passed before that.
    for key in [" ", "-", " ", "1"] {
        type_keys(&mut state, key);
        state.results.expect(state.document.revision, myriad::workbench::results::TextOrigin::Typed);
        answer(&mut state);
    }
    let entries = state.results.entries();
    assert!(entries[0].outcome.fails());
    // Four keys: the first is shown next to the test, the others in the panel.
    assert!(picture_at(&mut state, 120, 40).contains("alt-u: step by step"), "{}", picture(&state));
    type_keys(&mut state, "<alt-u>");
    recorded(&mut state);
    assert_eq!(op(&state), "COMPARE_EQ");
    assert!(picture(&state).contains("x when it passed"), "{}", picture(&state));
    type_keys(&mut state, "x");
    recorded(&mut state);
    snapshots(&mut state, "edit");
    let beside = state.run.recorded.as_ref().unwrap().beside.clone().unwrap().unwrap();
    assert_eq!(beside.title, "when it passed, line 4: 0..len(xs) → 0..len(xs) - 1");
    type_keys(&mut state, "X");
    assert_eq!(state.run.trace().unwrap().line(state.run.position), 4);
}
