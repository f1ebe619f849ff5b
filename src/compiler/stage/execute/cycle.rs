//! Runs that never end: a state that comes back comes back for ever. (Detecting infinite loops by states: Carbin et al., "Jolt",
//! ECOOP 2011; the anchor at powers of two is Brent's, 1980.)

use super::{Called, Domain, Machine, Now, Record, Start, Witness};
use crate::compiler::program::Executable;
use crate::lang::trap::Trap;
use crate::lang::{NONE, limits};

/// Steps within which a state has to come back: nearly all do at once, so looking far is worth its time only after looking near.
const LOOK: [u32; 2] = [1_024, 8_192];

/// Runs an entry on an input with all steps of the language. A run that soon comes back to an earlier state never ends: it gets the record of
/// the step limit, without an address, at once.
pub fn run_long(
    machine: &mut Machine,
    program: &Executable,
    routine: u32,
    domain: &Domain,
    input: u32,
) -> Record {
    for fuel in LOOK {
        domain.write(input, machine.frame());
        let mut cycle = Cycle::default();
        machine.run_before(program, Start { routine, fuel, depth: 0, origin: 0 }, &mut cycle);
        if cycle.turn().is_some() {
            return Record { trap: Trap::StepLimit, value: 0, steps: limits::STEPS, address: NONE };
        }
    }
    domain.write(input, machine.frame());
    machine.run(program, routine, limits::STEPS, 0)
}

/// The step from which on states are remembered.
const FIRST: u64 = 512;

/// Watches a run for a state that it was in before.
#[derive(Default)]
pub struct Cycle {
    step: u64,
    /// The state at the last power of two.
    anchor: Option<State>,
    turn: Option<Turn>,
}

/// Where a run that never ends comes back to a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turn {
    /// A position from which on it repeats itself; it may do so before.
    pub from: u32,
    /// After so many steps.
    pub period: u32,
}

struct State {
    step: u64,
    pc: usize,
    fp: usize,
    depth: usize,
    words: Vec<u32>,
}

impl Cycle {
    /// Where the run turns, if it came back to a state.
    pub fn turn(&self) -> Option<Turn> {
        self.turn
    }
}

impl Witness for Cycle {
    const ON: bool = true;
    const STEPS: bool = true;

    fn called(&mut self, _: Called) {}

    fn returned(&mut self, _: &[u32], _: u32) {}

    fn step(&mut self, now: Now) {
        self.step += 1;
        if self.turn.is_some() || self.step < FIRST {
            return;
        }
        // Where calls that were active then have ended, others may have taken their places: what comes back is another state.
        self.anchor.take_if(|anchor| now.depth < anchor.depth);
        let back = self.anchor.as_ref().filter(|anchor| {
            (anchor.pc, anchor.fp, anchor.depth) == (now.pc, now.fp, now.depth) && anchor.words == now.words()
        });
        self.turn = back
            .map(|anchor| Turn { from: (anchor.step - 1) as u32, period: (self.step - anchor.step) as u32 });
        if self.step.is_power_of_two() {
            let (step, pc, fp, depth) = (self.step, now.pc, now.fp, now.depth);
            self.anchor = Some(State { step, pc, fp, depth, words: now.words().to_vec() });
        }
    }
}
