//! The conventional loop, measured: programs through it one after the other. `myriad model` and the session's idle measurement both
//! take it from here, so that its time and its energy mean the same everywhere.

use std::time::{Duration, Instant};

use super::measured::Loop;
use crate::compiler::program::Watch;
use crate::engine::conventional::{Conventional, Terms};
use crate::engine::{Engine, EngineError};
use crate::host::measure::energy::{Energy, Meter};
use crate::host::measure::stat::Stat;

/// What went through the loop.
#[derive(Clone, Debug, Default)]
pub struct Laps {
    /// The terms of each program, and what it took by the clock.
    pub terms: Vec<(Terms, Duration)>,
    /// The wall time of all of them.
    pub whole: Duration,
    /// Whether the texts were copied to a device and back; else they were copied in the host's memory.
    pub crosses: bool,
}

impl Laps {
    /// The figures of the loop. `energy` is that of all the laps. `None` of no laps.
    pub fn figures(self, energy: Energy) -> Option<Loop> {
        let ms = |time: Duration| time.as_secs_f64() * 1e3;
        let of = |pick: &dyn Fn(&(Terms, Duration)) -> Duration| {
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

/// Sends mutants through the loop on one thread until `patience` is over. Texts cross to the device of `engine` and back if it has one.
/// `None` if no mutant went through.
///
/// # Errors
/// Those of the engine; being cancelled is one.
pub fn measure(
    conventional: &mut Conventional,
    ids: impl Iterator<Item = u32>,
    engine: &mut dyn Engine,
    meter: &Meter,
    patience: Duration,
    watch: &dyn Watch,
) -> Result<Option<Loop>, EngineError> {
    let mut laps = Laps::default();
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
