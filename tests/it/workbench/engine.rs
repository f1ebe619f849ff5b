//! A state with real results of the CPU engine, and fixed times.

use std::sync::Arc;
use std::time::{Duration, Instant};

use myriad::compiler::stage::Stage;
use myriad::compiler::variants::Variants;
use myriad::engine::conventional::ConventionalTerms;
use myriad::engine::cpu::CpuEngine;
use myriad::engine::{Clock, Engine, EngineSettings, Kind, Timings, Transfer};
use myriad::host::measure::energy::Energy;
use myriad::lang::index::{Indices, RoutineId};
use myriad::lang::level::OptLevel;
use myriad::paper::conventional::LoopRuns;
use myriad::paper::measured::Loop;
use myriad::session::job::JobResult;
use myriad::session::{Baseline, Device, EngineInfo, Finding, Found, Shaders, Update};
use myriad::workbench::event::{Effect, Event};
use myriad::workbench::facts;
use myriad::workbench::results::TextOrigin;
use myriad::workbench::state::State;

use super::harness::state;

/// Number of mutants judged for a picture.
const BUDGET: u32 = 200;

/// Fixed times, as of two threads.
fn fixed(timings: &Timings) -> Timings {
    let mut fixed = Timings { programs: timings.programs, threads: 2, ..Timings::default() };
    let micros = |each: u64| Duration::from_micros(each * u64::from(timings.programs));
    for stage in Stage::ALL {
        fixed.stages[stage as usize] = micros(10 * (1 + stage as u64));
        fixed.parts[stage as usize] = micros(6 * (1 + stage as u64));
    }
    fixed.wall = micros(300);
    fixed
}

/// Reports a device, or why none was found, to the workbench.
pub fn device(state: &mut State, device: Device) {
    let (description, reason) =
        ("CPU engine, 2 threads".to_string(), "no GPU found, only software adapters".to_string());
    let update = Update::Engine {
        kind: Kind::Cpu,
        description,
        reason,
        meter: String::new(),
        device,
        preparing: String::new(),
    };
    state.apply(Event::Engine { update: update.into(), since: Duration::ZERO });
}

/// A software adapter with an engine on it.
pub fn software() -> Device {
    let (name, reason) = (ADAPTER.to_string(), "no GPU found, only software adapters".to_string());
    let seat = EngineInfo { description: format!("{ADAPTER} (vulkan)"), power_source: Kind::Cpu };
    Device::Ready(Found { name, preferred: false, reason }, seat)
}

/// Name of the software adapter.
pub const ADAPTER: &str = "llvmpipe (LLVM 15.0.6, 256 bits)";

/// The shaders' results on the text on screen, with fixed times.
pub fn shaders(state: &State) -> Shaders {
    let micros = Duration::from_micros;
    let mut timings = fixed(&state.shown().expect("a program").timings);
    timings.parts = timings.parts.map(|part| 40 * part);
    timings.stages = timings.parts;
    (timings.wall, timings.threads, timings.clock) = (micros(21_000), 1, Clock::Timestamps);
    timings.transfer = Transfer::Measured { time: micros(310), software: true };
    let energy = Energy::estimate(65.0, timings.wall);
    let all = Energy::estimate(65.0, 12 * timings.wall);
    let (adapter, since) = (format!("{ADAPTER} (vulkan)"), micros(29_000));
    Shaders { adapter, timings: Some(timings), since, difference: None, energy, all }
}

/// An engine with the workbench's setting: it runs texts with errors.
pub fn engine() -> CpuEngine {
    let mut engine = CpuEngine::with_threads(1);
    engine.configure(EngineSettings { holes: true, ..engine.settings() });
    engine
}

/// Answers the text on screen like the engine thread, with few mutants.
pub fn answer(state: &mut State) {
    answer_with(state, |first_order, _| first_order.min(BUDGET));
}

/// Likewise, up to the last verdicts: those without what is proved of survivors, and without the end of the batch.
pub fn answer_with_verdicts(state: &mut State) {
    answer_before_end(state, |first_order, _| first_order.min(BUDGET));
}

/// Likewise, with a number of mutants that depends on those of first order and on all.
pub fn answer_with(state: &mut State, wanted: impl Fn(u32, u32) -> u32) {
    answer_before_end(state, wanted);
    end(state);
}

