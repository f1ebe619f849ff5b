//! The model on the device: its weights, and the dispatches of the encoder and of one decoding step.
//!
//! All variable data of a dispatch is in buffers: its size in the buffer of indirect arguments, the position
//! in the control buffer. The dispatches of both are therefore recorded once for buffers of a given size, and
//! replayed.

use std::sync::Arc;

use crate::engine::EngineError;
use crate::engine::gpu::arena::{storage, uniform};
use crate::engine::gpu::device::Gpu;
use crate::engine::gpu::kernel::Kernel;
use crate::engine::gpu::shaders;
use crate::lang::NONE;
use crate::network::layout::{
    AttendParams, BatchParams, LOGITS, PERMIT_WORDS, ProjectParams, decode, places, sees, sheet, size, walk,
};
use crate::network::vocabulary::{SOURCE_MAX, TARGET_MAX, TARGETS};

use super::batch::Batch;
use super::packed::{Attention, Feed, Packed};

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
pub struct Model {
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

/// The buffers of a batch, with the dispatches over them.
pub struct Memory {
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
    pub logits: wgpu::Buffer,
    /// The result of [`Model::encode_permits`], by row.
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
    let other = 9 * width as u64 + LOGITS as u64 + (walk::WORDS + TARGET_MAX as u32) as u64;
    (cache.max(LOGITS as u64), 2 * layers as u64 * cache + other)
}

impl Model {
    /// Uploads the weights.
    ///
    /// # Errors
    /// If they do not fit the device, or the device fails.
    pub fn new(gpu: &Gpu, kernels: Arc<Inference>, packed: Packed) -> Result<Model, EngineError> {
        let bytes = packed.floats.len() as u64 * 4;
        if bytes > gpu.device.limits().max_storage_buffer_binding_size {
            return Err(EngineError::Fault(format!("weights of {} MiB do not fit the device", bytes >> 20)));
        }
        let weights = gpu.scoped(|| {
            let weights = storage(gpu, "weights", packed.floats.len() as u64);
            gpu.queue.write_buffer(&weights, 0, bytemuck::cast_slice(&packed.floats));
            weights
        })?;
        Ok(Model { kernels, packed, weights })
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
    pub fn memory_bytes(&self, memory: &Memory) -> (u64, u64) {
        let (width, layers) = (self.packed.width, self.packed.decoder.len() as u32);
        let cache = 2 * u64::from(layers) * (TARGET_MAX as u32 * width) as u64;
        let (_, all) = words_of(width, layers);
        let candidates = u64::from(memory.capacity) * 4;
        (candidates * cache, candidates * (all - cache))
    }

    /// Creates buffers for batches of at most `capacity` candidates of at most `functions` functions.
    pub fn memory(&self, gpu: &Gpu, capacity: u32, functions: u32) -> Result<Memory, EngineError> {
        gpu.attempt(|| Builder::new(self, gpu, capacity, functions.clamp(1, decode::FUNCTIONS)).build())
    }
}

/// Creates the buffers and records the dispatches.
struct Builder<'a> {
    model: &'a Model,
    gpu: &'a Gpu,
    capacity: u32,
    functions: u32,
    control: wgpu::Buffer,
    /// [rows, width]: the residual stream.
    stream: wgpu::Buffer,
    /// [rows, 3 width]: queries, or queries, keys and values.
    queries: wgpu::Buffer,
    /// [rows, width]: the output of attention.
    mixed: wgpu::Buffer,
    /// [rows, 4 width].
    hidden: wgpu::Buffer,
    list: Vec<Dispatch>,
}

impl<'a> Builder<'a> {
    fn new(model: &'a Model, gpu: &'a Gpu, capacity: u32, functions: u32) -> Self {
        let rows = capacity.max(SOURCE_MAX as u32) as u64;
        let width = model.packed.width as u64;
        let rows_of = |label, columns: u64| storage(gpu, label, rows * columns);
        Builder {
            model,
            gpu,
            capacity,
            functions,
            control: storage(gpu, "decoding", decode::LIST as u64 + capacity as u64),
            stream: rows_of("stream", width),
            queries: rows_of("queries", 3 * width),
            mixed: rows_of("mixed", width),
            hidden: rows_of("hidden", 4 * width),
            list: Vec::new(),
        }
    }

