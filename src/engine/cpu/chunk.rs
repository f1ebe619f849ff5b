//! A chunk of mutants: all threads compile them, one sorts out those whose bytecode is known already, all run the rest.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Instant;

use rayon::prelude::*;

use super::Base;
use super::pool::{Pool, Worker};
use super::segments::{Alone, Match, Segments};
use super::spent::Spent;
use super::visits::{Share, Visits};
use crate::compiler::program::Executable;
use crate::compiler::stage::splice::Segment;
use crate::compiler::stage::{Stage, judge, mutate};
use crate::engine::memory::words;
use crate::engine::{Ask, oracles};
use crate::lang::NONE;
use crate::lang::verdict::{MutantStatus, Verdict};

const PENDING: Verdict = Verdict { status: MutantStatus::Pending, killer: NONE, original: NONE };

/// One mutant of a chunk.
pub struct Slot {
    pub verdict: Verdict,
    /// Whether the verdict is that of an earlier base.
    pub reused: bool,
    /// What it differs by from the base.
    key: [u32; 2],
    /// The functions that it changes, one or two.
    parts: [Part; 2],
    count: usize,
    executable: Executable,
    sequence: Vec<u32>,
    hash: [u32; 2],
}

/// How a chunk is judged.
#[derive(Clone, Copy)]
pub struct How {
    pub ask: Ask,
    /// Whether all is run, whatever is known without.
    pub exact: bool,
    /// Whether verdicts of earlier bases count.
    pub reusing: bool,
}

/// A function that a mutant changes.
#[derive(Default)]
struct Part {
    /// The edit of first order that changes it, if it is one alone.
    edit: Option<u32>,
    /// The number of its code; `None` as long as it has none.
    code: Option<u32>,
    /// Its code and the hash of its words, where it was compiled for this mutant.
    segment: Segment,
    hash: [u32; 2],
}

impl Slot {
    /// Bytes that it takes, as allocated.
    pub fn bytes(&self) -> u64 {
        let parts: u64 = self.parts.iter().map(|part| words(&part.segment.words)).sum();
        parts + self.executable.bytes() + words(&self.sequence)
    }

    /// The hash of its bytecode, if it compiles and that was asked for.
    pub fn hash(&self) -> [u32; 2] {
        self.hash
    }

    fn parts(&self) -> &[Part] {
        &self.parts[..self.count]
    }

