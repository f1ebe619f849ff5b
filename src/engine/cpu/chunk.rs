//! Judges one chunk of mutants: all threads compile them, one finds equal bytecode, all run the rest.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Instant;

use rayon::prelude::*;

use super::Base;
use super::code_cache::{CodeCache, Match, SingleEdit};
use super::pool::{Pool, Worker};
use super::spent::StageTimings;
use super::visits::{CallProfile, VisitQueue, VisitTask};
use crate::compiler::program::Executable;
use crate::compiler::stage::splice::Segment;
use crate::compiler::stage::{Stage, judge, mutate};
use crate::engine::memory::words;
use crate::engine::{ChunkMode, oracles};
use crate::lang::NONE;
use crate::lang::index::{EditId, Index, Indices, MutantId, RoutineId};
use crate::lang::verdict::{MutantStatus, Verdict};

const PENDING: Verdict = Verdict::of(MutantStatus::Pending);

pub struct Slot {
    pub verdict: Verdict,
    /// Whether the verdict comes from an earlier base.
    pub reused: bool,
    /// The codes by which it differs from the base (see `CodeCache::key`).
    key: [u32; 2],
    /// The functions that it changes, one or two.
    parts: [ChunkPart; 2],
    count: usize,
    executable: Executable,
    sequence: Vec<u32>,
    hash: [u32; 2],
}

#[derive(Clone, Copy)]
pub struct JudgeOptions {
    pub ask: ChunkMode,
    /// Whether every input runs, even if the result is known.
    pub exact: bool,
    /// Whether verdicts of earlier bases are reused.
    pub reusing: bool,
}

#[derive(Default)]
struct ChunkPart {
    /// The first-order edit of the function, unless a pair of edits changes it.
    edit: Option<EditId>,
    /// The number of its code; `None` until it has one.
    code: Option<u32>,
    /// Its code and the hash of the words, if compiled for this mutant.
    segment: Segment,
    hash: [u32; 2],
}

impl Slot {
    /// Returns the allocated size in bytes.
    pub fn bytes(&self) -> u64 {
        let parts: u64 = self.parts.iter().map(|part| words(&part.segment.words)).sum();
        parts + self.executable.bytes() + words(&self.sequence)
    }

    /// Returns the hash of its bytecode. Only defined if the mutant compiles and hashes were requested.
    pub fn hash(&self) -> [u32; 2] {
        self.hash
    }

    fn parts(&self) -> &[ChunkPart] {
        &self.parts[..self.count]
    }

    /// Returns the code of the functions that it changes.
    fn segments<'a>(&self, base: &'a Base) -> impl Iterator<Item = &'a Segment> {
        let codes = [0, 1].map(|place| self.parts().get(place).and_then(|part| part.code));
        codes.into_iter().filter_map(|code| base.segments.get(code?))
    }
}

impl Default for Slot {
    fn default() -> Slot {
        Slot {
            verdict: PENDING,
            reused: false,
            key: [NONE; 2],
            parts: Default::default(),
            count: 0,
            executable: Executable::default(),
            sequence: Vec::new(),
            hash: [0; 2],
        }
    }
}

/// Judges mutants, one per slot, and returns the times of the stages. Stops early if
/// `stop` is set. The pool's times must be empty before the call.
pub fn judge_all(
    pool: &Pool,
    base: &mut Base,
    ids: Indices<MutantId>,
    slots: &mut [Slot],
    JudgeOptions { ask, exact, reusing }: JudgeOptions,
    stop: &AtomicBool,
) -> StageTimings {
    let mut spent = StageTimings::default();
    let compiling = Instant::now();
    let unchanged = &*base;
    // One at a time: the code of some is known already, so their times differ widely.
    slots.par_iter_mut().zip(ids.numbers()).with_max_len(1).for_each(|(slot, id)| {
        if !stop.load(Ordering::Relaxed) {
            compile(unchanged, MutantId::new(id), slot, &mut pool.worker());
        }
    });
    spent.together(pool.take_times(), compiling.elapsed());
    // A slot that was not compiled still has the code of an earlier mutant, perhaps of another base.
    if stop.load(Ordering::Relaxed) {
        return spent;
    }
    let comparing = Instant::now();
    // In the order of ids and on one thread: the original of a duplicate is the mutant with the lowest id.
    for (id, slot) in ids.iter().zip(&mut *slots) {
        compare(&mut base.segments, id, slot);
    }
    spent.alone(super::only(Stage::Judge, comparing.elapsed()));
    if ask == ChunkMode::Share {
        let hashing = Instant::now();
        let compared = &*base;
        slots.par_iter_mut().for_each(|slot| hash(compared, slot, &mut pool.worker()));
        spent.together(pool.take_times(), hashing.elapsed());
    }
    let executing = Instant::now();
    if ask != ChunkMode::Compare {
        if reusing && !exact {
            slots.iter_mut().filter(is_pending).for_each(|slot| recall(&base.segments, slot));
        }
        let mut pending: Vec<&mut Slot> = slots.iter_mut().filter(is_pending).collect();
        if !pending.is_empty() && !exact {
            base.visit(pool, stop);
        }
        let known = &*base;
        match known.visits.get().filter(|_| !exact) {
            Some(visits) => Recorded { base: known, visits }.run_all(pool, &mut pending, stop),
            None => pending.par_iter_mut().with_max_len(1).for_each(|slot| {
                run_whole(known, slot, &mut pool.worker(), exact, stop);
            }),
        }
        for slot in
            pending.iter().filter(|_| reusing).filter(|slot| slot.verdict.status != MutantStatus::Pending)
        {
            base.segments.note_end(slot.key, slot.verdict);
        }
    }
    spent.together(pool.take_times(), executing.elapsed());
    spent
}

