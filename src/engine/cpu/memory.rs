//! The memory that the CPU engine holds.

use super::pool::Pool;
use super::visits::CallProfile;
use super::{CpuEngine, sampler};
use crate::engine::memory::{Memory, NeuralMemory};
use crate::network::infer;

impl CpuEngine {
    /// Returns the memory of the base, the threads and the slots of a chunk. Stored results about mutants
    /// count as scratch.
    pub(super) fn held(&self) -> Memory {
        let mut memory = Memory::default();
        if let Some(compiled) = self.base.as_ref().map(|base| &base.compiled) {
            memory.source += compiled.text.len() as u64;
            memory.tree += compiled.tokens.bytes() + compiled.tree.bytes();
            memory.symbols += compiled.checked.bytes();
            memory.scratch += compiled.lowered.bytes() + compiled.ir.bytes();
            memory.bytecode += compiled.executable.bytes() + compiled.binders.bytes();
        }
        memory.scratch += self.base.as_ref().map_or(0, |base| base.segments.bytes());
        let visits = self.base.as_ref().and_then(|base| base.visits.get());
        memory.execution += visits.map_or(0, CallProfile::bytes);
        self.pool.each(|worker| {
            let compiler = &worker.compiler;
            memory.tree += compiler.tokens.bytes() + compiler.tree.bytes();
            memory.symbols += compiler.checked.bytes();
            memory.scratch += compiler.back.lowered.bytes() + compiler.back.ir.bytes();
            memory.bytecode += compiler.back.executable.bytes() + compiler.back.binders.bytes();
            memory.execution += worker.machine.bytes() + worker.mount.bytes();
        });
        memory.bytecode += self.slots.iter().map(super::Slot::bytes).sum::<u64>();
        memory
    }
}

impl sampler::SamplerState {
    /// Returns `None` before the first weights are set. Candidates' code belongs to the caller and runs in
    /// the test memory.
    pub(super) fn held(&self, pool: &Pool) -> Option<NeuralMemory> {
        let (weights, model) = (self.weights.as_ref()?, self.model.as_ref()?);
        let mut activations =
            self.memories.iter().map(infer::EncoderMemory::bytes).sum::<u64>() + self.decoder.lane_bytes();
        pool.each(|worker| activations += worker.scratch.bytes());
        Some(NeuralMemory {
            weights: weights.data.capacity() as u64 * 4 + model.bytes(),
            activations,
            cache: self.decoder.cache_bytes(),
            candidates: 0,
            execution: 0,
        })
    }
}
