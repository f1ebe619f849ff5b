//! The results of engines.

use std::sync::Arc;

use super::timings::Timings;
use crate::compiler::program::Compiled;
use crate::compiler::stage::execute::Tally;
use crate::lang::index::{Address, Index, Indices, InputId, MutantId};
use crate::lang::limits;
use crate::lang::trap::Trap;
use crate::lang::verdict::{Outcome, Verdict};

/// The result of one test or property of the base, the same on every engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EntryResult {
    pub outcome: Outcome,
    /// Instructions executed; for a property, over the inputs up to and including the first failing one.
    pub steps: u64,
    /// The steps of its costliest input, from which a mutant's fuel is computed.
    pub costliest: u32,
    /// Inputs run up to and including the first failing one; 1 for a test. One that reaches a hole does not fail.
    pub inputs: u32,
    /// Inputs among these that did not meet the property's condition.
    pub discarded: u32,
    /// Inputs among these whose runs reach a hole.
    pub unfinished: u32,
    /// The maximum number of inputs, which determines how inputs are numbered.
    pub samples: u32,
    /// The first failing input, else the first that reaches a hole.
    pub failing_input: Option<InputId>,
    /// Address of the instruction that trapped.
    pub trap_address: Option<Address>,
}

impl EntryResult {
    /// Returns the result of an entry that ran with [`limits::SAMPLES`].
    pub fn new(tally: &Tally) -> EntryResult {
        EntryResult {
            outcome: tally.outcome(),
            steps: tally.steps,
            costliest: tally.costliest,
            inputs: tally.inputs,
            discarded: tally.discarded,
            unfinished: tally.unfinished.len() as u32,
            samples: limits::SAMPLES,
            failing_input: tally.failing_input,
            trap_address: tally.last.address,
        }
    }

    /// Whether it judges mutants: it passes, or it is a property that some inputs meet and the others end at a hole.
    pub fn judges(&self) -> bool {
        self.outcome == Outcome::Pass
            || self.outcome.is_unfinished() && self.inputs > self.discarded + self.unfinished
    }

    /// Whether the property discards more than 10 inputs for each that meets its condition, the limit at
    /// which QuickCheck gives up.
    pub fn discards_many(&self) -> bool {
        const EACH: u32 = 10;
        self.discarded > EACH * (self.inputs - self.discarded.min(self.inputs))
    }
}

#[derive(Clone, Debug)]
pub struct BaseResult {
    pub compiled: Arc<Compiled>,
    /// One result for each test and property, in source order; empty if the program has errors.
    pub entries: Vec<EntryResult>,
    pub timings: Timings,
}

/// Verdicts on the mutants with ids `first ..`.
#[derive(Clone, Debug)]
pub struct MutantResult {
    pub first: MutantId,
    pub verdicts: Vec<Verdict>,
    /// How many verdicts were known from an earlier base.
    pub reused: u32,
    pub timings: Timings,
}

impl MutantResult {
    pub fn ids(&self) -> Indices<MutantId> {
        Indices::starting(self.first, self.verdicts.len() as u32)
    }
}

/// Mutants judged by one engine. They are compared with the base and with mutants that this engine judged
/// before, but not with those of other engines.
#[derive(Clone, Debug)]
pub struct Chunk {
    pub result: MutantResult,
    /// The bytecode hash of each mutant (`crate::compiler::stage::judge::hash`). Undefined for invalid
    /// mutants and unless [`ChunkMode::Share`](super::Ask::Share) asked for hashes.
    pub hashes: Vec<[u32; 2]>,
}

/// The part of the last base's mutants that one of several engines judged.
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

impl MutantCounts {
    /// Returns those of these ids that exist.
    pub fn clip(self, ids: Indices<MutantId>) -> Indices<MutantId> {
        Indices::numbered(ids.start().number()..ids.numbers().end.min(self.all))
    }
}

/// The result of one call of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunResult {
    pub trap: Trap,
    /// Address of the instruction that trapped.
    pub trap_address: Option<Address>,
    pub steps: u32,
    /// One word for an int or bool, the elements for a list. Empty if it trapped.
    pub value: Vec<u32>,
}
