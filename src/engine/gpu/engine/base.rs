//! The base: a text through all stages and its tests, in one submission where its runs are short.

use std::sync::Arc;
use std::time::Instant;

use crate::engine::gpu::arena::{Arena, Room, Shape};
use crate::engine::gpu::recorder::Recorder;
use crate::engine::gpu::runs::{ENTRY_TABLE, Progress, Runs};
use crate::engine::{BaseResult, EngineError, EntryResult, Watch};
use crate::lang::NONE;
use crate::lang::limits;
use crate::lang::verdict::Outcome;
use crate::layout::{ENTRY_WORDS, ExecuteParams, MutateParams};
use crate::program::Compiled;
use crate::stage::Stage;

use super::{Base, GpuEngine, SLICES, TARGET, Times};

impl GpuEngine {
    /// Puts a text's arena on the device, in the buffers of the last one if there is one.
    pub(super) fn base_arena(&mut self, text: &str) -> Result<Arena, EngineError> {
        let mut shape = Shape::default();
        // What is too long is refused by its length alone.
        let kept = if text.len() > limits::SOURCE_BYTES { "" } else { text };
        let at = shape.push_text(kept);
        shape.push(Room::of_text(kept), at, text.len() as u32);
        shape.params.epoch = self.next_epoch();
        self.kernels.arena(&self.gpu, self.base.take().map(|base| base.arena), shape)
    }

    /// Encodes the compile stages from `first` on.
    pub(super) fn encode_stages(&self, recorder: &mut Recorder, arena: &Arena, first: Stage) {
        for compiler in self.kernels.compile.iter().filter(|compiler| compiler.stage as u32 >= first as u32) {
            recorder.pass(compiler.stage, |pass| compiler.encode(pass, arena));
        }
    }

    /// Encodes judge on the base alone: the first row of an empty directory.
    pub(super) fn judge_base(&self, recorder: &mut Recorder, arena: &Arena) -> Result<(), EngineError> {
        recorder.encoder.clear_buffer(&self.runs.control, 0, None);
        recorder.encoder.clear_buffer(&self.runs.table, 0, None);
        let params = self.judge_params(arena, 0, 0, false);
        self.runs.judge(&self.gpu, &self.kernels, recorder, params, arena, false)
    }

    /// Compiles a text, runs its tests if they are to be `executed`, and keeps it as the base.
    pub(super) fn make_base(
        &mut self,
        text: &Arc<str>,
        executed: bool,
        watch: &dyn Watch,
    ) -> Result<BaseResult, EngineError> {
        let started = Instant::now();
        let mut times = Times::default();
        self.gpu.take_moved();
        let arena = self.base_arena(text)?;
        let rows = arena.shape.params.token_capacity as u64 + 1;
        Runs::need(&self.gpu, &mut self.runs.sites, 3 * rows)?;
        let slots = self.runs.tuning.slots;
        let params = ExecuteParams { lanes: slots, slots, ..self.runs.params(&arena) };
        let mut compiled = Arc::default();
        let entries;
        let mut slices = SLICES;
        let mut first_order = 0;
        let mut first = true;
        let mut cancelled = false;
        loop {
            let submitted = Instant::now();
            let (gpu, kernels, runs) = (&self.gpu, &self.kernels, &self.runs);
            let mut recorder = Recorder::new(gpu, self.clock.as_ref());
            gpu.attempt(|| {
                if first {
                    self.encode_stages(&mut recorder, &arena, Stage::Lex);
                    self.judge_base(&mut recorder, &arena)?;
                    let mutate =
                        MutateParams { base_capacity: arena.shape.params.token_capacity, ..Default::default() };
                    let count = [("clear", 1), ("mark", 1), ("count", 1)];
                    runs.mutate(gpu, kernels, &mut recorder, mutate, &arena, &arena, &count)?;
                    runs.clear(&mut recorder);
                }
                let params = ExecuteParams { budget: runs.budget, ..params };
                let before = [("survey", 1)];
                let before = if first && executed { &before[..] } else { &[] };
                let behind = [("tally", limits::TESTS as u32), ("schedule", 1)];
                let behind = if executed { &behind[..] } else { &[] };
                let slices = if executed { slices } else { 0 };
                let work = runs.tests(kernels, &arena, &runs.records);
                runs.execute(gpu, kernels, &mut recorder, params, work, slices, before, behind)
            })?;
            let mut parts = vec![(&runs.control, 0, 8), (&runs.entries, 0, ENTRY_TABLE)];
            if first {
                parts.extend(arena.readable());
            }
            let read = recorder.read(gpu, &parts, &mut times)?;
            let [control, table, ..] = &read[..] else {
                return Err(EngineError::Fault("results are incomplete".into()));
            };
            let progress = Progress::of(control);
            if first {
                first_order = progress.first_order;
                let mut stages = Compiled { text: text.clone(), ..Default::default() };
                arena.unpack(&read[2..], 0, Stage::Emit, &mut stages)?;
                compiled = Arc::new(stages);
            } else {
                let taken = submitted.elapsed();
                slices = self.runs.more_slices(slices, taken, TARGET);
                self.runs.adapt(taken, TARGET);
            }
            self.spent = progress.spent;
            first = false;
            if !executed {
                entries = Vec::new();
                break;
            }
            if progress.done {
                entries = entry_results(table, arena.shape.params.epoch)?;
                break;
            }
            if let Some((entry, inputs)) = running(table) {
                watch.running(&compiled, entry, inputs);
            }
            cancelled = watch.cancelled();
            if cancelled {
                entries = Vec::new();
                break;
            }
        }
        if cancelled || compiled.facts.stopped() || compiled.facts.errors > 0 {
            first_order = 0;
        }
        self.base = Some(Base {
            room: Room::of_variant(&compiled),
            compiled: compiled.clone(),
            arena,
            entries: entries.clone(),
            first_order,
            seen: 0,
            holes: false,
            capacity: 0,
        });
        if cancelled {
            return Err(EngineError::Cancelled);
        }
        Ok(BaseResult { compiled, entries, timings: self.timings(started, times, 1) })
    }
}

/// The first entry that has not ended, and how many of its inputs have, without a gap.
fn running(table: &[u32]) -> Option<(u32, u32)> {
    let mut rows = table.chunks_exact(ENTRY_WORDS as usize);
    let count = rows.next().map_or(0, |head| head[0]);
    let (entry, row) = (0..count).zip(rows).find(|(_, row)| row[14] != NONE)?;
    Some((entry, row[14].wrapping_sub(row[5])))
}

/// The results of the base's entries from their table: see `shaders/execute/tables.wgsl`.
fn entry_results(table: &[u32], epoch: u32) -> Result<Vec<EntryResult>, EngineError> {
    let mut rows = table.chunks_exact(ENTRY_WORDS as usize);
    let (count, written) = rows.next().map_or((0, 0), |head| (head[0], head[3]));
    if written != epoch || count > limits::TESTS as u32 {
        return Err(EngineError::Fault("a record of another batch".into()));
    }
    rows.take(count as usize)
        .map(|row| {
            let no_outcome = || EngineError::Fault("no such outcome".into());
            let outcome = Outcome::from_u32(row[8]).ok_or_else(no_outcome)?;
            Ok(EntryResult {
                outcome,
                steps: row[9] as u64,
                costliest: row[10],
                inputs: row[11],
                failing_input: row[12],
                trap_address: row[13],
            })
        })
        .collect()
}
