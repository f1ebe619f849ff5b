//! Abilities of the GPU engine besides judging mutants.

use std::time::{Duration, Instant};

use crate::compiler::program::{Compiled, Watch};
use crate::compiler::rounds::Recording;
use crate::compiler::stage::execute::{Noise, NoisyRun, Record};
use crate::compiler::stage::route::score::{Coefficients, Scored};
use crate::engine::gpu::arena::storage;
use crate::engine::gpu::filling::FillScanner;
use crate::engine::gpu::round_tracing::RoundTracer;
use crate::engine::memory::{Memory, NeuralMemory};
use crate::engine::tested::one_by_one;
use crate::engine::{
    Abilities, EngineError, Patch, Sampler, StepRange, Suite, Tested, TestedCandidate, TracedRun, Validated,
};
use crate::fill::scanner::Scanner;
use crate::lang::index::{Indices, JobId, RoutineId};

use super::GpuEngine;

impl Abilities for GpuEngine {
    fn at_once(&self) -> usize {
        // A long run occupies only one lane while the batch waits for it.
        if self.gpu.adapter.software { 1 } else { 4 * self.runs.tuning.programs as usize }
    }

    fn test_all(
        &mut self,
        candidates: &[TestedCandidate],
        watch: &dyn Watch,
    ) -> Result<Vec<Option<Tested>>, EngineError> {
        // A software adapter finishes sooner when it tests one program after another: there a waiting lane
        // costs as much as a running one.
        match self.gpu.adapter.software {
            true => one_by_one(self, candidates, watch),
            false => self.test_side_by_side(candidates, watch),
        }
    }

    fn sampler(&mut self) -> Result<&mut dyn Sampler, EngineError> {
        Ok(self)
    }

    fn repeat(
        &mut self,
        noise: Noise,
        jobs: Indices<JobId>,
        watch: &dyn Watch,
    ) -> Result<Vec<NoisyRun>, EngineError> {
        self.repeat_jobs(noise, jobs, watch)
    }

    fn rounds(&mut self, compiled: &Compiled, watch: &dyn Watch) -> Result<Recording, EngineError> {
        let round_tracer = match &mut self.round_tracer {
            Some(round_tracer) => round_tracer,
            none => none.insert(RoundTracer::new(&self.gpu)?),
        };
        round_tracer.record(&self.gpu, compiled, watch).map(|(recording, _)| recording)
    }

    fn trace(
        &mut self,
        run: TracedRun,
        watch: &dyn Watch,
        sink: &mut dyn FnMut(StepRange),
    ) -> Option<Result<Record, EngineError>> {
        Some(self.record_steps(run, watch, sink))
    }

    fn validates(&mut self) -> bool {
        true
    }

    fn validate(
        &mut self,
        suite: &Suite,
        patches: &[Patch],
        watch: &dyn Watch,
    ) -> Result<Vec<Option<Validated>>, EngineError> {
        self.validate_patches(suite, patches, watch)
    }

    fn fill_scanner(&mut self, _: u64) -> Result<Option<Box<dyn Scanner>>, EngineError> {
        Ok(Some(Box::new(FillScanner::new(self.gpu.without_subgroups())?)))
    }

    fn score(
        &mut self,
        _: &Compiled,
        functions: Indices<RoutineId>,
        coefficients: &Coefficients,
    ) -> Result<Vec<Scored>, EngineError> {
        self.score_functions(functions, coefficients)
    }

    fn memory(&self) -> (Memory, Option<NeuralMemory>) {
        let mut memory = Memory { execution: self.runs.bytes(), ..Memory::default() };
        if let Some(base) = &self.base {
            base.arena.add_to(&mut memory);
            memory.scratch += base.verdict_cache.bytes();
        }
        self.splicing.add_to(&mut memory);
        self.texts.iter().for_each(|texts| texts.add_to(&mut memory));
        let validating = self.base.iter().filter_map(|base| base.validating.as_ref());
        validating.for_each(|validating| validating.add_to(&mut memory));
        let neural = self.loaded.as_ref().map(|loaded| {
            let (cache, activations) =
                loaded.memory.as_ref().map_or((0, 0), |memory| loaded.model.memory_bytes(memory));
            let mut programs = Memory::default();
            let arena = self.neural.as_ref().and_then(|neural| neural.arena.as_ref());
            arena.into_iter().for_each(|arena| arena.add_to(&mut programs));
            self.comparison.iter().for_each(|comparison| comparison.add_to(&mut programs));
            let weights = loaded.model.weight_bytes();
            let candidates = programs.bytecode;
            NeuralMemory { weights, activations, cache, candidates, execution: programs.total() - candidates }
        });
        (memory, neural)
    }

    fn transfer(&mut self, bytes: usize) -> Result<Option<Duration>, EngineError> {
        let words = bytes.div_ceil(4).max(1);
        let buffer = self.gpu.scoped(|| storage(&self.gpu, "transfer", words as u64))?;
        let there = vec![0u32; words];
        let started = Instant::now();
        self.gpu.queue.write_buffer(&buffer, 0, bytemuck::cast_slice(&there));
        let encoder = self.gpu.device.create_command_encoder(&Default::default());
        self.gpu.read(encoder, &[(&buffer, 0, words as u64)])?;
        Ok(Some(started.elapsed()))
    }
}
