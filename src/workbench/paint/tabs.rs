//! The row of tabs above each place.

use ratatui::buffer::Buffer;
use ratatui::text::Span;
use unicode_width::UnicodeWidthStr;

use crate::workbench::marks;
use crate::workbench::panels::layout::Slot;
use crate::workbench::panels::{Panel, Row};
use crate::workbench::state::State;
use crate::workbench::text::fit;
use crate::workbench::theme::{Look, Theme};

/// The tabs of a place: panel, text, first column and width.
fn tabs(state: &State, slot: &Slot) -> Vec<(Panel, String, u16, u16)> {
    let room = usize::from(slot.tabs.width);
    // A panel about a row of another one has a tab only while it shows: that list leads to it.
    let begun = |panel: &Panel| panel.row().about.is_none() && (panel.row().begun)(state);
    let has_tab = |panel: &Panel| *panel == slot.active || begun(panel);
    let panels: Vec<Panel> = slot.panels.iter().copied().filter(has_tab).collect();
    // The active tab says more than its name and the others their whole names, as far as there is room.
    let titles = active_titles(state, slot.active);
    let others = [|row: &Row| row.title, |row: &Row| row.short];
    let choices = titles.iter().flat_map(|title| others.iter().map(move |other| (title, *other)));
    let names = |(title, other): (&String, fn(&Row) -> &'static str)| -> Vec<String> {
        let name = |p: &Panel| match *p {
            p if p == slot.active => title.clone(),
            Panel::PROBLEMS if state.broken() => format!("{}✗", other(p.row())),
            p => other(p.row()).to_string(),
        };
        panels.iter().map(name).collect()
    };
    let width = |names: &[String]| names.iter().map(|n| n.width() + 2).sum::<usize>();
    let mut all: Vec<Vec<String>> = choices.map(names).collect();
    let fits = all.iter().position(|n| width(n) <= room).unwrap_or(all.len() - 1);
    let names = all.swap_remove(fits);
    let whole = width(&names);
    // What does not fit even so begins as far left as leaves the active tab whole.
    let active = panels.iter().position(|p| *p == slot.active).unwrap_or(0);
    let skip = match whole <= room {
        true => 0,
        false => (0..active).find(|first| width(&names[*first..=active]) <= room).unwrap_or(active),
    };
    let mut x = slot.tabs.x;
    let mut out = Vec::new();
    for (panel, name) in panels.iter().zip(names).skip(skip) {
        let left = usize::from(slot.tabs.right().saturating_sub(x));
        if left < 3 {
            break;
        }
        let text = fit(&format!(" {name} "), left);
        let width = text.width() as u16;
        out.push((*panel, text, x, width));
        x += width;
    }
    out
}

/// What the tab of a panel that shows says: its name with the figures that matter most, longest first.
fn active_titles(state: &State, panel: Panel) -> Vec<String> {
    panel.row().tab.map_or_else(|| panel.titles().collect(), |tab| tab(state))
}

/// The panel whose tab is at a column.
pub fn tab_under(state: &State, slot: &Slot, column: u16) -> Option<Panel> {
    tabs(state, slot)
        .into_iter()
        .find(|(_, _, x, width)| (*x..x + width).contains(&column))
        .map(|(panel, ..)| panel)
}

pub fn draw(state: &State, slot: &Slot, theme: &Theme, buffer: &mut Buffer) {
    buffer.set_string(slot.tabs.x, slot.tabs.y, " ".repeat(slot.tabs.width.into()), theme.style(Look::Tabs));
    let mut end = slot.tabs.x;
    for (panel, text, x, width) in tabs(state, slot) {
        let look = match panel == slot.active {
            true if state.focus == panel => Look::TabFocus,
            true => Look::Tab,
            false => Look::Tabs,
        };
        let mut style = theme.style(look);
        if panel == Panel::PROBLEMS && panel != slot.active && state.broken() {
            style = style.patch(theme.style(Look::Bad));
        }
        buffer.set_span(x, slot.tabs.y, &Span::styled(text, style), width);
        end = x + width;
    }
    // Behind the tabs: whether what is below is of this text.
    let behind = if slot.active.row().newest {
        ""
    } else if state.stale() {
        marks::STALE.word
    } else if state.pending() && state.shown().is_some() {
        marks::AWAITED.glyph
    } else {
        ""
    };
    let width = behind.width() as u16;
    if width > 0 && end + width < slot.tabs.right() {
        let x = slot.tabs.right() - width - 1;
        buffer.set_string(x, slot.tabs.y, behind, theme.style(Look::Tabs).patch(theme.style(Look::Warning)));
    } else if width > 0 && slot.tabs.width > 2 {
        let style = theme.style(Look::Tabs).patch(theme.style(Look::Warning));
        buffer.set_string(slot.tabs.right() - 1, slot.tabs.y, marks::BEHIND.glyph, style);
    }
}
