//! The code of the mutant that is looked at beside the program's.

use crate::report::apart::Apart;

/// Worked out for one mutant, anew where another one is chosen.
#[derive(Clone, Debug, Default)]
pub struct MutantView {
    /// The revision and the mutant that it is of.
    pub key: Option<(u64, u32)>,
    pub apart: Apart,
}

impl MutantView {
    /// What there is of a mutant.
    pub fn of(&self, revision: u64, id: u32) -> Option<&Apart> {
        (self.key == Some((revision, id))).then_some(&self.apart)
    }
}
