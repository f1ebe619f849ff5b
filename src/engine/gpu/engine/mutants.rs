//! Mutants in chunks: each is made from the base on the device, compiled, compared with those before it and run.

use std::time::Instant;

use crate::engine::gpu::arena::{Arena, Shape};
use crate::engine::gpu::recorder::Recorder;
use crate::engine::gpu::runs::{Progress, Runs};
use crate::engine::{EngineError, MutantResult, Part};
use crate::lang::limits;
use crate::lang::verdict::{MutantStatus, Verdict};
use crate::layout::{ExecuteParams, JudgeParams, MutateParams};
use crate::stage::Stage;

use super::{GpuEngine, SLICES, TARGET, Times};

/// Words of a row of judge's directory; the third and the fourth are the hash. See `shaders/judge.wgsl`.
const DIRECTORY_WORDS: usize = 8;

impl GpuEngine {
    pub(super) fn judge_params(&self, arena: &Arena, first: u32, lanes: u32, execute: bool) -> JudgeParams {
        let params = &arena.shape.params;
        JudgeParams {
            programs: params.programs,
            token_capacity: params.token_capacity,
            code_capacity: params.code_capacity,
            epoch: params.epoch,
            first,
            // A power of two below the table's words.
            mask: (self.runs.table.size() as u32 / 4 + 1).next_power_of_two() / 2 - 1,
            archive_room: (self.runs.archive.size() / 4) as u32,
            lanes,
            execute: execute as u32,
            ..Default::default()
        }
    }

    /// Makes room for mutants up to `end`: archive, directory and table. The base's row is made anew.
    pub(super) fn make_room(&mut self, end: u32) -> Result<(), EngineError> {
        let Some(base) = &mut self.base else { return Ok(()) };
        if end < base.capacity && base.seen > 0 {
            return Ok(());
        }
        let capacity = (end.max(base.first_order) + 4096).checked_next_power_of_two().filter(|c| *c <= 1 << 22);
        let capacity =
            capacity.ok_or_else(|| EngineError::Fault(format!("{end} mutants are too many for one base")))?;
        let sequence = base.compiled.code.word.len() + 8 * base.compiled.routines.token.len() + 64;
        let limit = self.gpu.device.limits().max_storage_buffer_binding_size / 4;
        let words = (capacity as u64 * sequence as u64).clamp(1 << 20, (1u64 << 24).min(limit));
        Runs::need(&self.gpu, &mut self.runs.archive, words)?;
        Runs::need(&self.gpu, &mut self.runs.directory, 8 * capacity as u64)?;
        Runs::need(&self.gpu, &mut self.runs.table, 2 * capacity as u64)?;
        base.capacity = capacity;
        self.restart()
    }

    /// Forgets all mutants judged; the next are compared with the base alone.
    pub(super) fn restart(&mut self) -> Result<(), EngineError> {
        let Some(base) = &mut self.base else { return Ok(()) };
        base.seen = 0;
        base.holes = false;
        let Some(base) = &self.base else { return Ok(()) };
        let mut recorder = Recorder::new(&self.gpu, None);
        self.judge_base(&mut recorder, &base.arena)?;
        self.gpu.finish(recorder.encoder)
    }

