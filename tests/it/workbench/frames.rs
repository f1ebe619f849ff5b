//! The time for a frame: a key is applied and the screen is drawn. It must stay below 16 ms, however many mutants there are.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use myriad::compiler::variants::Variants;
use myriad::engine::{MutantResult, Timings};
use myriad::lang::index::{Index, MutantId};
use myriad::lang::verdict::{MutantStatus, Verdict};
use myriad::session::Update;
use myriad::workbench::event::Event;
use myriad::workbench::highlight::Highlighter;
use myriad::workbench::paint::draw;
use myriad::workbench::panels::Panel;
use myriad::workbench::state::State;
use myriad::workbench::theme::{Depth, Theme};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::engine::answer_base;
use super::harness::{keys, state, type_keys};
use crate::common::repository::samples;

/// The limit for a frame of an optimized program.
const FRAME: Duration = Duration::from_millis(16);
/// How many times slower an unoptimized program on a busy machine may be.
const SLOWER: u32 = 8;
/// The size of the screen.
const SIZE: (u16, u16) = (160, 50);
/// The numbers of mutants.
const FEW: u32 = 1_000;
const MANY: u32 = 100_000;

/// Gives a verdict to each of the first mutants of the text on screen, as an engine does part by part.
fn judge(state: &mut State, wanted: u32) -> u32 {
    let shown = state.shown().expect("an answer").clone();
    let variants = Variants::new(shown.compiled.clone());
    let (total, first_order) = (variants.all().min(wanted), variants.first_order());
    let status =
        [MutantStatus::Killed, MutantStatus::Survived, MutantStatus::Equivalent, MutantStatus::Timeout];
    let verdicts = (0..total).map(|id| Verdict::of(status[id as usize % status.len()])).collect();
    let part = MutantResult { first: MutantId::FIRST, verdicts, reused: 0, timings: Timings::default() };
    let update = Update::Mutants { revision: shown.revision, total, first_order, part };
    state.apply(Event::Engine { update: update.into(), since: Duration::from_millis(20) });
    total
}

/// Measures frames of every panel: after its key, and after keys in it.
fn frames(state: &mut State, times: &mut Vec<(Duration, Panel)>) {
    let (mut highlighter, mut screen) =
        (Highlighter::default(), Buffer::empty(Rect::new(0, 0, SIZE.0, SIZE.1)));
    for panel in Panel::all() {
        type_keys(state, "<alt-1>");
        for key in keys(&format!("<{}><down><down><end><home>", panel.row().keys[0])) {
            let start = Instant::now();
            state.apply(Event::Key(key));
            screen.reset();
            draw(state, &Theme::new(Depth::True), &mut highlighter, &mut screen);
            times.push((start.elapsed(), panel));
        }
    }
}

/// Returns a part of the sorted times: 0.5 for the median.
fn part(times: &[(Duration, Panel)], of: f64) -> Duration {
    times[((times.len() - 1) as f64 * of) as usize].0
}

#[test]
fn frame_of_any_panel_takes_16_ms_with_any_number_of_mutants() {
    let mut medians = Vec::new();
    for wanted in [FEW, MANY] {
        let (mut times, mut most) = (Vec::new(), 0);
        for path in samples().iter().filter(|path| path.extension().is_some_and(|kind| kind == "myr")) {
            let text = std::fs::read_to_string(path).expect("a sample");
            let mut state = state(&format!("‸{text}"));
            state.apply(Event::Resize(SIZE.0, SIZE.1));
            answer_base(&mut state);
            if state.shown().is_some_and(|shown| shown.is_lowered()) {
                most = judge(&mut state, wanted).max(most);
            }
            frames(&mut state, &mut times);
        }
        let mut slow: BTreeMap<&str, Duration> = BTreeMap::new();
        for (time, panel) in times.iter().filter(|(time, _)| *time > FRAME * SLOWER) {
            let longest = slow.entry(panel.title()).or_default();
            *longest = (*longest).max(*time);
        }
        times.sort_by_key(|(time, _)| *time);
        let (median, most_times) = (part(&times, 0.5), part(&times, 0.99));
        println!(
            "{} frames at {}×{}, up to {most} mutants: median {median:.1?}, 99 % within {most_times:.1?}; longer: {slow:.1?}",
            times.len(),
            SIZE.0,
            SIZE.1
        );
        assert!(median <= FRAME * (SLOWER / 2), "median {median:?}");
        assert!(most_times <= FRAME * SLOWER, "99 % within {most_times:?}");
        medians.push(median);
    }
    assert!(
        medians[1] <= 3 * medians[0].max(Duration::from_millis(1)),
        "frames depend on the mutants: {medians:?}"
    );
}
