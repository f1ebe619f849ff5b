//! Engines that validate patches themselves: programs that are the last base with some edits, run first on what fails there.

use std::sync::Arc;

use super::EngineError;
use crate::compiler::program::{Compiled, Watch};
use crate::compiler::stage::mutate::Piece;
use crate::lang::limits;
use crate::lang::trap::Trap;
use crate::lang::verdict::Outcome;

/// Validates patches; the contract is the section "validate" of docs/stages.md.
pub trait Validator {
    /// What becomes of each patch of a program, which must be the last base. `None` for a patch that it has no means to make.
    ///
    /// # Errors
    /// If it is cancelled, another program is the base, or the device fails.
    fn validate(
        &mut self,
        suite: &Suite,
        patches: &[Patch],
        watch: &dyn Watch,
    ) -> Result<Vec<Option<Validated>>, EngineError>;
}

/// What patches of a program are run on.
#[derive(Clone, Debug)]
pub struct Suite {
    /// The program, with the group whose operators number edits.
    pub base: Arc<Compiled>,
    /// Tests and properties that fail, at most as many as a word of 64 bits has bits.
    pub failing: Vec<Asked>,
    /// All that do not fail, in the order in which they are asked.
    pub others: Vec<Asked>,
}

/// A test or property that is asked.
#[derive(Clone, Copy, Debug)]
pub struct Asked {
    /// Its index among all.
    pub entry: u32,
    /// The fuel of each of its runs.
    pub fuel: u32,
    /// The input on which it fails; 0 for one that does not.
    pub input: u32,
    /// One of its inputs at least has to meet its condition, if it has any.
    pub met: bool,
}

impl Asked {
    /// Whether its runs get fewer steps than the language allows.
    pub fn is_short(&self) -> bool {
        self.fuel < limits::STEPS
    }

    /// Whether a run of it that ended like that did so for want of steps that the language allows.
    pub fn starves(&self, outcome: Outcome) -> bool {
        outcome == Outcome::Trap(Trap::StepLimit) && self.is_short()
    }
}

/// A patch: edits of the program, in order.
pub type Patch<'a> = Vec<Hunk<'a>>;

/// One edit: tokens `lo .. hi` become these pieces.
#[derive(Clone, Copy, Debug)]
pub struct Hunk<'a> {
    /// Its number, if it is an edit of the group's operators.
    pub number: Option<u32>,
    pub lo: u32,
    pub hi: u32,
    pub pieces: &'a [Piece],
}

impl Hunk<'_> {
    /// One past the last token that it covers.
    pub fn end(&self) -> u32 {
        self.hi.max(self.lo + 1)
    }

    /// How many tokens it puts in.
    pub fn put_in(&self) -> u32 {
        self.pieces.iter().map(|piece| piece.tokens()).sum()
    }
}

/// What became of a patch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Validated {
    /// It does not compile.
    Invalid,
    /// It gives the bytecode that there is.
    Same,
    Ran(Ran),
}

/// How a patched program ran.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ran {
    /// Of its bytecode (`crate::compiler::stage::judge::hash`).
    pub hash: [u32; 2],
    /// How each failing one ends on its input, a discarded input as one that passes; and in how many steps.
    pub first: Vec<(Outcome, u32)>,
    /// Those that pass now, as bits.
    pub mended: u64,
    /// Whether one of the others no longer ends as it is to, where anything is mended.
    pub breaks: bool,
    /// Whether a run that decided against the patch ended for want of steps that the language allows.
    pub starved: bool,
}
