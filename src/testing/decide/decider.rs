//! Searches for an input that distinguishes a code from a function's own code.

mod parting;

use super::calls::{self, Given};
use super::coverage::Coverage;
use super::draw::InputGenerator;
use super::kills::{self, MutantKills};
use super::pool::Pool;
use super::{Decide, Decision};
use crate::compiler::program::{Compiled, Executable, Routine, Watch};
use crate::compiler::stage::execute::{Machine, NoObserver, RunObserver, Start, mutant_fuel};
use crate::lang::index::{Address, Indices, RoutineId};
use crate::lang::limits;
use crate::lang::trap::Trap;
use crate::lang::ty::Type;
use crate::network::inputs::{Arguments, FUEL};

/// The random seed of every search.
const SEED: u32 = 0x6465_6369;
/// The maximum number of inputs prepared for the function's own code, and of its steps on them.
const PREPARED: usize = 1_024;
const PREPARED_STEPS: u64 = 1 << 20;
/// The number of prepared inputs that every code is compared on. Inputs that took a new way come first.
const QUICK: usize = 256;
/// The number of inputs on which the search follows both codes step by step, and the maximum number of inputs of a
/// full search.
const FOLLOWED: u32 = 1 << 14;
const INPUTS: u32 = 1 << 16;
/// The maximum number of steps that both codes together take in a search.
const STEPS: u64 = 1 << 25;
/// The fuel of one run of the function's own code when most steps so far went to runs that exhausted their resources.
const SHORT: u32 = 1 << 12;

#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// The maximum number of new inputs, and of steps that both codes together take.
    pub inputs: u32,
    pub steps: u64,
    /// Whether the search goes on after [`FOLLOWED`] inputs although some branch was never taken.
    pub persists: bool,
}

impl Effort {
    pub const FULL: Effort = Effort { inputs: INPUTS, steps: STEPS, persists: false };
}

/// Compares codes with a function's own code on deciding inputs.
pub struct Decider<'a> {
    compiled: &'a Compiled,
    function: RoutineId,
    types: Vec<Type>,
    list: bool,
    own: Machine,
    other: Machine,
    candidate: Executable,
    /// The function of `candidate` that is compared.
    candidate_function: RoutineId,
    /// Whether a candidate that exhausts its resources differs from a function that does not.
    resources_decide: bool,
    /// The fuel of a candidate's run, by the steps of the function's own code and the words of its arguments and result.
    fuel: fn(u32, usize) -> u32,
    prepared: Option<Prepared>,
    kills: Option<Option<MutantKills>>,
}

/// Inputs and coverage that depend on the program alone, not on a candidate.
struct Prepared {
    draw: InputGenerator,
    coverage: Coverage,
    tried: Vec<ReferenceRun>,
}

/// An input, and the result of the function's own code on it.
struct ReferenceRun {
    given: Given,
    /// The input as argument words for the machine: a list is its length followed by its elements.
    arguments: Vec<u32>,
    trap: Trap,
    value: Vec<u32>,
    steps: u32,
}