    fn build(mut self) -> Result<Memory, EngineError> {
        let Builder { model, gpu, capacity, functions, .. } = self;
        let packed = &model.packed;
        let width = packed.width as u64;
        let candidates = capacity as u64;
        let each = u64::from(functions);
        let batch = uniform(gpu, &BatchParams::default());
        let arguments = storage(gpu, "sizes", u64::from(size::WORDS * size::COUNT));
        let source = storage(gpu, "source", each * u64::from(sheet::WORDS));
        let tables = storage(gpu, "tables", each * u64::from(places::WORDS));
        let lexicon = storage(gpu, "lexicon", each * crate::network::layout::lexicon_words());
        let states = storage(gpu, "walks", walk::WORDS as u64 * candidates);
        let words = storage(gpu, "words", TARGET_MAX as u64 * candidates);
        let logits = storage(gpu, "logits", LOGITS as u64 * candidates);
        let permits = storage(gpu, "permits", PERMIT_WORDS as u64 * candidates);
        let positions = |label| storage(gpu, label, SOURCE_MAX as u64 * width);
        let cache = |label| storage(gpu, label, TARGET_MAX as u64 * width * candidates);

        // The encoder, and the keys and values that the decoder's layers read from its output.
        let embed = model.kernels.embed.bind(
            gpu,
            &[
                ("batch_params", &batch),
                ("control", &self.control),
                ("weights", &model.weights),
                ("source", &source),
                ("words", &words),
                ("x", &self.stream),
            ],
        )?;
        self.push(&model.kernels.embed, "embed_source", embed.clone(), size::ROW);
        let (keys, values) = (positions("keys"), positions("values"));
        let whole = AttendParams {
            width: packed.width,
            query_stride: 3 * packed.width,
            stride: packed.width,
            key_range: sees::WITHIN,
            rotations: packed.rotations,
            ..Default::default()
        };
        for layer in &packed.encoder {
            self.own_attention(&layer.attention, whole, &keys, &values)?;
            self.feed(&layer.feed)?;
        }
        let mut crossed = Vec::new();
        for layer in &packed.decoder {
            let both = storage(gpu, "cross", each * 2 * SOURCE_MAX as u64 * width);
            let product = ProjectParams {
                inputs: packed.width,
                outputs: 2 * packed.width,
                matrix: layer.cross_keys,
                gain: packed.encoder_norm,
                room: SOURCE_MAX as u32,
                ..Default::default()
            };
            let stream = self.stream.clone();
            self.project(product, &stream, &both, size::DOUBLE)?;
            crossed.push(both);
        }
        let encoder = std::mem::take(&mut self.list);

        // A step of the decoder.
        self.push(&model.kernels.embed, "embed_target", embed, size::ROW);
        let causal = AttendParams { key_range: sees::BEFORE, room: TARGET_MAX as u32, ..whole };
        let across = AttendParams {
            width: packed.width,
            query_stride: packed.width,
            stride: 2 * packed.width,
            values: packed.width,
            key_range: sees::ACROSS,
            room: SOURCE_MAX as u32,
            ..Default::default()
        };
        for (layer, crossed) in packed.decoder.iter().zip(&crossed) {
            self.own_attention(&layer.own, causal, &cache("keys"), &cache("values"))?;
            self.cross_attention(&layer.cross, across, crossed)?;
            self.feed(&layer.feed)?;
        }
        let product = ProjectParams {
            inputs: packed.width,
            outputs: LOGITS as u32,
            matrix: packed.logits,
            gain: packed.decoder_norm,
            ..Default::default()
        };
        let stream = self.stream.clone();
        self.project(product, &stream, &logits, size::LOGITS)?;
        let draw = model.kernels.draw.bind(
            gpu,
            &[
                ("batch_params", &batch),
                ("control", &self.control),
                ("logits", &logits),
                ("lexicon", &lexicon),
                ("states", &states),
                ("words", &words),
                ("permits", &permits),
            ],
        )?;
        let plan = model.kernels.plan.bind(
            gpu,
            &[
                ("batch_params", &batch),
                ("control", &self.control),
                ("arguments", &arguments),
                ("states", &states),
                ("source", &source),
            ],
        )?;
        let tables_and_lexicon = [("batch_params", &batch), ("tables", &tables), ("lexicon", &lexicon)];
        Ok(Memory {
            capacity,
            functions,
            plan,
            explain: model.kernels.explain.bind(gpu, &tables_and_lexicon)?,
            draw,
            encoder,
            decoder: self.list,
            batch,
            control: self.control,
            arguments,
            source,
            tables,
            lexicon,
            states,
            words,
            logits,
            permits,
        })
    }

    fn push(&mut self, kernel: &Kernel, entry: &str, group: wgpu::BindGroup, size: u32) {
        self.list.push(Dispatch { pipeline: kernel.pipeline(entry).clone(), group, size });
    }

    fn project(
        &mut self,
        params: ProjectParams,
        x: &wgpu::Buffer,
        y: &wgpu::Buffer,
        size: u32,
    ) -> Result<(), EngineError> {
        let kernel = &self.model.kernels.project;
        let params = uniform(self.gpu, &params);
        let weights = &self.model.weights;
        let buffers =
            [("project_params", &params), ("control", &self.control), ("weights", weights), ("x", x), ("y", y)];
        let group = kernel.bind(self.gpu, &buffers)?;
        self.push(kernel, "project", group, size);
        Ok(())
    }

