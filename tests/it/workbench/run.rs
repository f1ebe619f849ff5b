//! Runs: recorded, stepped both ways, kept across edits.

mod comparisons;
mod traps;

use std::sync::Arc;

use myriad::lang::index::{CallId, Index, Position};
use myriad::lang::limits;
use myriad::lang::samples;
use myriad::session::job::RUN;
use myriad::session::{BEFORE, BEHIND, CompareWith, Recorded};
use myriad::testing::trace::{Condition, ReplayKey, RunDiff, passing, record};
use myriad::workbench::event::{Effect, Event, Mouse};
use myriad::workbench::panels::Panel;
use myriad::workbench::state::State;
use myriad::workbench::tour::TourView;

use super::engine::{answer, answered, found};
use super::harness::{picture, picture_at, type_keys};

pub(super) const FAILING: &str = "\
// A sum that forgets its last element.
fn sum(xs: [int; 8]) -> int {
    let total = 0;
    for i in 0..len(xs) - 1 {
        total += xs[i];
    }
    return total;
}
fn twice(n: int) -> int {
    return n + n;
}
test \"the sum\": sum([1, 2, 3]) == 6;
test \"twice\": twice(twice(2)) == 8;
test \"a trap\": 8 / twice(0) == 0;
";

const SIZES: [(u16, u16); 2] = [(80, 24), (160, 50)];

/// Records the requested run, like the session.
pub fn recorded(state: &mut State) {
    let wish = state.run.wish.clone().expect("something is to be run");
    let shown = state.shown().expect("an answer").clone();
    let run = wish.subject.find(&shown.compiled, &shown.entries).map(|target| {
        let trace = record(&shown.compiled, target.routine, &target.frame, limits::STEPS);
        (target, Arc::new(trace))
    });
    let (mut stops, mut refused) = (Vec::new(), Vec::new());
    if let Ok((_, trace)) = &run {
        for breakpoint in &wish.breakpoints {
            let visits = trace.visits(breakpoint.line).iter().copied();
            match &breakpoint.condition {
                None => stops.extend(visits),
                Some(text) => match Condition::new(&trace.compiled, breakpoint.line, text) {
                    Ok(mut condition) => stops.extend(visits.filter(|at| condition.holds(trace, *at))),
                    Err(why) => refused.push(why),
                },
            }
        }
    }
    let beside = match (&run, &wish.against) {
        (Ok((_, trace)), Some(CompareWith::Run(title, other))) => {
            Some(Ok(RunDiff::new(trace, other, title.clone(), BEFORE, BEHIND)))
        }
        (Ok((target, trace)), Some(CompareWith::Passing)) => {
            Some(passing(&shown.compiled, target).map(|other| {
                let again = ReplayKey {
                    compiled: shown.compiled.clone(),
                    routine: other.routine,
                    frame: other.frame.into(),
                };
                RunDiff::new(trace, &again, other.title, BEFORE, BEHIND)
            }))
        }
        _ => None,
    };
    let run = run.map(|(target, trace)| (target.title, trace));
    found(state, None, Recorded { wish, run, stops: Arc::new(stops), beside, refused, instead: None });
}

/// Returns the instruction at the run's position.
fn op(state: &State) -> &'static str {
    let trace = state.run.trace().expect("a run");
    trace.instruction(state.run.position).unwrap().0.op.name()
}

fn snapshots(state: &mut State, name: &str) {
    for (width, height) in SIZES {
        insta::assert_snapshot!(format!("run_{name}_{width}x{height}"), picture_at(state, width, height));
    }
}

