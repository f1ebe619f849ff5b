//! Observers of a run's calls and steps. Without an observer none of this code is compiled in.

use super::reads::Reads;
use super::{Callee, MASK, Words};
use crate::lang::index::RoutineId;

/// Observes the calls of a run as they begin and end, and optionally its steps. Calls end in reverse order.
pub trait RunObserver {
    /// Whether `called` and `returned` are called.
    const ON: bool = false;
    /// Whether `step` is called for every step.
    const STEPS: bool = false;
    /// Whether reads of list parameters are recorded, and `read` is called.
    const READS: bool = false;

    fn called(&mut self, _: CallEvent) {}

    /// The innermost reported call that has not ended returns `result`: a word, or the elements of a list.
    /// `left` as in [`CallEvent`].
    fn returned(&mut self, _result: &[u32], _left: u32) {}

    /// The call that is about to return has read these elements; called only if [`Self::READS`] is set.
    fn read(&mut self, _: &Reads) {}

    fn step(&mut self, _: StepState) {}

    /// The value of a hole of the program that is reached. Without one, the hole traps.
    fn hole(&mut self) -> Option<u32> {
        None
    }
}

/// The state of a run before a step.
#[derive(Clone, Copy)]
pub struct StepState<'a> {
    /// Address of the instruction.
    pub pc: usize,
    /// Index of the frame in memory.
    pub fp: usize,
    /// Number of words of all frames and operands.
    pub sp: usize,
    /// Number of active calls.
    pub depth: usize,
    /// Steps left after this one.
    pub left: u32,
    pub(super) memory: &'a Words,
}

impl<'a> StepState<'a> {
    /// All frames and operands, the top last.
    pub fn words(&self) -> &'a [u32] {
        self.memory.get(..self.sp).unwrap_or_default()
    }

    /// The word `below` words below the top; 0 if there is none.
    pub fn operand(&self, below: usize) -> u32 {
        let place = self.sp.wrapping_sub(1 + below);
        if below < self.sp { self.memory[place & MASK] } else { 0 }
    }
}

#[derive(Clone, Copy)]
pub struct CallEvent<'a> {
    pub function: RoutineId,
    /// Index of its frame in memory.
    pub origin: u32,
    /// Number of active calls, including this one.
    pub depth: u32,
    /// Steps left to the run.
    pub left: u32,
    pub(super) callee: &'a Callee,
    pub(super) memory: &'a [u32],
    /// Bit set of its lists passed by reference; for the index of each one's length, the index of its
    /// elements.
    pub(super) references: u16,
    pub(super) elements: &'a [u16],
}

impl<'a> CallEvent<'a> {
    /// Its frame with the arguments, except for the elements of lists passed by reference.
    pub fn frame(&self) -> &'a [u32] {
        let origin = self.origin as usize;
        self.memory.get(origin..origin + self.callee.frame as usize).unwrap_or_default()
    }

    /// The capacities of its parameters; 0 for a parameter that is not a list.
    pub fn places(&self) -> &'a [u8] {
        self.callee.places()
    }

    /// Appends the arguments: for an int or bool its word, for a list its length and its elements.
    pub fn arguments(&self, out: &mut Vec<u32>) {
        let (mut at, frame) = (0, self.frame());
        for (param, capacity) in self.places().iter().enumerate() {
            let word = frame.get(at).copied().unwrap_or(0);
            out.push(word);
            if *capacity > 0 {
                let own = self.origin as usize + at;
                let by_reference = self.references >> param & 1 != 0;
                let elsewhere = if by_reference { self.elements.get(own) } else { None };
                let from = elsewhere.map_or(own + 1, |from| usize::from(*from));
                let length = (word as usize).min(usize::from(*capacity));
                out.extend_from_slice(self.memory.get(from..from + length).unwrap_or_default());
            }
            at += 1 + usize::from(*capacity);
        }
    }
}

pub struct NoObserver;

impl RunObserver for NoObserver {}

/// Observes nothing, but records the reads of the run itself.
pub struct ReadRecorder;

impl RunObserver for ReadRecorder {
    const READS: bool = true;
}