/// Compiles the functions of a mutant that have not been compiled before. The slot becomes pending if the
/// mutant compiles, else invalid.
fn compile(base: &Base, id: MutantId, slot: &mut Slot, worker: &mut Worker) {
    let Worker { compiler, .. } = worker;
    let from = Instant::now();
    slot.verdict = Verdict::of(MutantStatus::Invalid);
    (slot.count, slot.reused) = (0, false);
    let Some(splice) = &base.splice else { return };
    let Some(edits) = base.plan.variant(base.compiled.view(), id) else { return };
    compiler.record_time(Stage::Mutate, from);
    if !splice.fits(&base.compiled, edits) {
        return;
    }
    let numbers = mutate::unrank_pair(base.plan.first_order(), id);
    let parts = match (edits.second, numbers, splice.functions(edits)) {
        (Some(second), Some((i, j)), (_, Some(_))) => {
            [Some((edits.first.into(), Some(i))), Some((second.into(), Some(j)))]
        }
        (_, numbers, _) => [Some((edits, numbers.is_none().then_some(EditId::new(id.number())))), None],
    };
    for (part, (edits, edit)) in slot.parts.iter_mut().zip(parts.into_iter().flatten()) {
        slot.count += 1;
        (part.edit, part.code) = (edit, None);
        part.segment.words.clear();
        match edit.map_or(SingleEdit::NotCompiled, |edit| base.segments.alone(edit)) {
            SingleEdit::Invalid => return,
            SingleEdit::Code(code) => part.code = Some(code),
            SingleEdit::NotCompiled => {
                if !splice.segment(&base.compiled, edits, compiler, &mut part.segment) {
                    return;
                }
                let from = Instant::now();
                part.hash = judge::hash(&part.segment.words);
                compiler.record_time(Stage::Judge, from);
            }
        }
    }
    slot.verdict = PENDING;
}

/// Numbers a mutant's code and settles its verdict if its bytecode is known.
fn compare(segments: &mut CodeCache, id: MutantId, slot: &mut Slot) {
    let pending = slot.verdict.status == MutantStatus::Pending;
    let count = slot.count;
    for part in &mut slot.parts[..count] {
        if part.code.is_none() && (pending || !part.segment.words.is_empty()) {
            part.code = Some(segments.number(&part.segment, part.hash));
        }
        // Pairs of edits reuse the code of single edits.
        if let Some(edit) = part.edit {
            segments.note(edit, part.code.map_or(SingleEdit::Invalid, SingleEdit::Code));
        }
    }
    if pending {
        slot.key = segments.key(slot.parts().iter().filter_map(|part| part.code));
        match segments.compare(id, slot.key) {
            Match::New => {}
            Match::Base => slot.verdict.status = MutantStatus::Equivalent,
            Match::Mutant(original) => slot.verdict = Verdict::duplicate_of(original),
        }
    }
}

fn is_pending(slot: &&mut Slot) -> bool {
    slot.verdict.status == MutantStatus::Pending
}

/// Assigns a mutant its verdict from an earlier base, if that still holds.
fn recall(segments: &CodeCache, slot: &mut Slot) {
    if let Some(verdict) = segments.ended(slot.key) {
        (slot.verdict, slot.reused) = (verdict, true);
    }
}

