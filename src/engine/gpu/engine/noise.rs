//! Repetitions under noise: the base's tests on the machine that errs.

use std::ops::Range;

use crate::engine::gpu::kernel::Kernel;
use crate::engine::gpu::records::{Record, incomplete, records};
use crate::engine::gpu::runs::{Runs, Work};
use crate::engine::gpu::shaders;
use crate::lang::verdict::Outcome;
use crate::layout::{ExecuteParams, NOISE_WORDS};
use crate::stage::execute::{Noise, NoisyEnd, NoisyRun};
use crate::engine::gpu::slices::Slices;
use crate::engine::timings::StageTimes;
use crate::engine::{EngineError, Noisy};
use crate::layout::ExecuteParams;
use crate::program::Watch;
use crate::stage::execute::{Noise, NoisyRun};

use super::GpuEngine;

impl Noisy for GpuEngine {
    fn repeat(
        &mut self,
        noise: Noise,
        jobs: Range<u32>,
        watch: &dyn Watch,
    ) -> Result<Vec<NoisyRun>, EngineError> {
        let epoch = self.next_epoch();
        let count = jobs.len() as u32;
        Runs::need(&self.gpu, &mut self.runs.noise, u64::from(NoisyRun::WORDS * count))?;
        let Some(base) = &self.base else { return Ok(vec![NoisyRun::NOT_RUN; count as usize]) };
        if u64::from(jobs.end) > base.entries.len() as u64 * u64::from(noise.repetitions) {
            return Err(EngineError::Fault("the base has not so many tests".into()));
        }
        if count == 0 {
            return Ok(vec![]);
        }
        let machine: &Kernel = match &mut self.noise {
            Some(machine) => machine,
            none => none.insert(Kernel::new(&self.gpu, &shaders::NOISE)?),
        };
        let (gpu, runs) = (&self.gpu, &self.runs);
        let slots = count.min(runs.tuning.slots);
        let params = ExecuteParams {
            lanes: slots,
            slots,
            epoch,
            first: jobs.start,
            jobs: count,
            repetitions: noise.repetitions,
            seed: noise.seed,
            threshold: noise.threshold,
            ..runs.params(&base.arena)
        };
        let work = Work { machine, ..runs.tests(&base.arena, &runs.noise, params) };
        let parts = [(&runs.noise, 0, u64::from(NoisyRun::WORDS * count))];
        let (control, times) = (&runs.control, &mut StageTimes::default());
        let slices = Slices { gpu, control, pace: &mut self.pace, watch, clock: None, times };
        let read = slices.run(&parts, |recorder, turn| {
            if turn.first {
                runs.prepare_slots(gpu, slots);
                runs.clear(recorder);
            }
            runs.execute(recorder, &work, turn)
        })?;
        records(read.first().ok_or_else(incomplete)?, epoch)
    }
}

/// A repetition's record: see `shaders/execute/repetitions.wgsl`.
fn record(row: &[u32], epoch: u32) -> Result<NoisyRun, EngineError> {
    let (&[outcome, steps, address, faults, written], struck) = row.split_at(5) else {
        return Err(EngineError::Fault("results are incomplete".into()));
    };
    if written != epoch {
        return Err(EngineError::Fault("a record of another batch".into()));
    }
    let end = match Outcome::from_u32(outcome) {
        _ if outcome == crate::lang::NONE => NoisyEnd::NotRun,
        Some(Outcome::Pass) => NoisyEnd::Held,
        Some(Outcome::Fail) => NoisyEnd::Wrong,
        Some(Outcome::Trap(trap)) => NoisyEnd::Trapped(trap),
        None => return Err(EngineError::Fault("no such outcome".into())),
    };
    let struck = struck.try_into().map_err(|_| EngineError::Fault("results are incomplete".into()))?;
    Ok(NoisyRun { end, steps, address, faults, struck })
}
