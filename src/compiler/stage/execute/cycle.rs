//! Detection of endless runs: a run that returns to an earlier state repeats forever. (Detecting infinite
//! loops by states: Carbin et al., "Jolt", ECOOP 2011; the anchor at powers of two is Brent's, 1980.)

use super::{Domain, Machine, Record, RunObserver, StepState};
use crate::compiler::program::Executable;
use crate::lang::index::{Index, InputId, Position};
use crate::lang::limits;
use crate::lang::trap::Trap;

/// Numbers of steps in which to look for a repeated state. Nearly all cycles are short, so a short search is
/// tried first.
const LOOK: [u32; 2] = [1_024, 8_192];

/// Runs an entry on an input with the full number of steps. A run that soon repeats a state never ends: it
/// immediately gets the record of the step limit, without an address.
pub fn run_with_cycle_check(
    machine: &mut Machine,
    program: &Executable,
    domain: &Domain,
    input: InputId,
) -> Record {
    for fuel in LOOK {
        let mut cycle = CycleDetector::default();
        domain.observe(machine, program, (input, fuel), &mut cycle);
        if cycle.cycle().is_some() {
            return Record { trap: Trap::StepLimit, value: 0, steps: limits::STEPS, address: None };
        }
    }
    domain.run(machine, program, input, limits::STEPS)
}

/// The first step at which a state is stored.
const FIRST: u64 = 512;

/// Watches a run for a repeated state.
#[derive(Default)]
pub struct CycleDetector {
    step: u64,
    /// The state at the last step number that is a power of two.
    anchor: Option<CycleState>,
    cycle: Option<RunCycle>,
}

/// The cycle of an endless run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunCycle {
    /// A position from which on the run repeats itself, not necessarily the first one.
    pub from: Position,
    /// Length of the cycle in steps.
    pub period: u32,
}

struct CycleState {
    step: u64,
    pc: usize,
    fp: usize,
    depth: usize,
    words: Vec<u32>,
}

impl CycleDetector {
    /// Returns the cycle, if a state was repeated.
    pub fn cycle(&self) -> Option<RunCycle> {
        self.cycle
    }
}

impl RunObserver for CycleDetector {
    const STEPS: bool = true;

    fn step(&mut self, now: StepState) {
        self.step += 1;
        if self.cycle.is_some() || self.step < FIRST {
            return;
        }
        // If calls that were active at the anchor have ended, others may have replaced them, so an equal
        // state would not be the same.
        self.anchor.take_if(|anchor| now.depth < anchor.depth);
        let back = self.anchor.as_ref().filter(|anchor| {
            (anchor.pc, anchor.fp, anchor.depth) == (now.pc, now.fp, now.depth) && anchor.words == now.words()
        });
        self.cycle = back
            .map(|anchor| (Position::new((anchor.step - 1) as u32), (self.step - anchor.step) as u32))
            .map(|(from, period)| RunCycle { from, period });
        if self.step.is_power_of_two() {
            let (step, pc, fp, depth) = (self.step, now.pc, now.fp, now.depth);
            self.anchor = Some(CycleState { step, pc, fp, depth, words: now.words().to_vec() });
        }
    }
}