/// Hashes a mutant's bytecode.
fn hash(base: &Base, slot: &mut Slot, worker: &mut Worker) {
    let from = Instant::now();
    let Some(splice) = base.splice.as_ref().filter(|_| slot.verdict.status != MutantStatus::Invalid) else {
        return;
    };
    let mut changed: Vec<&Segment> = slot.segments(base).collect();
    changed.sort_unstable_by_key(|segment| segment.function);
    splice.assemble(&base.compiled, &changed, &mut slot.executable);
    judge::sequence(&slot.executable, &mut slot.sequence);
    slot.hash = judge::hash(&slot.sequence);
    worker.compiler.record_time(Stage::Judge, from);
}

/// A mutant to run on the inputs that enter its changed functions.
struct ChunkRun<'a> {
    slot: &'a Slot,
    first: RoutineId,
    second: Option<RoutineId>,
    queue: VisitQueue,
}

#[derive(Clone, Copy)]
struct Recorded<'a> {
    base: &'a Base,
    visits: &'a CallProfile,
}

impl Recorded<'_> {
    /// Returns `None` if the mutant changes no function of the base.
    fn run<'a>(&self, slot: &'a Slot) -> Option<ChunkRun<'a>> {
        let mut functions = slot.segments(self.base).map(|segment| segment.function);
        let (first, second) = (functions.next()?, functions.next());
        Some(ChunkRun { slot, first, second, queue: self.visits.share(first, second)? })
    }

    /// Runs a mutant on this thread: all visits, or the range `over` taken over from another thread.
    fn go(&self, run: &ChunkRun, over: Option<Range<usize>>, worker: &mut Worker, stop: &AtomicBool) {
        let (base, from) = (self.base, Instant::now());
        let Worker { compiler, mount, tried, .. } = worker;
        mount.hold(&base.compiled.executable, base.number);
        mount.exchange(run.slot.segments(base));
        let &ChunkRun { first, second, ref queue, .. } = run;
        let task = VisitTask { oracles: &base.oracles, first, second, queue, over };
        self.visits.judge(mount, task, tried, stop);
        compiler.record_time(Stage::Execute, from);
    }

    /// Runs mutants until an oracle kills them. A thread takes one mutant after another; when none is left, it
    /// takes over visits of mutants that other threads are running.
    fn run_all(&self, pool: &Pool, slots: &mut [&mut Slot], stop: &AtomicBool) {
        let runs: Vec<Option<ChunkRun>> = slots.iter().map(|slot| self.run(slot)).collect();
        let next = AtomicUsize::new(0);
        pool.on_each(|| {
            let worker = &mut *pool.worker();
            while let Some(run) = runs.get(next.fetch_add(1, Ordering::Relaxed)) {
                run.iter()
                    .filter(|_| !stop.load(Ordering::Relaxed))
                    .for_each(|run| self.go(run, None, worker, stop));
            }
            for run in runs.iter().flatten() {
                // Half of the rest, so that a long mutant is shared by all threads after a few steps.
                while let Some(over) = run.queue.half().filter(|_| !stop.load(Ordering::Relaxed)) {
                    self.go(run, Some(over), worker, stop);
                }
            }
        });
        // The results of a cancelled chunk are discarded.
        let stopped = stop.load(Ordering::Relaxed);
        let ended = |run: Option<ChunkRun>| match run.filter(|_| !stopped) {
            Some(run) => run.queue.verdict(),
            None => PENDING,
        };
        let verdicts: Vec<Verdict> = runs.into_iter().map(ended).collect();
        slots.iter_mut().zip(verdicts).for_each(|(slot, verdict)| slot.verdict = verdict);
    }
}

/// Runs a mutant on every input until an oracle kills it.
fn run_whole(base: &Base, slot: &mut Slot, worker: &mut Worker, exact: bool, stop: &AtomicBool) {
    let from = Instant::now();
    let Worker { compiler, machine, mount, .. } = worker;
    mount.hold(&base.compiled.executable, base.number);
    mount.exchange(slot.segments(base));
    let oracles = &base.oracles[..];
    let verdict = match exact {
        // Exact runs use the stack machine, which defines the language, not its register form.
        true => oracles::verdict(oracles, machine, &mount.program, stop),
        false => oracles::run(oracles, &mut mount.machine, &mount.program, stop),
    };
    // The results of a cancelled chunk are discarded.
    slot.verdict = verdict.unwrap_or(PENDING);
    compiler.record_time(Stage::Execute, from);
}
