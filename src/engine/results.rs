//! What engines give.

use std::sync::Arc;

use super::timings::Timings;
use crate::compiler::program::Compiled;
use crate::lang::trap::Trap;
use crate::lang::verdict::{Outcome, Verdict};

/// What running one test or property of the base gave, on any engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EntryResult {
    pub outcome: Outcome,
    /// Instructions executed; of a property by the inputs up to and including the first failing one.
    pub steps: u64,
    /// Steps of its costliest input: what a mutant's fuel is computed from.
    pub costliest: u32,
    /// Inputs run up to and including the first failing one; 1 for a test.
    pub inputs: u32,
    /// Those of them that did not meet the property's condition.
    pub discarded: u32,
    /// How many inputs there may be at most, which decides on their numbers.
    pub samples: u32,
    /// Index of the first failing input, or `NONE`.
    pub failing_input: u32,
    /// Address of the instruction that trapped, or `NONE`.
    pub trap_address: u32,
}

impl EntryResult {
    /// Whether so few inputs meet the property's condition that it says little: QuickCheck gives up at as many.
    pub fn discards_many(&self) -> bool {
        const EACH: u32 = 10;
        self.discarded > EACH * (self.inputs - self.discarded.min(self.inputs))
    }
}

/// The base compiled and its tests run.
#[derive(Clone, Debug)]
pub struct BaseResult {
    pub compiled: Arc<Compiled>,
    /// One for each test and property, in source order; empty where the program has errors.
    pub entries: Vec<EntryResult>,
    pub timings: Timings,
}

/// Verdicts on the mutants with ids `first ..`.
#[derive(Clone, Debug)]
pub struct MutantResult {
    pub first: u32,
    pub verdicts: Vec<Verdict>,
    /// How many of them are known from an earlier base.
    pub reused: u32,
    pub timings: Timings,
}

/// Mutants that one engine has judged: compared with the base and with what it has judged before, but not with mutants that
/// others judge.
#[derive(Clone, Debug)]
pub struct Chunk {
    pub result: MutantResult,
    /// Of each mutant the hash of its bytecode (`crate::compiler::stage::judge::hash`); without meaning where it is invalid or nobody asked.
    pub hashes: Vec<[u32; 2]>,
}

/// What one device of several has done of the mutants of the last base.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Share {
    pub engine: String,
    /// Mutants judged.
    pub programs: u32,
}

/// How many mutants a base has. Ids of second order follow those of first order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MutantCounts {
    pub first_order: u32,
    /// Both orders together.
    pub all: u32,
}

/// How one call of a function ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunResult {
    pub trap: Trap,
    /// Address of the instruction that trapped, or `NONE`.
    pub trap_address: u32,
    pub steps: u32,
    /// An int or bool as one word; a list as its elements. Empty where it trapped.
    pub value: Vec<u32>,
}
