//! The help over everything: the table of keys, filtered by what is typed; what is chosen in it can be done at once.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthStr;

use super::super::keys::{self, Context};
use super::super::state::{HelpView, State};
use super::theme::{Look, Theme};
use super::{overlay, wrap};

/// Cells that keys take where there is room, with what sets them apart.
const KEYS: usize = 21;
/// Cells of a line below which keys stand above what they do.
const NARROW: usize = 2 * KEYS;

/// A line, and the number of the binding among those listed that it belongs to; headings belong to none.
type Row = (Line<'static>, Option<usize>);

/// The table in lines of at most so many cells.
fn rows(state: &State, filter: &str, cells: usize, theme: &Theme) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    let mut context: Option<Context> = None;
    for (number, binding) in keys::matching(filter).into_iter().enumerate() {
        if context.replace(binding.context) != Some(binding.context) {
            let title = Span::styled(binding.context.title(), theme.style(Look::Heading));
            rows.push((Line::from(title), None));
        }
        let keys = format!("  {}", binding.shown_keys());
        let (said, look) = match (binding.disabled)(state) {
            Some(why) => (format!("{} ({why})", binding.does), Look::Dim),
            None => (binding.does.to_string(), Look::Text),
        };
        let indent = if cells < NARROW { 4 } else { KEYS };
        let mut before = format!("{keys:<indent$}");
        if before.width() > indent || cells < NARROW {
            rows.push((Line::from(Span::styled(keys, theme.style(Look::Keyword))), Some(number)));
            before = " ".repeat(indent);
        }
        for words in wrap(&said, cells.saturating_sub(indent)) {
            let before = std::mem::replace(&mut before, " ".repeat(indent));
            let spans =
                [Span::styled(before, theme.style(Look::Keyword)), Span::styled(words, theme.style(look))];
            rows.push((Line::from(spans.to_vec()), Some(number)));
        }
    }
    if rows.is_empty() {
        rows.push((Line::from(Span::styled("no key does that", theme.style(Look::Dim))), None));
    }
    rows
}

/// Cells of a line: one is left free on either side.
fn cells(width: u16) -> usize {
    usize::from(width).saturating_sub(2)
}
/// Rows between the title and the filter.
fn room(height: u16) -> usize {
    usize::from(height).saturating_sub(2)
}

/// How far the help is scrolled so that the chosen binding shows, moved as little as possible from where it was.
pub fn revealed(state: &State, view: &HelpView) -> usize {
    let (width, height) = state.size;
    let rows = rows(state, &view.filter.text, cells(width), &Theme::plain());
    let chosen = |row: &Row| row.1 == Some(view.chosen);
    let first = rows.iter().position(chosen).unwrap_or(0);
    let last = rows.iter().rposition(chosen).unwrap_or(0);
    // A heading belongs to what comes first below it.
    let first = if first > 0 && rows[first - 1].1.is_none() { first - 1 } else { first };
    view.top.max((last + 1).saturating_sub(room(height))).min(first)
}

/// How far it is scrolled at most.
pub fn last_top(state: &State, view: &HelpView) -> usize {
    let (width, height) = state.size;
    rows(state, &view.filter.text, cells(width), &Theme::plain()).len().saturating_sub(room(height))
}

/// Draws the help; gives the place of the cursor in the filter.
pub fn draw(state: &State, view: &HelpView, screen: Rect, theme: &Theme, buffer: &mut Buffer) -> Position {
    let rows = rows(state, &view.filter.text, cells(screen.width), theme);
    let area = Rect { height: screen.height - 1, ..screen };
    let room = room(screen.height);
    let top = view.top.min(rows.len().saturating_sub(room));
    let width = usize::from(area.width);
    for y in area.top()..area.bottom() {
        buffer.set_string(area.x, y, " ".repeat(width), theme.ground());
    }
    buffer.set_style(area, theme.ground());
    buffer.set_string(area.x, area.y, format!("{:<width$}", " Keys"), theme.style(Look::TabFocus));
    for (y, (line, number)) in (area.y + 1..area.bottom()).zip(rows.iter().skip(top)) {
        buffer.set_line(area.x + 1, y, line, area.width.saturating_sub(1));
        if *number == Some(view.chosen) {
            buffer.set_string(area.x, y, "▶", theme.style(Look::CurrentNumber));
            buffer.set_style(Rect { y, height: 1, ..area }, theme.style(Look::SelectedRow));
        }
    }
    let shown = (top + room).min(rows.len());
    let note = format!("{shown} of {} · ↓ ↑ choose · enter does it · esc leaves ", rows.len());
    let bottom = Rect { y: screen.bottom() - 1, height: 1, ..screen };
    overlay::prompt("filter: ", &view.filter, &note, bottom, theme, buffer)
}
