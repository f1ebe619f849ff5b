//! Neural inference on the device: the encoder once per function, the decoder on all candidates of a batch together.
//!
//! Kernels are compiled once, whatever the weights; weights stay on the device. `packed` lays them out, `model` records the
//! dispatches of the encoder and of one decoding step over a batch's buffers, `batch` replays them until no candidate is
//! live. `candidates` makes programs of what was drawn, which execute and judge treat like all others, and the engine's
//! `sampling` gives what came of them. `comparison` has what compares codes with the base's own on random inputs.
//!
//! A candidate depends on the weights, the function, the seed and its number, not on the batch: a kernel adds up a row's
//! terms in an order of its own, wherever the row lies.

mod batch;
mod candidates;
pub mod comparison;
mod model;
mod packed;

pub use batch::Batch;
pub use candidates::{Assembly, Chunk, Drawn};
pub use model::{Inference, Memory, Model};
pub use packed::Packed;

use std::sync::Arc;

use super::arena::Arena;
use super::device::Gpu;
use crate::engine::EngineError;
use crate::network::weights::Weights;

/// Memory that the batches' buffers may take together.
const MEMORY: u64 = 768 << 20;

/// What the engine keeps for the neural path.
pub struct Neural {
    inference: Arc<Inference>,
    pub assembly: Assembly,
    /// The last chunk's programs.
    pub arena: Option<Arena>,
}

/// The weights in use, and what was made for them.
pub struct Loaded {
    pub weights: Arc<Weights>,
    pub model: Model,
    /// Buffers of the last batch.
    pub memory: Option<Memory>,
}

impl Neural {
    /// Compiles the shaders.
    ///
    /// # Errors
    /// If the device fails.
    pub fn new(gpu: &Gpu) -> Result<Neural, EngineError> {
        Ok(Neural { inference: Arc::new(Inference::new(gpu)?), assembly: Assembly::new(gpu)?, arena: None })
    }

    /// Uploads weights.
    ///
    /// # Errors
    /// If they do not fit one binding, or the device fails.
    pub fn load(&self, gpu: &Gpu, weights: &Arc<Weights>) -> Result<Loaded, EngineError> {
        let model = Model::new(gpu, self.inference.clone(), Packed::new(weights))?;
        Ok(Loaded { weights: weights.clone(), model, memory: None })
    }
}

impl Loaded {
    /// Buffers for a batch of `wanted` candidates, or of as many as the device has memory for, of so many functions.
    pub fn batch(&mut self, gpu: &Gpu, wanted: u32, functions: u32) -> Result<Memory, EngineError> {
        let mut capacity = self.model.fitting(gpu, MEMORY).min(wanted.max(1));
        let fits = |memory: &Memory| memory.capacity >= capacity && memory.functions >= functions;
        if let Some(memory) = self.memory.take().filter(fits) {
            return Ok(memory);
        }
        loop {
            match self.model.memory(gpu, capacity, functions) {
                // Half as many need half as much, and the device may well have that.
                Err(EngineError::Fault(_)) if capacity > 1 => capacity /= 2,
                made => return made,
            }
        }
    }
}
