//! The help screen: the tables of keys and marks, and with a filter also the names that have an explanation. Enter runs
//! the chosen key's command, or explains the chosen name.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthStr;

use crate::workbench::fuzzy::contains_words;
use crate::workbench::keys::{self, Binding, Command, Context, hints};
use crate::workbench::modal::ModalRow;
use crate::workbench::paint::{last_line, prompt};
use crate::workbench::panels::Panel;
use crate::workbench::panels::layout::Layout;
use crate::workbench::state::{HelpView, State};
use crate::workbench::text::wrap;
use crate::workbench::theme::{Look, Theme};
use crate::workbench::{explained, marks};

/// The width of the keys' column, in cells, including the gap.
const KEYS: usize = 24;
/// The line width below which keys are drawn above their description.
const NARROW: usize = 2 * KEYS;

/// The heading of the keys of modal editing.
const MODES: &str = "Outside insert mode";

/// A line, and the index of its entry among those listed; headings have none.
type HelpRow = (Line<'static>, Option<usize>);

/// The effect of enter on an entry.
#[derive(Clone, Copy)]
pub enum Act {
    Run(&'static Binding),
    Explain(&'static str),
    /// Marks have no command.
    Nothing,
}

/// A row of the help: a key, a mark or a name.
pub struct HelpEntry {
    title: String,
    /// The keys, or the mark.
    shown: String,
    shown_look: Look,
    said: String,
    said_look: Look,
    pub act: Act,
}

/// Returns the entries that pass a filter: keys, marks, then names with an explanation. Without a filter, the panels on screen
/// and the first dozen keys of the place with the focus precede them, and hidden keys are left out.
pub fn entries(state: &State, filter: &str) -> Vec<HelpEntry> {
    let is_all = filter.trim().is_empty();
    let is_modal = state.screen.focus == Panel::EDITOR && !state.modal.rows().is_empty();
    let place = state.contexts().first().map_or(String::new(), |context| context.title());
    let here = || format!("Here, {place}");
    let first: Vec<HelpEntry> = match is_modal {
        true => state.modal.first_rows().into_iter().map(|row| of_mode(here(), row)).collect(),
        false => hints::first_rows(state).into_iter().map(|row| of_key(state, here(), row)).collect(),
    };
    let layout = state.layout();
    let seen =
        layout.slots.iter().filter_map(|slot| of_panel(state, slot.active)).chain(other_tabs(state, &layout));
    let seen = seen.collect::<Vec<_>>();
    let mut entries: Vec<HelpEntry> = if is_all { seen.into_iter().chain(first).collect() } else { Vec::new() };
    let listed = |row: &keys::KeyRow| !is_all || hints::is_listed(state, row);
    let rows = state.keymap().matching(filter).into_iter().filter(listed);
    entries.extend(rows.map(|row| of_key(state, row.binding.heading(), row)));
    let fits = |(keys, does): &ModalRow| contains_words(filter, &format!("{keys} {does} {MODES}"));
    let modes = state.modal.rows().into_iter().filter(fits);
    entries.extend(modes.map(|row| of_mode(MODES.to_string(), row)));
    entries.extend(marks::matching(filter).into_iter().map(|(title, mark)| HelpEntry {
        title: title.to_string(),
        shown: mark.shown(),
        shown_look: mark.look,
        said: mark.means.to_string(),
        said_look: Look::Text,
        act: Act::Nothing,
    }));
    entries.extend(explained::matching(filter).into_iter().map(|name| HelpEntry {
        title: "Explained by enter".to_string(),
        shown: name.name.to_string(),
        shown_look: Look::Keyword,
        said: format!("{}: {}", name.kind, name.summary),
        said_look: Look::Text,
        act: Act::Explain(name.name),
    }));
    entries
}

/// Returns the row of a panel on screen; enter goes to it.
fn of_panel(state: &State, panel: Panel) -> Option<HelpEntry> {
    let key = state.keymap().row_of(Context::Anywhere, Command::Go(panel))?;
    // A reference is to a page of the manual.
    let said = panel.row().shows.split("; see [").next().unwrap_or_default().replace('`', "");
    Some(HelpEntry {
        title: "On screen".to_string(),
        shown: format!("{} {}", panel.title(), keys::shown(key.keys)),
        shown_look: Look::Keyword,
        said,
        said_look: Look::Text,
        act: Act::Run(key.binding),
    })
}

/// Returns the row of the tabs of hidden panels, with their short names, if any.
fn other_tabs(state: &State, layout: &Layout) -> Option<HelpEntry> {
    let hidden = layout.slots.iter().flat_map(|slot| slot.panels.iter().filter(|panel| **panel != slot.active));
    let of = |panel: &Panel| {
        let key = state.keymap().row_of(Context::Anywhere, Command::Go(*panel))?;
        let (row, keys) = (panel.row(), keys::shown(key.keys));
        Some(if row.short == row.title {
            format!("{} {keys}", row.short)
        } else {
            format!("{} {} {keys}", row.short, row.title)
        })
    };
    let tabs: Vec<String> = hidden.filter(|panel| state.has_tab(**panel)).filter_map(of).collect();
    (!tabs.is_empty()).then(|| HelpEntry {
        title: "On screen".to_string(),
        shown: "other tabs".to_string(),
        shown_look: Look::Keyword,
        said: tabs.join(" · "),
        said_look: Look::Text,
        act: Act::Nothing,
    })
}

fn of_key(state: &State, title: String, row: keys::KeyRow) -> HelpEntry {
    let binding = row.binding;
    let (said, said_look) = match (binding.disabled)(state) {
        Some(why) => (format!("{} ({why})", binding.does), Look::Dim),
        None => (binding.does.to_string(), Look::Text),
    };
    let shown = if row.keys.is_empty() { "(no key)".to_string() } else { keys::shown(row.keys) };
    HelpEntry { title, shown, shown_look: Look::Keyword, said, said_look, act: Act::Run(binding) }
}

fn of_mode(title: String, (keys, does): ModalRow) -> HelpEntry {
    let [shown, said] = [keys, does].map(|text| text.replace('`', ""));
    HelpEntry { title, shown, shown_look: Look::Keyword, said, said_look: Look::Text, act: Act::Nothing }
}

/// Returns the tables as lines of at most `cells` cells.
fn rows(state: &State, filter: &str, cells: usize, theme: &Theme) -> Vec<HelpRow> {
    let mut rows: Vec<HelpRow> = Vec::new();
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
    let chosen = |row: &HelpRow| row.1 == Some(view.chosen);
    let first = rows.iter().position(chosen).unwrap_or(0);
    let last = rows.iter().rposition(chosen).unwrap_or(0);
    // Keep the heading above its first entry visible, as far as there is room for it.
    let room = room(height);
    let heading = rows[..first].iter().rposition(|row| row.1.is_some()).map_or(0, |above| above + 1);
    view.top.max((last + 1).saturating_sub(room)).min(heading.max((first + 1).saturating_sub(room)))
}

/// Returns the maximum scroll position.
pub fn last_top(state: &State, view: &HelpView) -> usize {
    let (width, height) = state.screen.size;
    rows(state, &view.filter.text, cells(width), &Theme::plain()).len().saturating_sub(room(height))
}

/// Draws the help. Returns the cursor's place in the filter.
pub fn draw(state: &State, view: &HelpView, screen: Rect, theme: &Theme, buffer: &mut Buffer) -> Position {
    let rows = rows(state, &view.filter.text, cells(screen.width), theme);
    let title =
        " Keys of this place, all keys, marks: type `mark`, or the name of an instruction, pass or trap";
    let area = prompt::sheet(title, screen, theme, buffer);
    let room = room(screen.height);
    let top = view.top.min(rows.len().saturating_sub(room));
    for (y, (line, number)) in (area.y + 1..area.bottom()).zip(rows.iter().skip(top)) {
        buffer.set_line(area.x + 1, y, line, area.width.saturating_sub(1));
        if *number == Some(view.chosen) {
            prompt::select(Rect { y, height: 1, ..area }, theme, buffer);
        }
    }
    let shown = (top + room).min(rows.len());
    let entries = |rows: &[HelpRow]| rows.iter().filter_map(|row| row.1).max().map_or(0, |last| last + 1);
    let (shown, all) = (entries(&rows[..shown]), entries(&rows));
    let note = format!("{shown} of {all} · ↓ ↑ choose · enter runs it · esc leaves ");
    prompt::prompt("filter: ", &view.filter, &note, last_line(screen), theme, buffer)
}
