//! Writes one batch: the candidates of one or several functions, from first to last word.

use crate::compiler::program::Watch;
use crate::engine::gpu::device::Gpu;
use crate::engine::gpu::records::{GpuRecord, record};
use crate::engine::{DeviceFailure, EngineError};
use crate::network::layout::{BatchParams, LOGITS, decode, sheet, table_words, walk, walk_phase};
use crate::network::refuted::{NOTHING_REFUTED, Refuted};
use crate::network::sampling::{Draft, Sampling};
use crate::network::source::Source;
use crate::network::vocabulary::{SOURCE_MAX, TARGET_MAX};

use super::model::{ModelMemory, NeuralBatch, NeuralModel};

/// Decoding steps per submission.
const STEPS: usize = 8;

impl NeuralModel {
    /// Writes the functions, as many as the batch has, and the sampling parameters to a batch's buffers.
    pub fn prepare(
        &self,
        gpu: &Gpu,
        memory: &ModelMemory,
        sources: &[&Source],
        sampling: &Sampling,
        batch: NeuralBatch,
    ) {
        let NeuralBatch { first, each, epoch, .. } = batch;
        let packed = self.packed();
        let params = BatchParams {
            candidates: batch.candidates(),
            each,
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
            ..Default::default()
        };
        let sheets: Vec<u32> = sources.iter().flat_map(|source| sheet_words(source)).collect();
        let tables: Vec<u32> = sources.iter().flat_map(|source| table_words(&source.tables)).collect();
        gpu.queue.write_buffer(&memory.batch, 0, bytemuck::bytes_of(&params));
        gpu.queue.write_buffer(&memory.source, 0, bytemuck::cast_slice(&sheets));
        gpu.queue.write_buffer(&memory.tables, 0, bytemuck::cast_slice(&tables));
        self.refute(gpu, memory, &NOTHING_REFUTED);
    }

    /// Writes the refuted prefixes to the buffers of a prepared batch of one function.
    pub fn refute(&self, gpu: &Gpu, memory: &ModelMemory, refuted: &Refuted) {
        gpu.queue.write_buffer(&memory.refuted, 0, bytemuck::cast_slice(&refuted.words()));
    }

    /// Writes all words of all candidates of a prepared batch. `watch` is polled between submissions.
    ///
    /// The next submission is already queued while the host reads whether the previous one left live
    /// candidates, so the device never idles. After the last word, a step dispatches no workgroups.
    ///
    /// # Errors
    /// [`EngineError::Cancelled`], or an error of the device.
    pub fn write(
        &self,
        gpu: &Gpu,
        memory: &ModelMemory,
        batch: NeuralBatch,
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
                    self.encode_begin(&mut pass, memory, batch);
                }
                for _ in 0..STEPS {
                    self.encode_step(&mut pass, memory);
                }
            })?;
            let reading = gpu.submit(encoder, &[(&memory.control, 0, u64::from(decode::HEAD))])?;
            let Some(reading) = before.replace(reading) else { continue };
            let read = gpu.collect(reading)?;
            let Live(live) = record(&read.concat(), batch.epoch)?;
            if live == 0 {
                return Ok(());
            }
        }
        Err(DeviceFailure::Results.because("the candidates never end"))
    }

    /// Reads back a written batch: the drafts of each function.
    ///
    /// # Errors
    /// If the device fails.
    pub fn written(
        &self,
        gpu: &Gpu,
        memory: &ModelMemory,
        batch: NeuralBatch,
    ) -> Result<Vec<Vec<Draft>>, EngineError> {
        let count = u64::from(batch.candidates());
        let words = (&memory.words, 0, count * TARGET_MAX as u64);
        let states = (&memory.states, 0, count * u64::from(walk::WORDS));
        let read = gpu.read(gpu.encoder(), &[words, states])?;
        let [words, states] = &read[..] else {
            return Err(DeviceFailure::Results.because("drafts are missing"));
        };
        let rows = words.chunks_exact(TARGET_MAX).zip(states.chunks_exact(walk::WORDS as usize));
        let draft = |(i, (words, state)): (u32, (&[u32], &[u32]))| Draft {
            number: batch.first + i % batch.each,
            samples: 1,
            words: words.iter().take(state[walk::LENGTH as usize] as usize).map(|word| *word as u16).collect(),
            log_p: f32::from_bits(state[walk::LOG_P as usize]),
            whole: state[walk::PHASE as usize] == walk_phase::VALID,
        };
        let drafts: Vec<Draft> = (0..).zip(rows).map(draft).collect();
        Ok(drafts.chunks(batch.each.max(1) as usize).map(<[Draft]>::to_vec).collect())
    }
}

/// Returns a function as the encoder reads it.
fn sheet_words(source: &Source) -> Vec<u32> {
    let mut words = vec![0; sheet::WORDS as usize];
    let features = [&source.ty, &source.depth, &source.statement, &source.height];
    let column = |words: &mut [u32], values: &mut dyn Iterator<Item = u32>| {
        words.iter_mut().zip(values).for_each(|(word, value)| *word = value);
    };
    let mut columns = words.chunks_mut(SOURCE_MAX);
    columns.next().into_iter().for_each(|words| column(words, &mut source.words.iter().map(|w| u32::from(*w))));
    for (feature, words) in features.into_iter().zip(columns) {
        column(words, &mut feature.iter().map(|value| u32::from(*value)));
    }
    words[sheet::LENGTH as usize] = source.words.len().min(SOURCE_MAX) as u32;
    words[sheet::PARAMS as usize] = source.tables.params;
    words
}

/// The number of candidates that are not complete.
struct Live(u32);

impl GpuRecord for Live {
    const WORDS: u32 = decode::HEAD;
    const EPOCH: u32 = decode::EPOCH;

    fn of(words: &[u32]) -> Option<Live> {
        Some(Live(words[decode::LIVE as usize]))
    }
}
