//! What sampling is asked for and what it gives: the same of every engine.

use std::time::Duration;

/// How candidates are drawn (`docs/neural.md`, "Drawing candidates").
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sampling {
    /// Candidates: number 0 is greedy, numbers `1 .. k` are drawn.
    pub k: u32,
    /// Number of the first candidate drawn: a further round goes on where the last one ended.
    pub first: u32,
    pub seed: u32,
    /// Above 0; 1 leaves the model's distribution as it is.
    pub temperature: f32,
    /// Above 0, at most 1; 1 cuts nothing off.
    pub top_p: f32,
}

impl Default for Sampling {
    fn default() -> Self {
        Sampling { k: 64, first: 0, seed: 1, temperature: 1.0, top_p: 1.0 }
    }
}

/// How a candidate did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u32)]
pub enum Status {
    /// Its words are no program: they did not end in time.
    Invalid,
    /// A test or property trapped.
    Trap,
    /// A test or property gave the wrong value.
    Wrong,
    /// A test or property ran out of its fuel.
    Timeout,
    /// It passes all that the base passes.
    Passed,
}

/// A program that was drawn. Samples of equal code are one candidate, and so are all invalid ones.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// The least number among its samples; its words and log p are that sample's.
    pub number: u32,
    /// How many of the k samples it is.
    pub samples: u32,
    /// Target words, without `<bos>`; those of a valid candidate end in `<eos>`.
    pub words: Vec<u16>,
    /// Its bytecode, to stand right behind the base's. Empty if invalid.
    pub code: Vec<u32>,
    /// The natural logarithm of its words' probability at temperature 1, of the allowed words.
    pub log_p: f32,
    pub status: Status,
    /// Index of the first test or property that the base passes and it does not, or `NONE`.
    pub differing: u32,
    /// Tests and properties passed, of those that judge, up to the first that it does not pass.
    pub passed: u32,
    /// Instructions executed by the tests and inputs of properties that judge, up to the first failing run.
    pub steps: u64,
}

/// Words that were written for a function, and no more: nothing was assembled or run. Samples of equal words are one.
#[derive(Clone, Debug, PartialEq)]
pub struct Draft {
    /// The least number among its samples.
    pub number: u32,
    pub samples: u32,
    /// Target words, without `<bos>`.
    pub words: Vec<u16>,
    /// As [`Candidate::log_p`].
    pub log_p: f32,
    /// Whether its last word is `<eos>`; else it is no program.
    pub whole: bool,
}

impl Draft {
    /// Drafts of one function by number, those of equal words as one.
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

/// All candidates of one round.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sampled {
    /// By [`Candidate::number`].
    pub candidates: Vec<Candidate>,
    /// Tests and properties that judge: those that the base passes.
    pub oracles: u32,
    /// Instructions that the base executes in them.
    pub base_steps: u64,
    pub spent: Spent,
}

/// What a round took: to generate candidates, and to run them against the tests. It says nothing of what was found, so rounds that took another time
/// are equal all the same.
#[derive(Clone, Copy, Debug, Default)]
pub struct Spent {
    pub generating: Duration,
    pub verifying: Duration,
}

impl PartialEq for Spent {
    fn eq(&self, _: &Spent) -> bool {
        true
    }
}

impl Spent {
    pub fn sum(&self) -> Duration {
        self.generating + self.verifying
    }
}

/// Which inputs candidates are compared on: `first .. first + count` of those that the seed gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Inputs {
    pub seed: u32,
    pub first: u32,
    pub count: u32,
}

/// How a candidate compared with the base's code. It is run no further than to its first disagreement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Agreement {
    /// The first input on which it disagrees.
    pub differs_at: Option<u32>,
    /// Inputs compared, a disagreeing one included. Inputs on which the base exhausts steps, memory or call depth are not.
    pub compared: u32,
    /// Inputs, of those compared, on which the base traps.
    pub trapping: u32,
    /// Instructions that the candidate executed on inputs where both gave the same value.
    pub steps: u64,
    /// Instructions that the base executed on the same inputs.
    pub base_steps: u64,
}

impl Agreement {
    /// Nothing compared yet.
    pub const NOTHING: Agreement =
        Agreement { differs_at: None, compared: 0, trapping: 0, steps: 0, base_steps: 0 };

    /// No input told the two apart.
    pub fn agrees(&self) -> bool {
        self.differs_at.is_none()
    }
}
