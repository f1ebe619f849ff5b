//! The race's table, in the width that there is: with all columns, without those that can be spared, or, where even that
//! is too wide, with a row's cells below each other.

use crate::paper::race::Race;
use crate::paper::race::forms::text::{self, Row};
use crate::workbench::text::wrap;
use crate::workbench::theme::Look;

/// Columns that go where there is little room, the first one first: the time, the factor to a, the energy, the paper's, the variants.
const SPARED: [usize; 5] = [2, 5, 8, 7, 1];
/// Cells between columns, and before what is set in.
const GAP: usize = 2;

/// The table in lines of at most so many cells.
pub fn lines(race: &Race, cells: usize) -> Vec<(String, Look)> {
    let rows = text::table(race);
    aligned(&rows, cells).unwrap_or_else(|| stacked(&rows, cells))
}

/// Columns side by side; the words of the last one are broken where they must be.
fn aligned(rows: &[Row], cells: usize) -> Option<Vec<(String, Look)>> {
    let last = rows.first()?.len() - 1;
    let mut columns: Vec<usize> = (0..last).collect();
    let taken = |columns: &[usize]| columns.iter().map(|c| text::widest(rows, *c) + GAP).sum::<usize>();
    let wanted = text::widest(rows, last);
    for spare in SPARED {
        if taken(&columns) + wanted > cells {
            columns.retain(|column| *column != spare);
        }
    }
    let before = taken(&columns);
    let room = cells.checked_sub(before).filter(|room| *room >= wanted.div_ceil(2))?;
    let mut lines = vec![];
    for (i, line) in text::lines(rows, &columns).into_iter().enumerate() {
        let look = [Look::Heading, Look::Dim].get(i).copied().unwrap_or(Look::Text);
        let words = wrap(&rows[i][last], room);
        let starts = std::iter::once(line).chain(std::iter::repeat(String::new()));
        lines.extend(starts.zip(words).map(|(start, words)| (format!("{start:<before$}{words}"), look)));
    }
    Some(lines)
}

/// What is known of each row, a column's title and origin before it.
fn stacked(rows: &[Row], cells: usize) -> Vec<(String, Look)> {
    let [titles, origins, rest @ ..] = rows else { return vec![] };
    let mut lines = vec![];
    for row in rest {
        lines.extend(wrap(&row[0], cells).into_iter().map(|line| (line, Look::Heading)));
        for column in (1..row.len()).filter(|column| row[*column] != "–") {
            let origin = match origins[column].as_str() {
                "" => String::new(),
                origin => format!(" ({origin})"),
            };
            let said = format!("{}: {}{origin}", titles[column], row[column]);
            let indented = |line| (format!("{:GAP$}{line}", ""), Look::Text);
            lines.extend(wrap(&said, cells.saturating_sub(GAP)).into_iter().map(indented));
        }
    }
    lines
}
