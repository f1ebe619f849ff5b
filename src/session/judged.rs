//! What has been judged of which text.

use crate::engine::{BaseResult, Kind};
use crate::lang::verdict::Verdict;

/// All verdicts on a text.
pub struct Judged {
    /// What was wanted then (`Wanted::epoch`).
    pub epoch: u64,
    pub revision: u64,
    /// The engine that judged it.
    pub kind: Kind,
    pub base: BaseResult,
    /// By id, as the engine says them, and as people are told them: without those that comments take out of the count.
    pub verdicts: Vec<Verdict>,
    pub told: Vec<Verdict>,
}
