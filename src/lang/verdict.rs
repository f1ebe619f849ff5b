//! Outcomes of tests and statuses of mutants: numbers that shaders and host share.

use super::index::{EntryId, MutantId};
use super::numbered;
use super::trap::Trap;

/// The outcome of one test or property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Pass,
    Fail,
    Trap(Trap),
    /// None of the property's inputs meets its condition.
    Discarded,
}

/// Numbers of outcomes in records. A trap is `OUTCOME_TRAP` plus its number. A single input may be discarded,
/// too.
pub const OUTCOME_PASS: u32 = 0;
pub const OUTCOME_FAIL: u32 = 1;
pub const OUTCOME_TRAP: u32 = 2;
pub const OUTCOME_DISCARDED: u32 = 255;

/// The value of a property whose condition its input does not meet. It is neither a bool nor a bool changed
/// by one fault.
pub const DISCARDED: u32 = 0x64_6973;

impl Outcome {
    /// Returns whether the entry fails on some input.
    pub const fn fails(self) -> bool {
        matches!(self, Outcome::Fail | Outcome::Trap(_))
    }

    /// Returns whether the entry passes on all inputs that reach no hole, and one reaches a hole.
    pub const fn is_unfinished(self) -> bool {
        matches!(self, Outcome::Trap(Trap::Hole))
    }

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
    pub enum MutantStatus {
        /// Not judged yet.
        Pending,
        Killed,
        Timeout,
        Survived,
        /// Its bytecode equals the base's, or a proof shows that it does the same.
        Equivalent,
        /// Its bytecode equals that of a mutant with a lower id, or a proof shows that both do the same.
        Duplicate,
        /// It does not compile.
        Invalid,
        /// A comment in the source excludes it from the count; its verdict is not shown.
        Ignored,
        /// A run of it reaches a hole of its base, and no oracle kills it.
        Unfinished,
    }
}

impl MutantStatus {
    /// The status's name in documents and on screen.
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
            MutantStatus::Unfinished => "unfinished",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verdict {
    pub status: MutantStatus,
    /// The test or property that killed it or timed out.
    pub killer: Option<EntryId>,
    /// The mutant that a duplicate equals.
    pub original: Option<MutantId>,
}

impl Verdict {
    /// Returns a verdict without a killer or an original.
    pub const fn of(status: MutantStatus) -> Verdict {
        Verdict { status, killer: None, original: None }
    }

    pub const fn duplicate_of(original: MutantId) -> Verdict {
        Verdict { original: Some(original), ..Verdict::of(MutantStatus::Duplicate) }
    }
}