    /// The code of the functions that it changes.
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

/// Judges the mutants from `first` on, one for each slot. Gives up where `stop` is raised. Returns what the stages took, of which nothing is to be left in the pool before.
pub fn judge_all(
    pool: &Pool,
    base: &mut Base,
    first: u32,
    slots: &mut [Slot],
    How { ask, exact, reusing }: How,
    stop: &AtomicBool,
) -> Spent {
    let mut spent = Spent::default();
    let compiling = Instant::now();
    let unchanged = &*base;
    slots.par_iter_mut().enumerate().with_max_len(1).for_each(|(i, slot)| {
        if !stop.load(Ordering::Relaxed) {
            compile(unchanged, first + i as u32, slot, &mut pool.worker());
        }
    });
    spent.together(pool.take_times(), compiling.elapsed());
    let comparing = Instant::now();
    for (id, slot) in (first..).zip(&mut *slots) {
        compare(&mut base.segments, id, slot);
    }
    spent.alone(super::only(Stage::Judge, comparing.elapsed()));
    if ask == Ask::Share {
        let hashing = Instant::now();
        let compared = &*base;
        slots.par_iter_mut().for_each(|slot| hash(compared, slot, &mut pool.worker()));
        spent.together(pool.take_times(), hashing.elapsed());
    }
    let executing = Instant::now();
    if ask != Ask::Compare {
        if reusing && !exact {
            slots.iter_mut().filter(is_pending).for_each(|slot| recall(&base.segments, slot));
        }
        let mut pending: Vec<&mut Slot> = slots.iter_mut().filter(is_pending).collect();
        if !pending.is_empty() && !exact {
            base.visit(pool, stop);
        }
        let known = &*base;
        match known.visits.as_ref().filter(|_| !exact).and_then(Option::as_ref) {
            Some(visits) => run_all(pool, (known, visits), &mut pending, stop),
            None => pending.par_iter_mut().with_max_len(1).for_each(|slot| {
                run_whole(known, slot, &mut pool.worker(), (exact, stop));
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

/// Makes and compiles a mutant, as far as its functions have not been compiled before: pending if it compiles, else invalid.
fn compile(base: &Base, id: u32, slot: &mut Slot, worker: &mut Worker) {
    let Worker { compiler, .. } = worker;
    let from = Instant::now();
    slot.verdict = Verdict { status: MutantStatus::Invalid, ..PENDING };
    (slot.count, slot.reused) = (0, false);
    let Some(splice) = &base.splice else { return };
    let Some(edits) = base.plan.variant(base.compiled.view(), id) else { return };
    compiler.took(Stage::Mutate, from);
    if !splice.fits(&base.compiled, edits) {
        return;
    }
    let numbers = mutate::pair(base.plan.first_order(), id);
    let parts = match (edits, numbers, splice.functions(edits)) {
        ((a, Some(b)), Some((i, j)), (_, Some(_))) => [Some(((a, None), Some(i))), Some(((b, None), Some(j)))],
        (_, numbers, _) => [Some((edits, numbers.is_none().then_some(id))), None],
    };
    for (part, (edits, edit)) in slot.parts.iter_mut().zip(parts.into_iter().flatten()) {
        slot.count += 1;
        (part.edit, part.code) = (edit, None);
        part.segment.words.clear();
        match edit.map_or(Alone::NotCompiled, |edit| base.segments.alone(edit)) {
            Alone::Invalid => return,
            Alone::Code(code) => part.code = Some(code),
            Alone::NotCompiled => {
                if !splice.segment(&base.compiled, edits, compiler, &mut part.segment) {
                    return;
                }
                let from = Instant::now();
                part.hash = judge::hash(&part.segment.words);
                compiler.took(Stage::Judge, from);
            }
        }
    }
    slot.verdict = PENDING;
}

/// Numbers a mutant's code, and sets it aside if its bytecode is known.
fn compare(segments: &mut Segments, id: u32, slot: &mut Slot) {
    let pending = slot.verdict.status == MutantStatus::Pending;
    let count = slot.count;
    for part in &mut slot.parts[..count] {
        if part.code.is_none() && (pending || !part.segment.words.is_empty()) {
            part.code = Some(segments.number(&part.segment, part.hash));
        }
        if let Some(edit) = part.edit {
            segments.note(edit, part.code.map_or(Alone::Invalid, Alone::Code));
        }
    }
    if pending {
        slot.key = segments.key(slot.parts().iter().filter_map(|part| part.code));
        match segments.compare(id, slot.key) {
            Match::New => {}
            Match::Base => slot.verdict.status = MutantStatus::Equivalent,
            Match::Mutant(original) => {
                slot.verdict = Verdict { status: MutantStatus::Duplicate, killer: NONE, original };
            }
        }
    }
}

fn is_pending(slot: &&mut Slot) -> bool {
    slot.verdict.status == MutantStatus::Pending
}

/// Gives a mutant the verdict that it had in an earlier base, if that holds.
fn recall(segments: &Segments, slot: &mut Slot) {
    if let Some(verdict) = segments.ended(slot.key) {
        (slot.verdict, slot.reused) = (verdict, true);
    }
}

/// Makes the hash of a mutant's bytecode.
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
    worker.compiler.took(Stage::Judge, from);
}

/// A mutant that is run, on the inputs that enter the functions that it changes.
struct Run<'a> {
    slot: &'a Slot,
    changed: (u32, Option<u32>),
    share: Share,
}

impl<'a> Run<'a> {
    /// `None` if it changes no function of the base.
    fn new(base: &Base, visits: &Visits, slot: &'a Slot) -> Option<Run<'a>> {
        let mut functions = slot.segments(base).map(|segment| segment.function as u32);
        let changed = (functions.next()?, functions.next());
        Some(Run { slot, changed, share: visits.share(changed)? })
    }

    /// Runs it on this thread, which is its own or has taken some visits over.
    fn go(
        &self,
        (base, visits): (&Base, &Visits),
        over: Option<Range<usize>>,
        worker: &mut Worker,
        stop: &AtomicBool,
    ) {
        let from = Instant::now();
        let Worker { compiler, mount, tried, .. } = worker;
        mount.hold(&base.compiled.executable, base.number);
        mount.exchange(self.slot.segments(base));
        let shared = (&self.share, over);
        visits.judge(mount, self.changed, &base.oracles, shared, tried, stop);
        compiler.took(Stage::Execute, from);
    }
}

/// Runs mutants up to their killers. A thread takes one after the other; when none is left, it takes over from those that others are at work on.
fn run_all(pool: &Pool, (base, visits): (&Base, &Visits), slots: &mut [&mut Slot], stop: &AtomicBool) {
    let runs: Vec<Option<Run>> = slots.iter().map(|slot| Run::new(base, visits, slot)).collect();
    let next = AtomicUsize::new(0);
    pool.on_each(|| {
        let worker = &mut *pool.worker();
        let known = (base, visits);
        while let Some(run) = runs.get(next.fetch_add(1, Ordering::Relaxed)) {
            run.iter()
                .filter(|_| !stop.load(Ordering::Relaxed))
                .for_each(|run| run.go(known, None, worker, stop));
        }
        for run in runs.iter().flatten() {
            while let Some(over) = run.share.half().filter(|_| !stop.load(Ordering::Relaxed)) {
                run.go(known, Some(over), worker, stop);
            }
        }
    });
    // A chunk that is not wanted any more is thrown away.
    let stopped = stop.load(Ordering::Relaxed);
    let ended = |run: Option<Run>| match run.filter(|_| !stopped) {
        Some(run) => run.share.killer().unwrap_or(oracles::SURVIVED),
        None => PENDING,
    };
    let verdicts: Vec<Verdict> = runs.into_iter().map(ended).collect();
    slots.iter_mut().zip(verdicts).for_each(|(slot, verdict)| slot.verdict = verdict);
}

/// Runs a mutant up to its killer, on every input.
fn run_whole(base: &Base, slot: &mut Slot, worker: &mut Worker, (exact, stop): (bool, &AtomicBool)) {
    let from = Instant::now();
    let Worker { compiler, machine, mount, .. } = worker;
    mount.hold(&base.compiled.executable, base.number);
    mount.exchange(slot.segments(base));
    let oracles = &base.oracles[..];
    let verdict = match exact {
        // Who asks for all runs gets them on the machine that is defined, not on its shorter form.
        true => oracles::verdict(oracles, machine, &mount.program, stop),
        false => oracles::run(oracles, &mut mount.machine, &mount.program, stop),
    };
    // A chunk that is not wanted any more is thrown away.
    slot.verdict = verdict.unwrap_or(PENDING);
    compiler.took(Stage::Execute, from);
}
