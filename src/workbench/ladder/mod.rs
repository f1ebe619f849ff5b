//! The ladder: one line of the source through all phases of the compiler. Where there is room each phase is a column, all side by
//! side; else they stand one under the other, as rows.

mod columns;
mod rows;

use similar::{Algorithm, ChangeTag, TextDiff};

use crate::report::listing::Line;
use crate::workbench::listing::CodeRow;
use crate::workbench::results::Shown;
use crate::workbench::theme::Look;
pub use columns::{Column, Columns, GAP, HEAD, columns};
pub use rows::rows;

/// Cells of a panel from which on phases stand side by side.
pub const WIDE: usize = 76;

/// A row, or a cell of a column: the token that it stands for, and what it says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LadderRow {
    pub token: Option<u32>,
    pub parts: Vec<(Look, String)>,
}

/// What the rows were made of: they are made anew where it changes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LadderKey {
    pub revision: u64,
    pub line: usize,
    pub token: Option<u32>,
    pub climbed: bool,
    /// Whether phases stand side by side.
    pub wide: bool,
}

/// A line in its phases.
#[derive(Clone, Debug, Default)]
pub struct LadderView {
    pub key: LadderKey,
    /// One under the other; none where they stand side by side.
    pub rows: Vec<LadderRow>,
    pub columns: Option<Columns>,
    /// The number of the column that has the cursor.
    pub column: usize,
}

impl LadderView {
    /// How many rows there are.
    pub fn count(&self) -> usize {
        self.columns.as_ref().map_or(self.rows.len(), Columns::height)
    }

    /// The token that a row stands for: side by side, its cell in the column that has the cursor.
    pub fn token(&self, row: usize) -> Option<u32> {
        match &self.columns {
            Some(columns) => columns.token(self.column, row),
            None => self.rows.get(row)?.token,
        }
    }
}

/// The tokens of a line of the source, from 1.
fn tokens_of(shown: &Shown, line: usize) -> Vec<u32> {
    let of_line = |t: &u32| shown.span(*t).is_some_and(|span| shown.place(span.start as u32).0 == line);
    (0..shown.compiled.view().len()).filter(of_line).collect()
}

/// Whether a line of the source holds any token.
pub fn is_of(shown: &Shown, line: usize) -> bool {
    !tokens_of(shown, line).is_empty()
}

/// The instructions of a listing that come from some tokens.
fn instructions<'a>(rows: &'a [CodeRow], own: &[u32]) -> Vec<&'a Line> {
    let line = |row: &'a CodeRow| match row {
        CodeRow::Instruction(line) if own.contains(&line.token) => Some(line),
        _ => None,
    };
    rows.iter().filter_map(line).collect()
}

/// What a pass has done to instructions, each as it was or as it is: `None` where it has changed nothing but the numbers of other
/// instructions.
fn changed<'a>(before: &[&'a Line], after: &[&'a Line]) -> Option<Vec<(ChangeTag, &'a Line)>> {
    let words = |lines: &[&Line]| -> Vec<String> {
        // Numbers of instructions change for reasons that lie in other lines.
        lines.iter().map(|line| format!("{} {}", line.op, without_targets(line))).collect()
    };
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

/// The operands of an instruction, but for the number of another one.
fn without_targets(line: &Line) -> String {
    match line.op {
        op if op.starts_with("JUMP") => String::new(),
        op if op.starts_with("FOR_") => line.operands.split(',').next().unwrap_or_default().to_string(),
        _ => line.operands.clone(),
    }
}
