//! What the tests and properties say of a program with rewrites: those that fail on the base first, each on the input on which it
//! fails there, for most rewrites mend nothing.

use std::sync::Arc;

use crate::compiler::program::{Compiled, Executable, Watch};
use crate::compiler::stage::chain::Compiler;
use crate::compiler::stage::execute::{
    self, Called, Domain, Machine, Now, Record, Start, Witness, holds, mutant_fuel,
};
use crate::compiler::stage::judge::{hash, sequence};
use crate::compiler::stage::splice::{Segment, Splice};
use crate::engine::{Asked, EntryResult, Suite, Validated};
use crate::lang::mutation::Group;
use crate::lang::trap::Trap;
use crate::lang::verdict::Outcome;
use crate::lang::{NONE, limits};

use super::rewrite::{Rewrite, apply};

/// The least estimate of a run's fuel: a test that fails on the base may end early there, and take more steps once it is mended.
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

/// The steps that each run may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fuel {
    /// An estimate from the runs of the base: most runs that take more steps never end.
    Estimated,
    /// The limit of the language.
    Full,
}

/// The result of judging a program with rewrites.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fate {
    /// It does not compile, mends nothing, or breaks what passed.
    Useless,
    /// It moves the failures of these on, as bits: what traps on the base traps later, or fails without a trap.
    Moved(u64),
    /// It mends these of the failing ones, as bits, and breaks nothing.
    Mends(u64),
}

/// The result of judging a program with rewrites.
#[derive(Clone, Copy, Debug)]
pub struct Judged {
    pub fate: Fate,
    /// Hash of its bytecode.
    pub hash: [u32; 2],
    /// Whether a run spent an estimated fuel: with more steps the fate may be a better one.
    pub starved: bool,
}

impl Judged {
    pub const USELESS: Judged = Judged { fate: Fate::Useless, hash: [0; 2], starved: false };
}

/// A program that is repaired, and its functions as parts.
pub struct Ground {
    pub base: Arc<Compiled>,
    splice: Splice,
}

impl Ground {
    /// Of a program without errors.
    pub fn new(base: &Compiled) -> Ground {
        // What the edits of this group may call belongs to the parts.
        let base = Arc::new(Compiled { group: Group::Repair, ..base.clone() });
        Ground { splice: Splice::new(&base), base }
    }
}

/// What a thread needs to judge.
#[derive(Default)]
pub struct Bench {
    compiler: Compiler,
    /// The changed functions.
    segments: Vec<Segment>,
    program: Executable,
    machine: Machine,
    /// All that its bytecode is.
    sequence: Vec<u32>,
}

impl Bench {
    /// Compiles a program with rewrites; `None` where it has errors.
    pub fn compile(&mut self, ground: &Ground, rewrites: &[&Rewrite]) -> Option<&Executable> {
        let Ground { base, splice } = ground;
        let mut order: Vec<&Rewrite> = rewrites.to_vec();
        order.sort_by_key(|rewrite| rewrite.lo);
        if order.windows(2).any(|pair| pair[0].overlaps(pair[1])) {
            return None;
        }
        let growth: i64 = order.iter().map(|rewrite| rewrite.growth()).sum();
        if base.tokens.kind.len() as i64 + growth > limits::TOKENS as i64 {
            return None;
        }
        let function = |rewrite: &&Rewrite| splice.function_at(rewrite.lo);
        // What comes from elsewhere is in no part.
        if !order.iter().all(|rewrite| rewrite.stays_in(&splice.extent(function(rewrite)))) {
            return self.compile_whole(base, &order);
        }
        let mut count = 0;
        for own in order.chunk_by(|a, b| function(a) == function(b)) {
            let changed = function(&own[0]);
            if self.segments.len() == count {
                self.segments.push(Segment::default());
            }
            let (tokens, compiler) = (splice.tokens(changed), &mut self.compiler);
            let compiles = apply(tokens, own, splice.later(changed), &mut compiler.tokens)
                && splice.compile_part(base, changed, compiler, &mut self.segments[count]);
            if !compiles {
                return None;
            }
            count += 1;
        }
        let segments: Vec<&Segment> = self.segments[..count].iter().collect();
        splice.assemble(base, &segments, &mut self.program);
        Some(&self.program)
    }

