//! Repeats tests under simulated noise on the CPU engine's threads.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use super::{Base, CpuEngine};
use crate::compiler::program::Watch;
use crate::compiler::stage::execute;
use crate::compiler::stage::execute::{Noise, NoisyRun};
use crate::engine::{EngineError, Noisy};

use rayon::prelude::*;

impl Noisy for CpuEngine {
    fn repeat(
        &mut self,
        noise: Noise,
        jobs: Range<u32>,
        watch: &dyn Watch,
    ) -> Result<Vec<NoisyRun>, EngineError> {
        let Some(Base { compiled, oracles, .. }) = &self.base else {
            return Ok(jobs.map(|_| NoisyRun::NOT_RUN).collect());
        };
        let program = &compiled.executable;
        let (pool, stop) = (&self.pool, AtomicBool::new(false));
        let run = |job: u32| {
            let (entry, repetition) = (job / noise.repetitions.max(1), job % noise.repetitions.max(1));
            let oracle = oracles.iter().find(|oracle| oracle.entry == entry && oracle.domain.inputs() > 0);
            let Some(oracle) = oracle.filter(|_| !stop.load(Ordering::Relaxed)) else {
                return NoisyRun::NOT_RUN;
            };
            let machine = &mut pool.worker().machine;
            machine.load(program);
            let test = (oracle.routine, &oracle.domain, oracle.fuel);
            execute::repetition(machine, program, noise, entry, repetition, test)
        };
        let done = pool.run_unless(watch, &stop, || jobs.into_par_iter().with_max_len(16).map(run).collect());
        done.filter(|_| !stop.load(Ordering::Relaxed)).ok_or(EngineError::Cancelled)
    }
}
