//! Judges mutants in chunks: each is derived from the base on the device, compiled, compared with earlier
//! mutants and run.

use std::time::Instant;

use crate::compiler::layout::ExecuteParams;
use crate::compiler::layout::numbers::{exact, mode, row, sequence};
use crate::compiler::program::Watch;
use crate::compiler::stage::splice::Splice;
use crate::engine::gpu::recorder::Recorder;
use crate::engine::gpu::records::{GpuRecord, incomplete, records};
use crate::engine::gpu::runs::{RunWork, Runs};
use crate::engine::gpu::slices::Slices;
use crate::engine::gpu::splicing::Plan;
use crate::engine::gpu::tuning::{Jobs, MutantSlots};
use crate::engine::reuse::{ComparedBase, UnchangedFunctions};
use crate::engine::timings::StageTimes;
use crate::engine::{
    Chunk, ChunkMode, DeviceFailure, EngineError, EntryResult, MutantResult, Seen, oracles, refuse_whole,
};
use crate::lang::index::{Index, Indices, MutantId};
use crate::lang::limits;
use crate::lang::verdict::{MutantStatus, Verdict};

use super::{Base, GpuEngine, PreviousBase};

/// An entry has many inputs if threads of a group that run one mutant are better used than those that run one input.
const MANY_INPUTS: u32 = 8;

/// Returns the jobs of a mutant of a base with these results.
fn jobs_of(entries: &[EntryResult]) -> Jobs {
    let inputs = oracles::order(entries).into_iter().map(|entry| entries[entry.position()].inputs);
    let all = inputs.clone().sum::<u32>();
    let single = inputs.take_while(|inputs| *inputs < MANY_INPUTS).sum();
    Jobs { single, many: all - single }
}

impl GpuEngine {
    /// Makes room in archive, directory and table for mutants with ids below `end`. Growing them forgets all
    /// mutants and writes the base's row again.
    pub(super) fn preallocate_buffers(&mut self, end: u32) -> Result<(), EngineError> {
        let Some(base) = &mut self.base else { return Ok(()) };
        refuse_whole(&base.compiled)?;
        if base.plan.is_none() && base.first_order() > 0 {
            base.validating = None;
            let plan = base.plan.insert(Plan::new(&base.compiled, &base.sites, self.runs.tuning.segment_words));
            self.splicing.begin(&self.gpu, plan)?;
            if base.compiled.facts.compiles() {
                base.take_over(self.before.take());
            }
        }
        base.verdict_cache.ask(end);
        if end < base.capacity && base.seen.end > MutantId::FIRST {
            return Ok(());
        }
        let capacity =
            (end.max(base.first_order()) + 4096).checked_next_power_of_two().filter(|c| *c <= 1 << 22);
        let capacity = capacity
            .ok_or_else(|| DeviceFailure::Memory.because(format!("{end} mutants are too many for one base")))?;
        let routines = base.compiled.executable.routines.token.len();
        let sequence = base.compiled.executable.code.word.len() + sequence::ROUTINE as usize * routines + 64;
        let limit = self.gpu.device.limits().max_storage_buffer_binding_size / 4;
        let words = (capacity as u64 * sequence as u64).clamp(1 << 20, (1u64 << 24).min(limit));
        Runs::need(&self.gpu, &mut self.runs.archive, words)?;
        Runs::need(&self.gpu, &mut self.runs.directory, u64::from(row::WORDS) * capacity as u64)?;
        Runs::need(&self.gpu, &mut self.runs.table, 2 * capacity as u64)?;
        base.capacity = capacity;
        self.restart()
    }

    /// Forgets all judged mutants: the next ones are compared with the base alone.
    pub(super) fn restart(&mut self) -> Result<(), EngineError> {
        let Some(base) = &mut self.base else { return Ok(()) };
        base.seen = Seen::default();
        let mut recorder = Recorder::new(&self.gpu, None);
        self.runs.judge_base(&mut recorder, &base.arena)?;
        self.gpu.finish(recorder.encoder)
    }

