//! The paper's conventional loop, measured on some of the mutants.

use std::time::{Duration, Instant};

use super::idle::{Step, Task};
use crate::engine::conventional::{Conventional, Terms};
use crate::engine::{Engine, EngineError, Kind};
use crate::measure::energy::Energy;
use crate::program::Watch;

/// Mutants taken, spread over all that were judged, and how long they may take together.
const SAMPLE: u32 = 64;
const TIME: Duration = Duration::from_millis(120);

/// What the conventional loop takes for one program, on average.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Baseline {
    pub terms: Terms,
    /// Of the processor; transfers are its time, too.
    pub energy: Energy,
    /// Programs that were measured.
    pub programs: u32,
}

/// Measures it on some of the mutants that were judged, copying to the device of `engine` and back; tells a [`Baseline`] unless
/// nothing was done.
pub fn measure(task: &Task, engine: &mut dyn Engine) -> Result<Step, EngineError> {
    let (base, count) = (&task.judged.base, task.judged.verdicts.len() as u32);
    let mut conventional = Conventional::new(base.compiled.clone(), &base.entries);
    let started = Instant::now();
    let running = task.board.meter.start(Kind::Cpu);
    let mut sum = Terms::default();
    let mut programs = 0;
    for id in (0..count).step_by(count.div_ceil(SAMPLE).max(1) as usize) {
        let iteration = conventional.iterate(id, task);
        if task.cancelled() {
            return Err(EngineError::Cancelled);
        }
        let Some(iteration) = iteration else { break };
        let terms = iteration.terms;
        sum.generate += terms.generate;
        sum.compile += terms.compile;
        sum.execute += terms.execute;
        sum.transfers += engine.transfer(conventional.received())?.unwrap_or(terms.transfers);
        programs += 1;
        if started.elapsed() > TIME {
            break;
        }
    }
    let energy = running.stop();
    let each = |time: Duration| time / programs.max(1);
    let terms = Terms {
        generate: each(sum.generate),
        transfers: each(sum.transfers),
        compile: each(sum.compile),
        execute: each(sum.execute),
    };
    let energy = energy.share(1.0 / f64::from(programs.max(1)));
    if programs > 0 {
        task.found(Baseline { terms, energy, programs });
    }
    Ok(Step::Done)
}
