//! Predict: the next step is hidden until it is guessed, in runs, passes and verdicts.

use myriad::lang::index::Index;
use myriad::lang::verdict::MutantStatus;
use myriad::workbench::panels::Panel;
use myriad::workbench::predict::{Answer, VERDICTS};
use myriad::workbench::state::{Ask, IrView, MutantFilter, Overlay, State};

use super::engine::{answer, answered};
use super::harness::{picture, picture_at, type_keys, words};
use super::run::{FAILING, recorded};

const SIZES: [(u16, u16); 2] = [(80, 24), (160, 50)];
const FOLDS: &str = "fn f(a: int) -> int {\n    return a * (2 + 3) +‸ 0;\n}\ntest f(2) == 10;\n";

fn snapshots(state: &mut State, name: &str) {
    for (width, height) in SIZES {
        insta::assert_snapshot!(format!("predict_{name}_{width}x{height}"), picture_at(state, width, height));
    }
}

/// Returns the current question, if there is one.
fn asked(state: &State) -> Option<Answer> {
    match &state.prompts.overlay {
        Some(Overlay::Ask(Ask::Guess { question, .. }, _)) => Some(question.answer.clone()),
        _ => None,
    }
}

/// Opens the run of the first failing test, at its start, with the next steps hidden.
fn run() -> State {
    let mut state = answered(&format!("‸{FAILING}"));
    type_keys(&mut state, "<alt-u>");
    recorded(&mut state);
    type_keys(&mut state, "<alt-g>");
    state
}

#[test]
fn a_run_is_guessed_step_by_step() {
    let mut state = run();
    assert_eq!(state.run.position.number(), 0);
    snapshots(&mut state, "run_begun");
    let mut wrong = 0;
    // Every step that decides or computes something asks; all others are skipped.
    while state.run.position < state.run.trace().expect("a run").last() {
        let before = state.run.position;
        type_keys(&mut state, "<right>");
        let Some(answer) = asked(&state) else {
            assert_eq!(state.run.position, before.next());
            continue;
        };
        assert_eq!(state.run.position, before, "a question keeps the position");
        if before.number() > 20 && wrong == 0 {
            snapshots(&mut state, "run_asked");
            let guess = if matches!(answer, Answer::Line(_)) { "99999" } else { "-99999" };
            type_keys(&mut state, &format!("{guess}<enter>"));
            if asked(&state).is_some() {
                // A bool cannot be answered with a number.
                type_keys(&mut state, "<ctrl-u>trap<enter>");
            }
            snapshots(&mut state, "run_wrong");
            assert!(picture(&state).contains(&format!("{}, not ", answer.text())), "{}", picture(&state));
            wrong += 1;
            continue;
        }
        type_keys(&mut state, &format!("{}<enter>", answer.text()));
        assert!(asked(&state).is_none(), "{}", picture(&state));
        if state.predict.as_ref().is_some_and(|predict| predict.guesses == 3) {
            snapshots(&mut state, "run_right");
        }
    }
    let predict = state.predict.as_ref().expect("it goes on");
    assert!(wrong == 1 && predict.guesses > 5 && predict.right == predict.guesses - 1, "{}", predict.count());
}

#[test]
fn result_of_a_run_is_hidden_until_guessed() {
    let mut state = run();
    for (width, height) in SIZES {
        let screen = picture_at(&mut state, width, height);
        assert!(!screen.contains("✗ the sum") && !screen.contains("left 3"), "{screen}");
        // Results of calls and execution counts of lines are not shown either.
        assert!(!screen.contains("= 3") && !screen.contains("= false") && !screen.contains('×'), "{screen}");
    }
    type_keys(&mut state, "<esc>");
    assert!(state.predict.is_none() && state.screen.focus == Panel::RUN, "esc ends it and stays");
    let screen = picture_at(&mut state, 120, 40);
    assert!(screen.contains("✗ the sum") && screen.contains("0 of 0 right"), "{screen}");
}

#[test]
fn step_over_asks_for_the_value_or_line() {
    let mut state = run();
    while state.run.trace().unwrap().instruction(state.run.position).unwrap().0.op.name() != "CALL" {
        type_keys(&mut state, "<right>");
    }
    let at = state.run.position;
    type_keys(&mut state, "n");
    assert_eq!(asked(&state).map(|answer| answer.text()), Some("3".to_string()), "{}", picture(&state));
    // An invalid guess is not counted, and the question stays.
    type_keys(&mut state, "three<enter>");
    assert!(picture(&state).contains("expected: a value, or trap"), "{}", picture(&state));
    assert!(asked(&state).is_some());
    type_keys(&mut state, "<ctrl-u>6<enter>");
    assert!(picture(&state).contains("3, not 6; 0 of 1 right"), "{}", picture(&state));
    assert_eq!(state.run.position, state.run.trace().unwrap().over(at));
    // What was guessed once is known.
    type_keys(&mut state, "Nn");
    assert!(asked(&state).is_none());
    type_keys(&mut state, "N<right>]");
    let Some(Answer::Line(line)) = asked(&state) else { panic!("{}", picture(&state)) };
    type_keys(&mut state, &format!("{line}<enter>"));
    assert_eq!(state.run.trace().unwrap().line(state.run.position), line);
    assert!(picture(&state).contains("1 of 2 right"), "{}", picture(&state));
    // From anywhere, the key goes to the next step that can be guessed.
    type_keys(&mut state, "<alt-g>");
    assert!(asked(&state).is_some());
    type_keys(&mut state, "<esc><esc>");
    assert!(state.predict.is_none());
}

