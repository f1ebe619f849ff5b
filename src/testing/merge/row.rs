//! The row of a mutant in a document: read, and checked for what cannot be.

use serde::Deserialize;

use crate::lang::limits;
use crate::lang::mutation::Operator;
use crate::lang::verdict::MutantStatus;

/// The fields of a mutant that every document has, or that say something about another mutant or a test.
#[derive(Debug, Deserialize)]
pub struct MergeRow {
    pub id: u32,
    status: String,
    operator: String,
    line: u32,
    column: u32,
    end_line: u32,
    end_column: u32,
    #[serde(rename = "original")]
    _original: String,
    #[serde(rename = "replacement")]
    _replacement: String,
    killed_by: Option<Vec<u32>>,
    noticed_by: Option<Vec<u32>>,
    copy_of: Option<u32>,
    pub pair: Option<[u32; 2]>,
    ignored: Option<String>,
}

/// Reads a row.
///
/// # Errors
/// If it lacks a field, or its status is unknown.
pub fn read(text: &str) -> Result<(MergeRow, MutantStatus), String> {
    let row: MergeRow =
        serde_json::from_str(text).map_err(|_| "a mutant that lacks a field or has a wrong one".to_string())?;
    let status = MutantStatus::ALL.iter().find(|status| status.name() == row.status);
    status.map(|status| (row, *status)).ok_or_else(|| "a mutant without a status".to_string())
}

impl MergeRow {
    /// Returns what cannot be in a row. `tests` is the number of tests of the program, if known.
    pub fn fault(&self, status: MutantStatus, tests: Option<u32>) -> Option<&'static str> {
        let tests = tests.unwrap_or(limits::TESTS as u32);
        let is_noticed = matches!(status, MutantStatus::Killed | MutantStatus::Timeout);
        let operators: Vec<&str> = self.operator.split('+').collect();
        let killed_by = self.killed_by.as_deref().unwrap_or_default();
        let noticed_by = self.noticed_by.as_deref().unwrap_or_default();
        let start = (self.line, self.column);
        Some(match () {
            () if operators.iter().any(|name| Operator::from_name(name).is_none()) => "an unknown operator",
            () if operators.len() != if self.pair.is_some() { 2 } else { 1 } => {
                "the operators of another order"
            }
            () if self.line.min(self.column) == 0 || (self.end_line, self.end_column) < start => {
                "no such place"
            }
            () if self.killed_by.as_ref().map(Vec::len) != is_noticed.then_some(1) => {
                "a `killed_by` of another status"
            }
            () if killed_by.iter().chain(noticed_by).any(|test| *test >= tests) => {
                "a test that the program lacks"
            }
            () if self.copy_of.is_some() && status != MutantStatus::Duplicate => {
                "a `copy_of` of another status"
            }
            () if self.copy_of.is_some_and(|original| original >= self.id) => {
                "the id of no earlier mutant in `copy_of`"
            }
            () if self.pair.is_some_and(|[first, second]| first >= second || second >= self.id) => {
                "no pair of changes"
            }
            () if self.ignored.is_some() && status != MutantStatus::Ignored => "an `ignored` of another status",
            () => return None,
        })
    }
}
