//! Detects mutants that time out and would never end with any number of steps.

use super::Examiner;
use crate::compiler::program::Watch;
use crate::compiler::stage::execute::CycleDetector;
use crate::lang::index::MutantId;
use crate::lang::limits;
use crate::lang::trap::Trap;
use crate::lang::verdict::{MutantStatus, Verdict};

impl Examiner {
    /// Returns whether a mutant that times out reaches a state twice, so that no amount of fuel would end it. Returns
    /// `None` if the work was cancelled.
    pub fn never_ends(&mut self, id: MutantId, verdict: &Verdict, watch: &dyn Watch) -> Option<bool> {
        if verdict.status != MutantStatus::Timeout {
            return Some(false);
        }
        let Some(pair) = self.pair(id) else { return Some(false) };
        let Some(oracle) = self.oracles.iter().find(|oracle| Some(oracle.entry) == verdict.killer) else {
            return Some(false);
        };
        let [_, machine] = &mut self.machines;
        let program = &pair.mutant;
        machine.translate(program);
        for input in oracle.domain.inputs() {
            if watch.cancelled() {
                return None;
            }
            if oracle.domain.run(machine, program, input, oracle.fuel).trap == Trap::StepLimit {
                let mut cycle = CycleDetector::default();
                oracle.domain.observe(machine, program, (input, limits::STEPS), &mut cycle);
                return Some(cycle.cycle().is_some());
            }
        }
        Some(false)
    }
}
