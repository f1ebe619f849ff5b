//! Mutant: why the chosen one survives, and the test that would notice it, added by a key.

use std::sync::Arc;

use myriad::lang::index::{Index, Indices};
use myriad::lang::verdict::MutantStatus;
use myriad::session::Survivors;
use myriad::testing::mutation::Examiner;
use myriad::workbench::state::State;

use super::engine::{answer, answered, found};
use super::harness::{picture, picture_at, type_keys, words};

/// Sends the findings on the mutants of the text on screen: the reasons, and with `asked` also the tests.
pub(super) fn examine(state: &mut State, asked: bool) {
    let shown = state.shown().expect("an answer");
    let mut examiner = Examiner::new(shown.compiled.clone(), &shown.entries);
    let mut survivors = Survivors::default();
    for (id, verdict) in
        Indices::first(examiner.first_order()).iter().zip(state.results.mutants.verdicts.clone())
    {
        if verdict.status == MutantStatus::Survived {
            survivors.why.extend(examiner.why(id, &|| false).map(|why| (id, Arc::new(why))));
            let answer = if asked { examiner.question(id, &|| false) } else { None };
            survivors.answers.extend(answer.map(|answer| (id, Arc::new(answer))));
        } else if examiner.never_ends(id, &verdict, &|| false) == Some(true) {
            survivors.never_end.insert(id);
        }
    }
    found(state, None, survivors);
}

/// Returns the words of the focused panel, zoomed.
fn alone(state: &mut State) -> String {
    type_keys(state, "<f7>");
    let said = words(&picture_at(state, 120, 40));
    type_keys(state, "<f7>");
    said
}

const WEAK: &str = "\
‸fn step(n: int) -> int {
    if n > 3 { return n * 2; }
    return n;
}
fn upto(n: int) -> int {
    let i = 0;
    while i < n {
        i += step(1);
    }
    return i;
}
test step(1) == 1;
prop n in 0..5 => upto(n) == n;
";

#[test]
fn test_wanted_during_the_search_is_added_when_it_is_found() {
    let mut state = answered(WEAK);
    type_keys(&mut state, "<alt-7>ft");
    assert!(picture(&state).contains("the test is added as soon as it is found"), "{}", picture(&state));
    examine(&mut state, false);
    let before = state.document.buffer.text().to_string();
    examine(&mut state, true);
    let text = state.document.buffer.text().to_string();
    assert!(text.starts_with(&before) && text.len() > before.len(), "{text}");
    assert!(picture(&state).contains("make sure that it is right"), "{}", picture(&state));
    // An edit cancels the wish.
    let mut state = answered(WEAK);
    type_keys(&mut state, "<alt-7>ft<esc> ");
    examine(&mut state, true);
    assert_eq!(state.document.buffer.text().len(), before.len() + 1);
}

#[test]
fn survivor_is_explained_and_a_key_adds_its_test() {
    let mut state = answered(WEAK);
    // Into the Mutants panel, with survivors only.
    type_keys(&mut state, "<alt-7>f");
    examine(&mut state, false);
    let drawing = picture_at(&mut state, 160, 50);
    assert!(drawing.contains("not infected, 11×"), "{drawing}");
    examine(&mut state, true);
    insta::assert_snapshot!("mutants_explained_120x40", picture_at(&mut state, 120, 40));
    type_keys(&mut state, "<alt-y>");
    for (width, height) in [(80, 24), (160, 50)] {
        let drawing = picture_at(&mut state, width, height);
        insta::assert_snapshot!(format!("mutant_{width}x{height}"), drawing);
    }
    let drawing = alone(&mut state);
    assert!(drawing.contains("t adds this test, if it is right"), "{drawing}");
    // Deleted source is not in the code.
    for gone in ["bytecode", "- ", "BINARY_MUL"] {
        assert!(drawing.contains(gone), "{drawing}");
    }
    let before = state.document.buffer.text().lines().count();
    type_keys(&mut state, "t");
    assert_eq!(state.document.buffer.text().lines().count(), before + 1);
    assert!(state.document.buffer.text().lines().last().unwrap().starts_with("test step("));
    assert!(picture(&state).contains("make sure that it is right"), "{}", picture(&state));
    // Until the text is judged, no test is offered.
    type_keys(&mut state, "t");
    assert!(picture(&state).contains("not judged yet"), "{}", picture(&state));
    // An undo removes it.
    type_keys(&mut state, "<ctrl-u>");
    assert_eq!(state.document.buffer.text().lines().count(), before);
}

#[test]
fn mutants_that_do_not_survive_are_explained() {
    let mut state = answered(WEAK);
    examine(&mut state, true);
    type_keys(&mut state, "<alt-7>");
    let mut said = String::new();
    for _ in 0..state.listed_mutants().len() {
        type_keys(&mut state, "<alt-y>");
        said.push_str(&alone(&mut state));
        type_keys(&mut state, "<alt-7><down>");
    }
    for wanted in [
        "noticed by upto(n) == n",
        "never ends",
        "it returns to an earlier state, so it would run forever",
        "value differed",
        "hid it",
    ] {
        assert!(said.contains(wanted), "{wanted} is never said");
    }
    // No test is offered for a mutant that does not survive.
    let killed = state
        .listed_mutants()
        .iter()
        .position(|id| state.results.mutants.verdicts[id.position()].status == MutantStatus::Killed);
    type_keys(&mut state, "<home>");
    for _ in 0..killed.expect("one is killed") {
        type_keys(&mut state, "<down>");
    }
    type_keys(&mut state, "t");
    assert!(picture(&state).contains("this mutant does not survive"), "{}", picture(&state));
}

/// Pressing one key repeatedly turns a file with weak tests into one that notices everything that can be
/// noticed.
#[test]
fn offered_tests_leave_at_most_three_survivors() {
    let weak = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/samples/weak.myr")).unwrap();
    let mut state = answered(&format!("‸{weak}"));
    type_keys(&mut state, "<alt-7>f");
    let mut added = 0;
    loop {
        examine(&mut state, true);
        type_keys(&mut state, "<home>");
        let survivors = state.listed_mutants().len();
        let offered = (0..survivors).any(|_| {
            let found = state.offered_test().is_ok();
            if !found {
                type_keys(&mut state, "<down>");
            }
            found
        });
        if !offered {
            break;
        }
        type_keys(&mut state, "t");
        added += 1;
        assert!(added < 60, "{}", state.document.buffer.text());
        answer(&mut state);
        assert!(state.listed_mutants().len() < survivors, "{}", state.document.buffer.text());
    }
    let left: Vec<String> =
        state.listed_mutants().iter().map(|id| format!("{:?}", state.shown().unwrap().mutant(id))).collect();
    assert!(left.len() <= 3, "after {added} tests {} are left: {}", left.len(), left.join("\n"));
}