#[test]
fn failing_test_is_traced_to_its_cause() {
    let mut state = answered(&format!("‸{FAILING}"));
    let effects = type_keys(&mut state, "<alt-u>");
    assert!(effects.iter().any(|effect| matches!(effect, Effect::Run(_))), "{effects:?}");
    let looked = effects.iter().find_map(|e| if let Effect::Look(looked) = e { Some(looked) } else { None });
    assert!(looked.is_some_and(|looked| looked.jobs.contains(&&RUN)), "{looked:?}");
    assert_eq!(state.screen.focus, Panel::RUN);
    recorded(&mut state);
    assert_eq!(op(&state), "COMPARE_EQ");
    snapshots(&mut state, "fails");
    // The compared operand is selected; the key goes to its producer.
    type_keys(&mut state, "w");
    assert_eq!(op(&state), "RETURN");
    type_keys(&mut state, "w");
    assert_eq!(op(&state), "STORE_VAR", "{}", picture(&state));
    snapshots(&mut state, "followed");
    type_keys(&mut state, "w");
    assert_eq!(op(&state), "BINARY_ADD");
    type_keys(&mut state, "WWW");
    assert_eq!(op(&state), "COMPARE_EQ");
}

#[test]
fn a_trap_opens_at_its_instruction() {
    let mut state = answered(&FAILING.replace("test \"a trap\"", "test \"a ‸trap\""));
    type_keys(&mut state, "<alt-u>");
    recorded(&mut state);
    assert_eq!(op(&state), "BINARY_DIV");
    snapshots(&mut state, "trap");
    type_keys(&mut state, "<home>");
    assert_eq!(state.run.position.number(), 0);
    type_keys(&mut state, "f");
    assert_eq!(op(&state), "BINARY_DIV");
    // The editor shows the position, and enter on the source leads there.
    assert!(state.screen.followed.is_some());
}

#[test]
fn keys_step_forwards_and_backwards() {
    let mut state = answered(&FAILING.replace("test \"twice\"", "test \"‸twice\""));
    type_keys(&mut state, "<alt-u>");
    recorded(&mut state);
    let last = state.run.trace().unwrap().last().number();
    for (keys, wanted) in [("<home>", 0), ("<right>", 1), ("<left>", 0), ("<end>", last), ("<right>", last)] {
        type_keys(&mut state, keys);
        assert_eq!(state.run.position.number(), wanted, "{keys}");
    }
    type_keys(&mut state, "0");
    let mut met = vec![];
    for _ in 0..last {
        if state.run.position.number() == last {
            break;
        }
        met.push(state.run.position);
        let before = state.run.position;
        type_keys(&mut state, "n");
        assert!(state.run.position > before);
    }
    for position in met.into_iter().rev() {
        type_keys(&mut state, "N");
        assert_eq!(state.run.position, position, "back over");
    }
    // Into a call, out of it, and back to its caller.
    type_keys(&mut state, "0");
    for _ in 0..last {
        if op(&state) != "CALL" {
            type_keys(&mut state, "l");
        }
    }
    let call = state.run.position;
    type_keys(&mut state, "l");
    assert_eq!(state.run.trace().unwrap().step(state.run.position).unwrap().depth, 1);
    type_keys(&mut state, "O");
    assert_eq!(state.run.position, call);
    type_keys(&mut state, "lo");
    let out = state.run.position;
    type_keys(&mut state, "Nn");
    assert_eq!(state.run.position, out);
}

