//! The rows of the IR panel while it shows the passes of one function.

use crate::lang::index::{MutantId, TokenId};
use crate::report::align::Comparable;
use crate::workbench::theme::Look;

/// The inputs of the rows, which are rebuilt when they change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepsKey {
    pub revision: u64,
    /// The mutant whose own program it is.
    pub mutant: Option<MutantId>,
    pub routine: usize,
    /// The index of the chosen pass among those that changed the program.
    pub number: usize,
    pub reasons: bool,
    /// The width of a row.
    pub cells: usize,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StepsRow {
    pub token: Option<TokenId>,
    pub parts: Vec<(Look, String)>,
    /// The instruction that it shows, without its address.
    pub code: Option<Comparable>,
}

impl StepsRow {
    /// Returns a row that has no place in the source.
    pub fn of(look: Look, text: String) -> StepsRow {
        StepsRow { parts: vec![(look, text)], ..StepsRow::default() }
    }

    /// Returns the part that a comparison compares.
    pub fn comparable(&self) -> Comparable {
        let text = || self.parts.iter().map(|(_, text)| text.as_str()).collect();
        self.code.clone().unwrap_or_else(|| Comparable::of(text()))
    }
}

#[derive(Debug, Default)]
pub struct StepsView {
    pub key: Option<StepsKey>,
    pub rows: Vec<StepsRow>,
    /// The row of the chosen pass.
    pub chosen: usize,
}
