//! The memory that the GPU engine holds, and the time of transfers.

use std::time::{Duration, Instant};

use crate::engine::gpu::arena::storage;
use crate::engine::memory::{Memory, NeuralMemory};
use crate::engine::{EngineError, Meters};

use super::GpuEngine;

impl Meters for GpuEngine {
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