#[test]
fn trap_is_accepted_as_a_guess() {
    let mut state = answered(&FAILING.replace("test \"a trap\"", "test \"a ‸trap\""));
    type_keys(&mut state, "<alt-u>");
    recorded(&mut state);
    type_keys(&mut state, "<alt-g>");
    let last = state.run.trace().unwrap().last();
    while state.run.position < last {
        type_keys(&mut state, "<right>");
        if let Some(answer) = asked(&state) {
            type_keys(&mut state, &format!("{}<enter>", answer.text()));
        }
    }
    type_keys(&mut state, "<alt-g>");
    assert_eq!(asked(&state), Some(Answer::Trap));
    type_keys(&mut state, "trap<enter>");
    assert!(picture(&state).contains("right: "), "{}", picture(&state));
}

#[test]
fn result_of_a_pass_is_guessed_by_instruction_count() {
    let mut state = answered(FOLDS);
    type_keys(&mut state, "<alt-4><alt-g>");
    assert_eq!(state.screen.ir_view, IrView::Lowered);
    snapshots(&mut state, "ir_begun");
    type_keys(&mut state, "[");
    assert_eq!(state.screen.ir_view, IrView::Lowered, "the last form is not behind the first");
    let passes = state.shown().expect("a program").passes().len();
    for pass in 0..passes {
        type_keys(&mut state, "]");
        let Some(Answer::Count(count)) = asked(&state) else { panic!("{}", picture(&state)) };
        if pass == 0 {
            snapshots(&mut state, "ir_asked");
        }
        type_keys(&mut state, &format!("{}<enter>", count + usize::from(pass == 0)));
        assert_eq!(state.screen.ir_view, IrView::Pass(pass));
    }
    let right = format!("{} of {passes} right", passes - 1);
    assert!(picture(&state).contains(&right), "{}", picture(&state));
    snapshots(&mut state, "ir_guessed");
    type_keys(&mut state, "[");
    type_keys(&mut state, "]");
    assert!(asked(&state).is_none(), "known");
}

#[test]
fn verdicts_are_hidden_one_by_one() {
    let mut state = answered(&FAILING.replace("return n + n", "return ‸n + n"));
    type_keys(&mut state, "<alt-7>f");
    let chosen = state.chosen_mutant().expect("a survivor").0;
    type_keys(&mut state, "<alt-g>");
    assert_eq!(state.mutants.filter, MutantFilter::Singles);
    assert_eq!(state.chosen_mutant().map(|(id, _)| id), Some(chosen), "the chosen one stays");
    snapshots(&mut state, "mutants_begun");
    // Ids ascend, so that the order reveals nothing, and there are no counts.
    let listed: Vec<_> = state.listed_mutants().iter().collect();
    assert!(listed.is_sorted() && listed.len() > 10);
    for status in VERDICTS {
        // The Why panel above the list names every verdict.
        let screen = picture_at(&mut state, 160, 50);
        let list = &screen[screen.find("to guess").expect("the list")..];
        assert!(!list.contains(&format!("{} ", status.name())), "{status:?}: {list}");
    }
    type_keys(&mut state, "f");
    assert!(picture(&state).contains("would reveal the verdicts"), "{}", picture(&state));
    type_keys(&mut state, "<home>");
    let verdict = state.chosen_mutant().expect("one").1.status;
    type_keys(&mut state, "<alt-g>");
    snapshots(&mut state, "mutants_asked");
    type_keys(&mut state, &format!("{}<enter>", verdict.name()));
    assert!(picture(&state).contains("1 of 1 right"), "{}", picture(&state));
    // The panel of the next mutant.
    type_keys(&mut state, "<down>y");
    snapshots(&mut state, "mutant_begun");
    let (id, verdict) = state.chosen_mutant().expect("one");
    assert!(state.hides_verdict(id) && words(&picture(&state)).contains("guess its verdict"));
    let other = VERDICTS.into_iter().find(|other| *other != verdict.status).unwrap_or(MutantStatus::Killed);
    type_keys(&mut state, &format!("<alt-g>{}<enter>", other.name()));
    assert!(picture(&state).contains("1 of 2 right") && !state.hides_verdict(id), "{}", picture(&state));
    snapshots(&mut state, "mutant_wrong");
}

#[test]
fn edit_asks_again_and_keeps_the_guess_count() {
    let mut state = answered(FOLDS);
    type_keys(&mut state, "<alt-4><alt-g>]1<enter>");
    assert_eq!(state.predict.as_ref().map(|predict| predict.guesses), Some(1));
    type_keys(&mut state, "<alt-1> <alt-4>");
    answer(&mut state);
    assert!(picture(&state).contains("guesses"), "{}", picture(&state));
    type_keys(&mut state, "[]");
    assert!(asked(&state).is_some(), "{}", picture(&state));
}

#[test]
fn panels_without_guesses_name_those_that_have_them() {
    let mut state = answered(FOLDS);
    type_keys(&mut state, "<alt-g><alt-g>");
    assert!(picture(&state).contains("Run (alt-u), IR (alt-4) and Mutants (alt-7)"), "{}", picture(&state));
    type_keys(&mut state, "<esc>");
    assert!(state.predict.is_none());
}
