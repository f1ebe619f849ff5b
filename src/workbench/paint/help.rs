//! The help screen: the tables of keys and marks, and with a filter also the names that have an explanation. Enter runs
//! the chosen key's command, or explains the chosen name.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthStr;

use crate::workbench::explained;
use crate::workbench::key::Key;
use crate::workbench::keys::shown;
use crate::workbench::marks;
use crate::workbench::paint::{last_line, prompt};
use crate::workbench::state::{HelpView, State};
use crate::workbench::text::wrap;
use crate::workbench::theme::{Look, Theme};

/// The width of the keys' column, in cells, including the gap.
const KEYS: usize = 21;
/// The line width below which keys are drawn above their description.
const NARROW: usize = 2 * KEYS;

/// A line, and the index of its entry among those listed; headings have none.
type Row = (Line<'static>, Option<usize>);

/// A row of the help: a key or a mark.
struct Entry {
    title: String,
    /// The keys, or the mark.
    shown: String,
    shown_look: Look,
    said: String,
    said_look: Look,
}

/// Returns the entries that pass a filter: keys, marks, then names with an explanation.
fn entries(state: &State, filter: &str) -> Vec<Entry> {
    let keys = state.keymap().matching(filter).into_iter().map(|row| {
        let binding = row.binding;
        let (said, said_look) = match (binding.disabled)(state) {
            Some(why) => (format!("{} ({why})", binding.does), Look::Dim),
            None => (binding.does.to_string(), Look::Text),
        };
        let title = binding.context.title();
        Entry { title, shown: shown_or_none(row.keys), shown_look: Look::Keyword, said, said_look }
    });
    let marks = marks::matching(filter).into_iter().map(|(title, mark)| Entry {
        title: title.to_string(),
        shown: mark.shown(),
        shown_look: mark.look,
        said: mark.means.to_string(),
        said_look: Look::Text,
    });
    let names = explained::matching(filter).into_iter().map(|name| Entry {
        title: "Explained by enter".to_string(),
        shown: name.name.to_string(),
        shown_look: Look::Keyword,
        said: format!("{}: {}", name.kind, name.summary),
        said_look: Look::Text,
    });
    keys.chain(marks).chain(names).collect()
}

/// Returns keys as displayed; a command may have none.
fn shown_or_none(keys: &[Key]) -> String {
    if keys.is_empty() { "(no key)".to_string() } else { shown(keys) }
}

/// Returns the number of entries that pass a filter.
pub fn listed(state: &State, filter: &str) -> usize {
    first_name(state, filter) + explained::matching(filter).len()
}

/// Returns the number of the first entry that is a name with an explanation.
fn first_name(state: &State, filter: &str) -> usize {
    state.keymap().matching(filter).len() + marks::matching(filter).len()
}

/// Returns the name of the entry with this number, if it is a name with an explanation.
pub fn name_at(state: &State, filter: &str, number: usize) -> Option<&'static str> {
    Some(explained::matching(filter).get(number.checked_sub(first_name(state, filter))?)?.name)
}

/// Returns the tables as lines of at most `cells` cells.
fn rows(state: &State, filter: &str, cells: usize, theme: &Theme) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    let mut title = None;
    for (number, entry) in entries(state, filter).into_iter().enumerate() {
        if title.as_ref() != Some(&entry.title) {
            for words in wrap(&entry.title, cells) {
                rows.push((Line::from(Span::styled(words, theme.style(Look::Heading))), None));
            }
            title = Some(entry.title);
        }
        let shown = format!("  {}", entry.shown);
        let indent = if cells < NARROW { 4 } else { KEYS };
        let mut before = format!("{shown:<indent$}");
        if before.width() > indent || cells < NARROW {
            rows.push((Line::from(Span::styled(shown, theme.style(entry.shown_look))), Some(number)));
            before = " ".repeat(indent);
        }
        for words in wrap(&entry.said, cells.saturating_sub(indent)) {
            let before = std::mem::replace(&mut before, " ".repeat(indent));
            let before = Span::styled(before, theme.style(entry.shown_look));
            rows.push((
                Line::from(vec![before, Span::styled(words, theme.style(entry.said_look))]),
                Some(number),
            ));
        }
    }
    if rows.is_empty() {
        rows.push((
            Line::from(Span::styled(
                "no key does that, and no mark or name means that",
                theme.style(Look::Dim),
            )),
            None,
        ));
    }
    rows
}

/// Returns the width of a line, with one cell free on either side.
fn cells(width: u16) -> usize {
    usize::from(width).saturating_sub(2)
}
/// Returns the number of rows between the title and the filter.
fn room(height: u16) -> usize {
    usize::from(height).saturating_sub(2)
}

/// Returns the scroll position that shows the chosen entry, moved as little as possible.
pub fn revealed(state: &State, view: &HelpView) -> usize {
    let (width, height) = state.screen.size;
    let rows = rows(state, &view.filter.text, cells(width), &Theme::plain());
    let chosen = |row: &Row| row.1 == Some(view.chosen);
    let first = rows.iter().position(chosen).unwrap_or(0);
    let last = rows.iter().rposition(chosen).unwrap_or(0);
    // Keep the heading above its first entry visible.
    let first = if first > 0 && rows[first - 1].1.is_none() { first - 1 } else { first };
    view.top.max((last + 1).saturating_sub(room(height))).min(first)
}

/// Returns the maximum scroll position.
pub fn last_top(state: &State, view: &HelpView) -> usize {
    let (width, height) = state.screen.size;
    rows(state, &view.filter.text, cells(width), &Theme::plain()).len().saturating_sub(room(height))
}

/// Draws the help. Returns the cursor's place in the filter.
pub fn draw(state: &State, view: &HelpView, screen: Rect, theme: &Theme, buffer: &mut Buffer) -> Position {
    let rows = rows(state, &view.filter.text, cells(screen.width), theme);
    let title = " Keys, then marks: type `mark`, or the name of an instruction, pass or trap";
    let area = prompt::sheet(title, screen, theme, buffer);
    let room = room(screen.height);
    let top = view.top.min(rows.len().saturating_sub(room));
    for (y, (line, number)) in (area.y + 1..area.bottom()).zip(rows.iter().skip(top)) {
        buffer.set_line(area.x + 1, y, line, area.width.saturating_sub(1));
        if *number == Some(view.chosen) {
            buffer.set_string(area.x, y, marks::SELECTED.glyph, theme.style(marks::SELECTED.look));
            buffer.set_style(Rect { y, height: 1, ..area }, theme.style(Look::SelectedRow));
        }
    }
    let shown = (top + room).min(rows.len());
    let note = format!("{shown} of {} · ↓ ↑ choose · enter runs it · esc leaves ", rows.len());
    prompt::prompt("filter: ", &view.filter, &note, last_line(screen), theme, buffer)
}
