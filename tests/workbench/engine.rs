//! A state with real results: the CPU engine's, with times that do not vary.

use std::sync::Arc;
use std::time::Duration;

use myriad::energy::Energy;
use myriad::engine::conventional::Terms;
use myriad::engine::cpu::CpuEngine;
use myriad::engine::session::{Baseline, Update};
use myriad::engine::{Engine, Kind, Stage, Timings};
use myriad::variants::Variants;
use myriad::workbench::event::Event;
use myriad::workbench::facts;
use myriad::workbench::state::State;

use super::harness::state;

/// Mutants judged for a picture.
const BUDGET: u32 = 200;

/// Times that are the same everywhere.
fn fixed(timings: &Timings) -> Timings {
    let mut fixed = Timings { programs: timings.programs, ..Timings::default() };
    for stage in Stage::ALL {
        fixed.stages[stage as usize] =
            Duration::from_micros(10 * (1 + stage as u64) * u64::from(timings.programs));
    }
    fixed.wall = Duration::from_micros(300 * u64::from(timings.programs));
    fixed
}

/// Answers the text on screen as the engine thread would.
pub fn answer(state: &mut State) {
    let (revision, text) = (state.revision, state.buffer.text().clone());
    let mut engine = CpuEngine::with_threads(1);
    let mut base = engine.base(&text).expect("the CPU engine does not fail");
    base.timings = fixed(&base.timings);
    let (compiled, entries) = (base.compiled.clone(), base.entries.clone());
    let tell = |state: &mut State, update, since| {
        state.apply(Event::Engine { update, since: Duration::from_millis(since) });
    };
    let (description, reason) = ("CPU engine, 2 threads".to_string(), "no GPU found".to_string());
    let meter = "no RAPL: not in this test".to_string();
    tell(state, Update::Engine { kind: Kind::Cpu, description, reason, meter }, 0);
    tell(state, Update::Base { revision, result: base }, 2);
    let details = facts::details(&compiled, &entries);
    state.apply(Event::Details { revision, details });
    let variants = Variants::new(Arc::clone(&compiled));
    let first_order = variants.first_order();
    let total = first_order.min(BUDGET);
    if total > 0 {
        let mut parts = Vec::new();
        engine
            .mutants(0, total, &|| false, &mut |part| parts.push(part))
            .expect("the CPU engine does not fail");
        for mut part in parts {
            part.timings = fixed(&part.timings);
            tell(state, Update::Mutants { revision, total, first_order, part }, 20);
        }
    }
    let energy = Energy::estimate(65.0, Duration::from_millis(40));
    tell(state, Update::Done { revision, wall: Duration::from_millis(40), energy }, 42);
    let micros = Duration::from_micros;
    let terms = Terms { generate: micros(2), transfers: micros(1), compile: micros(140), execute: micros(900) };
    let energy = Energy::estimate(65.0, terms.total());
    tell(state, Update::Baseline { revision, baseline: Baseline { terms, energy, programs: 64 } }, 50);
}

/// A state with a text, marked as for [`state`], and its results.
pub fn answered(marked: &str) -> State {
    let mut state = state(marked);
    answer(&mut state);
    state
}
