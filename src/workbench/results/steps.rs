//! The rows of the IR panel while it shows the passes of one function.

use crate::lang::index::TokenId;
use crate::workbench::theme::Look;

/// The inputs of the rows, which are rebuilt when they change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepsKey {
    pub revision: u64,
    pub routine: usize,
    /// The index of the chosen pass among those that changed the program.
    pub number: usize,
    /// Whether reasons are shown.
    pub reasons: bool,
    /// The width of a row.
    pub cells: usize,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StepsRow {
    pub token: Option<TokenId>,
    pub parts: Vec<(Look, String)>,
}

impl StepsRow {
    /// Returns a row that has no place in the source.
    pub fn of(look: Look, text: String) -> StepsRow {
        StepsRow { parts: vec![(look, text)], ..StepsRow::default() }
    }
}

#[derive(Debug, Default)]
pub struct StepsView {
    pub key: Option<StepsKey>,
    pub rows: Vec<StepsRow>,
    /// The row of the chosen pass.
    pub chosen: usize,
}
