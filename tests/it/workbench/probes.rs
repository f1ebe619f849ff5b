//! Probes in the editor: the value after the line, and the test that a key makes of it.

use myriad::lang::index::RoutineId;
use myriad::session::record_values;
use myriad::testing::probes::Probes;
use myriad::workbench::event::Event;
use myriad::workbench::state::State;
use myriad::workbench::theme::{Depth, Look, Theme};

use super::engine::{answer, answered, found};
use super::harness::{colour, marked, picture, type_keys};

const PROGRAM: &str = "\
fn tri(n: int) -> int {
    //? n
    return 3 * n;
}

//? tri(4)‸
//? [tri(1), tri(2)]
//? 1 / tri(0)
//? trx(1)
";

/// Answers the text on screen, and runs its probes as the session would.
fn told(state: &mut State) {
    answer(state);
    let compiled = state.shown().expect("a program").compiled.clone();
    found(state, None, Probes::run(&compiled, 100_000, &|| false).expect("not cancelled"));
}

fn typed(state: &mut State, script: &str) {
    for key in super::harness::keys(script) {
        let before = state.document.revision;
        state.apply(Event::Key(key));
        if state.document.revision != before {
            told(state);
        }
    }
}

fn shown(text: &str) -> State {
    let mut state = answered(text);
    told(&mut state);
    state
}

/// Returns the line of the screen that contains a text.
#[track_caller]
fn line(state: &State, text: &str) -> String {
    let screen = picture(state);
    screen.lines().find(|line| line.contains(text)).unwrap_or_else(|| panic!("no {text}:\n{screen}")).into()
}

#[test]
fn value_of_a_probe_follows_its_line() {
    let state = shown(PROGRAM);
    for (probe, words) in [
        ("//? tri(4)", "//? tri(4)  ◂ 12 "),
        ("//? [tri(1)", "[tri(1), tri(2)]  ◂ [3, 6] "),
        ("//? 1 / tri", "◂ DivideByZero "),
        ("//? trx(1)", "◂ unknown function "),
    ] {
        assert!(line(&state, probe).contains(words), "{words}\n{}", picture(&state));
    }
    let dim = Theme::new(Depth::True).style(Look::Dim).fg.expect("a colour");
    for words in ["◂ 12", "◂ unknown function"] {
        assert_eq!(colour(&state, words), dim, "{words}");
    }
    assert!(!line(&state, "//? n").contains('◂'), "a comment\n{}", picture(&state));
    assert!(!picture(&state).contains("error"), "{}", picture(&state));
    let comment = Theme::new(Depth::True).style(Look::Comment).fg.expect("a colour");
    assert_eq!(colour(&state, "//? n"), comment);
    assert_ne!(colour(&state, "//? tri(4)"), comment);
}

#[test]
fn value_is_of_the_text_on_screen_or_dimmed() {
    let mut state = shown(PROGRAM);
    typed(&mut state, "<backspace>");
    assert!(line(&state, "//? tri(4").contains("◂ never closed"), "{}", picture(&state));
    typed(&mut state, ") + 1");
    assert!(line(&state, "//? tri(4)").contains("◂ 13"), "{}", picture(&state));
    // Not answered yet: the old value stays, and is marked.
    type_keys(&mut state, "0");
    assert!(line(&state, "//? tri(4)").contains("+ 10  ◂ 13 …"), "{}", picture(&state));
    told(&mut state);
    assert!(line(&state, "//? tri(4)").contains("+ 10  ◂ 22 "), "{}", picture(&state));
    // Other lines move and change.
    typed(&mut state, "<ctrl-home><enter><down><down><end><backspace><backspace>n - 1;");
    assert!(line(&state, "//? tri(4)").contains("◂ "), "{}", picture(&state));
}

#[test]
fn key_makes_a_test_of_a_probe() {
    let mut state = shown(PROGRAM);
    typed(&mut state, "<alt-t>");
    assert!(marked(&state).contains("}\n\ntest tri(4) == 12;‸\n//? ["), "{}", marked(&state));
    assert!(line(&state, "test tri(4)").contains("  6✓"), "{}", picture(&state));
    typed(&mut state, "<down><alt-t>");
    assert!(marked(&state).contains("\ntest [tri(1), tri(2)] == [3, 6];‸\n"), "{}", marked(&state));
    typed(&mut state, "<ctrl-u>");
    assert!(state.document.buffer.text().contains("\n//? [tri(1), tri(2)]\n"), "{}", marked(&state));
}

#[test]
fn probe_is_the_focus_of_values_where_no_test_is() {
    let mut state = answered(PROGRAM);
    state.apply(Event::Resize(160, 50));
    let base = {
        let shown = state.shown().expect("a program");
        myriad::engine::BaseResult {
            compiled: shown.compiled.clone(),
            entries: shown.entries.clone(),
            timings: shown.timings,
        }
    };
    let function = RoutineId::default();
    let run = record_values(&base, (function, None), 100_000, &|| false);
    found(&mut state, Some(function), run);
    type_keys(&mut state, "<ctrl-home>");
    assert!(line(&state, "    return 3").contains("→ 12"), "{}", picture(&state));
    let title = picture(&state).lines().next().expect("a line").to_string();
    assert!(title.starts_with(" sample.myr ") && title.contains("  values: tri(4) "), "{title}");
}
