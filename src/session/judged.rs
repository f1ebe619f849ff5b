//! The result of judging a text.

use std::collections::{BTreeMap, BTreeSet};

use crate::engine::{BaseResult, Kind};
use crate::lang::index::MutantId;
use crate::lang::verdict::Verdict;
use crate::testing::equivalence::Equality;

/// All verdicts on a text.
pub struct Judged {
    /// The epoch at which it was judged (`Wanted::epoch`).
    pub epoch: u64,
    pub revision: u64,
    pub kind: Kind,
    /// The base that the mutants were compared with, at the level of variants.
    pub base: BaseResult,
    /// The base at the requested level, as shown.
    pub shown: BaseResult,
    /// By mutant id: `verdicts` as the engine reports them, `counted` without the mutants that comments in the
    /// source ignore.
    pub verdicts: Vec<Verdict>,
    pub counted: Vec<Verdict>,
    /// The programs that survivors are proved to equal.
    pub equal: BTreeMap<MutantId, Equality>,
    /// Those proved while the user was idle.
    pub by_prover: BTreeSet<MutantId>,
}