impl<'a> Decider<'a> {
    /// Creates a decider for a function of a program without errors. No work is done yet.
    pub fn new(compiled: &'a Compiled, function: RoutineId) -> Decider<'a> {
        let result = compiled.executable.routine(function).map_or(Type::INT, Routine::result);
        let candidate = compiled.executable.clone();
        let (own, other) = (Machine::default(), Machine::default());
        Decider {
            compiled,
            function,
            types: compiled.arguments(function),
            list: result.is_list(),
            own,
            other,
            candidate,
            candidate_function: function,
            resources_decide: true,
            fuel: |steps, _| mutant_fuel(steps),
            prepared: None,
            kills: None,
        }
    }

    /// Prepares the inputs that depend on the program alone. Returns `None` if the work was cancelled.
    fn prepare(&mut self, watch: &dyn Watch) -> Option<()> {
        if self.prepared.is_some() {
            return Some(());
        }
        let Decider { compiled, function, .. } = *self;
        let calls = calls::calls_of_entries(compiled, function, &mut self.own, watch)?;
        let executable = &compiled.executable;
        self.own.translate(executable);
        self.other.translate(executable);
        let parameters = Arguments::new(compiled, function).parameters;
        let mut draw = InputGenerator::new(&parameters, Pool::new(compiled, function, calls), SEED);
        let own = executable.routine(function)?;
        let mut coverage = Coverage::new(&executable.code.word, own.extent());
        let (mut useful, mut tried, mut budget) = (Vec::new(), Vec::new(), Budget::default());
        let mut made = 0;
        while made < PREPARED && budget.steps < PREPARED_STEPS {
            if watch.cancelled() {
                return None;
            }
            let given = draw.next();
            let mut follower = coverage.follow();
            let result = self.try_own(given, &mut budget, &mut follower);
            let (news, operands) = (follower.news, follower.operands);
            if news {
                draw.useful(&result.given, &operands);
            }
            made += 1;
            if result.is_conclusive() {
                if news { useful.push(result) } else { tried.push(result) }
            }
        }
        useful.append(&mut tried);
        let tried = useful;
        self.prepared = Some(Prepared { draw, coverage, tried });
        Some(())
    }

    /// Runs the function's own code on an input.
    fn try_own(&mut self, given: Given, budget: &mut Budget, witness: &mut impl RunObserver) -> ReferenceRun {
        let arguments = calls::call_words(&given, &self.types);
        let start = Start::call(self.function, budget.fuel());
        let record = self.own.call_before(&self.compiled.executable, start, &arguments, witness);
        let value = self.own.value(&record, self.list).unwrap_or_default().to_vec();
        let tried = ReferenceRun { given, arguments, trap: record.trap, value, steps: record.steps };
        budget.spend(&tried);
        tried
    }

    /// Runs the code that replaces the function. Returns whether its result differs, and the steps that it took.
    fn try_other(&mut self, tried: &ReferenceRun, witness: &mut impl RunObserver) -> (bool, u32) {
        let fuel = (self.fuel)(tried.steps, tried.arguments.len() + tried.value.len());
        let start = Start::call(self.candidate_function, fuel);
        let record = self.other.call_before(&self.candidate, start, &tried.arguments, witness);
        let alike = record.trap == tried.trap
            && self.other.value(&record, self.list).unwrap_or_default() == tried.value;
        (!alike && (self.resources_decide || !record.trap.counts_resources()), record.steps)
    }

    /// Replaces the function with code and returns the code's address.
    fn put(&mut self, code: &[u32]) -> Address {
        let origin = self.compiled.executable.end();
        self.candidate.set_function(self.function, origin, code);
        self.other.exchange(&self.candidate, [self.function]);
        origin
    }
}

impl Decide for Decider<'_> {
    fn differs(&mut self, code: &[u32], watch: &dyn Watch) -> Option<bool> {
        self.prepare(watch)?;
        self.put(code);
        let Some(prepared) = self.prepared.take() else { return Some(false) };
        let mut differs = Some(false);
        for tried in prepared.tried.iter().take(QUICK) {
            if watch.cancelled() {
                differs = None;
            } else if self.try_other(tried, &mut NoObserver).0 {
                differs = Some(true);
            }
            if differs != Some(false) {
                break;
            }
        }
        self.prepared = Some(prepared);
        differs
    }

    fn decide(&mut self, code: &[u32], watch: &dyn Watch) -> Option<Decision> {
        self.prepare(watch)?;
        let origin = self.put(code);
        self.search(Indices::new(origin, self.candidate.end()), code, Effort::FULL, watch)
    }

    fn parting(&mut self, code: &[u32], watch: &dyn Watch) -> Option<Option<u32>> {
        self.first_parting(code, watch)
    }

    fn kills(&mut self, watch: &dyn Watch) -> Option<Option<MutantKills>> {
        if self.kills.is_none() {
            self.prepare(watch)?;
            self.kills = Some(self.kills_of_prepared(watch)?);
        }
        self.kills
    }
}

impl Decider<'_> {
    /// Searches for an input that distinguishes a function of another program from this one. Both have the same
    /// parameters and result. With `resources_decide`, a function that exhausts the resources of a mutant in a test differs.
    /// Returns `None` if the work was cancelled.
    pub fn decide_program(
        mut self,
        (other, function): (&Executable, RoutineId),
        resources_decide: bool,
        effort: Effort,
        watch: &dyn Watch,
    ) -> Option<Decision> {
        self.prepare(watch)?;
        self.candidate = other.clone();
        (self.candidate_function, self.resources_decide) = (function, resources_decide);
        self.fuel = if resources_decide { calls::fuel_of_test } else { |_, _| limits::STEPS };
        self.other.translate(&self.candidate);
        let routine = other.routine(function)?;
        self.search(routine.extent(), routine.words(), effort, watch)
    }

    /// Compares the code at `extent` of the candidate.
    fn search(
        &mut self,
        extent: Indices<Address>,
        code: &[u32],
        effort: Effort,
        watch: &dyn Watch,
    ) -> Option<Decision> {
        let prepared = self.prepared.take()?;
        let search = DeciderSearch {
            draw: prepared.draw.clone(),
            own: prepared.coverage.clone(),
            code: Coverage::new(&self.candidate.code.word, extent),
            inputs: 0,
            budget: Budget::default(),
            effort,
        };
        let decision = search.run(self, (&prepared, code), watch);
        self.prepared = Some(prepared);
        decision
    }

    /// Runs the mutants of the function on the prepared inputs.
    fn kills_of_prepared(&mut self, watch: &dyn Watch) -> Option<Option<MutantKills>> {
        let Decider { compiled, function, list, .. } = *self;
        let Some(prepared) = self.prepared.take() else { return Some(None) };
        let mut machine = std::mem::take(&mut self.other);
        let start = |tried: &ReferenceRun| Start::call(function, mutant_fuel(tried.steps));
        let mut steps = 0;
        let kills = kills::count(compiled, function, watch, &mut |mutant| {
            machine.translate(mutant);
            steps < STEPS
                && prepared.tried.iter().any(|tried| {
                    let record = machine.call(mutant, start(tried), &tried.arguments);
                    steps += u64::from(record.steps);
                    record.trap != tried.trap || machine.value(&record, list).unwrap_or_default() != tried.value
                })
        });
        machine.translate(&compiled.executable);
        self.other = machine;
        self.prepared = Some(prepared);
        kills
    }
}