#[test]
fn keys_go_to_variable_changes_and_breakpoints() {
    let mut state = answered(&FAILING.replace("total += xs", "‸total += xs"));
    type_keys(&mut state, "<alt-u><alt-u>");
    assert!(picture(&state).contains("run: sum([1, 2, 3])"), "{}", picture(&state));
    type_keys(&mut state, "<enter>");
    recorded(&mut state);
    assert_eq!(state.run.position.number(), 0, "nothing fails");
    type_keys(&mut state, "c");
    let trace = state.run.trace().unwrap().clone();
    let visits = trace.visits(5).to_vec();
    assert_eq!((visits.len(), state.run.position), (2, visits[0]));
    type_keys(&mut state, "cC");
    assert_eq!(state.run.position, visits[0]);
    type_keys(&mut state, "b");
    recorded(&mut state);
    type_keys(&mut state, "0r");
    assert_eq!(state.run.position, visits[0]);
    type_keys(&mut state, "rR");
    assert_eq!(state.run.position, visits[0]);
    // With a condition, only at some visits.
    type_keys(&mut state, "Bxs[i] > 1<enter>");
    recorded(&mut state);
    type_keys(&mut state, "0r");
    assert_eq!(state.run.position, visits[1]);
    snapshots(&mut state, "breakpoint");
    type_keys(&mut state, "Bnothing<enter>");
    recorded(&mut state);
    assert!(picture(&state).contains("nothing"), "{}", picture(&state));
    // A line inserted above moves it.
    type_keys(&mut state, "<esc><ctrl-home><enter>");
    assert_eq!(state.run.breakpoints[0].line, 6);
    // The selected variable.
    type_keys(&mut state, "<ctrl-u>");
    answer(&mut state);
    type_keys(&mut state, "<alt-u>");
    recorded(&mut state);
    type_keys(&mut state, "0");
    while !state.run.scene.rows[state.list(Panel::RUN).selected]
        .parts
        .iter()
        .any(|(_, text)| text.trim() == "total")
    {
        type_keys(&mut state, "<down>");
    }
    type_keys(&mut state, "v");
    let first = state.run.position;
    assert!(picture_at(&mut state, 160, 50).contains("✱ total"), "{}", picture(&state));
    type_keys(&mut state, "vV");
    assert_eq!(state.run.position, first);
}

#[test]
fn an_edit_keeps_the_place() {
    let mut state = answered(&FAILING.replace("total += xs", "‸total += xs"));
    type_keys(&mut state, "<alt-u><alt-u><enter>");
    recorded(&mut state);
    type_keys(&mut state, "cc");
    let (at, op_there) = (state.run.position, op(&state));
    // Another line in front, and one step more in each iteration before.
    type_keys(&mut state, "<esc><ctrl-home>// more<enter>");
    answer(&mut state);
    recorded(&mut state);
    assert_eq!((state.run.position, op(&state)), (at, op_there));
    // A text that does not compile keeps the recording.
    type_keys(&mut state, "<esc><ctrl-end>fn");
    answer(&mut state);
    type_keys(&mut state, "<alt-1>");
    assert!(state.run.trace().is_some());
}

#[test]
fn mouse_moves_the_slider_and_calls_fold() {
    let mut state = answered(&FAILING.replace("test \"twice\"", "test \"‸twice\""));
    type_keys(&mut state, "<alt-u>");
    recorded(&mut state);
    let _ = picture_at(&mut state, 160, 50);
    let area = state.layout().content(Panel::RUN).unwrap();
    let slider = state.run.scene.at(myriad::workbench::run::RunKey::Slider).unwrap() as u16;
    let top = state.list(Panel::RUN).top as u16;
    let mouse = |what, column| Event::Mouse { what, column, row: area.y + slider - top, shift: false };
    state.apply(mouse(Mouse::Click(1), area.x + area.width - 2));
    assert_eq!(state.run.position, state.run.trace().unwrap().last());
    state.apply(mouse(Mouse::Drag, area.x));
    assert_eq!(state.run.position.number(), 0);
    let rows = state.run.scene.rows.len();
    type_keys(&mut state, "G");
    for _ in 0..20 {
        let key = state.run.scene.rows[state.list(Panel::RUN).selected].key;
        if key == myriad::workbench::run::RunKey::Call(CallId::default()) {
            break;
        }
        type_keys(&mut state, "<up>");
    }
    type_keys(&mut state, "<space>");
    assert!(state.run.scene.rows.len() < rows, "the calls are folded");
    type_keys(&mut state, "<space>");
    assert_eq!(state.run.scene.rows.len(), rows);
}

