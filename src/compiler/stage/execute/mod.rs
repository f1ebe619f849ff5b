//! execute: runs routines of a program's bytecode.
//!
//! A *run* is a program, a routine and an input with a fuel. [`Machine`] executes one run at a time and
//! returns a [`Record`]. [`entry`] runs a test or property: its inputs in order, up to the first that does
//! not hold. The shader runs all inputs in parallel, one per thread, and keeps the first that fails, which
//! yields the same records and the same tally.

mod cycle;
mod inputs;
mod machine;
mod noise;

pub use cycle::{CycleDetector, RunCycle, run_with_cycle_check};
pub use inputs::{Domain, max_exhaustive_size, mix};
pub use machine::{
    CallEvent, Continuation, Machine, NoObserver, ReadRecorder, Reads, Record, RunObserver, Start, StepState,
};
pub use noise::{KEPT, Noise, NoisyEnd, NoisyRun, repetition};

use crate::compiler::program::{Binders, Executable, Facts, Routines, Watch};
use crate::lang::index::{EntryId, Index, Indices, InputId, RoutineId};
use crate::lang::limits;
use crate::lang::trap::Trap;
use crate::lang::verdict::{DISCARDED, Outcome};

/// The result of an entry (a test or property): its runs up to and including the first that fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tally {
    /// The failing run, else the first that reaches a hole, else the last.
    pub last: Record,
    /// The input of that run, unless all hold.
    pub failing_input: Option<InputId>,
    pub inputs: u32,
    /// Number of runs whose input did not meet the property's condition.
    pub discarded: u32,
    /// The inputs whose runs reach a hole.
    pub unfinished: Vec<InputId>,
    /// Instructions executed by all runs together.
    pub steps: u64,
    /// Instructions executed by the longest run.
    pub costliest: u32,
}

impl Tally {
    /// Returns whether every input holds.
    pub fn passes(&self) -> bool {
        self.failing_input.is_none()
    }

    /// Returns whether an input fails; one that reaches a hole does not.
    pub fn fails(&self) -> bool {
        !self.passes() && self.last.trap != Trap::Hole
    }

    /// Returns the outcome, provided that all inputs up to the first that fails were run.
    pub fn outcome(&self) -> Outcome {
        if self.passes() { passed(self.inputs, self.discarded) } else { outcome(&self.last) }
    }
}

/// Returns the outcome of an entry all of whose inputs hold. At least one must meet the condition.
pub fn passed(inputs: u32, discarded: u32) -> Outcome {
    if inputs > 0 && inputs == discarded { Outcome::Discarded } else { Outcome::Pass }
}

/// Returns the outcome of a single run of an entry.
pub fn outcome(record: &Record) -> Outcome {
    match (record.trap, record.value) {
        (Trap::None, 1) => Outcome::Pass,
        (Trap::None, DISCARDED) => Outcome::Discarded,
        (Trap::None, _) => Outcome::Fail,
        (trap, _) => Outcome::Trap(trap),
    }
}

/// Returns the domain of every entry of a program, in source order.
pub fn domains(facts: &Facts, routines: &Routines, binders: &Binders, samples: u32) -> Vec<Domain> {
    let entries = Indices::new(facts.entry(EntryId::FIRST), RoutineId::at(routines.token.len()));
    entries.iter().map(|routine| Domain::new(routines, binders, routine, samples)).collect()
}

/// Returns whether a run holds: it ended in the expected value, or its input does not meet the property's
/// condition.
pub fn holds(record: &Record) -> bool {
    matches!(outcome(record), Outcome::Pass | Outcome::Discarded)
}

/// Returns whether a run's input does not meet the property's condition.
pub fn discards(record: &Record) -> bool {
    outcome(record) == Outcome::Discarded
}

/// Runs a test or property on the inputs of `domain`, each with this fuel. Cancellation is checked before
/// each input.
pub fn entry(
    machine: &mut Machine,
    program: &Executable,
    domain: &Domain,
    fuel: u32,
    watch: &dyn Watch,
) -> Tally {
    tally(domain, watch, |input| domain.run(machine, program, input, fuel))
}

/// Like [`entry`], with a function that runs an input.
pub fn tally(domain: &Domain, watch: &dyn Watch, mut run: impl FnMut(InputId) -> Record) -> Tally {
    let mut tally = Tally {
        last: Record::PASSED,
        failing_input: None,
        inputs: 0,
        discarded: 0,
        unfinished: Vec::new(),
        steps: 0,
        costliest: 0,
    };
    for input in domain.inputs() {
        if watch.cancelled() {
            break;
        }
        let record = run(input);
        let (is_hole, holds) = (record.trap == Trap::Hole, holds(&record));
        if tally.passes() || !(is_hole || holds) {
            tally.last = record;
            tally.failing_input = (!holds).then_some(input);
        }
        tally.unfinished.extend(is_hole.then_some(input));
        tally.inputs += 1;
        tally.discarded += u32::from(discards(&record));
        tally.steps += u64::from(record.steps);
        tally.costliest = tally.costliest.max(record.steps);
        if !(is_hole || holds) {
            break;
        }
    }
    tally
}

/// The fuel of a mutant's runs of an entry whose longest run on the base took `costliest` steps.
pub fn mutant_fuel(costliest: u32) -> u32 {
    costliest.saturating_mul(16).clamp(1_000, limits::STEPS)
}
