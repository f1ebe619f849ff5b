//! Repetitions under noise on the CPU engine's threads.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use super::{Base, CpuEngine};
use crate::engine::{EngineError, Noisy};
use crate::program::Watch;
use crate::stage::execute::{self, Noise, NoisyRun, Program};

impl Noisy for CpuEngine {
    fn repeat(
        &mut self,
        noise: Noise,
        jobs: Range<u32>,
        watch: &dyn Watch,
    ) -> Result<Vec<NoisyRun>, EngineError> {
        let Some(Base { compiled, judges, .. }) = &self.base else {
            return Ok(jobs.map(|_| NoisyRun::NOT_RUN).collect());
        };
        let program = Program { code: &compiled.code, routines: &compiled.routines };
        let (pool, stop) = (&self.pool, AtomicBool::new(false));
        let run = |job: u32| {
            let (entry, repetition) = (job / noise.repetitions.max(1), job % noise.repetitions.max(1));
            let judge = judges.iter().find(|judge| judge.entry == entry && judge.domain.inputs() > 0);
            let Some(judge) = judge.filter(|_| !stop.load(Ordering::Relaxed)) else { return NoisyRun::NOT_RUN };
            let machine = &mut pool.worker().machine;
            machine.load(program);
            let test = (judge.routine, &judge.domain, judge.fuel);
            execute::repetition(machine, program, noise, entry, repetition, test)
        };
        let done = pool.run_unless(watch, &stop, || jobs.into_par_iter().with_max_len(16).map(run).collect());
        done.filter(|_| !stop.load(Ordering::Relaxed)).ok_or(EngineError::Cancelled)
    }
}
