//! The inputs that determine a run: a program, a routine and its arguments. They take some hundred bytes besides the
//! program, while the steps of a run may take megabytes. Callers that compare with a run later therefore keep these
//! inputs.

use std::sync::Arc;

use super::{Trace, record};
use crate::compiler::program::Compiled;
use crate::compiler::stage::execute::{Machine, Record, RunObserver, Start};
use crate::lang::index::RoutineId;
use crate::lang::limits;

/// A run that can be repeated.
#[derive(Clone, Debug)]
pub struct ReplayKey {
    pub compiled: Arc<Compiled>,
    pub routine: RoutineId,
    /// The arguments in their frame slots.
    pub frame: Arc<[u32]>,
}

impl PartialEq for ReplayKey {
    fn eq(&self, other: &ReplayKey) -> bool {
        let same = Arc::ptr_eq(&self.compiled, &other.compiled);
        same && (self.routine, &self.frame) == (other.routine, &other.frame)
    }
}

impl Eq for ReplayKey {}

impl ReplayKey {
    /// Returns the call depth at which the run begins: 1 for a function, which has a caller, and 0 for a test or
    /// property.
    pub(super) fn bottom(&self) -> u32 {
        u32::from(self.compiled.functions().contains(self.routine))
    }

    /// Makes the run, observed by `witness`.
    pub(super) fn make(&self, fuel: u32, witness: &mut impl RunObserver) -> Record {
        let mut machine = Machine::default();
        machine.load(&self.compiled.executable);
        // A run whose frame does not fit in memory traps at once.
        let memory = machine.frame();
        let count = self.frame.len().min(memory.len());
        memory[..count].copy_from_slice(&self.frame[..count]);
        let start = Start { routine: self.routine, fuel, depth: self.bottom(), origin: 0 };
        machine.run_before(&self.compiled.executable, start, witness)
    }

    /// Records the run, up to `fuel` steps.
    pub fn record(&self, fuel: u32) -> Trace {
        record(&self.compiled, self.routine, &self.frame, fuel.min(limits::STEPS))
    }
}
