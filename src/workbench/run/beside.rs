//! Two runs side by side: what is alike is folded, and where they part each has a column.

use super::scene::{Key, Row};
use crate::measure::numbers::grouped;
use crate::session::Beside;
use crate::trace::{Trace, written};
use crate::workbench::marks;
use crate::workbench::text::fit;
use crate::workbench::theme::Look;

/// Steps that show before and behind the parting.
const BEFORE: i64 = 2;
const BEHIND: i64 = 4;
/// Cells of a column.
const COLUMN: usize = 18;

/// The rows, this run's steps at the left.
pub fn rows(trace: &Trace, beside: &Beside, position: u32, rows: &mut Vec<Row>) {
    rows.push(Row::new(Key::Beside(i64::MIN), [(Look::Heading, format!("beside: {}", beside.title))]));
    let Some((own, other)) = beside.parting.first else {
        let steps = grouped(trace.len().into());
        rows.push(Row::new(Key::Beside(0), [(Look::Good, format!("alike to the end, {steps} steps"))]));
        return;
    };
    let alike = grouped(u64::from(own));
    rows.push(Row::new(Key::Beside(-BEFORE - 1), [(Look::Dim, format!("… {alike} steps to where they part"))]));
    for offset in -BEFORE..=BEHIND {
        let at =
            |from: u32, of: &Trace| u32::try_from(i64::from(from) + offset).ok().filter(|at| *at < of.len());
        let (left, right) = (at(own, trace), at(other, &beside.trace));
        if left.is_none() && right.is_none() {
            continue;
        }
        let look = if offset < 0 { Look::Dim } else { Look::Text };
        let glyph = match offset {
            0 => marks::PARTS.glyph,
            _ if left == Some(position) => marks::NEXT.glyph,
            _ => " ",
        };
        let cell = |at: Option<u32>, of: &Trace| at.map_or(String::new(), |at| said(of, at));
        let left_text = fit(&cell(left, trace), COLUMN);
        let mut row = Row::new(
            Key::Beside(offset),
            [
                (marks::PARTS.look, format!("{glyph} ")),
                (look, format!("{left_text:<COLUMN$}")),
                (Look::Rule, "│ ".to_string()),
                (look, fit(&cell(right, &beside.trace), COLUMN)),
            ],
        );
        row.leads = left;
        rows.push(row);
    }
}

/// A step in a few words: line, what is written there, what it leaves.
fn said(trace: &Trace, at: u32) -> String {
    let written = trace.token(at).map_or(String::new(), |token| written(trace.compiled.view(), token));
    let left = trace.left(at).map_or(String::new(), |value| format!(" = {value}"));
    format!("{} {}{left}", trace.line(at), fit(&written, COLUMN.saturating_sub(left.chars().count() + 5)))
}