struct DeciderSearch {
    draw: InputGenerator,
    own: Coverage,
    code: Coverage,
    inputs: u32,
    budget: Budget,
    effort: Effort,
}

impl DeciderSearch {
    fn run(
        mut self,
        decider: &mut Decider,
        (prepared, code): (&Prepared, &[u32]),
        watch: &dyn Watch,
    ) -> Option<Decision> {
        for tried in &prepared.tried {
            if watch.cancelled() {
                return None;
            }
            if self.compare(decider, tried) {
                return Some(self.found(Some(tried.given.clone())));
            }
        }
        self.draw.pool.add_code(code);
        let mut number = 0;
        while number < self.effort.inputs && self.budget.steps < self.effort.steps {
            if watch.cancelled() {
                return None;
            }
            let complete = self.own.ways().is_complete() && self.code.ways().is_complete();
            let follows = number < FOLLOWED;
            // If a branch was never taken, the result is inadequate, whatever further inputs show.
            if !complete && !follows && !self.effort.persists {
                break;
            }
            number += 1;
            let given = self.draw.next();
            if let Some(tried) = self.next(decider, given, follows) {
                return Some(self.found(Some(tried.given)));
            }
        }
        Some(self.found(None))
    }

    /// Tries a new input. Returns it if the codes differ on it.
    fn next(&mut self, decider: &mut Decider, given: Given, follows: bool) -> Option<ReferenceRun> {
        if !follows {
            let tried = decider.try_own(given, &mut self.budget, &mut NoObserver);
            return (tried.is_conclusive() && self.differs(decider, &tried)).then_some(tried);
        }
        let mut follower = self.own.follow();
        let tried = decider.try_own(given, &mut self.budget, &mut follower);
        let (news, operands) = (follower.news, follower.operands);
        if news {
            self.draw.useful(&tried.given, &operands);
        }
        (tried.is_conclusive() && self.compare(decider, &tried)).then_some(tried)
    }

    /// Compares the codes on an input without following the runs.
    fn differs(&mut self, decider: &mut Decider, tried: &ReferenceRun) -> bool {
        let (differs, steps) = decider.try_other(tried, &mut NoObserver);
        self.budget.steps += u64::from(steps);
        self.inputs += 1;
        differs
    }

    /// Compares the codes on an input and follows the run of the compared code.
    fn compare(&mut self, decider: &mut Decider, tried: &ReferenceRun) -> bool {
        let mut follower = self.code.follow();
        let (differs, steps) = decider.try_other(tried, &mut follower);
        let (news, operands) = (follower.news, follower.operands);
        self.budget.steps += u64::from(steps);
        self.inputs += 1;
        if news {
            self.draw.useful(&tried.given, &operands);
        }
        differs
    }

    fn found(&self, differs: Option<Given>) -> Decision {
        Decision { differs, inputs: self.inputs, own: self.own.ways(), code: self.code.ways() }
    }
}

/// The steps that runs have taken.
#[derive(Clone, Copy, Debug, Default)]
struct Budget {
    steps: u64,
    /// The steps of runs that are inconclusive.
    wasted: u64,
}

impl Budget {
    fn fuel(self) -> u32 {
        if 2 * self.wasted > self.steps { SHORT } else { FUEL }
    }

    fn spend(&mut self, tried: &ReferenceRun) {
        // A run that ends at once still counts as one step.
        let steps = u64::from(tried.steps.max(1));
        self.steps += steps;
        self.wasted += if tried.is_conclusive() { 0 } else { steps };
    }
}

impl ReferenceRun {
    /// Returns whether the input is conclusive: the function's own code does not exhaust its resources on it.
    fn is_conclusive(&self) -> bool {
        !self.trap.counts_resources()
    }
}
