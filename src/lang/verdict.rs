//! How tests end, and what becomes of mutants: numbers that shaders and host share.

use super::numbered;
use super::trap::Trap;

/// How one test or property ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Pass,
    Fail,
    Trap(Trap),
    /// Its condition holds of none of its inputs.
    Discarded,
}

/// Numbers of outcomes in records; above that of a trap comes which. A single input may be discarded, too.
pub const OUTCOME_PASS: u32 = 0;
pub const OUTCOME_FAIL: u32 = 1;
pub const OUTCOME_TRAP: u32 = 2;
pub const OUTCOME_DISCARDED: u32 = 255;

/// What a property gives of an input that does not meet its condition: no bool, nor what a single fault makes of one.
pub const DISCARDED: u32 = 0x64_6973;

impl Outcome {
    /// Whether there is an input on which it goes wrong.
    pub const fn fails(self) -> bool {
        matches!(self, Outcome::Fail | Outcome::Trap(_))
    }

    /// The outcome of this number in a record.
    pub fn from_u32(n: u32) -> Option<Outcome> {
        match n {
            OUTCOME_PASS => Some(Outcome::Pass),
            OUTCOME_FAIL => Some(Outcome::Fail),
            OUTCOME_DISCARDED => Some(Outcome::Discarded),
            n => Trap::from_u32(n - OUTCOME_TRAP).map(Outcome::Trap),
        }
    }
}

numbered! {
    /// What became of a mutant.
    pub enum MutantStatus {
        /// Not judged yet.
        Pending,
        Killed,
        Timeout,
        Survived,
        /// Its bytecode equals the base's.
        Equivalent,
        /// Its bytecode equals that of a mutant of lower id.
        Duplicate,
        /// It does not compile.
        Invalid,
        /// A comment in the source takes it out of the count; whatever was judged of it is not told.
        Ignored,
    }
}

impl MutantStatus {
    /// Its name in documents and on screen.
    pub const fn name(self) -> &'static str {
        match self {
            MutantStatus::Pending => "pending",
            MutantStatus::Killed => "killed",
            MutantStatus::Timeout => "timeout",
            MutantStatus::Survived => "survived",
            MutantStatus::Equivalent => "equivalent",
            MutantStatus::Duplicate => "duplicate",
            MutantStatus::Invalid => "invalid",
            MutantStatus::Ignored => "ignored",
        }
    }
}

/// The judgement of one mutant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verdict {
    pub status: MutantStatus,
    /// Index of the test or property that killed it or timed out, or `NONE`.
    pub killer: u32,
    /// For a duplicate, the id of the mutant that it equals; else `NONE`.
    pub original: u32,
}
