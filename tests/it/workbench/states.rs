//! Every panel in each of its states at two sizes, with a picture file for each panel.

use std::fmt::Write;

use myriad::workbench::event::Event;
use myriad::workbench::panels::Panel;
use myriad::workbench::state::State;

use super::engine::{answer, answered};
use super::harness::{picture_at, state, type_keys};
use super::{blocks, ladder, matrix, mutant, prose, repairs, rounds, run};

pub(super) const SIZES: [(u16, u16); 2] = [(80, 24), (160, 50)];

/// All tests pass, some mutants survive, and lists are longer than any panel.
const LONG: &str = "\
// Where a value is in a list, and what is around it.
fn find(xs: [int; 8], wanted: int) -> int {
    for i in 0..len(xs) {
        if xs[i] == wanted { return i; }
    }
    return -1;
}
fn clamp(n: int, low: int, high: int) -> int {
    if n < low { return low; }
    if n > high { return high; }
    return n;
}
fn around(xs: [int; 8], wanted: int) -> int {
    let at = find(xs, wanted);
    let before = clamp(at - 1, 0, len(xs) - 1);
    let behind = clamp(at + 1, 0, len(xs) - 1);
    return xs[before] * 100 + xs[behind];
}
test find([4, 5, 6], 5) == 1;
test \"not there\": find([4, 5, 6], 7) == -1;
test \"in the midd‸le of a list that has a neighbour on each side of it\": around([4, 5, 6], 5) == 406;
test around([4, 5, 6], 4) == 405;
prop \"what is found is there\": xs in [0..9; 4], n in 0..9 => find(xs, n) < 0 || xs[find(xs, n)] == n;
";

/// One passes, one fails, one traps, one fails on some inputs.
const FAILING: &str = "\
fn larger(a: int, b: int) -> int {
    if a < b { return a; }
    return b;
}
test larger(3, 2) == 3;
test \"the larger on‸e\": larger(2, 5) == 5;
test 1 / larger(0, 4) == 0;
test larger(4, 4) == 4;
prop \"no less than either\": a in 0..9, b in 0..9 => larger(a, b) >= a && larger(a, b) >= b;
";

/// A state, and how it is set up for a panel.
pub(super) type Case = (&'static str, fn(Panel) -> State);

pub(super) const CASES: [Case; 8] = [
    ("no text", |panel| at(answered("‸"), panel)),
    ("no answer yet", |panel| at(state(LONG), panel)),
    ("never compiled", |panel| at(answered("fn larger(a: int, ‸b int) -> int {\n    return a;\n}\n"), panel)),
    ("nothing found yet", |panel| at(answered(LONG), panel)),
    ("all found", told),
    ("at the end of a list", |panel| {
        let mut state = told(panel);
        type_keys(&mut state, "<end>");
        state
    }),
    ("tests fail", failing),
    ("broken since", |panel| {
        let mut state = told(panel);
        type_keys(&mut state, "<alt-1><ctrl-home>{");
        answer(&mut state);
        state.apply(Event::EngineStopped("the engine has stopped: a thread panicked".to_string()));
        at(state, panel)
    }),
];

/// Returns a state in which a panel has all its content, with failing tests.
pub(super) fn failing(panel: Panel) -> State {
    let mut state = at(answered(FAILING), panel);
    find(&mut state, panel);
    state
}

/// Returns a state with a panel on screen and in focus.
fn at(mut state: State, panel: Panel) -> State {
    type_keys(&mut state, &format!("<alt-1><{}>", panel.row().keys[0]));
    state
}

/// Returns a state in which a panel has all its content.
fn told(panel: Panel) -> State {
    let mut state = match panel {
        Panel::ENERGY
        | Panel::LATENCY
        | Panel::LESSON
        | Panel::NEURAL
        | Panel::NOISE
        | Panel::PAPER
        | Panel::ROUTER => {
            let mut state = prose::told(panel);
            type_keys(&mut state, "<f7>");
            state
        }
        Panel::ROUNDS => at(answered(rounds::PROGRAM), panel),
        _ => at(answered(LONG), panel),
    };
    find(&mut state, panel);
    state
}

/// Runs the job that a panel shows, if it is not done in `prose`.
fn find(state: &mut State, panel: Panel) {
    match panel {
        Panel::MUTANTS | Panel::MUTANT => mutant::examine(state, true),
        Panel::MATRIX => matrix::fill(state),
        Panel::REPAIRS | Panel::TESTS if state.results.entries().iter().any(|entry| entry.outcome.fails()) => {
            repairs::search(state);
        }
        Panel::LADDER => ladder::climb(state),
        Panel::CFG => blocks::profile(state),
        Panel::RUN => run::recorded(state),
        Panel::ROUNDS => {
            rounds::tell(state);
        }
        _ => {}
    }
}

/// Returns a panel's own part of the screen with its tabs on top, without empty lines at the end.
fn own(state: &mut State, panel: Panel, (width, height): (u16, u16)) -> String {
    let screen = picture_at(state, width, height);
    let layout = state.layout();
    let Some(slot) = layout.slot(panel) else { return "it does not show\n".to_string() };
    let (left, columns) = (usize::from(slot.content.x), usize::from(slot.content.width));
    let (top, rows) = (usize::from(slot.tabs.y), usize::from(slot.tabs.height + slot.content.height));
    let lines = screen.lines().skip(top).take(rows);
    let cut = |line: &str| line.chars().skip(left).take(columns).collect::<String>().trim_end().to_string();
    let own: Vec<String> = lines.map(cut).collect();
    format!("{}\n", own.join("\n").trim_end())
}

#[test]
fn panels_match_their_snapshots_in_each_state() {
    for panel in Panel::all() {
        let mut pictures = String::new();
        let mut before = vec![(String::new(), ""); SIZES.len()];
        for (name, make) in CASES {
            let mut state = make(panel);
            for ((width, height), (same, of)) in SIZES.into_iter().zip(&mut before) {
                let own = own(&mut state, panel, (width, height));
                let _ = write!(pictures, "──── {name}, {width}×{height}");
                let _ = match own == *same {
                    true => writeln!(pictures, ": as with {of}"),
                    false => write!(pictures, "\n{own}"),
                };
                if own != *same {
                    (*same, *of) = (own, name);
                }
            }
        }
        insta::assert_snapshot!(format!("states_{}", panel.title().to_lowercase()), pictures);
    }
}
