//! The race's table, fitted to the width: with all columns, without optional columns, or with each row's
//! cells stacked.

use crate::paper::race::Race;
use crate::paper::race::forms::text;
use crate::report::table::Table;
use crate::workbench::text::wrap;
use crate::workbench::theme::Look;

/// Optional columns, in the order in which they are dropped: time, factor to a, energy, variants, repetitions. The paper's
/// values stay.
const SPARED: [usize; 5] = [2, 5, 8, 1, 4];
/// The cells between columns, and the indent of stacked cells.
const GAP: usize = 2;

/// Returns the table as lines of at most `cells` cells.
pub fn lines(race: &Race, cells: usize) -> Vec<(String, Look)> {
    let table = text::table(race);
    aligned(&table, cells).unwrap_or_else(|| stacked(&table, cells))
}

/// Returns the table with aligned columns; the last column may wrap. `None` if it is too wide.
fn aligned(table: &Table, cells: usize) -> Option<Vec<(String, Look)>> {
    let last = table.columns() - 1;
    let mut columns: Vec<usize> = (0..last).collect();
    let taken = |columns: &[usize]| columns.iter().map(|column| table.width(*column) + GAP).sum::<usize>();
    let wanted = table.width(last);
    for spare in SPARED {
        if taken(&columns) + wanted > cells {
            columns.retain(|column| *column != spare);
        }
    }
    let before = taken(&columns);
    let room = cells.checked_sub(before).filter(|room| *room >= wanted.div_ceil(2))?;
    let mut lines = vec![];
    let rows = table.heads().into_iter().chain(table.rows().iter().cloned());
    for (i, (line, row)) in table.lines(&columns).into_iter().zip(rows).enumerate() {
        let look = [Look::Heading, Look::Dim].get(i).copied().unwrap_or(Look::Text);
        let words = wrap(&row[last], room);
        let starts = std::iter::once(line).chain(std::iter::repeat(String::new()));
        lines.extend(starts.zip(words).map(|(start, words)| (format!("{start:<before$}{words}"), look)));
    }
    Some(lines)
}

/// Returns each row's cells on lines of their own, after the column's title.
fn stacked(table: &Table, cells: usize) -> Vec<(String, Look)> {
    let heads = table.heads();
    let head = |line: usize, column: usize| heads.get(line).map_or("", |line| &line[column]);
    let mut lines = vec![];
    for row in table.rows() {
        lines.extend(wrap(&row[0], cells).into_iter().map(|line| (line, Look::Heading)));
        for column in (1..row.len()).filter(|column| row[*column] != "–") {
            let origin = match head(1, column) {
                "" => String::new(),
                origin => format!(" ({origin})"),
            };
            let said = format!("{}: {}{origin}", head(0, column), row[column]);
            let indented = |line| (format!("{:GAP$}{line}", ""), Look::Text);
            lines.extend(wrap(&said, cells.saturating_sub(GAP)).into_iter().map(indented));
        }
    }
    lines
}
