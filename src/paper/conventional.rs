//! Measures the conventional loop: programs processed one after the other. `myriad model` and the session's idle
//! measurement share this code, so that its time and energy mean the same everywhere.

use std::time::{Duration, Instant};

use super::measured::Loop;
use crate::compiler::program::Watch;
use crate::engine::conventional::{Conventional, ConventionalTerms};
use crate::engine::{Engine, EngineError};
use crate::host::measure::energy::{Energy, Meter};
use crate::host::measure::stat::Stat;
use crate::lang::index::MutantId;

/// The measured iterations of the loop.
#[derive(Clone, Debug, Default)]
pub struct LoopRuns {
    /// The terms of each program, and its elapsed time.
    pub terms: Vec<(ConventionalTerms, Duration)>,
    /// The elapsed time of all programs.
    pub whole: Duration,
    /// Whether the texts were copied to a device and back; otherwise, they were copied in host memory.
    pub crosses: bool,
}

impl LoopRuns {
    /// Returns the figures of the loop, or `None` if it has no iterations. `energy` is that of all iterations.
    pub fn figures(self, energy: Energy) -> Option<Loop> {
        let ms = |time: Duration| time.as_secs_f64() * 1e3;
        let of = |pick: &dyn Fn(&(ConventionalTerms, Duration)) -> Duration| {
            Stat::of(self.terms.iter().map(|lap| ms(pick(lap))).collect())
        };
        Some(Loop {
            generate: of(&|(terms, _)| terms.generate)?,
            transfer: of(&|(terms, _)| terms.transfers)?.times(0.5),
            compile: of(&|(terms, _)| terms.compile)?,
            execute: of(&|(terms, _)| terms.execute)?,
            total: of(&|(_, clock)| *clock)?,
            programs: self.terms.len() as u32,
            whole: ms(self.whole),
            energy,
            crosses: self.crosses,
        })
    }
}

/// Sends mutants through the loop on one thread until `patience` has elapsed. Texts are copied to the device of
/// `engine` and back, if it has one. Returns `None` if no mutant was processed.
///
/// # Errors
/// If the engine fails, or the work is cancelled.
pub fn measure(
    conventional: &mut Conventional,
    ids: impl Iterator<Item = MutantId>,
    engine: &mut dyn Engine,
    meter: &Meter,
    patience: Duration,
    watch: &dyn Watch,
) -> Result<Option<Loop>, EngineError> {
    let mut laps = LoopRuns::default();
    let running = meter.start_one_core();
    let started = Instant::now();
    for id in ids {
        let from = Instant::now();
        let iteration = conventional.iterate(id, watch);
        if watch.cancelled() {
            return Err(EngineError::Cancelled);
        }
        let Some(iteration) = iteration else { break };
        let mut terms = iteration.terms;
        if let Some(time) = engine.transfer(conventional.received())? {
            terms.transfers = time;
            laps.crosses = true;
        }
        laps.terms.push((terms, from.elapsed()));
        if started.elapsed() > patience {
            break;
        }
    }
    laps.whole = started.elapsed();
    Ok(laps.figures(running.stop()))
}