fn answer_before_end(state: &mut State, wanted: impl Fn(u32, u32) -> u32) {
    let (revision, text) = (state.document.revision, state.document.program());
    let mut engine = engine();
    let mut base = engine.base(&text, &|| false).expect("the CPU engine does not fail");
    base.timings = fixed(&base.timings);
    let (compiled, entries) = (base.compiled.clone(), base.entries.clone());
    let tell = |state: &mut State, update: Update, since: u64| {
        state.apply(Event::Engine { update: update.into(), since: Duration::from_millis(since) });
    };
    let (description, reason) = ("CPU engine, 2 threads".to_string(), "no GPU found".to_string());
    let meter = "no RAPL: not in this test".to_string();
    let device = Device::Failed("no adapter: none in this test".to_string());
    tell(
        state,
        Update::Engine { kind: Kind::Cpu, description, reason, meter, device, preparing: String::new() },
        0,
    );
    tell(state, Update::Base { revision, at: Instant::now(), result: base }, 2);
    let details = facts::details(&compiled, &entries);
    state.apply(Event::Details { revision, details });
    let variants = Variants::new(Arc::clone(&compiled));
    let first_order = variants.first_order();
    let total = wanted(first_order, variants.all());
    if total > 0 {
        let mut parts = Vec::new();
        engine
            .mutants(Indices::first(total), &|| false, &mut |part| parts.push(part))
            .expect("the CPU engine does not fail");
        for mut part in parts {
            part.timings = fixed(&part.timings);
            tell(state, Update::Mutants { revision, total, first_order, part }, 20);
        }
    }
}

/// Ends the batch of the text on screen.
pub fn end(state: &mut State) {
    let (revision, wall) = (state.document.revision, Duration::from_millis(40));
    let energy = Energy::estimate(65.0, wall);
    let update = Update::Done { revision, at: Instant::now(), wall, energy };
    state.apply(Event::Engine { update: update.into(), since: Duration::from_millis(42) });
    let micros = Duration::from_micros;
    let terms = ConventionalTerms {
        generate: micros(2),
        transfers: micros(1),
        compile: micros(140),
        execute: micros(900),
    };
    found(state, None, Baseline(looped(terms)));
}

/// 64 programs through the conventional loop on one of two cores, each with these terms.
pub fn looped(terms: ConventionalTerms) -> Loop {
    let each = terms.generate + terms.transfers + terms.compile + terms.execute;
    let laps = LoopRuns { terms: vec![(terms, each); 64], whole: 64 * each, crosses: false };
    let energy = Energy::estimate(32.5, laps.whole);
    laps.figures(energy).expect("there are laps")
}

/// Answers the text on screen with the base only; returns the resulting effects.
pub fn answer_base(state: &mut State) -> Vec<Effect> {
    let (revision, text) = (state.document.revision, state.document.program());
    let mut engine = engine();
    let mut result = engine.base(&text, &|| false).expect("the CPU engine does not fail");
    result.timings = fixed(&result.timings);
    let update = Update::Base { revision, at: Instant::now(), result };
    state.apply(Event::Engine { update: update.into(), since: Duration::from_millis(2) })
}

/// Sends the result of an idle job on the text on screen; returns the resulting effects.
pub fn found(state: &mut State, function: Option<RoutineId>, what: impl JobResult) -> Vec<Effect> {
    let update = Update::Found(Finding::new(state.document.revision, function, what));
    state.apply(Event::Engine { update: update.into(), since: Duration::ZERO })
}

/// Returns a state with a text, marked as for [`state`], and its results, as if a key had produced the text.
pub fn answered(marked: &str) -> State {
    let mut state = state(marked);
    state.results.expect(state.document.revision, TextOrigin::Typed);
    answer(&mut state);
    state
}

/// Returns a state with results at an optimization level, without mutants.
pub fn answered_at(marked: &str, level: OptLevel) -> State {
    let mut state = state(marked);
    state.engine.level = level.into();
    let (revision, text) = (state.document.revision, state.document.program());
    state.results.expect(revision, TextOrigin::Typed);
    let mut engine = engine();
    engine.configure(EngineSettings { level, ..engine.settings() });
    let mut result = engine.base(&text, &|| false).expect("the CPU engine does not fail");
    result.timings = fixed(&result.timings);
    let update = Update::Base { revision, at: Instant::now(), result };
    state.apply(Event::Engine { update: update.into(), since: Duration::from_millis(2) });
    state
}
