//! Who is told of a run's calls, and of its steps. Where nobody is, nothing of this is compiled.

use super::reads::Reads;
use super::{Callee, MASK, Words};

/// Is told of the calls of a run as they begin and end, the innermost last, and of its steps if it wants to be.
pub trait Witness {
    const ON: bool;
    /// Whether it is told of every step.
    const STEPS: bool = false;
    /// Whether it is told what calls read of their lists.
    const READS: bool = false;

    /// A call begins.
    fn called(&mut self, call: Called);

    /// The innermost call that was told and has not ended gave this: a word, or the elements of a list. `left` as in [`Called`].
    fn returned(&mut self, result: &[u32], left: u32);

    /// What the call has read that is about to return; told where [`Self::READS`] is set.
    fn read(&mut self, _: &Reads) {}

    /// A step is about to be made.
    fn step(&mut self, _: Now) {}
}

/// Where a run stands before a step.
#[derive(Clone, Copy)]
pub struct Now<'a> {
    /// Address of the instruction.
    pub pc: usize,
    /// Where the frame begins in the memory.
    pub fp: usize,
    /// Words of all frames and operands.
    pub sp: usize,
    /// Calls that are active.
    pub depth: usize,
    /// Steps that are left to the run behind this one.
    pub left: u32,
    pub(super) memory: &'a Words,
}

impl<'a> Now<'a> {
    /// All frames and operands, the top last.
    pub fn words(&self) -> &'a [u32] {
        self.memory.get(..self.sp).unwrap_or_default()
    }

    /// The word so far below the top; 0 where there is none.
    pub fn operand(&self, below: usize) -> u32 {
        let place = self.sp.wrapping_sub(1 + below);
        if below < self.sp { self.memory[place & MASK] } else { 0 }
    }
}

/// A call that begins.
#[derive(Clone, Copy)]
pub struct Called<'a> {
    pub function: u32,
    /// Where its frame begins in the memory.
    pub origin: u32,
    /// Calls that are active, itself included.
    pub depth: u32,
    /// Steps that are left to the run.
    pub left: u32,
    /// Its frame, its arguments in their places, but for lists that are passed by reference.
    pub frame: &'a [u32],
    places: &'a [u8],
    memory: &'a [u32],
    /// Which of its lists are passed by reference, and beside the length of each where its elements begin.
    references: u16,
    elements: &'a [u16],
}

impl<'a> Called<'a> {
    pub(super) fn new(
        function: u32,
        callee: &'a Callee,
        (memory, references): (&'a [u32], Option<(u16, &'a [u16])>),
        (origin, depth, left): (usize, usize, u32),
    ) -> Called<'a> {
        let frame = memory.get(origin..origin + callee.frame as usize).unwrap_or_default();
        let (origin, depth, places) = (origin as u32, depth as u32, callee.places());
        let (references, elements) = references.unwrap_or_default();
        Called { function, origin, depth, left, frame, places, memory, references, elements }
    }

    /// The capacities of its parameters, 0 of those that are no lists.
    pub fn places(&self) -> &'a [u8] {
        self.places
    }

    /// Appends the arguments: of each int or bool its word, of each list its length and its elements.
    pub fn arguments(&self, out: &mut Vec<u32>) {
        let mut at = 0;
        for (param, capacity) in self.places.iter().enumerate() {
            let word = self.frame.get(at).copied().unwrap_or(0);
            out.push(word);
            if *capacity > 0 {
                let own = self.origin as usize + at;
                let elsewhere = self.elements.get(own).filter(|_| self.references >> param & 1 != 0);
                let from = elsewhere.map_or(own + 1, |from| usize::from(*from));
                let length = (word as usize).min(usize::from(*capacity));
                out.extend_from_slice(self.memory.get(from..from + length).unwrap_or_default());
            }
            at += 1 + usize::from(*capacity);
        }
    }
}

/// Nobody is told.
pub struct Nobody;

impl Witness for Nobody {
    const ON: bool = false;
    fn called(&mut self, _: Called) {}
    fn returned(&mut self, _: &[u32], _: u32) {}
}

/// Is told of nothing, but what the run itself reads is noted.
pub struct Reader;

impl Witness for Reader {
    const ON: bool = false;
    const READS: bool = true;
    fn called(&mut self, _: Called) {}
    fn returned(&mut self, _: &[u32], _: u32) {}
}
