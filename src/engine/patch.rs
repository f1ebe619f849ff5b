//! Patches that an engine validates. A patch is a set of edits of the last base; its program first runs on the
//! inputs that fail there.

use std::sync::Arc;

use crate::compiler::program::Compiled;
use crate::compiler::stage::mutate::Piece;
use crate::lang::index::{EditId, EntryId, InputId, TokenId};
use crate::lang::limits;
use crate::lang::trap::Trap;
use crate::lang::verdict::Outcome;

#[derive(Clone, Debug)]
pub struct Suite {
    /// The program, with the mutation group that numbers its edits.
    pub base: Arc<Compiled>,
    /// Failing tests and properties, at most 64.
    pub failing: Vec<EntryRequest>,
    /// All entries that do not fail, in the order in which they run.
    pub others: Vec<EntryRequest>,
}

#[derive(Clone, Copy, Debug)]
pub struct EntryRequest {
    /// Its index among all tests and properties.
    pub entry: EntryId,
    /// The step limit of each of its runs.
    pub fuel: u32,
    /// The failing input; the first if none fails.
    pub input: InputId,
    /// Whether at least one input must meet the property's condition.
    pub met: bool,
}

impl EntryRequest {
    /// Whether the step limit is below the language's.
    pub fn is_short(&self) -> bool {
        self.fuel < limits::STEPS
    }

    /// Whether a run ended at a step limit that is below the language's.
    pub fn starves(&self, outcome: Outcome) -> bool {
        outcome == Outcome::Trap(Trap::StepLimit) && self.is_short()
    }
}

/// A patch: edits of the program, in order of position.
pub type Patch<'a> = Vec<Hunk<'a>>;

/// One edit: the tokens `lo .. hi` are replaced by `pieces`.
#[derive(Clone, Copy, Debug)]
pub struct Hunk<'a> {
    /// The number of the edit, if one of the group's operators makes it.
    pub number: Option<EditId>,
    pub lo: TokenId,
    pub hi: TokenId,
    pub pieces: &'a [Piece],
}

impl Hunk<'_> {
    /// Returns one past the last token that the edit covers.
    pub fn end(&self) -> TokenId {
        self.hi.max(self.lo + 1)
    }

    pub fn inserted_tokens(&self) -> u32 {
        self.pieces.iter().map(|piece| piece.tokens()).sum()
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Validated {
    /// It does not compile.
    Invalid,
    /// Its bytecode equals the base's.
    Same,
    Ran(Ran),
}

/// The result of running a patched program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ran {
    /// The hash of its bytecode (`crate::compiler::stage::judge::hash`).
    pub hash: [u32; 2],
    /// The outcome and steps of each failing entry on its failing input. A discarded input counts as passing.
    pub first: Vec<(Outcome, u32)>,
    /// The failing entries that pass now, as bits.
    pub mended: u64,
    /// Whether another entry no longer ends as it must. Only determined if some failing entry passes now.
    pub breaks: bool,
    /// Whether a run that decided against the patch ended at a step limit below the language's.
    pub starved: bool,
}
