//! Repeats the base's tests on the machine with random faults.

use crate::compiler::layout::ExecuteParams;
use crate::compiler::program::Watch;
use crate::compiler::stage::execute::{Noise, NoisyRun};
use crate::engine::EngineError;
use crate::engine::gpu::kernel::Kernel;
use crate::engine::gpu::records::{GpuRecord, incomplete, records};
use crate::engine::gpu::runs::{RunWork, Runs};
use crate::engine::gpu::shaders;
use crate::engine::gpu::slices::Slices;
use crate::engine::timings::StageTimes;
use crate::lang::index::{Index, Indices, JobId};

use super::GpuEngine;

impl GpuEngine {
    /// See [`crate::engine::Abilities::repeat`].
    pub(super) fn repeat_jobs(
        &mut self,
        noise: Noise,
        jobs: Indices<JobId>,
        watch: &dyn Watch,
    ) -> Result<Vec<NoisyRun>, EngineError> {
        self.run_base(watch)?;
        let epoch = self.next_epoch();
        let count = jobs.len();
        Runs::need(&self.gpu, &mut self.runs.noise, u64::from(NoisyRun::WORDS * count))?;
        let Some(base) = &self.base else { return Ok(vec![NoisyRun::NOT_RUN; count as usize]) };
        if u64::from(jobs.numbers().end) > base.entries.len() as u64 * u64::from(noise.repetitions) {
            return Err(EngineError::Call("the base has fewer tests".into()));
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
            first: jobs.start().number(),
            jobs: count,
            repetitions: noise.repetitions,
            seed: noise.seed,
            threshold: noise.threshold,
            ..runs.params(&base.arena)
        };
        let work = RunWork { machine, ..runs.tests(&base.arena, &runs.noise, params) };
        let parts = [(&runs.noise, 0, u64::from(NoisyRun::WORDS * count))];
        let (control, times) = (&runs.control, &mut StageTimes::default());
        let slices = Slices { gpu, control, pace: &mut self.pace, watch, clock: None, times };
        let read = slices.run(&parts, |recorder, turn| {
            if turn.first {
                runs.prepare_slots(gpu, slots);
                runs.clear(recorder, &params);
            }
            runs.execute(recorder, &work, turn)
        })?;
        records(read.first().ok_or_else(incomplete)?, epoch)
    }
}
