//! Repeats tests under simulated noise on the CPU engine's threads.

use std::sync::atomic::{AtomicBool, Ordering};

use super::{Base, CpuEngine};
use crate::compiler::program::Watch;
use crate::compiler::stage::execute;
use crate::compiler::stage::execute::{Noise, NoisyRun};
use crate::engine::EngineError;
use crate::lang::index::{Index, Indices, JobId};

use rayon::prelude::*;

impl CpuEngine {
    /// See [`crate::engine::Abilities::repeat`].
    pub(super) fn repeat_jobs(
        &mut self,
        noise: Noise,
        jobs: Indices<JobId>,
        watch: &dyn Watch,
    ) -> Result<Vec<NoisyRun>, EngineError> {
        let Some(Base { compiled, oracles, .. }) = &self.base else {
            return Ok(vec![NoisyRun::NOT_RUN; jobs.len() as usize]);
        };
        let program = &compiled.executable;
        let (pool, stop) = (&self.pool, AtomicBool::new(false));
        let run = |job: u32| {
            let job = JobId::new(job);
            let (entry, _) = noise.run(job);
            let oracle =
                oracles.iter().find(|oracle| oracle.entry == entry && !oracle.domain.inputs().is_empty());
            let Some(oracle) = oracle.filter(|_| !stop.load(Ordering::Relaxed)) else {
                return NoisyRun::NOT_RUN;
            };
            let machine = &mut pool.worker().machine;
            machine.load(program);
            execute::repetition(machine, program, noise, job, (&oracle.domain, oracle.fuel))
        };
        let done = pool
            .run_unless(watch, &stop, || jobs.numbers().into_par_iter().with_max_len(16).map(run).collect());
        done.filter(|_| !stop.load(Ordering::Relaxed)).ok_or(EngineError::Cancelled)
    }
}
