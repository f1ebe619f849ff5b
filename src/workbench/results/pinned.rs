//! The difference between the chosen mutant's code and the program's.

use crate::lang::index::MutantId;
use crate::report::code_diff::CodeDiff;

/// Computed for the chosen mutant.
#[derive(Clone, Debug, Default)]
pub struct MutantView {
    /// The revision and the mutant's id.
    pub key: Option<(u64, MutantId)>,
    pub apart: CodeDiff,
}

impl MutantView {
    /// Returns the difference if it belongs to this mutant.
    pub fn of(&self, revision: u64, id: MutantId) -> Option<&CodeDiff> {
        (self.key == Some((revision, id))).then_some(&self.apart)
    }
}
