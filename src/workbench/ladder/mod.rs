//! The Ladder panel's state: one line of the source in all phases of the compiler. In a wide panel each phase
//! is a column; in a narrow one the phases follow each other as rows.

mod columns;
mod flow;
mod rows;

use similar::{Algorithm, ChangeTag, TextDiff};

use crate::lang::index::TokenId;
use crate::report::listing::Line;
use crate::session::{Graph, PassProfile};
use crate::workbench::listing::CodeRow;
use crate::workbench::results::Shown;
use crate::workbench::theme::Look;
pub use columns::{Column, Columns, GAP, HEAD, columns};
pub use rows::rows;

/// The panel width from which phases are columns, in cells.
pub const WIDE: usize = 76;

/// A row, or a cell of a column, with the token that it belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LadderRow {
    pub token: Option<TokenId>,
    pub parts: Vec<(Look, String)>,
}

/// The inputs of the rows, which are rebuilt when it changes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LadderKey {
    pub revision: u64,
    pub line: usize,
    pub climbed: bool,
    /// Whether the graph is known, and the rounds of the device.
    pub graph: bool,
    /// Whether phases are columns.
    pub wide: bool,
}

/// The known results of jobs about the program.
#[derive(Clone, Copy, Default)]
pub struct LineFindings<'a> {
    pub climbed: Option<&'a PassProfile>,
    pub graph: Option<&'a Graph>,
}

#[derive(Clone, Debug, Default)]
pub struct LadderView {
    pub key: LadderKey,
    /// The rows in a narrow panel; empty if phases are columns.
    pub rows: Vec<LadderRow>,
    pub columns: Option<Columns>,
    /// The index of the column with the cursor.
    pub column: usize,
}

impl LadderView {
    pub fn count(&self) -> usize {
        self.columns.as_ref().map_or(self.rows.len(), Columns::height)
    }

    /// Returns the token of a row; with columns, that of the cell in the cursor's column.
    pub fn token(&self, row: usize) -> Option<TokenId> {
        match &self.columns {
            Some(columns) => columns.token(self.column, row),
            None => self.rows.get(row)?.token,
        }
    }
}

/// Returns the tokens of a line of the source, counted from 1.
fn tokens_of(shown: &Shown, line: usize) -> Vec<TokenId> {
    let of_line = |t: &TokenId| shown.span(*t).is_some_and(|span| shown.place(span.start as u32).0 == line);
    shown.compiled.view().all().iter().filter(of_line).collect()
}

/// Returns whether a line of the source has tokens.
pub fn is_of(shown: &Shown, line: usize) -> bool {
    !tokens_of(shown, line).is_empty()
}

/// Returns the instructions of a listing that were compiled from some tokens; inlined code belongs to its call.
fn instructions<'a>(rows: &'a [CodeRow], own: &[TokenId]) -> Vec<&'a Line> {
    let line = |row: &'a CodeRow| match row {
        CodeRow::Instruction(line) if line.site.or(line.token).is_some_and(|token| own.contains(&token)) => {
            Some(line)
        }
        _ => None,
    };
    rows.iter().filter_map(line).collect()
}

/// Returns the difference that a pass made to instructions; `None` if only numbers of other instructions
/// changed.
fn changed<'a>(before: &[&'a Line], after: &[&'a Line]) -> Option<Vec<(ChangeTag, &'a Line)>> {
    // Targets of jumps change because of other lines.
    let words = |lines: &[&Line]| lines.iter().map(|line| line.comparable().text).collect::<Vec<_>>();
    let (old, new) = (words(before), words(after));
    if old == new {
        return None;
    }
    let (old, new) = (texts(&old), texts(&new));
    let diff = TextDiff::configure().algorithm(Algorithm::Myers).diff_slices(&old, &new);
    let line = |change: similar::Change<&str>| {
        let of = |lines: &[&'a Line], at: Option<usize>| lines.get(at?).copied();
        let line = match change.tag() {
            ChangeTag::Delete => of(before, change.old_index()),
            ChangeTag::Insert | ChangeTag::Equal => of(after, change.new_index()),
        };
        line.map(|line| (change.tag(), line))
    };
    Some(diff.iter_all_changes().filter_map(line).collect())
}

fn texts(lines: &[String]) -> Vec<&str> {
    lines.iter().map(String::as_str).collect()
}
