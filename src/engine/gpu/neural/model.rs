//! The model on the device: its weights, and the dispatches of the encoder and of one decoding step.
//!
//! All variable data of a dispatch is in buffers: its size in the buffer of indirect arguments, the position
//! in the control buffer. The dispatches of both are therefore recorded once for buffers of a given size, and
//! replayed.

mod builder;

use std::sync::Arc;

use crate::engine::gpu::arena::storage;
use crate::engine::gpu::device::Gpu;
use crate::engine::gpu::kernel::Kernel;
use crate::engine::gpu::shaders;
use crate::engine::{DeviceFailure, EngineError};
use crate::network::layout::{LOGITS, decode, size, walk};
use crate::network::vocabulary::{TARGET_MAX, TARGETS};

use super::packed::Packed;
use builder::Builder;

/// The compiled kernels of inference, independent of the weights.
pub struct Inference {
    project: Kernel,
    turn: Kernel,
    attend: Kernel,
    embed: Kernel,
    plan: Kernel,
    explain: Kernel,
    draw: Kernel,
}

impl Inference {
    /// Compiles the kernels.
    ///
    /// # Errors
    /// If the device fails.
    pub fn new(gpu: &Gpu) -> Result<Inference, EngineError> {
        let kernel = |shader| Kernel::new(gpu, shader);
        Ok(Inference {
            project: kernel(&shaders::PROJECT)?,
            turn: kernel(&shaders::TURN)?,
            attend: kernel(&shaders::ATTEND)?,
            embed: kernel(&shaders::EMBED)?,
            plan: kernel(&shaders::SCHEDULE)?,
            explain: kernel(&shaders::EXPLAIN)?,
            draw: kernel(&shaders::DRAW)?,
        })
    }
}

/// Weights on the device, with the kernels that use them.
pub struct NeuralModel {
    kernels: Arc<Inference>,
    packed: Packed,
    weights: wgpu::Buffer,
}

/// One dispatch whose size is in the device's buffer of indirect arguments.
struct Dispatch {
    pipeline: wgpu::ComputePipeline,
    group: wgpu::BindGroup,
    size: u32,
}

#[derive(Clone, Copy, Debug)]
pub struct NeuralBatch {
    /// The number of each function's first candidate.
    pub first: u32,
    /// Candidates per function, and number of functions. Their product is at most the memory's capacity.
    pub each: u32,
    pub functions: u32,
    pub epoch: u32,
}

impl NeuralBatch {
    /// Returns the candidates of all functions together.
    pub fn candidates(self) -> u32 {
        self.each * self.functions
    }
}

/// The buffers of a batch, with the dispatches over them.
pub struct ModelMemory {
    /// The maximum numbers of candidates and of functions.
    pub capacity: u32,
    pub functions: u32,
    pub batch: wgpu::Buffer,
    pub control: wgpu::Buffer,
    arguments: wgpu::Buffer,
    pub source: wgpu::Buffer,
    pub tables: wgpu::Buffer,
    pub lexicon: wgpu::Buffer,
    pub states: wgpu::Buffer,
    pub words: wgpu::Buffer,
    /// The probability of each word at the temperature of the draw.
    pub shares: wgpu::Buffer,
    /// The tree of refuted prefixes.
    pub refuted: wgpu::Buffer,
    pub logits: wgpu::Buffer,
    /// The result of [`NeuralModel::encode_permits`], by row.
    pub permits: wgpu::Buffer,
    plan: wgpu::BindGroup,
    explain: wgpu::BindGroup,
    draw: wgpu::BindGroup,
    encoder: Vec<Dispatch>,
    decoder: Vec<Dispatch>,
}

/// Returns the words per candidate of the largest buffer, and of all buffers together.
fn words_of(width: u32, layers: u32) -> (u64, u64) {
    let cache = (TARGET_MAX as u32 * width) as u64;
    let other = 9 * width as u64 + LOGITS as u64 + (walk::WORDS + 2 * TARGET_MAX as u32) as u64;
    (cache.max(LOGITS as u64), 2 * layers as u64 * cache + other)
}

impl NeuralModel {
    /// Uploads the weights.
    ///
    /// # Errors
    /// If they do not fit the device, or the device fails.
    pub fn new(gpu: &Gpu, kernels: Arc<Inference>, packed: Packed) -> Result<NeuralModel, EngineError> {
        let bytes = packed.floats.len() as u64 * 4;
        if bytes > gpu.device.limits().max_storage_buffer_binding_size {
            return Err(
                DeviceFailure::Memory.because(format!("weights of {} MiB do not fit the device", bytes >> 20))
            );
        }
        let weights = gpu.scoped(|| {
            let weights = storage(gpu, "weights", packed.floats.len() as u64);
            gpu.queue.write_buffer(&weights, 0, bytemuck::cast_slice(&packed.floats));
            weights
        })?;
        Ok(NeuralModel { kernels, packed, weights })
    }

