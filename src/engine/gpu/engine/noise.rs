//! Repetitions under noise: the base's tests on the machine that errs.

use std::ops::Range;
use std::time::Instant;

use super::{GpuEngine, SLICES, TARGET, Times};
use crate::engine::EngineError;
use crate::engine::gpu::kernels::Kernel;
use crate::engine::gpu::recorder::Recorder;
use crate::engine::gpu::runs::{Progress, Runs, Work};
use crate::engine::gpu::shaders;
use crate::lang::verdict::Outcome;
use crate::layout::{ExecuteParams, NOISE_WORDS};
use crate::stage::execute::{Noise, NoisyEnd, NoisyRun};

impl GpuEngine {
    /// Runs the jobs of one batch: see [`crate::engine::Engine::noise`].
    pub(super) fn repeat(
        &mut self,
        noise: Noise,
        jobs: Range<u32>,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Vec<NoisyRun>, EngineError> {
        let epoch = self.next_epoch();
        let count = jobs.end.saturating_sub(jobs.start);
        Runs::need(&self.gpu, &mut self.runs.noise, u64::from(NOISE_WORDS * count))?;
        let Some(base) = &self.base else { return Ok(vec![NoisyRun::NOT_RUN; count as usize]) };
        if u64::from(jobs.end) > base.entries.len() as u64 * u64::from(noise.repetitions) {
            return Err(EngineError::Fault("the base has not so many tests".into()));
        }
        if count == 0 {
            return Ok(vec![]);
        }
        let slots = count.min(self.runs.tuning.slots);
        let params = ExecuteParams {
            lanes: slots,
            slots,
            epoch,
            first: jobs.start,
            jobs: count,
            repetitions: noise.repetitions,
            seed: noise.seed,
            threshold: noise.threshold,
            ..self.runs.params(&base.arena)
        };
        let machine = match &mut self.noise {
            Some(machine) => machine,
            none => none.insert(Kernel::new(&self.gpu, &shaders::NOISE)?),
        };
        let machine = &*machine;
        let mut first = true;
        loop {
            let submitted = Instant::now();
            let (gpu, kernels, runs) = (&self.gpu, &self.kernels, &self.runs);
            let mut recorder = Recorder::new(gpu, None);
            gpu.attempt(|| {
                if first {
                    runs.prepare_slots(gpu, slots);
                    runs.clear(&mut recorder);
                }
                let params = ExecuteParams { budget: runs.budget, ..params };
                let work = Work {
                    machine,
                    arena: &base.arena,
                    jobs: ("entries", &runs.entries),
                    results: &runs.noise,
                };
                runs.execute(gpu, kernels, &mut recorder, params, work, SLICES, &[], &[])
            })?;
            let parts = [(&runs.control, 0, 8), (&runs.noise, 0, u64::from(NOISE_WORDS * count))];
            let read = recorder.read(gpu, &parts, &mut Times::default())?;
            if read.first().is_some_and(|words| Progress::of(words).done) {
                let rows = read[1].chunks_exact(NOISE_WORDS as usize);
                return rows.map(|row| record(row, epoch)).collect();
            }
            if !first {
                self.runs.adapt(submitted.elapsed(), TARGET);
            }
            first = false;
            if cancelled() {
                return Err(EngineError::Cancelled);
            }
        }
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
