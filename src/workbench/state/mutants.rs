//! The choice of mutants to list, and the chosen one.

use std::sync::Arc;

use crate::lang::index::MutantId;
use crate::lang::verdict::MutantStatus;
use crate::workbench::marks;
use crate::workbench::results::{MutantView, Shown, TextDelta};

/// The filter of the list of mutants. The two orders are never mixed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MutantFilter {
    /// All first-order mutants, survivors first.
    #[default]
    Singles,
    /// First-order mutants whose verdict the last edit changed.
    Changed,
    /// First-order mutants with this status.
    Status(MutantStatus),
    /// All second-order mutants.
    Pairs,
}

impl MutantFilter {
    /// Returns the filter's name, one word.
    pub fn word(self) -> &'static str {
        match self {
            MutantFilter::Singles => marks::SINGLES.word,
            MutantFilter::Changed => "changed",
            MutantFilter::Status(status) => marks::of_status(status).word,
            MutantFilter::Pairs => marks::PAIRS.word,
        }
    }
}

/// The choice of mutants to list, and the chosen one.
#[derive(Debug, Default)]
pub struct MutantChoice {
    pub filter: MutantFilter,
    /// The mutant of the shown program that was chosen in the one before, until it is judged.
    pub followed: Option<MutantId>,
    /// The survivor whose test was just added: it is not followed, so that the next survivor is chosen.
    pub left: Option<MutantId>,
    /// The survivor whose test is added once it is found, and the revision of the text.
    pub wanted_test: Option<(u64, MutantId)>,
    pub view: MutantView,
    /// Whether the panels of code show the chosen mutant's own program, and that program.
    pub wants_own: bool,
    pub own: Option<OwnProgram>,
}

#[derive(Debug)]
pub struct OwnProgram {
    /// The revision of the program, and the mutant's id.
    pub key: (u64, MutantId),
    pub shown: Arc<Shown>,
    /// The change of the program's text.
    pub delta: TextDelta,
}
