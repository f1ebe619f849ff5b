//! Paper: its equations with live values, and sliders.

use std::sync::Arc;

use myriad::learned::synthesis::times::NeuralTime;
use myriad::paper::levers::{Lever, ValueOrigin};
use myriad::session::{Growth, Neural};
use myriad::workbench::panels::Panel;
use myriad::workbench::state::State;

use super::engine::answered;
use super::harness::{picture, picture_at, type_keys, words};
use super::neural;

const SIZES: [(u16, u16); 2] = [(80, 24), (160, 50)];

fn snapshots(state: &mut State, name: &str) {
    for (width, height) in SIZES {
        insta::assert_snapshot!(format!("paper_{name}_{width}x{height}"), picture_at(state, width, height));
    }
}

/// Returns the whole page.
fn page(state: &State) -> String {
    let lines =
        myriad::workbench::panels::prose(state, Panel::PAPER, 100, &myriad::workbench::theme::Theme::plain());
    lines.iter().map(|line| line.to_string() + "\n").collect()
}

#[test]
fn unknown_values_are_empty_and_known_ones_match_panels() {
    let mut state = answered(neural::PROGRAM);
    type_keys(&mut state, "<alt-q>");
    assert_eq!(state.screen.focus, Panel::PAPER);
    snapshots(&mut state, "begun");
    let said = page(&state);
    assert!(words(&said).contains("T_neural(23) – – –"), "{said}");
    assert!(!said.contains("candidates of total"), "nothing is drawn yet: {said}");
    // The loop's terms are those of the idle measurement, the wall is that of the Latency panel.
    assert!(words(&said).contains("T_compile 50–500 ms – 0.14 ms"), "{said}");
    type_keys(&mut state, "<alt-9><f7>");
    let latency = picture_at(&mut state, 100, 60);
    let lex = latency.lines().find_map(|line| line.trim().strip_prefix("lex ")).expect("a row");
    let lex: Vec<&str> = lex.split_whitespace().take(2).collect();
    assert!(words(&said).contains(&format!("T_lex – – {}", lex.join(" "))), "{lex:?}: {said}");
}

#[test]
fn the_draws_for_the_function_under_the_cursor_are_measured() {
    let mut state = answered(neural::PROGRAM);
    type_keys(&mut state, "<alt-q>");
    let done = neural::compilation(&state);
    let p = done.found.p_correct();
    neural::tell(&mut state, Neural::Done(Arc::new(done)));
    snapshots(&mut state, "drawn");
    let (value, from) = state.paper.levers.value(Lever::Correct, state.levers_here());
    assert_eq!((value, from), (p, ValueOrigin::Measured));
    assert!(page(&state).contains("p_correct of total"), "{}", page(&state));
    // Generating and verifying, each as measured, and their sum.
    let said = words(&page(&state));
    assert!(said.contains("T_gen(64) – – 80 ms"), "{said}");
    // 2 distinct programs were run for 42 µs each on 2 threads.
    assert!(said.contains("T_verify(64), 2 distinct – 42.0 µs 6.00 ms"), "{said}");
    assert!(said.contains("T_neural(64) – 86 ms 86 ms"), "{said}");
    assert!(said.contains("a search for total, to its evidence – – 120 ms"), "{said}");
    // One number of candidates does not determine others.
    assert!(said.contains("T_neural(23) – – – "), "{said}");
}

/// If drawing takes as long for one candidate as for 64, it does so for every other number.
#[test]
fn times_for_other_k_extrapolate_measurements() {
    let mut state = answered(neural::PROGRAM);
    type_keys(&mut state, "<alt-q>");
    let done = neural::compilation(&state);
    neural::tell(&mut state, Neural::Done(Arc::new(done)));
    let micros = std::time::Duration::from_micros;
    let time = |k| NeuralTime { k, distinct: 2, generate: micros(80_000), verify: micros(6_000) };
    neural::tell(&mut state, Growth(vec![time(1), time(8)]));
    let said = words(&page(&state));
    for k in ["1", "8", "64"] {
        assert!(said.contains(&format!("T_neural({k}) – 86 ms 86 ms")), "{said}");
    }
    assert!(said.contains("T_neural(23) – 86 ms –"), "{said}");
    assert!(said.contains("a line through what was measured for k = 1, 8, 64"), "{said}");
    // Algorithm 3 draws 100.
    assert!(said.contains("T_neural(100) – 86 ms –"), "{said}");
    type_keys(&mut state, "k<right><right><right><right><right>");
    let said = words(&page(&state));
    assert!(said.contains("T_gen(1,000) 100–200 ms 80 ms –"), "{said}");
    assert!(said.contains("T_neural(1,000) 150–700 ms 86 ms –"), "{said}");
}

#[test]
fn sliders_change_modelled_values() {
    let mut state = answered(neural::PROGRAM);
    type_keys(&mut state, "<alt-q>");
    let before = page(&state);
    type_keys(&mut state, "P<right><right>");
    assert_eq!(state.paper.chosen, Lever::Cores);
    let (cores, from) = state.paper.levers.value(Lever::Cores, state.levers_here());
    assert_eq!((cores, from), (10.0, ValueOrigin::Set), "from two threads by 5 to 10");
    assert_ne!(page(&state), before);
    type_keys(&mut state, "ka");
    let paper = page(&state);
    assert!(
        words(&paper).contains("k programs 1,000 paper") && words(&paper).contains("T a program 200 ms paper"),
        "{paper}"
    );
    // With the paper's k, P and T its own equation results.
    assert!(words(&paper).contains("k = 1,000, with tests – 200 ms –"), "{paper}");
    snapshots(&mut state, "as_the_paper");
    type_keys(&mut state, "T<left>p<right>");
    assert!(
        picture(&state).contains("p 0.500 · T 100 ms"),
        "the last line has the values: {}",
        picture(&state)
    );
    type_keys(&mut state, "h");
    assert_eq!(page(&state).replace('▶', " "), before.replace('▶', " "));
}

#[test]
fn contradictions_within_the_paper_are_shown() {
    let mut state = answered(neural::PROGRAM);
    type_keys(&mut state, "<alt-q>");
    let said = words(&page(&state));
    for sentence in myriad::paper::contradictions::disagreements("eq12") {
        assert!(said.contains(&format!("≠ {sentence}")), "{sentence}\n{said}");
    }
}

#[test]
fn program_with_errors_has_no_model() {
    let mut state = answered("fn f( {‸\n");
    type_keys(&mut state, "<alt-q>");
    assert!(picture(&state).contains(" Paper "), "{}", picture(&state));
    snapshots(&mut state, "broken");
}
