//! Runs tests to their end, counting steps exactly.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::compiler::program::Executable;
use crate::compiler::stage::execute::{self, Domain, Machine, Record};
use crate::lang::index::InputId;
use crate::lang::limits;
use crate::lang::trap::Trap;
use crate::lang::verdict::Outcome;

/// The result of a test or property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FuelEnd {
    pub outcome: Outcome,
    pub steps: u64,
}

/// Sums over a property's inputs: steps, and inputs that did not meet the condition.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InputSums {
    pub steps: u64,
    pub discarded: u32,
}

impl InputSums {
    pub fn add(&mut self, record: &Record) {
        self.steps += u64::from(record.steps);
        self.discarded += u32::from(execute::discards(record));
    }
}

/// The language's step limit, applied in two stages. A run much longer than expected may never end, which is
/// often detected before the whole limit is used.
#[derive(Clone, Copy)]
pub struct Fuel {
    /// The expected steps of a run; [`limits::STEPS`] to always use the whole limit.
    pub expected: u32,
}

impl Fuel {
    /// The assumed steps of a run when nothing is known about it.
    pub const LONG: u32 = 4_096;

    /// Runs an entry on one input with the language's step limit.
    pub fn run(self, machine: &mut Machine, program: &Executable, domain: &Domain, input: InputId) -> Record {
        let soon = execute::mutant_fuel(self.expected);
        let record = domain.run(machine, program, input, soon);
        if record.trap != Trap::StepLimit || soon == limits::STEPS {
            return record;
        }
        execute::run_with_cycle_check(machine, program, domain, input)
    }

    /// Runs a test or property on its inputs, up to the first failing one; one that reaches a hole does not fail. Returns
    /// `None` if stopped.
    pub fn end(
        self,
        machine: &mut Machine,
        program: &Executable,
        domain: &Domain,
        stop: &AtomicBool,
    ) -> Option<FuelEnd> {
        let (mut sum, mut unfinished) = (InputSums::default(), None);
        for input in domain.inputs() {
            if stop.load(Ordering::Relaxed) {
                return None;
            }
            let record = self.run(machine, program, domain, input);
            sum.add(&record);
            if record.trap == Trap::Hole {
                unfinished.get_or_insert(execute::outcome(&record));
            } else if !execute::holds(&record) {
                return Some(FuelEnd { outcome: execute::outcome(&record), steps: sum.steps });
            }
        }
        let outcome = unfinished.unwrap_or(execute::passed(domain.inputs().len(), sum.discarded));
        Some(FuelEnd { outcome, steps: sum.steps })
    }
}