    /// The same of rewrites in their order, from all of the program.
    fn compile_whole(&mut self, base: &Compiled, order: &[&Rewrite]) -> Option<&Executable> {
        if !apply(&base.tokens, order, 0, &mut self.compiler.tokens) {
            return None;
        }
        self.compiler.mutant(&base.text, base.facts.names);
        if !self.compiler.compiles() {
            return None;
        }
        std::mem::swap(&mut self.program, &mut self.compiler.back.executable);
        Some(&self.program)
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

    /// The failing ones that are looked at, by the number of each among all entries.
    pub fn failing(&self, functions: u32) -> impl Iterator<Item = u32> {
        self.entries.iter().take(self.failing).map(move |entry| entry.routine - functions)
    }

    /// All failing ones, as bits.
    pub fn all(&self) -> u64 {
        if self.failing == MOST { u64::MAX } else { (1 << self.failing) - 1 }
    }

    /// What an engine asks that validates patches itself.
    pub fn suite(&self, base: &Arc<Compiled>) -> Suite {
        let asked = |entry: &Entry| Asked {
            entry: entry.routine - base.facts.functions,
            fuel: entry.fuel,
            input: entry.failing.map_or(0, |(input, _)| input),
            met: entry.wanted == Outcome::Pass,
        };
        let failing = self.entries.iter().take(self.failing).map(asked).collect();
        let others = self.others().map(asked).collect();
        Suite { base: base.clone(), failing, others }
    }

    /// The result for a program that an engine has validated.
    pub fn judged(&self, validated: &Validated) -> Judged {
        let Validated::Ran(ran) = validated else { return Judged::USELESS };
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
        Judged { fate, hash: ran.hash, starved: ran.starved }
    }

    /// Judges a program with rewrites.
    pub fn judge(
        &self,
        bench: &mut Bench,
        ground: &Ground,
        rewrites: &[&Rewrite],
        (fuel, watch): (Fuel, &dyn Watch),
    ) -> Judged {
        if bench.compile(ground, rewrites).is_none() {
            return Judged::USELESS;
        }
        let program = &bench.program;
        sequence(program, &mut bench.sequence);
        let hash = hash(&bench.sequence);
        let machine = &mut bench.machine;
        machine.load(program);
        let (mut mended, mut moved, mut starved) = (0u64, 0u64, false);
        for (bit, entry) in self.entries.iter().enumerate().take(self.failing) {
            let Some((input, before)) = entry.failing else { continue };
            let record = entry.run(machine, program, input, fuel);
            starved |= entry.starves(record.trap, fuel);
            if holds(&record) {
                mended |= 1 << bit;
            } else if moves(&before, record.trap, record.steps) {
                moved |= 1 << bit;
            }
        }
        let unmended = if moved == 0 { Fate::Useless } else { Fate::Moved(moved) };
        if mended == 0 {
            return Judged { fate: unmended, hash, starved };
        }
        machine.translate(program);
        let mut passes = |entry: &Entry| {
            let (passes, trap) = entry.passes(machine, program, (fuel, watch));
            starved |= !passes && entry.starves(trap, fuel);
            passes
        };
        for (bit, entry) in self.entries.iter().enumerate().take(self.failing) {
            if mended >> bit & 1 != 0 && !passes(entry) {
                mended &= !(1 << bit);
            }
        }
        let fate = if mended == 0 {
            unmended
        } else if self.others().all(&mut passes) {
            Fate::Mends(mended)
        } else {
            Fate::Useless
        };
        Judged { fate, hash, starved }
    }

    /// What passes on the base. More failing ones than are looked at are broken there as well.
    fn others(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter().filter(|entry| entry.failing.is_none())
    }

    /// Whether a program with rewrites breaks what passed, whatever it mends.
    pub fn breaks(&self, bench: &mut Bench, ground: &Ground, rewrites: &[&Rewrite], watch: &dyn Watch) -> bool {
        if bench.compile(ground, rewrites).is_none() {
            return true;
        }
        let Bench { program, machine, .. } = bench;
        machine.load(program);
        machine.translate(program);
        !self.others().all(|entry| entry.passes(machine, program, (Fuel::Estimated, watch)).0)
    }

    /// The token, of the program with a rewrite, at which its run of a failing entry traps; `None` where it does not.
    pub fn traps_at(&self, bench: &mut Bench, ground: &Ground, rewrite: &Rewrite, bit: usize) -> Option<u32> {
        let entry = self.entries.get(bit)?;
        let (input, _) = entry.failing?;
        bench.compile_whole(&ground.base, &[rewrite])?;
        let Bench { program, machine, .. } = bench;
        machine.load(program);
        entry.domain.write(input, machine.frame());
        let mut last = Last::default();
        let start = Start { routine: entry.routine, fuel: entry.fuel, depth: 0, origin: 0 };
        let record = machine.run_before(program, start, &mut last);
        (record.trap != Trap::None).then(|| program.code.token.get(last.pc).copied()).flatten()
    }
}

impl Entry {
    /// The steps that each of its runs may take.
    fn fuel(&self, fuel: Fuel) -> u32 {
        if fuel == Fuel::Full { limits::STEPS } else { self.fuel }
    }