    pub fn packed(&self) -> &Packed {
        &self.packed
    }

    /// Returns the maximum batch size within `bytes` of memory and the device's limits.
    pub fn fitting(&self, gpu: &Gpu, bytes: u64) -> u32 {
        let (largest, all) = words_of(self.packed.width, self.packed.decoder.len() as u32);
        let limits = gpu.device.limits();
        let one = limits.max_storage_buffer_binding_size.min(limits.max_buffer_size) / (4 * largest);
        (bytes / (4 * all)).min(one).clamp(1, limits.max_compute_workgroups_per_dimension as u64) as u32
    }

    /// Returns the size of the weights on the device in bytes.
    pub fn weight_bytes(&self) -> u64 {
        self.weights.size()
    }

    /// Returns the sizes of a batch's buffers in bytes: of keys and values, and of all others.
    pub fn memory_bytes(&self, memory: &ModelMemory) -> (u64, u64) {
        let (width, layers) = (self.packed.width, self.packed.decoder.len() as u32);
        let cache = 2 * u64::from(layers) * (TARGET_MAX as u32 * width) as u64;
        let (_, all) = words_of(width, layers);
        let candidates = u64::from(memory.capacity) * 4;
        (candidates * cache, candidates * (all - cache))
    }

    /// Creates buffers for batches of at most `capacity` candidates of at most `functions` functions.
    pub fn memory(&self, gpu: &Gpu, capacity: u32, functions: u32) -> Result<ModelMemory, EngineError> {
        gpu.attempt(|| Builder::new(self, gpu, capacity, functions.clamp(1, decode::FUNCTIONS)).build())
    }
}

impl NeuralModel {
    /// Encodes the start of a batch: the lexicons, all candidates before their first word, and the encoder
    /// for each function in turn.
    pub fn encode_begin(&self, pass: &mut wgpu::ComputePass, memory: &ModelMemory, batch: NeuralBatch) {
        let kernels = &self.kernels;
        let words = TARGETS.div_ceil(64) as u32;
        kernels.explain.dispatch(pass, "build_lexicon", &memory.explain, words * batch.functions);
        kernels.plan.dispatch(pass, "begin_walks", &memory.plan, batch.candidates());
        for _ in 0..batch.functions {
            kernels.plan.dispatch(pass, "begin_source", &memory.plan, 1);
            memory.replay(pass, &memory.encoder);
        }
        kernels.plan.dispatch(pass, "begin_target", &memory.plan, 1);
    }

    /// Encodes a decoding step: one word for each live candidate. Completed candidates leave the list.
    pub fn encode_step(&self, pass: &mut wgpu::ComputePass, memory: &ModelMemory) {
        memory.replay(pass, &memory.decoder);
        self.encode_draw(pass, memory);
    }

    /// Encodes only the end of a step: drawing words from the logits in the buffer.
    pub fn encode_draw(&self, pass: &mut wgpu::ComputePass, memory: &ModelMemory) {
        self.kernels.draw.set(pass, "draw", &memory.draw);
        pass.dispatch_workgroups_indirect(&memory.arguments, size_place(size::ROW));
        self.kernels.plan.dispatch(pass, "compact", &memory.plan, 1);
    }

    /// Encodes the computation of the words that each live candidate may write next; `Memory::permits` must
    /// be 0.
    pub fn encode_permits(&self, pass: &mut wgpu::ComputePass, memory: &ModelMemory) {
        self.kernels.draw.set(pass, "permit", &memory.draw);
        pass.dispatch_workgroups_indirect(&memory.arguments, size_place(size::ROW));
    }
}

/// Returns the byte offset of a dispatch's size in the indirect arguments.
fn size_place(size: u32) -> u64 {
    u64::from(4 * size::WORDS * size)
}

impl ModelMemory {
    fn replay(&self, pass: &mut wgpu::ComputePass, list: &[Dispatch]) {
        for dispatch in list {
            pass.set_pipeline(&dispatch.pipeline);
            pass.set_bind_group(0, &dispatch.group, &[]);
            pass.dispatch_workgroups_indirect(&self.arguments, size_place(dispatch.size));
        }
    }
}
