//! CFG: the blocks of the function under the cursor.

use std::sync::Arc;

use myriad::lang::level::OptLevel;
use myriad::session::{BlockProfile, Graph};
use myriad::workbench::panels::{Panel, text_lines};
use myriad::workbench::state::State;

use super::engine::{answered, answered_at, found};
use super::harness::{marked, picture, picture_at, type_keys, words};

const PROGRAM: &str = "\
fn id(x: int) -> int { return x; }
fn odd(n: int) -> int {
    let sum = 0;
    for i in 0..n {
        if i & 1 == 1 { ‸sum += i; }
    }
    return sum + 0 * n;
}
test odd(7) == 9;
test id(1) == 1;
";

/// Reports the graph of the program on screen with counts: block b is executed 10 b times by the first test.
pub(super) fn profile(state: &mut State) {
    let graph = Graph::of(&state.shown().expect("a program").compiled);
    let counts = (0..graph.facts.len() as u64).map(|block| 10 * block).collect();
    found(state, None, BlockProfile { graph: Arc::new(graph), counts: vec![counts] });
}

#[test]
fn cfg_panel_shows_the_blocks_of_the_function_under_the_cursor() {
    for level in OptLevel::FIXED {
        let mut state = answered_at(PROGRAM, level);
        type_keys(&mut state, "<alt-c>");
        profile(&mut state);
        let screen = picture_at(&mut state, 160, 50);
        // A rotated loop draws its numbers in several blocks.
        let range = if level == OptLevel::Whole { "" } else { "i in 0..=" };
        for part in ["fn odd", " loop", "↺ b", "begins with", "returns", range] {
            assert!(screen.contains(part), "level {level:?}, {part}:\n{screen}");
        }
    }
    let mut state = answered(PROGRAM);
    type_keys(&mut state, "<alt-c>");
    profile(&mut state);
    for (width, height) in [(80, 24), (160, 50)] {
        insta::assert_snapshot!(format!("cfg_{width}x{height}"), picture_at(&mut state, width, height));
    }
    // The block under the cursor was chosen. Its place is in the source.
    type_keys(&mut state, "<end><enter>");
    assert_eq!(state.screen.focus, Panel::EDITOR);
    assert!(marked(&state).contains("return ‸sum"), "{}", marked(&state));
    type_keys(&mut state, "<ctrl-home>");
    assert!(words(&picture_at(&mut state, 160, 50)).contains("CFG fn id"), "it follows the cursor");
    // So do the counts: the first test does not run this function.
    let graph = Graph::of(&state.shown().expect("a program").compiled);
    let own =
        |entry: usize| (0..graph.facts.len()).map(|block| u64::from((block == 0) == (entry == 1))).collect();
    let counts = vec![own(0), own(1)];
    found(&mut state, None, BlockProfile { graph: Arc::new(graph), counts });
    assert!(picture(&state).contains("counts of id(1) == 1"), "{}", picture(&state));
    // Calls names tests as the Tests panel does.
    let calls = text_lines(&state, Panel::CALLS);
    assert!(calls.iter().any(|row| row.starts_with("test id(1) == 1 ")), "{calls:?}");
}
