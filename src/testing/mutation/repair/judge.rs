//! Runs the tests and properties on a program with rewrites. Entries that fail on the base run first, each on the input
//! on which it fails there, because most rewrites repair nothing.

use std::sync::Arc;

use crate::compiler::program::{Compiled, Executable, Facts, Watch};
use crate::compiler::stage::execute::{
    self, Domain, Machine, Record, RunObserver, StepState, holds, mutant_fuel,
};
use crate::compiler::stage::judge::{hash, sequence};
use crate::engine::{EntryRequest, EntryResult, Suite, Validated};
use crate::lang::index::{EntryId, Index, InputId, RoutineId, TokenId};
use crate::lang::limits;
use crate::lang::trap::Trap;
use crate::lang::verdict::Outcome;
use crate::testing::decide::{CallRecorder, Given};

use super::compile::{JudgeBuffers, RepairBase};
use super::rewrite::Rewrite;

/// The minimum estimate of a run's fuel. A test that fails on the base may end early there and need more steps once it
/// is repaired.
const FUEL: u32 = 20_000;
/// The maximum number of failing tests and properties that are considered: the bits of a set.
/// A word of 64 bits holds the set of failures of a candidate.
pub const MOST: usize = 64;

/// A test or property.
#[derive(Clone, Debug)]
struct FailingEntry {
    domain: Domain,
    /// All values of a small domain, if `domain` has only some. A repair must hold on them, too.
    whole: Option<Domain>,
    fuel: u32,
    steps: u64,
    /// The input on which the entry fails on the base, and the record of that run.
    failing: Option<(InputId, Record)>,
    /// The required outcome. A property whose condition no input meets on the base may stay so.
    wanted: Outcome,
}

/// All tests and properties of a program that compiles.
#[derive(Clone, Debug)]
pub struct Judge {
    /// Failing entries first, then the others by cost.
    entries: Vec<FailingEntry>,
    pub failing: usize,
    /// Whether the failing inputs are among the first ones, which devices run. An input beyond them has its number in the
    /// order of all values.
    pub fails_on_first_inputs: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fuel {
    /// An estimate from the runs of the base. Most runs that take more steps never end.
    Estimated,
    /// The language's limit.
    Full,
    /// The language's limit, for a candidate that is of use only if it mends every failure. Judging ends at the first
    /// one that is left.
    FullForAll,
}

/// The outcome of judging a program with rewrites.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fate {
    /// It does not compile, repairs nothing, or breaks a passing entry.
    Useless,
    /// It moves these failures, as bits: the run traps later, or no longer traps but still fails.
    Moved(u64),
    /// It repairs these failures, as bits, and breaks nothing.
    Mends(u64),
}

/// The result of judging a program with rewrites.
#[derive(Clone, Copy, Debug)]
pub struct Judgement {
    pub fate: Fate,
    /// The hash of the program's bytecode.
    pub hash: [u32; 2],
    /// Whether a run exhausted its estimated fuel. With more steps, the fate might be better.
    pub out_of_fuel: bool,
}

impl Judgement {
    pub const USELESS: Judgement = Judgement { fate: Fate::Useless, hash: [0; 2], out_of_fuel: false };
}

