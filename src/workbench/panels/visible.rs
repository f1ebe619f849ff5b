//! The rows of a panel that are visible, and a panel as text.

use ratatui::text::Line;

use super::{Content, EDGES, Panel, cells, count, prose};
use crate::report::align::Comparable;
use crate::session::job;
use crate::workbench::marks::{self, Mark};
use crate::workbench::state::State;
use crate::workbench::theme::Theme;

/// More cells than any row needs.
pub const WHOLE_ROW: usize = 1_000;
/// The maximum number of rows of a panel taken as text.
const TEXT_ROWS: usize = 2_000;

/// Returns the text of a panel's rows, or of its page, line by line.
pub fn text_lines(state: &State, panel: Panel) -> Vec<String> {
    comparable_lines(state, panel).into_iter().map(|(text, _)| text).collect()
}

/// Returns the text of a panel line by line, each with the part that a comparison compares.
pub fn comparable_lines(state: &State, panel: Panel) -> Vec<(String, Comparable)> {
    let theme = Theme::plain();
    let trimmed = |line: &Line| line.to_string().trim_end().to_string();
    match panel.row().content {
        Content::Editor => Vec::new(),
        // The Compare panel may be comparing itself.
        _ if panel == Panel::COMPARE => Vec::new(),
        Content::List(list) => {
            let line = |row| trimmed(&list.line(state, row, WHOLE_ROW, &theme));
            let rows = 0..list.count(state).min(TEXT_ROWS);
            rows.map(|row| (line(row), list.comparable(state, row))).collect()
        }
        Content::Prose(_) => {
            let lines = prose(state, panel, cells(state, panel) + EDGES, &theme);
            let text = lines.iter().take(TEXT_ROWS).map(trimmed);
            text.map(|text| (text.clone(), Comparable::of(text))).collect()
        }
    }
}

/// Returns the number of fixed rows at the top of a panel: at most half of its lines.
pub fn head(state: &State, panel: Panel, lines: usize) -> usize {
    panel.list().map_or(0, |list| list.head(state)).min(lines / 2)
}

/// Returns the row that a line of a panel shows; a number beyond all rows if it shows none.
pub fn row_in(state: &State, panel: Panel, line: usize, lines: usize) -> usize {
    // A list that was asked to show its end has no place yet.
    let top = state.list(panel).top;
    let position = if line < head(state, panel, lines) { line } else { top.saturating_add(line) };
    match state.screen.filter(panel) {
        Some(filter) => filter.rows().get(position).copied().unwrap_or(usize::MAX),
        None => position,
    }
}

/// Returns the number of rows of a panel that its filter lets pass.
pub fn shown_count(state: &State, panel: Panel) -> usize {
    match state.screen.filter(panel) {
        Some(filter) => filter.rows().len(),
        None => count(state, panel),
    }
}

/// Returns the position of a row among those that the panel's filter lets pass, or of the first after it.
pub fn position_of(state: &State, panel: Panel, row: usize) -> usize {
    match state.screen.filter(panel) {
        Some(filter) => filter.rows().partition_point(|one| *one < row),
        None => row,
    }
}

impl State {
    /// Returns the mark of a panel that shows an earlier program than that of the text on screen.
    pub fn age_of(&self, panel: Panel) -> Option<&'static Mark> {
        match () {
            () if panel.row().newest || self.shown().is_none() => None,
            () if self.stale() => Some(&marks::STALE),
            () => self.is_late(panel).then_some(&marks::AWAITED),
        }
    }

    /// Returns whether a panel shows an earlier program because the engine has not answered yet.
    pub fn awaits(&self, panel: Panel) -> bool {
        if panel == Panel::EDITOR {
            return self.values.of.as_ref().is_some_and(|of| of.age == Some(&marks::AWAITED));
        }
        let row = panel.row();
        let examines = || row.jobs.contains(&&job::SURVIVORS) && self.results.mutants.has_old_reasons;
        !row.newest && (self.pending() || row.verdicts && !self.results.is_judged() || examines())
    }
}
