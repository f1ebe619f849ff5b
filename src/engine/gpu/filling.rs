//! Searches kept rows for an expression on the device (`shaders/fill.wgsl`): the scanner of `fill::search`.
//!
//! The rows are uploaded once. A batch of pieces is one submission: `conclude` computes the steps, `scan` compares them
//! with the rows, and counts and hits are read back.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::compiler::layout::numbers::{fill_code, fill_count, fill_piece};
use crate::compiler::layout::{FillParams, WORKGROUP};
use crate::engine::gpu::arena::{storage, uniform};
use crate::engine::gpu::device::Gpu;
use crate::engine::gpu::kernel::{self, Kernel};
use crate::engine::gpu::records::incomplete;
use crate::engine::gpu::runs::Runs;
use crate::engine::gpu::shaders;
use crate::engine::{DeviceFailure, EngineError};
use crate::fill::blocks::Known;
use crate::fill::operation::{Meaning, Operation};
use crate::fill::pieces::{self, Context, Piece};
use crate::fill::scanner::{AROUND, Hit, Kept, Scanned, Scanner};
use crate::fill::target::{Around, Target};
use crate::lang::ty::Type;

const _: () =
    assert!(pieces::KNOWN == fill_piece::KNOWN_MOST as usize && AROUND == fill_piece::AROUND_MOST as usize);

/// The time that a submission should take, and the pairs of operands of the smallest one, the first and the largest.
const TARGET: Duration = Duration::from_millis(20);
const LEAST: u64 = 1 << 20;
const FIRST: u64 = 1 << 24;
const MOST: u64 = 1 << 38;
/// Rows of a tile, and steps of a thread of `scan`.
const TILE: u32 = 16 * WORKGROUP;
const STEPS: u32 = 256;
/// Hits for which there is room, and those that are read with the counts.
const ROOM: u32 = 1 << 16;
const AT_ONCE: u32 = 1 << 10;
/// Known bits with which an operand is compared instead of a whole int.
const BITS: u32 = 12;
/// Workgroups in a row of a dispatch.
const ROW: u32 = 1 << 15;

/// A device that searches for expressions.
pub struct FillScanner {
    gpu: Gpu,
    kernel: Kernel,
    params: wgpu::Buffer,
    columns: wgpu::Buffer,
    traps: wgpu::Buffer,
    pieces: wgpu::Buffer,
    targets: wgpu::Buffer,
    groups: wgpu::Buffer,
    steps: wgpu::Buffer,
    counts: wgpu::Buffer,
    hits: wgpu::Buffer,
    operations: Vec<Operation>,
    /// The values that whole expressions must have.
    whole: Vec<u32>,
    shape: FillParams,
    budget: u64,
}

/// A batch, as the device reads it.
#[derive(Default)]
struct Batch {
    pieces: Vec<u32>,
    targets: Vec<u32>,
    groups: Vec<u32>,
    steps: u32,
}

impl FillScanner {
    /// Compiles the shader.
    ///
    /// # Errors
    /// If the device fails.
    pub fn new(gpu: Gpu) -> Result<FillScanner, EngineError> {
        let kernel = Kernel::new(&gpu, &shaders::FILL)?;
        kernel::compile(&gpu, [&kernel])?;
        let small = |label| storage(&gpu, label, 1 << 12);
        let made = gpu.scoped(|| {
            let names = ["columns", "traps", "pieces", "targets", "groups", "steps", "counts"];
            (
                names.map(small),
                uniform(&gpu, &FillParams::default()),
                storage(&gpu, "hits", 3 * u64::from(ROOM)),
            )
        })?;
        let ([columns, traps, pieces, targets, groups, steps, counts], params, hits) = made;
        let (operations, whole, shape, budget) = (Vec::new(), Vec::new(), FillParams::default(), FIRST);
        let scanner = FillScanner {
            gpu,
            kernel,
            params,
            columns,
            traps,
            pieces,
            targets,
            groups,
            steps,
            counts,
            hits,
            operations,
            whole,
            shape,
            budget,
        };
        Ok(scanner)
    }