    /// See [`crate::engine::Engine::chunk`].
    pub(super) fn judge_chunk(
        &mut self,
        ids: Indices<MutantId>,
        ask: ChunkMode,
        watch: &dyn Watch,
    ) -> Result<Chunk, EngineError> {
        let started = Instant::now();
        let mut times = StageTimes::default();
        let (execute, reuses) = (ask != ChunkMode::Compare, self.reuses());
        self.run_base(watch)?;
        self.gpu.take_moved();
        let epoch = self.next_epoch();
        let fault = || EngineError::Call("there is no base with mutants".into());
        let base = self.base.as_mut().ok_or_else(fault)?;
        let (ids, _) = ids.split_at(self.chunk.mutants.min(self.runs.tuning.most_mutants()));
        let plan = base.plan.as_mut().ok_or_else(fault)?;
        let mut chunk = plan.chunk(&base.compiled, ids, &self.gpu.device.limits());
        let count = chunk.mutants.params.programs;
        let (ids, _) = ids.split_at(count);
        let first = ids.start().number();
        let jobs = jobs_of(&base.entries);
        let MutantSlots { lanes, awake, all } = self.runs.tuning.mutants(count, jobs);
        Runs::need(&self.gpu, &mut self.runs.verdicts, u64::from(Verdict::WORDS * count))?;
        let next = 2 * count.max(limits::TESTS as u32);
        Runs::need(&self.gpu, &mut self.runs.best, u64::from(next + count))?;
        let kept = std::mem::take(&mut chunk.kept);
        let known: Vec<Option<Verdict>> =
            ids.iter().map(|id| base.verdict_cache.ended(id).filter(|_| reuses)).collect();
        for (program, known) in chunk.mutants.programs.iter_mut().zip(&known) {
            program.known = u32::from(known.is_some());
        }
        let arenas = self.splicing.lay_out(&self.gpu, &self.compiler, chunk, epoch)?;
        let arena = &arenas.mutants;

        let (gpu, runs, splicing, compiler) = (&self.gpu, &self.runs, &self.splicing, &self.compiler);
        let params = runs.params(arena);
        let params = ExecuteParams {
            mode: mode::MUTANTS,
            lanes,
            initially_active: awake,
            slots: all,
            first: jobs.single,
            base_last: base.compiled.executable.code.word.len().saturating_sub(1) as u32,
            exact: match self.settings.exact {
                false => exact::CHANGED,
                true if base.entries.iter().all(|entry| entry.unfinished == 0) => exact::ALL,
                true => exact::ENTERING,
            },
            lists_by_reference: 1,
            next,
            ..params
        };
        let behind = &[("verdict", count.div_ceil(64))];
        let work = RunWork { behind, ..runs.tests(arena, &runs.verdicts, params) };
        let parts = [
            (&runs.verdicts, 0, u64::from(Verdict::WORDS * count)),
            (&runs.directory, u64::from((first + 1) * row::WORDS), u64::from(count * row::WORDS)),
        ];
        let (control, clock) = (&runs.control, self.clock.as_ref());
        let mut pace = self.pace.beginning(self.chunk.slices);
        let slices = Slices { gpu, control, pace: &mut pace, watch, clock, times: &mut times };
        let read = slices.run(&parts, |recorder, turn| {
            if turn.first {
                let from = (&*base.compiled, &base.arena);
                splicing.encode(recorder, (compiler, runs), from, &arenas)?;
                runs.judge(recorder, arena, first + 1, if execute { awake } else { 0 })?;
                runs.clear(recorder, &params);
            }
            if execute { runs.execute(recorder, &work, turn) } else { Ok(()) }
        });
        self.splicing.give_back(arenas);
        let read = read?;
        self.pace.learn(&pace);
        self.chunk.slices = pace.needed();
        plan.keep(&kept);
        let [verdicts, rows] = &read[..] else { return Err(incomplete()) };
        let mut verdicts: Vec<Verdict> = records(verdicts, epoch)?;
        let hash = |words: &[u32]| [words[row::HASH_LOW as usize], words[row::HASH_HIGH as usize]];
        let hashes = rows.chunks_exact(row::WORDS as usize).map(hash).collect();
        let mut reused = 0;
        if execute && reuses {
            for (verdict, known) in verdicts.iter_mut().zip(known) {
                if let Some(known) = known.filter(|_| verdict.status == MutantStatus::Pending) {
                    (*verdict, reused) = (known, reused + 1);
                }
            }
            base.verdict_cache.note(ids.start(), &verdicts, base.seen.continues(ids, ask));
        }
        base.seen.add(ids);
        let timings = self.timings(started, times, count);
        if execute {
            let wall = if self.gpu.counts.modelled { 0.0 } else { timings.wall.as_secs_f64() };
            self.chunk.learn(&self.runs.tuning, count, wall.max(1e-4));
        }
        Ok(Chunk { result: MutantResult { first: ids.start(), verdicts, reused, timings }, hashes })
    }
}

impl Base {
    /// Takes over the results of the previous base that still hold.
    fn take_over(&mut self, before: Option<PreviousBase>) {
        let Some(before) = before.filter(|before| !before.verdict_cache.is_empty()) else { return };
        let cuts = [&before.compiled, &self.compiled].map(|compiled| Splice::new(compiled));
        let old = ComparedBase { compiled: &before.compiled, splice: &cuts[0], sites: &before.sites };
        let new = ComparedBase { compiled: &self.compiled, splice: &cuts[1], sites: &self.sites };
        if let Some(unchanged_functions) = UnchangedFunctions::of(old, new) {
            self.verdict_cache = before.verdict_cache.next(unchanged_functions, before.edits, self.edits);
        }
    }
}
