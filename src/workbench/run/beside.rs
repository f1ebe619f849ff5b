//! Rows that compare two runs: equal steps are folded, and where the runs diverge each has a column.

use super::row::{RunKey, RunRow};
use crate::host::measure::numbers::{grouped, plural};
use crate::lang::index::{Index, Position};
use crate::session::{BEFORE, BEHIND};
use crate::testing::trace::{RunDiff, StepText, Trace};
use crate::workbench::marks;
use crate::workbench::text::{fit, wrap};
use crate::workbench::theme::Look;

/// The width of a column, in cells.
const COLUMN: usize = 18;

/// Builds the rows, with this run's steps on the left.
pub fn rows(trace: &Trace, beside: &RunDiff, position: Position, rows: &mut Vec<RunRow>) {
    for (number, line) in (0..).zip(wrap(&format!("compared with: {}", beside.title), 2 * COLUMN)) {
        rows.push(RunRow::new(RunKey::Beside(i64::MIN + number), [(Look::Heading, line)]));
    }
    let Some((own, _)) = beside.divergence.first else {
        let steps = grouped(trace.len().into());
        rows.push(RunRow::new(RunKey::Beside(0), [(Look::Good, format!("equal to the end, {steps} steps"))]));
        return;
    };
    let (alike, others) = (plural(own.number().into(), "step"), grouped(u64::from(beside.steps)));
    let how = if beside.by_control_flow { "the same way" } else { "alike" };
    let folded = format!("… {alike} {how} · the other has {others}");
    rows.push(RunRow::new(RunKey::Beside(-BEFORE - 1), [(Look::Dim, folded)]));
    for offset in -BEFORE..=BEHIND {
        let left = u32::try_from(i64::from(own.number()) + offset).ok().filter(|at| *at < trace.len());
        let left = left.map(Position::new);
        let right = beside.around.iter().find(|around| around.offset == offset);
        if left.is_none() && right.is_none() {
            continue;
        }
        let look = if offset < 0 { Look::Dim } else { Look::Text };
        let glyph = match offset {
            0 => marks::DIVERGES.glyph,
            _ if left == Some(position) => marks::NEXT.glyph,
            _ => " ",
        };
        let cell = |said: Option<&StepText>| said.map_or(String::new(), shown);
        let left_text = fit(&cell(left.and_then(|at| trace.step_text(at)).as_ref()), COLUMN);
        let mut row = RunRow::new(
            RunKey::Beside(offset),
            [
                (marks::DIVERGES.look, format!("{glyph} ")),
                (look, format!("{left_text:<COLUMN$}")),
                (Look::Rule, "│ ".to_string()),
                (look, fit(&cell(right.map(|around| &around.said)), COLUMN)),
            ],
        );
        row.leads = left;
        rows.push(row);
    }
}

/// Returns a step in short: its line, its source text and its value.
fn shown(said: &StepText) -> String {
    let left = said.left.as_ref().map_or(String::new(), |value| format!(" = {value}"));
    let room = COLUMN.saturating_sub(left.chars().count() + 5);
    format!("{} {}{left}", said.line, fit(&said.written, room))
}
