//! The parameters and results of sampling, which are the same for every engine.

use crate::lang::index::EntryId;
use std::time::Duration;

/// How candidates are drawn (`docs/neural.md`, "Drawing candidates").
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sampling {
    /// Number of candidates: number 0 is greedy, numbers `1 .. k` are drawn.
    pub k: u32,
    /// Number of the first candidate. A further round continues after the last number of the one before.
    pub first: u32,
    pub seed: u32,
    /// Above 0. At 1, the model's distribution is unchanged.
    pub temperature: f32,
    /// Above 0 and at most 1. At 1, no word is cut off.
    pub top_p: f32,
}

impl Default for Sampling {
    fn default() -> Self {
        Sampling { k: 64, first: 0, seed: 1, temperature: 1.0, top_p: 1.0 }
    }
}

/// The result of a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u32)]
pub enum Status {
    /// The words are not a program: they did not end in time.
    Invalid,
    /// A test or property trapped.
    Trap,
    /// A test or property returned the wrong value.
    Wrong,
    /// A test or property ran out of fuel.
    Timeout,
    /// The candidate passes everything that the base passes.
    Passed,
}

/// A program that was drawn. Samples of equal code are one candidate, and so are all invalid samples.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// The least number among its samples; `words` and `log_p` are those of that sample.
    pub number: u32,
    /// Number of samples, out of k, with this code.
    pub samples: u32,
    /// Target words, without `<bos>`; those of a valid candidate end in `<eos>`.
    pub words: Vec<u16>,
    /// Bytecode, to be placed directly after the base's. Empty if invalid.
    pub code: Vec<u32>,
    /// The natural logarithm of the words' probability at temperature 1, among allowed words.
    pub log_p: f32,
    /// The probability of each word at the temperature of the draws, among allowed words. Refuted words count.
    pub shares: Vec<f32>,
    pub status: Status,
    /// The index of the first test or property that the base passes and the candidate does not, or `NONE`.
    pub differing: Option<EntryId>,
    /// Number of oracles passed before the first that it does not pass.
    pub passed: u32,
    /// Number of instructions executed by the oracles, up to the first failing run.
    pub steps: u64,
}

/// Words that were written for a function, but neither assembled nor run. Samples of equal words are one
/// draft.
#[derive(Clone, Debug, PartialEq)]
pub struct Draft {
    /// The least number among its samples.
    pub number: u32,
    pub samples: u32,
    /// Target words, without `<bos>`.
    pub words: Vec<u16>,
    /// As [`Candidate::log_p`].
    pub log_p: f32,
    /// Whether the last word is `<eos>`. If not, the words are not a program.
    pub whole: bool,
}

impl Draft {
    /// Merges the drafts of one function that have equal words, and sorts them by number.
    pub fn gather(mut drafts: Vec<Draft>) -> Vec<Draft> {
        drafts.sort_by(|a, b| a.words.cmp(&b.words).then(a.number.cmp(&b.number)));
        drafts.dedup_by(|later, first| {
            let equal = later.words == first.words;
            if equal {
                first.samples += later.samples;
            }
            equal
        });
        drafts.sort_unstable_by_key(|draft| draft.number);
        drafts
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sampled {
    /// Sorted by [`Candidate::number`].
    pub candidates: Vec<Candidate>,
    /// Number of oracles: the tests and properties that the base passes.
    pub oracles: u32,
    /// Number of instructions that the base executes in them.
    pub base_steps: u64,
    pub timings: SampleTimings,
}

/// Time that a round took to generate candidates, and to run them against the tests. All values compare as
/// equal, so rounds with equal results are equal.
#[derive(Clone, Copy, Debug, Default)]
pub struct SampleTimings {
    pub generating: Duration,
    pub verifying: Duration,
}

impl PartialEq for SampleTimings {
    fn eq(&self, _: &SampleTimings) -> bool {
        true
    }
}

impl SampleTimings {
    pub fn sum(&self) -> Duration {
        self.generating + self.verifying
    }
}

/// The inputs on which candidates are compared: `first .. first + count` of those that the seed generates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Inputs {
    pub seed: u32,
    pub first: u32,
    pub count: u32,
}

/// The result of comparing a candidate with the base's code, up to the first disagreement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Agreement {
    /// The first input on which they disagree.
    pub differs_at: Option<u32>,
    /// Number of inputs compared, including a disagreeing one. Inputs on which the base exhausts steps,
    /// memory or call depth do not count.
    pub compared: u32,
    /// Number of compared inputs on which the base traps.
    pub trapping: u32,
    /// Number of instructions that the candidate executed on inputs where both returned the same value.
    pub steps: u64,
    /// Number of instructions that the base executed on the same inputs.
    pub base_steps: u64,
}

impl Agreement {
    /// The result before any comparison.
    pub const NOTHING: Agreement =
        Agreement { differs_at: None, compared: 0, trapping: 0, steps: 0, base_steps: 0 };

    /// Returns whether no compared input distinguishes the two.
    pub fn agrees(&self) -> bool {
        self.differs_at.is_none()
    }
}