#[test]
fn endless_loop_is_reported() {
    let mut state = answered(
        "‸fn f(n: int) -> int {\n    let x = n;\n    while x < 10 {\n        x += 0;\n    }\n    return x;\n}\ntest f(1) == 1;\n",
    );
    type_keys(&mut state, "<alt-u><alt-u><enter>");
    recorded(&mut state);
    snapshots(&mut state, "endless");
    // The slider covers the first steps and the start of the cycle, and later steps when the user goes there.
    let trace = state.run.trace().unwrap().clone();
    let span = |state: &State| myriad::workbench::panels::run::span(&trace, state.run.position);
    assert_eq!(span(&state), 1_000);
    type_keys(&mut state, "0");
    assert!(picture_at(&mut state, 120, 40).contains('↻'), "{}", picture(&state));
    type_keys(&mut state, "s54,321<enter>");
    assert_eq!((state.run.position.number(), span(&state)), (54_320, 100_000));
    type_keys(&mut state, "$");
    assert_eq!(span(&state), trace.len());
}

#[test]
fn step_number_prompt_goes_to_the_step() {
    let mut state = answered(&FAILING.replace("test \"twice\"", "test \"‸twice\""));
    type_keys(&mut state, "<alt-u>");
    recorded(&mut state);
    type_keys(&mut state, "s");
    type_keys(&mut state, "7<enter>");
    assert_eq!(state.run.position.number(), 6);
    for wrong in ["0", "x", "1,000,000", ""] {
        type_keys(&mut state, &format!("s{wrong}<enter>"));
        assert_eq!(state.run.position.number(), 6);
        assert!(picture(&state).contains("is no step"), "{wrong}: {}", picture(&state));
    }
    type_keys(&mut state, "s<esc>");
    assert_eq!(state.run.position.number(), 6);
}

#[test]
fn prompted_call_and_its_refusal_match_their_snapshots() {
    let mut state = answered(&format!("‸{FAILING}"));
    type_keys(&mut state, "<alt-u>");
    recorded(&mut state);
    type_keys(&mut state, "e");
    snapshots(&mut state, "asked");
    type_keys(&mut state, "<ctrl-u>sum()<enter>");
    recorded(&mut state);
    snapshots(&mut state, "refused");
}

#[test]
fn passing_tests_prompt_for_a_call() {
    let mut state = answered("fn twice(n: int) -> int {\n    return ‸n + n;\n}\ntest twice(4) == 8;\n");
    type_keys(&mut state, "<alt-u>");
    assert!(picture(&state).contains("run: twice(4)"), "{}", picture(&state));
    type_keys(&mut state, "<backspace><backspace>5)<enter>");
    recorded(&mut state);
    assert!(picture(&state).contains("10"), "{}", picture(&state));
    // The run is remembered, and the editor's key returns to it.
    type_keys(&mut state, "<esc><alt-u>");
    assert_eq!((state.screen.focus, state.prompts.overlay.is_none()), (Panel::RUN, true));
    type_keys(&mut state, "e");
    assert!(picture(&state).contains("run: twice(5)"), "{}", picture(&state));
}

#[test]
fn invalid_call_is_reported() {
    let mut state = answered(&format!("‸{FAILING}"));
    type_keys(&mut state, "<alt-u>");
    recorded(&mut state);
    for (call, said) in [
        ("sum", "is not a call"),
        ("nobody(1)", "there is no function"),
        ("sum(1)", "argument 1"),
        ("sum()", "takes 1 argument"),
    ] {
        type_keys(&mut state, &format!("e<ctrl-u>{call}<enter>"));
        if !call.ends_with(')') {
            assert!(picture(&state).contains(said), "{}", picture(&state));
            continue;
        }
        recorded(&mut state);
        assert!(picture_at(&mut state, 160, 50).contains(said), "{call}: {}", picture(&state));
    }
}

