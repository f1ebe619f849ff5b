//! Neural inference on the device: the encoder runs once per function, the decoder on all candidates of a
//! batch together.
//!
//! Kernels are compiled once for all weights; weights stay on the device. `packed` lays out the weights.
//! `model` records the dispatches of the encoder and of one decoding step over a batch's buffers, and `batch`
//! replays them until no candidate is live. `candidates` assembles programs from drawn words; execute and
//! judge treat these like all others. The engine's `sampling` collects the results. `comparison` compares
//! codes with the base's own on random inputs.
//!
//! A candidate depends on the weights, the function, the seed and its number, but not on the batch: a kernel
//! sums the terms of a row in a fixed order, wherever the row is stored.

mod batch;
mod candidates;
pub mod comparison;
mod model;
mod packed;

pub use candidates::{Assembly, CandidateChunk, CandidateRecord};
pub use model::{Inference, ModelMemory, NeuralBatch, NeuralModel};
pub use packed::Packed;

use std::sync::Arc;

use super::arena::Arena;
use super::device::Gpu;
use crate::engine::{DeviceFailure, EngineError};
use crate::network::weights::Weights;

/// The memory limit for the buffers of a batch, in bytes.
const MEMORY: u64 = 768 << 20;

/// The engine's state for the neural path.
pub struct DeviceNetwork {
    inference: Arc<Inference>,
    pub assembly: Assembly,
    /// The programs of the last chunk.
    pub arena: Option<Arena>,
}

pub struct Loaded {
    pub weights: Arc<Weights>,
    pub model: NeuralModel,
    /// The buffers of the last batch.
    pub memory: Option<ModelMemory>,
}

impl DeviceNetwork {
    /// Compiles the shaders.
    ///
    /// # Errors
    /// If the device fails.
    pub fn new(gpu: &Gpu) -> Result<DeviceNetwork, EngineError> {
        Ok(DeviceNetwork {
            inference: Arc::new(Inference::new(gpu)?),
            assembly: Assembly::new(gpu)?,
            arena: None,
        })
    }

    /// Uploads weights.
    ///
    /// # Errors
    /// If they do not fit one binding, or the device fails.
    pub fn load(&self, gpu: &Gpu, weights: &Arc<Weights>) -> Result<Loaded, EngineError> {
        let model = NeuralModel::new(gpu, self.inference.clone(), Packed::new(weights))?;
        Ok(Loaded { weights: weights.clone(), model, memory: None })
    }
}

impl Loaded {
    /// Returns buffers for `functions` functions and `wanted` candidates, or fewer candidates if the device
    /// lacks memory.
    pub fn batch(&mut self, gpu: &Gpu, wanted: u32, functions: u32) -> Result<ModelMemory, EngineError> {
        let mut capacity = self.model.fitting(gpu, MEMORY).min(wanted.max(1));
        let fits = |memory: &ModelMemory| memory.capacity >= capacity && memory.functions >= functions;
        if let Some(memory) = self.memory.take().filter(fits) {
            return Ok(memory);
        }
        loop {
            match self.model.memory(gpu, capacity, functions) {
                // Half as many candidates need half the memory.
                Err(EngineError::Device(DeviceFailure::Memory, _)) if capacity > 1 => capacity /= 2,
                made => return made,
            }
        }
    }
}