impl Judge {
    /// Returns `None` if the work was cancelled.
    pub fn new(base: &Compiled, results: &[EntryResult], watch: &dyn Watch) -> Option<Judge> {
        let Compiled { facts, executable, binders, .. } = base;
        // A run that exhausts its steps does not show how many it needs.
        let ended = results.iter().filter(|result| result.outcome != Outcome::Trap(Trap::StepLimit));
        let costliest = ended.map(|result| mutant_fuel(result.costliest)).max().unwrap_or(0);
        let mut machine = Machine::default();
        machine.load(executable);
        let mut entries = Vec::new();
        for (entry, result) in EntryId::all().zip(results) {
            if watch.cancelled() {
                return None;
            }
            let fails = result.outcome.fails();
            let of = |samples| Domain::new(&executable.routines, binders, facts.entry(entry), samples);
            let domain = of(if fails { result.samples } else { limits::SAMPLES });
            // `myriad test` tries them all, so a repair must hold on them as well.
            let whole = Some(of(limits::INPUTS)).filter(|all| all.exhaustive() && !domain.exhaustive());
            let input = result.failing_input.unwrap_or_default();
            let failing = fails.then(|| (input, domain.run(&mut machine, executable, input, limits::STEPS)));
            let fuel = if fails { costliest.max(FUEL) } else { mutant_fuel(result.costliest) };
            let wanted = if fails { Outcome::Pass } else { result.outcome };
            entries.push(FailingEntry { domain, whole, fuel, steps: result.steps, failing, wanted });
        }
        // Cheap entries first, because most candidates fail soon.
        entries.sort_by_key(|entry| (entry.failing.is_none(), entry.steps));
        let failing = entries.iter().filter(|entry| entry.failing.is_some()).count().min(MOST);
        let is_first = |result: &EntryResult| !result.outcome.fails() || result.samples <= limits::SAMPLES;
        Some(Judge { entries, failing, fails_on_first_inputs: results.iter().all(is_first) })
    }

    /// Returns the failing entries that are considered, by their indices among all entries.
    pub fn failing(&self, facts: Facts) -> impl Iterator<Item = EntryId> {
        self.entries.iter().take(self.failing).filter_map(move |entry| facts.entry_of(entry.domain.routine))
    }

    /// Returns the routines of the failing entries that are considered.
    pub fn failing_routines(&self) -> impl Iterator<Item = RoutineId> {
        self.entries.iter().take(self.failing).map(|entry| entry.domain.routine)
    }

    /// Returns the set of all considered failures, as bits.
    pub fn all(&self) -> u64 {
        if self.failing == MOST { u64::MAX } else { (1 << self.failing) - 1 }
    }

    /// Returns the test suite for an engine that validates patches.
    pub fn suite(&self, base: &Arc<Compiled>) -> Suite {
        let asked = |entry: &FailingEntry| EntryRequest {
            entry: base.facts.entry_of(entry.domain.routine).unwrap_or(EntryId::FIRST),
            fuel: entry.fuel,
            input: entry.failing.map(|(input, _)| input).unwrap_or_default(),
            met: entry.wanted == Outcome::Pass,
        };
        let failing = self.entries.iter().take(self.failing).map(asked).collect();
        let others = self.others().map(asked).collect();
        Suite { base: base.clone(), failing, others }
    }

    /// Converts an engine's validation of a program to a result.
    pub fn judged(&self, validated: &Validated) -> Judgement {
        let Validated::Ran(ran) = validated else { return Judgement::USELESS };
        let bits = (0..).zip(&self.entries).zip(&ran.first);
        let moved: u64 = bits
            .filter_map(|((bit, entry), (outcome, steps))| {
                let now = if let Outcome::Trap(trap) = outcome { *trap } else { Trap::None };
                let fails = !matches!(outcome, Outcome::Pass | Outcome::Discarded);
                (fails && moves(&entry.failing?.1, now, *steps)).then_some(1 << bit)
            })
            .sum();
        let fate = match ran.mended {
            0 if moved == 0 => Fate::Useless,
            0 => Fate::Moved(moved),
            _ if ran.breaks => Fate::Useless,
            mended => Fate::Mends(mended),
        };
        Judgement { fate, hash: ran.hash, out_of_fuel: ran.starved }
    }

