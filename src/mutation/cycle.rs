//! Runs that never end: a state that comes back comes back for ever. (Detecting infinite loops by states: Carbin et al., "Jolt",
//! ECOOP 2011; the anchor at powers of two is Brent's, 1980.)

use super::Examiner;
use crate::lang::limits;
use crate::lang::trap::Trap;
use crate::lang::verdict::{MutantStatus, Verdict};
use crate::program::Watch;
use crate::stage::execute::{Called, Now, Start, Witness};

/// The step from which on states are remembered.
const FIRST: u64 = 512;

/// Watches a run for a state that it was in before.
#[derive(Default)]
struct Cycle {
    step: u64,
    /// The state at the last power of two.
    anchor: Option<State>,
    found: bool,
}

struct State {
    pc: usize,
    fp: usize,
    depth: usize,
    words: Vec<u32>,
}

impl Witness for Cycle {
    const ON: bool = true;
    const STEPS: bool = true;

    fn called(&mut self, _: Called) {}

    fn returned(&mut self, _: &[u32], _: u32) {}

    fn step(&mut self, now: Now) {
        self.step += 1;
        if self.found || self.step < FIRST {
            return;
        }
        // Where calls that were active then have ended, others may have taken their places: what comes back is another state.
        self.anchor.take_if(|anchor| now.depth < anchor.depth);
        self.found = self.anchor.as_ref().is_some_and(|anchor| {
            (anchor.pc, anchor.fp, anchor.depth) == (now.pc, now.fp, now.depth) && anchor.words == now.words
        });
        if self.step.is_power_of_two() {
            let (pc, fp, depth) = (now.pc, now.fp, now.depth);
            self.anchor = Some(State { pc, fp, depth, words: now.words.to_vec() });
        }
    }
}

impl Examiner {
    /// Whether a mutant that times out comes back to a state that it was in: then no fuel would do. `None` if it was stopped.
    pub fn never_ends(&mut self, id: u32, verdict: &Verdict, watch: &dyn Watch) -> Option<bool> {
        if verdict.status != MutantStatus::Timeout {
            return Some(false);
        }
        let Some(pair) = self.pair(id) else { return Some(false) };
        let Some(oracle) = self.oracles.iter().find(|oracle| oracle.entry == verdict.killer) else {
            return Some(false);
        };
        let [_, machine] = &mut self.machines;
        let program = &pair.mutant;
        machine.translate(program);
        for input in 0..oracle.domain.inputs() {
            if watch.cancelled() {
                return None;
            }
            oracle.domain.write(input, machine.frame());
            if machine.run(program, oracle.routine, oracle.fuel, 0).trap == Trap::StepLimit {
                oracle.domain.write(input, machine.frame());
                let mut cycle = Cycle::default();
                let start = Start { routine: oracle.routine, fuel: limits::STEPS, depth: 0, origin: 0 };
                machine.run_before(program, start, &mut cycle);
                return Some(cycle.found);
            }
        }
        Some(false)
    }
}