    /// Whether a run that ended in this trap did so for want of steps that the language allows.
    fn starves(&self, trap: Trap, fuel: Fuel) -> bool {
        trap == Trap::StepLimit && self.fuel(fuel) < limits::STEPS
    }

    /// Runs it on one input, with full fuel only where the estimate is too little.
    fn run(&self, machine: &mut Machine, program: &Executable, input: u32, fuel: Fuel) -> Record {
        self.domain.write(input, machine.frame());
        let record = machine.run(program, self.routine, self.fuel, 0);
        if fuel == Fuel::Estimated || !self.starves(record.trap, Fuel::Estimated) {
            return record;
        }
        machine.translate(program);
        execute::run_long(machine, program, self.routine, &self.domain, input)
    }

    /// Whether each of its inputs ends as it must on a program that the machine has translated, and the trap of the last run.
    fn passes(
        &self,
        machine: &mut Machine,
        program: &Executable,
        (fuel, watch): (Fuel, &dyn Watch),
    ) -> (bool, Trap) {
        let fuel = self.fuel(fuel);
        let tally = execute::entry(machine, program, self.routine, &self.domain, fuel, watch);
        let ended = tally.passes() && tally.inputs == self.domain.inputs();
        (ended && (tally.outcome() == self.wanted || tally.outcome() == Outcome::Pass), tally.last.trap)
    }
}

/// Notes the last instruction.
#[derive(Default)]
struct Last {
    pc: usize,
}

impl Witness for Last {
    const ON: bool = true;
    const STEPS: bool = true;

    fn called(&mut self, _: Called) {}
    fn returned(&mut self, _: &[u32], _: u32) {}

    fn step(&mut self, now: Now) {
        self.pc = now.pc;
    }
}

/// Whether a run that trapped does so later, or no more.
fn moves(before: &Record, trap: Trap, steps: u32) -> bool {
    match (before.trap, trap) {
        (Trap::None, _) | (_, Trap::StepLimit | Trap::OutOfMemory | Trap::RecursionTooDeep) => false,
        (_, Trap::None) => true,
        _ => steps > before.steps,
    }
}

#[cfg(test)]
mod tests {
    use super::super::candidates::Collector;
    use super::*;
    use crate::compiler::stage::mutate::Plan;
    use crate::engine::Engine;
    use crate::engine::cpu::CpuEngine;
    use crate::lang::samples;

    /// What comes of a program's parts is to the word what comes of the whole program.
    #[test]
    fn parts_give_what_the_whole_gives() {
        let (mut whole, mut bench) = (Bench::default(), Bench::default());
        let (mut compiled, mut tried) = (0, 0);
        for name in ["gcd.myr", "calendar.myr", "midpoint.myr", "roman.myr"] {
            let text = samples::named(name).expect("a sample").text;
            let base = CpuEngine::new().compile(&text.into(), &|| false).expect("no device").0;
            let ground = Ground::new(&base);
            let (children, mut plan) = (base.view().children(), Plan::default());
            plan.build(ground.base.view(), Group::Repair);
            let of = |function| {
                let head = base.executable.routine(function)?.head();
                let own = plan.of(base.view().extent(head));
                let edits = own.filter_map(|number| Some((number, plan.edit(base.view(), number)?)));
                Some(Collector::new(&base, &children, function, 100_000)?.collect(edits))
            };
            let all: Vec<Rewrite> = (0..base.facts.functions).filter_map(of).flatten().collect();
            for (i, first) in all.iter().enumerate().step_by(17) {
                // With another one of the same function, or of another.
                for other in [None, all.get(i + 40), all.get(all.len() - 1 - i)] {
                    let mut own: Vec<&Rewrite> = [first].into_iter().chain(other).collect();
                    own.sort_by_key(|rewrite| rewrite.lo);
                    if own.windows(2).any(|pair| pair[0].overlaps(pair[1])) {
                        continue;
                    }
                    let words = |program: Option<&Executable>| {
                        let mut words = Vec::new();
                        program.map(|program| {
                            sequence(program, &mut words);
                            words
                        })
                    };
                    let expected = words(whole.compile_whole(&base, &own));
                    assert_eq!(words(bench.compile(&ground, &own)), expected, "{own:?} of {name}");
                    compiled += usize::from(expected.is_some());
                    tried += 1;
                }
            }
        }
        assert!(compiled > 500 && compiled < tried, "{compiled} of {tried}");
    }
}