    /// Records a product that is added to the residual stream.
    fn add(&mut self, inputs: u32, matrix: u32, x: &wgpu::Buffer) -> Result<(), EngineError> {
        let width = self.model.packed.width;
        let params = ProjectParams { inputs, outputs: width, matrix, gain: NONE, add: 1, ..Default::default() };
        let stream = self.stream.clone();
        self.project(params, x, &stream, size::WIDTH)
    }

    fn attend(
        &mut self,
        params: &wgpu::Buffer,
        keys: &wgpu::Buffer,
        values: &wgpu::Buffer,
    ) -> Result<(), EngineError> {
        let kernel = &self.model.kernels.attend;
        let group = kernel.bind(
            self.gpu,
            &[
                ("attend_params", params),
                ("control", &self.control),
                ("queries", &self.queries),
                ("keys", keys),
                ("values", values),
                ("mixed", &self.mixed),
            ],
        )?;
        self.push(kernel, "attend", group, size::HEAD);
        Ok(())
    }

    fn own_attention(
        &mut self,
        weights: &Attention,
        params: AttendParams,
        keys: &wgpu::Buffer,
        values: &wgpu::Buffer,
    ) -> Result<(), EngineError> {
        let width = self.model.packed.width;
        let product = ProjectParams {
            inputs: width,
            outputs: 3 * width,
            matrix: weights.queries,
            gain: weights.norm,
            ..Default::default()
        };
        let (stream, queries, mixed) = (self.stream.clone(), self.queries.clone(), self.mixed.clone());
        self.project(product, &stream, &queries, size::TRIPLE)?;
        let params = uniform(self.gpu, &params);
        let kernel = &self.model.kernels.turn;
        let group = kernel.bind(
            self.gpu,
            &[
                ("attend_params", &params),
                ("control", &self.control),
                ("weights", &self.model.weights),
                ("qkv", &queries),
                ("keys", keys),
                ("values", values),
            ],
        )?;
        self.push(kernel, "turn", group, size::ROW);
        self.attend(&params, keys, values)?;
        self.add(width, weights.out, &mixed)
    }

    fn cross_attention(
        &mut self,
        weights: &Attention,
        params: AttendParams,
        both: &wgpu::Buffer,
    ) -> Result<(), EngineError> {
        let width = self.model.packed.width;
        let product = ProjectParams {
            inputs: width,
            outputs: width,
            matrix: weights.queries,
            gain: weights.norm,
            ..Default::default()
        };
        let (stream, queries, mixed) = (self.stream.clone(), self.queries.clone(), self.mixed.clone());
        self.project(product, &stream, &queries, size::WIDTH)?;
        self.attend(&uniform(self.gpu, &params), both, both)?;
        self.add(width, weights.out, &mixed)
    }

    fn feed(&mut self, weights: &Feed) -> Result<(), EngineError> {
        let width = self.model.packed.width;
        let product = ProjectParams {
            inputs: width,
            outputs: 4 * width,
            matrix: weights.up,
            gain: weights.norm,
            relu: 1,
            ..Default::default()
        };
        let (stream, hidden) = (self.stream.clone(), self.hidden.clone());
        self.project(product, &stream, &hidden, size::FEED)?;
        self.add(4 * width, weights.down, &hidden)
    }
}

impl Model {
    /// Encodes the start of a batch: the lexicons, all candidates before their first word, and the encoder
    /// for each function in turn.
    pub fn encode_begin(&self, pass: &mut wgpu::ComputePass, memory: &Memory, batch: Batch) {
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
    pub fn encode_step(&self, pass: &mut wgpu::ComputePass, memory: &Memory) {
        memory.replay(pass, &memory.decoder);
        self.encode_draw(pass, memory);
    }

    /// Encodes only the end of a step: drawing words from the logits in the buffer.
    pub fn encode_draw(&self, pass: &mut wgpu::ComputePass, memory: &Memory) {
        self.kernels.draw.set(pass, "draw", &memory.draw);
        pass.dispatch_workgroups_indirect(&memory.arguments, size_place(size::ROW));
        self.kernels.plan.dispatch(pass, "compact", &memory.plan, 1);
    }

    /// Encodes the computation of the words that each live candidate may write next; `Memory::permits` must
    /// be 0.
    pub fn encode_permits(&self, pass: &mut wgpu::ComputePass, memory: &Memory) {
        self.kernels.draw.set(pass, "permit", &memory.draw);
        pass.dispatch_workgroups_indirect(&memory.arguments, size_place(size::ROW));
    }
}

/// Returns the byte offset of a dispatch's size in the indirect arguments.
fn size_place(size: u32) -> u64 {
    u64::from(4 * size::WORDS * size)
}

impl Memory {
    fn replay(&self, pass: &mut wgpu::ComputePass, list: &[Dispatch]) {
        for dispatch in list {
            pass.set_pipeline(&dispatch.pipeline);
            pass.set_bind_group(0, &dispatch.group, &[]);
            pass.dispatch_workgroups_indirect(&self.arguments, size_place(dispatch.size));
        }
    }
}
