//! One batch: a function's candidates from their first word to their last.

use crate::engine::EngineError;
use crate::engine::gpu::device::Gpu;
use crate::engine::gpu::records::{Record, record};
use crate::layout::neural::{BatchParams, LOGITS, SOURCE_COLUMNS, decode, table_words};
use crate::neural::sampling::Sampling;
use crate::neural::source::Source;
use crate::neural::vocabulary::{SOURCE_MAX, TARGET_MAX};
use crate::program::Watch;

use super::model::{Memory, Model};

/// Decoding steps of one submission.
const STEPS: usize = 8;

/// Which candidates a batch is.
#[derive(Clone, Copy, Debug)]
pub struct Batch {
    /// Number of the first.
    pub first: u32,
    /// How many; at most as many as the memory has room for.
    pub candidates: u32,
    /// What its records carry.
    pub epoch: u32,
}

impl Model {
    /// Puts a function and what is asked for it into a batch's buffers.
    pub fn prepare(&self, gpu: &Gpu, memory: &Memory, source: &Source, sampling: &Sampling, batch: Batch) {
        let Batch { first, candidates, epoch } = batch;
        let packed = self.packed();
        let params = BatchParams {
            candidates,
            first,
            seed: sampling.seed,
            temperature: sampling.temperature.max(1e-6).to_bits(),
            nucleus: sampling.top_p.to_bits(),
            epoch,
            width: packed.width,
            logits: LOGITS as u32,
            embed: packed.embed,
            types: packed.types,
            depths: packed.depths,
            statements: packed.statements,
            heights: packed.heights,
            source: source.words.len() as u32,
            params: source.tables.params,
            ..Default::default()
        };
        let mut columns = vec![0u32; SOURCE_COLUMNS * SOURCE_MAX];
        for (i, word) in source.words.iter().enumerate().take(SOURCE_MAX) {
            columns[i] = u32::from(*word);
        }
        for (c, column) in
            [&source.ty, &source.depth, &source.statement, &source.height].into_iter().enumerate()
        {
            for (i, feature) in column.iter().enumerate().take(SOURCE_MAX) {
                columns[(c + 1) * SOURCE_MAX + i] = u32::from(*feature);
            }
        }
        gpu.queue.write_buffer(&memory.batch, 0, bytemuck::bytes_of(&params));
        gpu.queue.write_buffer(&memory.source, 0, bytemuck::cast_slice(&columns));
        gpu.queue.write_buffer(&memory.tables, 0, bytemuck::cast_slice(&table_words(&source.tables)));
    }

    /// Writes all words of all candidates of a prepared batch. `watch` is asked between submissions.
    ///
    /// One submission is always on its way when the host looks whether the one before it left any candidate live, so that the device
    /// does not wait for the answer; behind the last word a step is dispatches of no workgroup.
    ///
    /// # Errors
    /// [`EngineError::Cancelled`], or what the device does wrong.
    pub fn write(
        &self,
        gpu: &Gpu,
        memory: &Memory,
        batch: Batch,
        watch: &dyn Watch,
    ) -> Result<(), EngineError> {
        let mut before = None;
        for round in 0..=TARGET_MAX.div_ceil(STEPS) {
            if watch.cancelled() {
                return Err(EngineError::Cancelled);
            }
            let mut encoder = gpu.encoder();
            gpu.scoped(|| {
                let mut pass = encoder.begin_compute_pass(&Default::default());
                if round == 0 {
                    self.encode_begin(&mut pass, memory, batch.candidates);
                }
                for _ in 0..STEPS {
                    self.encode_step(&mut pass, memory);
                }
            })?;
            let reading = gpu.submit(encoder, &[(&memory.control, 0, u64::from(decode::LIST))])?;
            let Some(reading) = before.replace(reading) else { continue };
            let read = gpu.collect(reading)?;
            let Live(live) = record(&read.concat(), batch.epoch)?;
            if live == 0 {
                return Ok(());
            }
        }
        Err(EngineError::Fault("candidates that never end".into()))
    }
}

/// Candidates that have further words to come.
struct Live(u32);

impl Record for Live {
    const WORDS: u32 = decode::LIST;
    const EPOCH: u32 = decode::EPOCH;

    fn of(words: &[u32]) -> Option<Live> {
        Some(Live(words[decode::LIVE as usize]))
    }
}