    /// Uploads the kept rows.
    fn upload(&mut self, kept: &Kept) -> Result<(), EngineError> {
        let Kept { space, rows, target, sharpest } = *kept;
        let (count, required) = (rows.len(), space.required);
        self.operations.clone_from(&space.operations);
        self.whole = target_words(target);
        self.shape = FillParams {
            rows: count as u32,
            required: required as u32,
            sharpest: sharpest as u32,
            // The value of a whole bool is one bit.
            least: if target.ty == Type::BOOL { 1 } else { BITS },
            room: ROOM,
            epoch: self.shape.epoch,
            ..FillParams::default()
        };
        let words = count as u64 * required as u64;
        let limits = self.gpu.device.limits();
        if words * 4 > limits.max_storage_buffer_binding_size.min(limits.max_buffer_size) {
            return Err(EngineError::TooLarge(format!("{count} rows of {required} words")));
        }
        Runs::need(&self.gpu, &mut self.columns, words)?;
        Runs::need(&self.gpu, &mut self.traps, count as u64 * required.div_ceil(32) as u64)?;
        let packed = |block: usize, rank: usize| {
            let inputs = (32 * block..required.min(32 * block + 32)).enumerate();
            inputs.fold(0, |word, (bit, input)| word | rows.columns[input][rank] << bit)
        };
        for column in 0..required {
            let mut words = rows.columns[column].clone();
            for size in 1..=rows.largest() {
                for rank in rows.of_size(size, Type::BOOL) {
                    let packs = 32 * column < required;
                    words[rank as usize] = if packs { packed(column, rank as usize) } else { 0 };
                }
            }
            self.write(&self.columns, (column * count) as u64, &words)?;
        }
        for block in 0..required.div_ceil(32) {
            let words: Vec<u32> = rows.traps.iter().map(|traps| (traps >> (32 * block)) as u32).collect();
            self.write(&self.traps, (block * count) as u64, &words)?;
        }
        Ok(())
    }

    /// Writes words and submits them, so that the copies of large buffers are not all there at once.
    fn write(&self, buffer: &wgpu::Buffer, first: u64, words: &[u32]) -> Result<(), EngineError> {
        self.gpu.scoped(|| {
            self.gpu.write(buffer, first * 4, bytemuck::cast_slice(words));
            self.gpu.queue.submit([]);
        })
    }

    fn batch(&self, pieces: &[&Piece]) -> Batch {
        let mut batch = Batch { targets: self.whole.clone(), ..Batch::default() };
        let mut last: Option<(&Arc<Context>, u32)> = None;
        for (index, piece) in (0..).zip(pieces) {
            let target = match last {
                Some((context, target)) if Arc::ptr_eq(context, &piece.context) => target,
                _ => {
                    let target = batch.targets.len() as u32;
                    batch.targets.extend(target_words(&piece.context.target));
                    target
                }
            };
            last = Some((&piece.context, target));
            let count = piece.through.len() as u32;
            let begin = match piece.is_symmetric {
                true => piece.others.start.max(piece.through.start),
                false => piece.others.start,
            };
            let tiles_each = (STEPS / count.max(1)).clamp(1, 64);
            let groups = piece.others.end.saturating_sub(begin).div_ceil(TILE * tiles_each);
            let mut record = [0; fill_piece::WORDS as usize];
            let mut put = |word: u32, value: u32| record[word as usize] = value;
            put(fill_piece::CODE, code(self.operations[piece.operation as usize], piece.side));
            put(fill_piece::KNOWN, piece.through.start);
            put(fill_piece::COUNT, count);
            put(fill_piece::OTHERS, begin);
            put(fill_piece::END, piece.others.end);
            put(fill_piece::SYMMETRIC, piece.is_symmetric.into());
            put(fill_piece::TARGET, target);
            put(fill_piece::STEPS, batch.steps);
            put(fill_piece::GROUP, batch.groups.len() as u32);
            put(fill_piece::TILES, tiles_each);
            let around = piece.context.around.iter().rev().take(AROUND);
            put(fill_piece::AROUND, around.len() as u32);
            for (at, (Around { operation, side, known }, _)) in (0..).zip(around) {
                put(fill_piece::CODES + 2 * at, code(self.operations[*operation as usize], *side));
                put(fill_piece::CODES + 2 * at + 1, *known);
            }
            batch.pieces.extend(record);
            batch.steps += count;
            batch.groups.extend(std::iter::repeat_n(index, groups as usize));
        }
        batch
    }

