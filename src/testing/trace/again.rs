//! What it takes to make a run once more: a program, a routine, what it begins with. Some hundred bytes beside the program, where the steps
//! of the run may take megabytes; so who wants to compare with a run keeps this of it.

use std::sync::Arc;

use super::{Trace, record};
use crate::compiler::program::Compiled;
use crate::compiler::stage::execute::{Machine, Record, Start, Witness};
use crate::lang::limits;

/// A run that can be made again.
#[derive(Clone, Debug)]
pub struct Again {
    pub compiled: Arc<Compiled>,
    pub routine: u32,
    /// The arguments in their places.
    pub frame: Arc<[u32]>,
}

impl PartialEq for Again {
    fn eq(&self, other: &Again) -> bool {
        let same = Arc::ptr_eq(&self.compiled, &other.compiled);
        same && (self.routine, &self.frame) == (other.routine, &other.frame)
    }
}

impl Eq for Again {}

impl Again {
    /// Calls that count as active where it begins: a function is called by somebody, a test or property by nobody.
    pub(super) fn bottom(&self) -> u32 {
        u32::from(self.routine < self.compiled.facts.functions)
    }

    /// Makes the run and tells of it.
    pub(super) fn make(&self, fuel: u32, witness: &mut impl Witness) -> Record {
        let mut machine = Machine::default();
        machine.load(&self.compiled.executable);
        // A run whose frame has no room traps at once.
        let memory = machine.frame();
        let count = self.frame.len().min(memory.len());
        memory[..count].copy_from_slice(&self.frame[..count]);
        let start = Start { routine: self.routine, fuel, depth: self.bottom(), origin: 0 };
        machine.run_before(&self.compiled.executable, start, witness)
    }

    /// Records it, up to so many steps.
    pub fn record(&self, fuel: u32) -> Trace {
        record(&self.compiled, self.routine, &self.frame, fuel.min(limits::STEPS))
    }
}