    /// Judges a program with rewrites on the CPU.
    pub fn judge(
        &self,
        bench: &mut JudgeBuffers,
        ground: &RepairBase,
        rewrites: &[&Rewrite],
        fuel: Fuel,
        watch: &dyn Watch,
    ) -> Judgement {
        if bench.compile(ground, rewrites).is_none() {
            return Judgement::USELESS;
        }
        let program = &bench.program;
        sequence(program, &mut bench.sequence);
        let hash = hash(&bench.sequence);
        let machine = &mut bench.machine;
        machine.load(program);
        let (mut mended, mut moved, mut out_of_fuel) = (0u64, 0u64, false);
        for (bit, entry) in self.entries.iter().enumerate().take(self.failing) {
            let Some((input, before)) = entry.failing else { continue };
            let record = entry.run(machine, program, input, fuel);
            out_of_fuel |= entry.runs_out_of_fuel(record.trap, fuel);
            if holds(&record) {
                mended |= 1 << bit;
            } else if fuel == Fuel::FullForAll {
                return Judgement { fate: Fate::Useless, hash, out_of_fuel };
            } else if moves(&before, record.trap, record.steps) {
                moved |= 1 << bit;
            }
        }
        // A candidate that breaks others may still be half of a repair.
        let unmended = if moved == 0 { Fate::Useless } else { Fate::Moved(moved) };
        if mended == 0 {
            return Judgement { fate: unmended, hash, out_of_fuel };
        }
        machine.translate(program);
        let mut passes = |entry: &FailingEntry| {
            let (passes, trap) = entry.passes(machine, program, fuel, watch);
            out_of_fuel |= !passes && entry.runs_out_of_fuel(trap, fuel);
            passes
        };
        for (bit, entry) in self.entries.iter().enumerate().take(self.failing) {
            if mended >> bit & 1 != 0 && !passes(entry) {
                mended &= !(1 << bit);
            }
        }
        let fate = if mended == 0 {
            unmended
        } else if self.others().all(&mut passes)
            && (mended != self.all() || self.holds_on_small_domains(machine, program, watch))
        {
            Fate::Mends(mended)
        } else {
            Fate::Useless
        };
        Judgement { fate, hash, out_of_fuel }
    }

    /// Returns whether no property fails on a value of a small domain, as far as `myriad test` tries them.
    fn holds_on_small_domains(&self, machine: &mut Machine, program: &Executable, watch: &dyn Watch) -> bool {
        let mut holds_on_all = |(first, whole): (&Domain, &Domain)| {
            let mut steps = execute::entry(machine, program, first, limits::STEPS, watch).steps;
            for input in whole.inputs().iter().take_while(|_| !watch.cancelled()) {
                if steps >= limits::WHOLE_STEPS {
                    break;
                }
                let record = whole.run(machine, program, input, limits::STEPS);
                steps += u64::from(record.steps);
                if !holds(&record) {
                    return false;
                }
            }
            true
        };
        self.entries
            .iter()
            .filter_map(|entry| Some((&entry.domain, entry.whole.as_ref()?)))
            .all(&mut holds_on_all)
    }

    /// Returns whether a program with rewrites, which a device has found to mend all failures on the first inputs, fails
    /// on others.
    pub fn fails_on_small_domains(
        &self,
        bench: &mut JudgeBuffers,
        ground: &RepairBase,
        rewrites: &[&Rewrite],
        watch: &dyn Watch,
    ) -> bool {
        if self.entries.iter().all(|entry| entry.whole.is_none()) || bench.compile(ground, rewrites).is_none() {
            return false;
        }
        let JudgeBuffers { program, machine, .. } = bench;
        machine.load(program);
        machine.translate(program);
        !self.holds_on_small_domains(machine, program, watch)
    }

    /// Returns the entries that pass on the base. Failing entries beyond [`MOST`] are not included.
    fn others(&self) -> impl Iterator<Item = &FailingEntry> {
        self.entries.iter().filter(|entry| entry.failing.is_none())
    }

    /// Returns the arguments with which entries that pass on the base call one of its functions.
    pub fn passing_calls(&self, base: &Compiled, function: RoutineId) -> Vec<Given> {
        let (mut callers, mut machine) = (CallRecorder::new(&base.executable, function), Machine::default());
        machine.load(&base.executable);
        for entry in self.others() {
            callers.run((&mut machine, &base.executable), &entry.domain, entry.fuel, &|| false);
        }
        callers.found
    }

