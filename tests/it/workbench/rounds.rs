//! Rounds: recorded by the shaders on the tests' adapter, and shown.

use std::sync::Arc;

use myriad::compiler::rounds::Recording;
use myriad::engine::EngineError;
use myriad::lang::index::{Index, TokenId};
use myriad::session::Rounds;
use myriad::workbench::panels;
use myriad::workbench::state::State;

use super::engine::{answer, answered, found};
use super::harness::{picture, picture_at, type_keys, words};
use crate::common::round_tracer::round_tracer;

pub(super) const PROGRAM: &str = "‸fn f(a: int) -> int {\n    return (a + 1) * 2;\n}\ntest f(1) == 4;\n";

/// Records the shaders' rounds for the shown program.
fn recording(state: &State) -> Arc<Recording> {
    let held = round_tracer();
    let (gpu, tracer) = &*held;
    let compiled = &state.shown().expect("an answer").compiled;
    Arc::new(tracer.record(gpu, compiled, &|| false).unwrap().0)
}

/// Sends it to the state.
pub(super) fn tell(state: &mut State) -> Arc<Recording> {
    let recording = recording(state);
    found(state, None, Rounds { recording: Ok(recording.clone()) });
    recording
}

fn told() -> (State, Arc<Recording>) {
    let mut state = answered(PROGRAM);
    type_keys(&mut state, "<alt-i>");
    let recording = tell(&mut state);
    (state, recording)
}

#[test]
fn a_round_is_shown_with_its_sentence_and_what_it_changes() {
    let (mut state, _) = told();
    // Each case types more keys, so it begins where the one before it ended.
    for (name, keys) in
        [("classify", "]"), ("structure", "n<right>"), ("scan", "0s<right><right>"), ("code", "sc")]
    {
        type_keys(&mut state, keys);
        for (width, height) in [(80, 24), (160, 50)] {
            let drawing = picture_at(&mut state, width, height);
            insta::assert_snapshot!(format!("rounds_{name}_{width}x{height}"), drawing);
        }
    }
}

#[test]
fn keys_go_on_and_back_through_all_stages() {
    let (mut state, recording) = told();
    let at = |state: &State| {
        let (stage, round) = state.rounds.round().expect("a round");
        (stage.stage.name(), stage.entry(round).unwrap_or_default().to_string(), round)
    };
    assert_eq!(at(&state).0, "lex");
    let mut stages = vec![];
    for _ in 0..recording.stages.len() {
        stages.push(at(&state).0);
        type_keys(&mut state, "n");
    }
    assert_eq!(stages, ["lex", "parse", "check", "lower", "optimize", "emit"]);
    type_keys(&mut state, "<end>");
    assert_eq!(at(&state).0, "emit");
    // Back and forth.
    let end = at(&state);
    type_keys(&mut state, "<left><left><left><right><right><right>");
    assert_eq!(at(&state), end);
    type_keys(&mut state, "NN");
    assert_eq!(at(&state).0, "lower");
    assert_eq!(at(&state).1, "lower_count", "to the first round of the stage");
    type_keys(&mut state, "][");
    assert_eq!(at(&state).1, "lower_count");
    // Every round is reachable, rounds of scans on request.
    type_keys(&mut state, "s0");
    let mut count = 1;
    loop {
        let before = state.rounds.at;
        type_keys(&mut state, "<right>");
        if state.rounds.at == before {
            break;
        }
        count += 1;
    }
    assert_eq!(count, recording.len());
}

#[test]
fn a_token_is_followed_from_write_to_write() {
    let (mut state, _) = told();
    type_keys(&mut state, "]");
    let plus = Some(TokenId::new(14));
    let row = (0..40).find(|row| panels::token(&state, state.screen.focus, *row) == plus);
    let row = row.expect("a row of the token `+`");
    state.screen.lists[state.screen.focus.index()].selected = row;
    for _ in 0..6 {
        type_keys(&mut state, "v");
        let (stage, round) = state.rounds.round().expect("a round");
        let writes = stage.changes(round).iter().any(|change| {
            let (column, row) = stage.cell(change.place).expect("a cell");
            row == 14 && stage.columns[column].rows == myriad::compiler::rounds::Rows::Tokens
        });
        assert!(writes, "round {round} of {}", stage.stage.name());
    }
}

#[test]
fn edit_keeps_the_shown_round() {
    let (mut state, _) = told();
    type_keys(&mut state, "nn<right><right>");
    let sentence = |state: &State| {
        let (stage, round) = state.rounds.round().expect("a round");
        stage.site(round).expect("a site").sentence.clone()
    };
    let before = sentence(&state);
    type_keys(&mut state, "<alt-1><ctrl-end>test f(2) == 6;<enter>");
    assert_eq!(sentence(&state), before, "of the text before");
    answer(&mut state);
    let recording = recording(&state);
    found(&mut state, None, Rounds { recording: Ok(recording) });
    assert_eq!(sentence(&state), before);
}

#[test]
fn panel_without_rounds_states_the_reason() {
    let mut state = answered(PROGRAM);
    type_keys(&mut state, "<alt-i>");
    assert!(words(&picture(&state)).contains("shaders record the rounds"), "{}", picture(&state));
    found(&mut state, None, Rounds { recording: Err(EngineError::TooLarge("3,000 tokens".into())) });
    assert!(words(&picture(&state)).contains("too large"), "{}", picture(&state));
    type_keys(&mut state, "<right>");
    assert!(words(&picture(&state)).contains("no round is recorded yet"), "{}", picture(&state));
}