    /// Submits a batch, and returns what it found.
    fn submit(
        &mut self,
        count: u32,
        batch: Batch,
        meanwhile: &mut dyn FnMut(),
    ) -> Result<Scanned, EngineError> {
        let gpu = &self.gpu;
        let counters = fill_count::PIECES + fill_count::WORDS * count;
        let groups = batch.groups.len() as u32;
        self.shape.epoch = self.shape.epoch.wrapping_add(1);
        let params = FillParams { groups, row: ROW.min(groups), ..self.shape };
        for (buffer, words) in [
            (&mut self.pieces, batch.pieces.len()),
            (&mut self.targets, batch.targets.len()),
            (&mut self.groups, batch.groups.len()),
            (&mut self.steps, 4 * batch.steps as usize),
            (&mut self.counts, counters as usize),
        ] {
            Runs::need(gpu, buffer, words.next_power_of_two() as u64)?;
        }
        let mut encoder = gpu.encoder();
        let started = Instant::now();
        gpu.attempt(|| {
            gpu.write(&self.params, 0, bytemuck::bytes_of(&params));
            gpu.write(&self.pieces, 0, bytemuck::cast_slice(&batch.pieces));
            gpu.write(&self.targets, 0, bytemuck::cast_slice(&batch.targets));
            gpu.write(&self.groups, 0, bytemuck::cast_slice(&batch.groups));
            encoder.clear_buffer(&self.counts, 0, None);
            let group = self.kernel.bind(
                gpu,
                &[
                    ("fill_params", &self.params),
                    ("columns", &self.columns),
                    ("traps", &self.traps),
                    ("pieces", &self.pieces),
                    ("targets", &self.targets),
                    ("groups", &self.groups),
                    ("steps", &self.steps),
                    ("counts", &self.counts),
                    ("hits", &self.hits),
                ],
            )?;
            let mut pass = encoder.begin_compute_pass(&Default::default());
            self.kernel.dispatch(&mut pass, "conclude", &group, count);
            if groups > 0 {
                self.kernel.set(&mut pass, "scan", &group);
                pass.dispatch_workgroups(params.row, groups.div_ceil(params.row), 1);
            }
            Ok(())
        })?;
        let parts = [(&self.counts, 0, counters.into()), (&self.hits, 0, (3 * AT_ONCE).into())];
        let pending = gpu.submit(encoder, &parts)?;
        meanwhile();
        let waited = Instant::now();
        let read = gpu.collect(pending)?;
        self.budget = match (started.elapsed(), waited.elapsed()) {
            (all, _) if all < TARGET / 2 => (self.budget * 2).min(MOST),
            (_, waited) if waited > TARGET * 2 => (self.budget / 2).max(LEAST),
            _ => self.budget,
        };
        let [counts, first] = &read[..] else { return Err(incomplete()) };
        if counts[fill_count::EPOCH as usize] != params.epoch {
            return Err(DeviceFailure::Results.because("counts of another batch"));
        }
        let found = counts[fill_count::HITS as usize];
        let mut hits = first.clone();
        if found > AT_ONCE {
            let more = 3 * u64::from(found.min(ROOM) - AT_ONCE);
            let read = gpu.read(gpu.encoder(), &[(&self.hits, (3 * AT_ONCE).into(), more)])?;
            hits.extend(read.into_iter().flatten());
        }
        hits.truncate(3 * found.min(ROOM) as usize);
        let word =
            |piece: u32, word: u32| counts[(fill_count::PIECES + fill_count::WORDS * piece + word) as usize];
        let is_over = |piece: u32| found > ROOM || word(piece, fill_count::OVERFLOWED) != 0;
        let low = u64::from(counts[fill_count::TRIED as usize]);
        let hits = hits.chunks_exact(3).map(|hit| Hit { piece: hit[0], known: hit[1], other: hit[2] });
        let all = (0..count).filter(|piece| word(*piece, fill_count::STEPS) > 0 && is_over(*piece));
        Ok(Scanned {
            tried: u64::from(counts[fill_count::TRIED as usize + 1]) << 32 | low,
            hits: hits.filter(|hit| hit.piece < count && !is_over(hit.piece)).collect(),
            overflowed: all.collect(),
        })
    }
}

/// Returns the word of an operation whose operand on this side is known.
pub fn code(operation: Operation, side: Known) -> u32 {
    let number = match operation.meaning {
        Meaning::Unary(op) | Meaning::Binary(op) => op as u32,
        Meaning::Logical { stops_at: false } => fill_code::AND,
        Meaning::Logical { stops_at: true } => fill_code::OR,
        // Elements and calls are evaluated by the processor.
        Meaning::ToInt | Meaning::Element { .. } | Meaning::Call { .. } => fill_code::TO_INT,
    };
    let flag = |holds: bool, flag: u32| if holds { flag } else { 0 };
    number
        | flag(operation.operand == Type::BOOL, fill_code::BOOLS)
        | flag(side == Known::Right, fill_code::RIGHT)
        | flag(operation.is_unary(), fill_code::UNARY)
}

/// The mask and the value of each input.
fn target_words(target: &Target) -> Vec<u32> {
    target.bits.iter().flat_map(|bits| [bits.mask, bits.value]).collect()
}

impl Scanner for FillScanner {
    fn keep(&mut self, kept: &Kept) -> Result<(), String> {
        self.upload(kept).map_err(|error| error.to_string())
    }

    fn budget(&self) -> u64 {
        self.budget
    }

    fn scan(&mut self, pieces: &[&Piece], meanwhile: &mut dyn FnMut()) -> Result<Scanned, String> {
        if pieces.is_empty() {
            meanwhile();
            return Ok(Scanned::default());
        }
        let batch = self.batch(pieces);
        self.submit(pieces.len() as u32, batch, meanwhile).map_err(|error| error.to_string())
    }
}
