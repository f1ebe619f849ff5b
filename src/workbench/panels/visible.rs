//! The rows of a panel that are visible, and a panel as text.

use ratatui::text::Line;

use super::{Content, EDGES, Panel, cells, count};
use crate::workbench::state::State;
use crate::workbench::theme::Theme;

/// More cells than any row needs.
pub const WHOLE_ROW: usize = 1_000;
/// The maximum number of rows of a panel taken as text.
const TEXT_ROWS: usize = 2_000;

/// Returns the text of a panel's rows, or of its page, line by line.
pub fn text_lines(state: &State, panel: Panel) -> Vec<String> {
    let theme = Theme::plain();
    let lines: Vec<Line> = match panel.row().content {
        Content::Editor => Vec::new(),
        // The Compare panel may be comparing itself.
        _ if panel == Panel::COMPARE => Vec::new(),
        Content::List(list) => {
            (0..list.count(state).min(TEXT_ROWS)).map(|row| list.line(state, row, WHOLE_ROW, &theme)).collect()
        }
        Content::Prose(lines) => lines(state, cells(state, panel) + EDGES, &theme),
    };
    let trimmed = |line: &Line| line.to_string().trim_end().to_string();
    lines.iter().take(TEXT_ROWS).map(trimmed).collect()
}

/// Returns the number of fixed rows at the top of a panel: at most half of its lines.
pub fn head(state: &State, panel: Panel, lines: usize) -> usize {
    panel.list().map_or(0, |list| list.head(state)).min(lines / 2)
}

/// Returns the row that a line of a panel shows; a number beyond all rows if it shows none.
pub fn row_in(state: &State, panel: Panel, line: usize, lines: usize) -> usize {
    let position = if line < head(state, panel, lines) { line } else { state.list(panel).top + line };
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
