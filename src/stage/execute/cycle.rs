//! Runs that never end: a state that comes back comes back for ever. (Detecting infinite loops by states: Carbin et al., "Jolt",
//! ECOOP 2011; the anchor at powers of two is Brent's, 1980.)

use super::{Called, Now, Witness};

/// The step from which on states are remembered.
const FIRST: u64 = 512;

/// Watches a run for a state that it was in before.
#[derive(Default)]
pub struct Cycle {
    step: u64,
    /// The state at the last power of two.
    anchor: Option<State>,
    /// Whether it was in one: then no number of steps would do.
    pub found: bool,
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
