//! How tests end, and what becomes of a mutant by them.

use super::trap::Trap;

/// How one test or property ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Pass,
    Fail,
    Trap(Trap),
}

/// What became of a mutant. The numbers are those of the shaders' verdict records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u32)]
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
}

/// The judgement of one mutant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verdict {
    pub status: MutantStatus,
    /// Index of the test or property that killed it or timed out, or `NONE`.
    pub killer: u32,
    /// For a duplicate, the id of the mutant that it equals; else `NONE`.
    pub twin: u32,
}
