//! What the tests and properties say of a program with rewrites: those that fail on the base first, each on the input on which it
//! fails there, for most rewrites mend nothing.

use crate::engine::EntryResult;
use crate::lang::trap::Trap;
use crate::lang::verdict::Outcome;
use crate::lang::{NONE, limits};
use crate::program::{Compiled, Executable, Watch};
use crate::stage::chain::Compiler;
use crate::stage::execute::{self, Domain, Machine, Record, holds, mutant_fuel};
use crate::stage::judge::{hash, sequence};

use super::rewrite::{Rewrite, apply};

/// The least fuel of a run: what fails on the base may end soon there, and need more where it is mended.
const FUEL: u32 = 20_000;
/// Failing tests and properties that are looked at: bits of a set.
pub const MOST: usize = 64;

/// A test or property.
#[derive(Clone, Debug)]
struct Entry {
    routine: u32,
    domain: Domain,
    fuel: u32,
    steps: u64,
    /// The input on which it fails on the base, and how.
    failing: Option<(u32, Record)>,
    /// How it is to end: it passes, or what no input met the condition of on the base need not.
    wanted: Outcome,
}

/// All tests and properties of a program that compiles.
#[derive(Clone, Debug)]
pub struct Judge {
    /// Those that fail first, then the others in the order of what they cost.
    entries: Vec<Entry>,
    pub failing: usize,
}

/// What becomes of a program with rewrites.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It does not compile, mends nothing, or breaks what passed.
    Useless,
    /// It moves the failures of these on, as bits: what traps on the base traps later, or fails without a trap.
    Moved(u64),
    /// It mends these of the failing ones, as bits, and breaks nothing.
    Mends(u64),
}

/// What a thread needs to judge.
#[derive(Default)]
pub struct Bench {
    compiler: Compiler,
    machine: Machine,
    /// All that its bytecode is.
    sequence: Vec<u32>,
}

impl Bench {
    /// Compiles a program with rewrites; `None` where it has errors.
    pub fn compile(&mut self, base: &Compiled, rewrites: &[&Rewrite]) -> Option<&Executable> {
        if !apply(&base.tokens, rewrites, &mut self.compiler.tokens) {
            return None;
        }
        self.compiler.mutant(&base.text, base.facts.names);
        self.compiler.compiles().then_some(&self.compiler.back.executable)
    }
}

impl Judge {
    /// `None` if it was stopped.
    pub fn new(base: &Compiled, results: &[EntryResult], watch: &dyn Watch) -> Option<Judge> {
        let Compiled { facts, executable, binders, .. } = base;
        let domains = execute::domains(facts, &executable.routines, binders, limits::SAMPLES);
        // What runs out of steps says nothing of what it needs.
        let ended = results.iter().filter(|result| result.outcome != Outcome::Trap(Trap::StepLimit));
        let costliest = ended.map(|result| mutant_fuel(result.costliest)).max().unwrap_or(0);
        let mut machine = Machine::default();
        machine.load(executable);
        let mut entries = Vec::new();
        for ((routine, domain), result) in (facts.functions..).zip(domains).zip(results) {
            if watch.cancelled() {
                return None;
            }
            let fails = result.outcome.fails();
            let input = if result.failing_input == NONE { 0 } else { result.failing_input };
            let failing = fails.then(|| {
                domain.write(input, machine.frame());
                (input, machine.run(executable, routine, limits::STEPS, 0))
            });
            let fuel = if fails { costliest.max(FUEL) } else { mutant_fuel(result.costliest) };
            let wanted = if fails { Outcome::Pass } else { result.outcome };
            entries.push(Entry { routine, domain, fuel, steps: result.steps, failing, wanted });
        }
        entries.sort_by_key(|entry| (entry.failing.is_none(), entry.steps));
        let failing = entries.iter().filter(|entry| entry.failing.is_some()).count().min(MOST);
        Some(Judge { entries, failing })
    }

    /// All failing ones, as bits.
    pub fn all(&self) -> u64 {
        if self.failing == MOST { u64::MAX } else { (1 << self.failing) - 1 }
    }

    /// Judges a program with rewrites; its bytecode's hash tells it from others.
    pub fn fate(
        &self,
        bench: &mut Bench,
        base: &Compiled,
        rewrites: &[&Rewrite],
        watch: &dyn Watch,
    ) -> (Fate, [u32; 2]) {
        if bench.compile(base, rewrites).is_none() {
            return (Fate::Useless, [0; 2]);
        }
        let program = &bench.compiler.back.executable;
        sequence(program, &mut bench.sequence);
        let hash = hash(&bench.sequence);
        let machine = &mut bench.machine;
        machine.load(program);
        let (mut mended, mut moved) = (0u64, 0u64);
        for (bit, entry) in self.entries.iter().enumerate().take(self.failing) {
            let Some((input, before)) = entry.failing else { continue };
            entry.domain.write(input, machine.frame());
            let record = machine.run(program, entry.routine, entry.fuel, 0);
            if holds(&record) {
                mended |= 1 << bit;
            } else if moves(&before, &record) {
                moved |= 1 << bit;
            }
        }
        let unmended = if moved == 0 { Fate::Useless } else { Fate::Moved(moved) };
        if mended == 0 {
            return (unmended, hash);
        }
        machine.translate(program);
        let mut passes = |entry: &Entry| {
            let tally = execute::entry(machine, program, entry.routine, &entry.domain, entry.fuel, watch);
            let ended = tally.passes() && tally.inputs == entry.domain.inputs();
            ended && (tally.outcome() == entry.wanted || tally.outcome() == Outcome::Pass)
        };
        for (bit, entry) in self.entries.iter().enumerate().take(self.failing) {
            if mended >> bit & 1 != 0 && !passes(entry) {
                mended &= !(1 << bit);
            }
        }
        if mended == 0 {
            return (unmended, hash);
        }
        // More failing ones than are looked at are broken on the base as well.
        let others = self.entries.iter().filter(|entry| entry.failing.is_none());
        if { others }.all(&mut passes) { (Fate::Mends(mended), hash) } else { (Fate::Useless, hash) }
    }
}

/// Whether a run that trapped does so later, or no more.
fn moves(before: &Record, now: &Record) -> bool {
    match (before.trap, now.trap) {
        (Trap::None, _) | (_, Trap::StepLimit | Trap::OutOfMemory | Trap::RecursionTooDeep) => false,
        (_, Trap::None) => true,
        _ => now.steps > before.steps,
    }
}
