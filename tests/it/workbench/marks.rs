//! Every mark on screen is explained in the help.

use std::collections::BTreeSet;

use myriad::workbench::marks;
use myriad::workbench::panels::Panel;
use myriad::workbench::state::State;

use super::engine::{answer, answered};
use super::harness::{picture, picture_at, state, type_keys, words};

/// Symbols that need no explanation: rules, bars, arrows, units, and placeholders of line endings.
const PLAIN: &str = "│→·–×…µ▁▂▃▄▅▆▇█␊";

/// A program with everything that can be marked: tests that pass, fail and trap, survivors, a warning.
const PROGRAM: &str = "\
fn gcd(a: int, b: int) -> int {
    while ‸b != 0 {
        let t = a % b;
        a = b;
        b = t;
    }
    return a;
}

fn spare(n: int) -> int {
    let unused = n;
    return n + n + n + n + n + n;
}

test gcd(12, 18) == 6;
test \"wrong on purpose\": gcd(35, 64) == 2 - 3;
test 1 / gcd(0, 0) == 1;
";

/// Returns the symbols on screen that are neither ASCII nor from the program's text.
fn symbols(state: &State) -> BTreeSet<char> {
    let text = state.document.buffer.text();
    picture(state).chars().filter(|c| !c.is_ascii() && !text.contains(*c)).collect()
}

#[test]
fn every_mark_on_screen_is_in_the_table() {
    let explained: String =
        marks::TABLE.iter().flat_map(|(_, marks)| *marks).map(|mark| mark.shown()).collect();
    let mut seen = BTreeSet::new();
    let mut look = |state: &mut State| {
        // The last size is so high that every mutant is visible.
        for (width, height) in [(40, 16), (80, 24), (160, 50), (120, 400)] {
            picture_at(state, width, height);
            for panel in Panel::all().filter(|panel| panel.is_list() || *panel == Panel::EDITOR) {
                state.focus_on(panel);
                seen.extend(symbols(state));
            }
        }
    };
    let mut fresh = answered(PROGRAM);
    look(&mut fresh);
    // Not answered yet; answered and broken; an empty text.
    type_keys(&mut fresh, "<alt-1><end><backspace>");
    look(&mut fresh);
    answer(&mut fresh);
    look(&mut fresh);
    look(&mut state("‸"));
    let unexplained: Vec<_> =
        seen.iter().filter(|c| !explained.contains(**c) && !PLAIN.contains(**c)).collect();
    assert!(unexplained.is_empty(), "{unexplained:?} are in no legend");
    for mark in ["✗", "✓", "◷", "∅", "▶", "⚠", "◂", "●"] {
        assert!(seen.iter().any(|c| mark.contains(*c)), "{mark} is nowhere: {seen:?}");
    }
}

#[test]
fn the_help_explains_every_mark() {
    for (width, height) in [(40, 16), (80, 24), (160, 50)] {
        let mut state = answered(PROGRAM);
        picture_at(&mut state, width, height);
        type_keys(&mut state, "<f1>mark");
        // Everything that can be scrolled to with keys.
        let mut said = String::new();
        for _ in 0..200 {
            said.push_str(&picture(&state));
            type_keys(&mut state, "<down>");
        }
        let lines: Vec<String> = said.lines().map(words).collect();
        for (title, marks) in marks::TABLE {
            assert!(
                lines.iter().any(|line| words(title).starts_with(line.as_str()) && !line.is_empty()),
                "{title}"
            );
            for mark in *marks {
                // Lines are wrapped anywhere, so only the first words are compared.
                let start: Vec<&str> = mark.means.split(' ').take(3).collect();
                let shown = words(&mark.shown());
                let found = lines.iter().any(|line| line.starts_with(&shown))
                    && lines.iter().any(|line| line.contains(&start.join(" ")));
                assert!(found, "{mark:?} at {width}×{height}\n{said}");
            }
        }
    }
}

#[test]
fn a_mark_that_is_chosen_in_the_help_changes_nothing() {
    let mut state = answered(PROGRAM);
    let before = state.document.buffer.text().clone();
    type_keys(&mut state, "<f1>equivalent<enter>");
    let screen = picture(&state);
    assert!(screen.contains("= equivalent") && screen.contains("esc leaves"), "{screen}");
    assert_eq!(state.document.buffer.text(), &before);
    // Keys and marks are found by the same words.
    type_keys(&mut state, "<esc><f1>mutants");
    let screen = picture_at(&mut state, 160, 100);
    assert!(
        screen.contains("Test your tests: in the Mutants panel") && screen.contains("Marks of mutants"),
        "{screen}"
    );
}
