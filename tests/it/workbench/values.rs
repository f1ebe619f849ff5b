//! Values after the lines of the function under the cursor: which run they are of, and where they are shown.

use myriad::engine::BaseResult;
use myriad::lang::index::{EntryId, Index};
use myriad::session::record_values;
use myriad::workbench::event::{Event, Fading};
use myriad::workbench::key::Key;
use myriad::workbench::panels::Panel;
use myriad::workbench::results::Shown;
use myriad::workbench::state::State;

use super::engine::{answer, answered, found};
use super::harness::{picture, picture_at, type_keys, words};
use super::run::recorded;

const PROGRAM: &str = "\
fn gcd(a: int, b: int) -> int {
    while b != 0 {
        let t = a % b;‸
        a = b;
        b = t;
    }
    return a;
}

test gcd(12, 18) == 6;
test gcd(7, 0) == 7;
";

/// Answers the text on screen, and records the run that the session would record.
fn told(state: &mut State) {
    answer(state);
    record(state);
}

fn record(state: &mut State) {
    let looked = state.engine.looked.clone();
    let (Some(function), Some(shown)) = (looked.function, state.shown().cloned()) else { return };
    let Shown { compiled, entries, timings, .. } = &*shown;
    let base = BaseResult { compiled: compiled.clone(), entries: entries.clone(), timings: *timings };
    let run = record_values(&base, (function, looked.test), 100_000, &|| false);
    found(state, Some(function), run);
}

/// Returns a state at 160×50 with its values.
fn shown(marked: &str) -> State {
    let mut state = answered(marked);
    state.apply(Event::Resize(160, 50));
    record(&mut state);
    state
}

/// Types keys, each of which is answered.
fn typed(state: &mut State, script: &str) {
    for key in super::harness::keys(script) {
        let before = state.document.revision;
        state.apply(Event::Key(key));
        if state.document.revision != before { told(state) } else { record(state) }
    }
}

/// Returns what follows the text of each line of the editor, without blanks.
fn values(state: &State) -> Vec<String> {
    let area = state.layout().content(Panel::EDITOR).expect("the editor");
    let (gutter, lines) = (state.gutter_width(), state.document.buffer.lines());
    let after = |(number, row): (usize, &str)| {
        let text: String = row.chars().take(area.width.into()).skip(gutter).collect();
        text.strip_prefix(&*state.document.buffer.line_text(number)).unwrap_or_default().trim().to_string()
    };
    picture(state).lines().skip(area.y.into()).take(lines).enumerate().map(after).collect()
}

fn title(state: &State) -> String {
    let screen = picture(state);
    words(screen.split('│').next().unwrap_or_default())
}

#[test]
fn values_follow_the_lines_while_they_are_typed() {
    let mut state = shown(PROGRAM);
    assert_eq!(values(&state)[..7], ["a = 12  b = 18", "true", "t = 12, 6, 0", "a = 18", "b = 12", "", "→ 6"]);
    assert_eq!(title(&state), "sample.myr values: gcd(12, 18) == 6 · round 1 of 3");
    typed(&mut state, "<enter>b += t - t;");
    assert_eq!(values(&state)[3], "b = 18, 12, 6");
    assert_eq!(values(&state)[2], "t = 12", "one round away from the cursor");
    // Where the editor is narrow there are none.
    let _ = picture_at(&mut state, 80, 24);
    assert!(values(&state).iter().all(String::is_empty), "{}", picture(&state));
    assert_eq!(title(&state), "sample.myr ●");
}

#[test]
fn values_of_a_broken_text_go_past_its_error() {
    let mut state = shown(PROGRAM);
    // Not answered yet: they are old, and stay.
    type_keys(&mut state, "<enter>");
    assert_eq!(values(&state)[..5], ["a = 12  b = 18", "true", "t = 12", "", "a = 18, 12, 6"]);
    assert!(!title(&state).contains('…') && state.age_of(Panel::TESTS).is_none(), "a quick answer blinks");
    for panel in [Panel::EDITOR, Panel::TESTS] {
        state.apply(Event::Fade(Fading::Wait(panel, state.document.revision)));
    }
    assert!(title(&state).ends_with(" …"), "{}", title(&state));
    assert!(state.age_of(Panel::TESTS).is_some());
    typed(&mut state, "let more = t +<up>");
    let own = values(&state);
    // Its statement, which reaches to the next `;`, is skipped, and what depends on this is marked.
    assert_eq!(
        [&own[0], &own[1], &own[2], &own[7]],
        ["a = 12  b = 18", "true", "t = 12, ~0", "→ ~12"],
        "{own:?}"
    );
    assert_eq!(title(&state), "sample.myr ● values: gcd(12, 18) == 6 · round 1 of ~2");
}

#[test]
fn values_stay_while_the_header_of_their_function_has_an_error() {
    let mut state = shown(PROGRAM);
    typed(&mut state, "<ctrl-home><end><backspace>");
    assert_eq!(values(&state)[2], "t = 0", "{}", picture(&state));
    assert!(title(&state).ends_with("· stale"), "{}", title(&state));
    typed(&mut state, "{");
    assert!(title(&state).ends_with("gcd(12, 18) == 6"), "{}", title(&state));
}

#[test]
fn keys_choose_the_round_and_the_call_and_hide_the_values() {
    let mut state = shown(PROGRAM);
    typed(&mut state, "<alt-.><down>");
    assert!(title(&state).ends_with("round 2 of 3"), "{}", title(&state));
    assert_eq!(values(&state)[2..4], ["t = 6", "a = 18, 12, 6"]);
    let text = "fn fib(n: int) -> int {\n    if n < 2 { return ‸n; }\n    return fib(n - 1) + fib(n - 2);\n}\n\ntest fib(3) == 2;\n";
    let mut state = shown(text);
    assert!(title(&state).ends_with("call 1 of 5"), "{}", title(&state));
    state.apply(Event::Key(Key::parse("alt->").expect("a key")));
    assert!(title(&state).ends_with("call 2 of 5"), "{}", title(&state));
    assert_eq!(values(&state)[..3], ["n = 2", "false", "fib(1) → 1  fib(0) → 0  → 1"]);
    typed(&mut state, "<alt-V>");
    assert!(values(&state).iter().all(String::is_empty), "{}", picture(&state));
}

#[test]
fn selected_test_has_the_values_and_its_run_opens_at_their_place() {
    let mut state = shown(PROGRAM);
    typed(&mut state, "<alt-6>");
    assert_eq!(state.engine.looked.test, None, "nothing was selected");
    typed(&mut state, "<down>");
    assert_eq!(state.engine.looked.test, Some(EntryId::at(1)));
    assert!(title(&state).contains("gcd(7, 0) == 7"), "{}", title(&state));
    assert_eq!(values(&state)[..3], ["a = 7  b = 0", "false", "·"]);
    // It stays chosen, also when its place changes.
    typed(&mut state, "<alt-1><ctrl-home>// gcd<enter><down><down><end>");
    assert!(title(&state).contains("gcd(7, 0) == 7"), "{}", title(&state));
    typed(&mut state, "<alt-6><up><alt-1><alt-.>");
    assert!(title(&state).contains("gcd(12, 18) == 6 · round 2 of 3"), "{}", title(&state));
    type_keys(&mut state, "<alt-u>");
    recorded(&mut state);
    let trace = state.run.trace().expect("a run").clone();
    assert_eq!(trace.visits(4).get(1), Some(&state.run.position), "the second round of line 4");
}
