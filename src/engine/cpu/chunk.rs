//! A chunk of mutants: all threads compile them, one sorts out those whose bytecode is known already, all run the rest.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use rayon::prelude::*;

use super::Base;
use super::pool::{Pool, Worker};
use super::spent::Spent;
use super::visits::Visits;
use crate::engine::memory::words;
use crate::engine::oracles;
use crate::lang::NONE;
use crate::lang::verdict::{MutantStatus, Verdict};
use crate::program::Executable;
use crate::stage::Stage;
use crate::stage::judge::{self, Interner, Match};

const PENDING: Verdict = Verdict { status: MutantStatus::Pending, killer: NONE, original: NONE };

/// One mutant of a chunk.
pub struct Slot {
    pub verdict: Verdict,
    executable: Executable,
    /// The functions in which it differs from the base.
    changed: (u32, Option<u32>),
    sequence: Vec<u32>,
    hash: [u32; 2],
}

/// On what mutants are run whose bytecode is new.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Executed {
    Not,
    /// On the inputs of which it is not known otherwise how they end.
    WhereNeeded,
    /// On all up to the first that does not pass.
    Everywhere,
}

impl Slot {
    /// Bytes that it takes, as allocated.
    pub fn bytes(&self) -> u64 {
        self.executable.bytes() + words(&self.sequence)
    }

    /// The hash of its bytecode, if it compiles.
    pub fn hash(&self) -> [u32; 2] {
        self.hash
    }
}

impl Default for Slot {
    fn default() -> Slot {
        Slot {
            verdict: PENDING,
            executable: Executable::default(),
            changed: (0, None),
            sequence: Vec::new(),
            hash: [0; 2],
        }
    }
}

/// Judges the mutants from `first` on, one for each slot. Gives up where `stop` is raised. Returns what the stages took, of which nothing is to be left in the pool before.
pub fn judge_all(
    pool: &Pool,
    base: &mut Base,
    known: &mut Interner,
    first: u32,
    slots: &mut [Slot],
    executed: Executed,
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
    for (i, slot) in slots.iter_mut().enumerate() {
        if slot.verdict.status != MutantStatus::Pending {
            continue;
        }
        match known.add(first + i as u32, slot.hash, &slot.sequence) {
            Match::New => {}
            Match::Base => slot.verdict.status = MutantStatus::Equivalent,
            Match::Mutant(original) => {
                slot.verdict = Verdict { status: MutantStatus::Duplicate, killer: NONE, original };
            }
        }
    }
    spent.alone(super::only(Stage::Judge, comparing.elapsed()));
    let executing = Instant::now();
    if executed == Executed::WhereNeeded {
        base.visit(pool, stop);
    }
    let base = &*base;
    if executed != Executed::Not {
        let visits = base.visits.as_ref().filter(|_| executed == Executed::WhereNeeded);
        let visits = visits.and_then(Option::as_ref);
        let pending = slots.par_iter_mut().with_max_len(1);
        pending.filter(|slot| slot.verdict.status == MutantStatus::Pending).for_each(|slot| {
            execute((base, visits), slot, &mut pool.worker(), stop);
        });
    }
    spent.together(pool.take_times(), executing.elapsed());
    spent
}

/// Makes and compiles a mutant: pending if it compiles, else invalid.
fn compile(base: &Base, id: u32, slot: &mut Slot, worker: &mut Worker) {
    let Worker { compiler, splice: scratch, .. } = worker;
    let from = Instant::now();
    slot.verdict = Verdict { status: MutantStatus::Invalid, ..PENDING };
    let Some(edits) = base.plan.variant(base.compiled.view(), id) else { return };
    let Some(splice) = &base.splice else { return };
    compiler.took(Stage::Mutate, from);
    slot.changed = splice.functions(edits);
    if !splice.compile(&base.compiled, edits, compiler, scratch, &mut slot.executable) {
        return;
    }
    let from = Instant::now();
    slot.verdict = PENDING;
    judge::sequence(&slot.executable, &mut slot.sequence);
    slot.hash = judge::hash(&slot.sequence);
    compiler.took(Stage::Judge, from);
}

/// Runs a mutant up to its killer.
fn execute((base, visits): (&Base, Option<&Visits>), slot: &mut Slot, worker: &mut Worker, stop: &AtomicBool) {
    let from = Instant::now();
    let (program, oracles) = (&slot.executable, &base.oracles[..]);
    let Worker { compiler, machine, tried, .. } = worker;
    let verdict = match visits {
        Some(visits) => visits.verdict(program, slot.changed, oracles, machine, tried, stop),
        None => oracles::verdict(oracles, machine, program, stop),
    };
    // A chunk that is not wanted any more is thrown away.
    slot.verdict = verdict.unwrap_or(PENDING);
    compiler.took(Stage::Execute, from);
}