    /// Returns whether a program with rewrites breaks a passing entry, whatever it repairs.
    pub fn breaks(
        &self,
        bench: &mut JudgeBuffers,
        ground: &RepairBase,
        rewrites: &[&Rewrite],
        watch: &dyn Watch,
    ) -> bool {
        if bench.compile(ground, rewrites).is_none() {
            return true;
        }
        let JudgeBuffers { program, machine, .. } = bench;
        machine.load(program);
        machine.translate(program);
        !self.others().all(|entry| entry.passes(machine, program, Fuel::Estimated, watch).0)
    }

    /// Returns the token of the rewritten program at which the run of a failing entry traps, or `None` if it does not
    /// trap.
    pub fn traps_at(
        &self,
        bench: &mut JudgeBuffers,
        ground: &RepairBase,
        rewrite: &Rewrite,
        bit: usize,
    ) -> Option<TokenId> {
        let entry = self.entries.get(bit)?;
        let (input, _) = entry.failing?;
        bench.compile_whole(&ground.base, &[rewrite])?;
        let JudgeBuffers { program, machine, .. } = bench;
        machine.load(program);
        let mut last = Last::default();
        let record = entry.domain.observe(machine, program, (input, entry.fuel), &mut last);
        (record.trap != Trap::None)
            .then(|| program.code.token.get(last.pc).copied())
            .flatten()
            .and_then(TokenId::from_word)
    }
}

impl FailingEntry {
    /// Returns the fuel of each run of the entry.
    fn fuel(&self, fuel: Fuel) -> u32 {
        if fuel == Fuel::Estimated { self.fuel } else { limits::STEPS }
    }

    /// Returns whether a run that ended with `trap` might end otherwise with the language's full fuel.
    fn runs_out_of_fuel(&self, trap: Trap, fuel: Fuel) -> bool {
        trap == Trap::StepLimit && self.fuel(fuel) < limits::STEPS
    }

    /// Runs the entry on one input. Uses full fuel only if the estimate was too small.
    fn run(&self, machine: &mut Machine, program: &Executable, input: InputId, fuel: Fuel) -> Record {
        let record = self.domain.run(machine, program, input, self.fuel);
        if fuel == Fuel::Estimated || !self.runs_out_of_fuel(record.trap, Fuel::Estimated) {
            return record;
        }
        machine.translate(program);
        execute::run_with_cycle_check(machine, program, &self.domain, input)
    }

    /// Runs the entry on all inputs of a program that the machine has translated. Returns whether each ends as
    /// required, and the trap of the last run.
    fn passes(
        &self,
        machine: &mut Machine,
        program: &Executable,
        fuel: Fuel,
        watch: &dyn Watch,
    ) -> (bool, Trap) {
        let fuel = self.fuel(fuel);
        let tally = execute::entry(machine, program, &self.domain, fuel, watch);
        let ended = tally.passes() && tally.inputs == self.domain.inputs().len();
        (ended && (tally.outcome() == self.wanted || tally.outcome() == Outcome::Pass), tally.last.trap)
    }
}

/// Records the address of the last instruction.
#[derive(Default)]
struct Last {
    pc: usize,
}

impl RunObserver for Last {
    const STEPS: bool = true;

    fn step(&mut self, now: StepState) {
        self.pc = now.pc;
    }
}

/// Returns whether a run that trapped before now traps later or not at all.
fn moves(before: &Record, trap: Trap, steps: u32) -> bool {
    match (before.trap, trap) {
        // These traps depend on resources, so they say nothing about how far the run came.
        (Trap::None, _) | (_, Trap::StepLimit | Trap::OutOfMemory | Trap::RecursionTooDeep) => false,
        (_, Trap::None) => true,
        _ => steps > before.steps,
    }
}