#[test]
fn call_under_the_cursor_is_the_suggested_call() {
    let mut state = answered(&FAILING.replace("twice(twice(2))", "twice(twi‸ce(2))"));
    type_keys(&mut state, "<alt-u>");
    recorded(&mut state);
    assert_eq!(state.run.title().as_deref(), Some("twice"), "the test");
    type_keys(&mut state, "<alt-u>");
    assert!(picture(&state).contains("run: twice(2)"), "{}", picture(&state));
    // In a function's body, too, whichever run is watched.
    let mut state = answered(
        "fn two() -> int {\n    return twice(‸1);\n}\nfn twice(n: int) -> int {\n    return n + n;\n}\ntest two() == 2;\n",
    );
    type_keys(&mut state, "<alt-u>");
    assert!(picture(&state).contains("run: twice(1)"), "{}", picture(&state));
}

#[test]
fn operands_of_callers_are_shown_as_waiting() {
    let mut state = answered(
        "fn f(n: int) -> int {\n    if n == 0 {\n        return 1;\n    }\n    return n * f(n - 1);\n}\ntest ‸f(3) == 7;\n",
    );
    type_keys(&mut state, "<alt-u>");
    recorded(&mut state);
    type_keys(&mut state, "0");
    for _ in 0..200 {
        if state.run.trace().unwrap().step(state.run.position).unwrap().depth == 4 {
            break;
        }
        type_keys(&mut state, "l");
    }
    let waiting = state
        .run
        .scene
        .rows
        .iter()
        .filter(|row| matches!(row.key, myriad::workbench::run::RunKey::Waiting(..)));
    let texts: Vec<String> =
        waiting.map(|row| row.parts.iter().map(|(_, text)| text.as_str()).collect()).collect();
    assert_eq!(texts.len(), 3, "{texts:?}");
    assert!(texts[0].contains("1 int") && texts[2].contains("3 int"), "{texts:?}");
}

#[test]
fn endlessly_counting_loop_is_named() {
    let mut state = answered(
        "‸fn f(n: int) -> int {\n    let x = n;\n    while x != 0 {\n        x += 1;\n    }\n    return x;\n}\ntest f(1) == 1;\n",
    );
    type_keys(&mut state, "<alt-u><alt-u><enter>");
    recorded(&mut state);
    snapshots(&mut state, "counting");
}

#[test]
fn changed_element_of_a_long_list_is_visible() {
    let mut state = answered(
        "fn fill(n: int) -> int {\n    let xs: [int; 32] = [0; 32];\n    for i in 0..n {\n        xs[i] = i * 100;\n    }\n    return xs[n - 1];\n}\ntest ‸fill(32) == 0;\n",
    );
    type_keys(&mut state, "<alt-u>");
    recorded(&mut state);
    type_keys(&mut state, "0<esc>");
    let line = state.document.buffer.line_start(3);
    state.document.buffer.select(myriad::workbench::text::Selection::at(line));
    type_keys(&mut state, "<alt-u>");
    for _ in 0..31 {
        type_keys(&mut state, "c");
    }
    // The jump back follows the assignment, so `]` would go on to the next round.
    type_keys(&mut state, "<right><right><right><right><right>");
    let picture = picture_at(&mut state, 80, 24);
    assert!(picture.contains("✱3000"), "{picture}");
    snapshots(&mut state, "list");
}

/// A run may begin far from its first step, where the user has not gone.
#[test]
fn step_of_the_tour_about_runs_is_done_by_a_move() {
    let mut state = answered(&FAILING.replacen("test", "‸test", 1));
    state.document.file.sample = samples::named("gcd.myr");
    state.tour = Some(TourView { step: 4, ..TourView::default() });
    type_keys(&mut state, "<alt-u>");
    recorded(&mut state);
    let tour = |state: &State| state.tour.as_ref().map(|tour| (tour.reached, tour.done.clone()));
    assert_eq!((tour(&state), state.run.position > Position::default()), (Some((1, vec![])), true));
    type_keys(&mut state, "<left>");
    assert_eq!(tour(&state), Some((0, vec![4])));
    assert!(picture(&state).contains(" tour 6/7 "), "{}", picture(&state));
}