    /// Judges `count` mutants from `first` on; `None` if called off meanwhile.
    pub(super) fn judge_chunk(
        &mut self,
        first: u32,
        count: u32,
        execute: bool,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Option<Part>, EngineError> {
        let started = Instant::now();
        let mut times = Times::default();
        self.gpu.take_moved();
        let epoch = self.next_epoch();
        let Some(base) = &self.base else { return Ok(None) };
        let mut shape = Shape::default();
        let at = shape.push_text(&base.compiled.text);
        let limits = self.gpu.device.limits();
        for _ in 0..count {
            if shape.params.programs > 0 && !shape.fits_with(base.room, 0, &limits) {
                break;
            }
            shape.push(base.room, at, base.compiled.text.len() as u32);
        }
        shape.params.epoch = epoch;
        let count = shape.params.programs;
        let lanes = (self.runs.tuning.mutant_slots / count).clamp(1, 64);

        let mut arena = self.kernels.arena(&self.gpu, self.mutants.take(), shape)?;
        Runs::need(&self.gpu, &mut self.runs.verdicts, 4 * count as u64)?;
        Runs::need(&self.gpu, &mut self.runs.best, 2 * (count.max(limits::TESTS as u32)) as u64)?;
        let params = ExecuteParams { mode: 1, lanes, slots: count * lanes, ..self.runs.params(&arena) };
        let (mut verdicts, mut rows) = (Vec::new(), Vec::new());
        let mut slices = 0;
        loop {
            let submitted = Instant::now();
            let (gpu, kernels, runs) = (&self.gpu, &self.kernels, &self.runs);
            let mut recorder = Recorder::new(gpu, self.clock.as_ref());
            gpu.attempt(|| {
                if slices == 0 {
                    let mutate = MutateParams {
                        base_capacity: base.arena.shape.params.token_capacity,
                        token_capacity: arena.shape.params.token_capacity,
                        first,
                        spare: 0,
                    };
                    runs.mutate(gpu, kernels, &mut recorder, mutate, &base.arena, &arena, &[("vary", count)])?;
                    self.encode_stages(&mut recorder, &arena, Stage::Parse);
                    let judge = self.judge_params(&arena, first + 1, lanes, execute);
                    runs.judge(gpu, kernels, &mut recorder, judge, &arena, true)?;
                    runs.clear(&mut recorder);
                }
                let params = ExecuteParams { budget: runs.budget, ..params };
                let last = [("verdict", count.div_ceil(64))];
                let last = if execute { &last[..] } else { &[] };
                let slices = if execute { SLICES } else { 0 };
                let work = runs.tests(kernels, &arena, &runs.verdicts);
                runs.execute(gpu, kernels, &mut recorder, params, work, slices, &[], last)
            })?;
            let row = DIRECTORY_WORDS as u64;
            let parts = [
                (&runs.control, 0, 8),
                (&runs.verdicts, 0, 4 * count as u64),
                (&runs.directory, (first as u64 + 1) * row, count as u64 * row),
            ];
            let read = recorder.read(gpu, &parts, &mut times)?;
            let done = read.first().is_some_and(|words| Progress::of(words).done);
            slices += 1;
            if slices > 1 {
                self.runs.adapt(submitted.elapsed(), TARGET);
            }
            if done || !execute {
                [_, verdicts, rows] = read.try_into().unwrap_or_default();
                break;
            }
            if cancelled() {
                break;
            }
        }
        arena.shape.programs.clear();
        self.mutants = Some(arena);
        if verdicts.is_empty() {
            return Ok(None);
        }
        let verdicts =
            verdicts.chunks_exact(4).map(|record| verdict(record, epoch)).collect::<Result<Vec<_>, _>>()?;
        let timings = self.timings(started, times, count);
        // The next chunk has as many mutants as fit in the target.
        let taken = timings.wall.as_secs_f64().max(1e-4);
        let fitting = count as f64 * TARGET.as_secs_f64() / taken;
        if execute {
            self.chunk = (fitting as u32).clamp(self.chunk / 2, self.chunk * 2).clamp(16, 4096);
        }
        let hashes = rows.chunks_exact(DIRECTORY_WORDS).map(|row| [row[2], row[3]]).collect();
        Ok(Some(Part { result: MutantResult { first, verdicts, timings }, hashes }))
    }
}

/// A mutant's verdict from its record.
fn verdict(record: &[u32], epoch: u32) -> Result<Verdict, EngineError> {
    let &[status, killer, twin, written] = record else {
        return Err(EngineError::Fault("results are incomplete".into()));
    };
    if written != epoch {
        return Err(EngineError::Fault("a record of another batch".into()));
    }
    let status = MutantStatus::from_u32(status);
    let status = status.ok_or_else(|| EngineError::Fault("no such verdict".into()))?;
    Ok(Verdict { status, killer, twin })
}
