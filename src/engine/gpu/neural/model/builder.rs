//! The buffers of a batch, and the dispatches of the encoder and of one decoding step, recorded once.

use super::{Dispatch, ModelMemory, NeuralModel};
use crate::engine::EngineError;
use crate::engine::gpu::arena::{storage, uniform};
use crate::engine::gpu::device::Gpu;
use crate::engine::gpu::kernel::Kernel;
use crate::engine::gpu::neural::packed::{Attention, Feed};
use crate::lang::NONE;
use crate::network::layout::{
    AttendParams, BatchParams, LOGITS, PERMIT_WORDS, ProjectParams, decode, places, sees, sheet, size, walk,
};
use crate::network::refuted::REFUTED_WORDS;
use crate::network::vocabulary::{SOURCE_MAX, TARGET_MAX};

/// Creates the buffers and records the dispatches.
pub(super) struct Builder<'a> {
    model: &'a NeuralModel,
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
    pub(super) fn new(model: &'a NeuralModel, gpu: &'a Gpu, capacity: u32, functions: u32) -> Self {
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

    pub(super) fn build(mut self) -> Result<ModelMemory, EngineError> {
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
        let shares = storage(gpu, "shares", TARGET_MAX as u64 * candidates);
        let refuted = storage(gpu, "refuted", REFUTED_WORDS as u64);
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
                ("refuted", &refuted),
                ("shares", &shares),
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
        Ok(ModelMemory {
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
            shares,
            refuted,
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
