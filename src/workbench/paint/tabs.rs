//! Draws the row of tabs above each place.

use std::ops::Range;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Span;
use unicode_width::UnicodeWidthStr;

use crate::workbench::marks::{self, Mark};
use crate::workbench::panels::layout::LayoutSlot;
use crate::workbench::panels::{Panel, PanelRow};
use crate::workbench::state::State;
use crate::workbench::text::{fit, visible};
use crate::workbench::theme::{Look, Theme};

/// The words before the score in a tab.
const SCORE: &str = " · score ";

/// A tab, or the mark of hidden tabs: the panel that it selects, its text, first column and width.
struct Tab {
    panel: Panel,
    text: String,
    x: u16,
    width: u16,
    is_mark: bool,
}

fn tabs(state: &State, slot: &LayoutSlot) -> Vec<Tab> {
    let room = usize::from(slot.tabs.width);
    let has_tab = |panel: &Panel| *panel == slot.active || state.has_tab(*panel);
    let panels: Vec<Panel> = slot.panels.iter().copied().filter(has_tab).collect();
    // Use the longest title of the active tab, and the longest names of the others, that fit.
    let titles = active_titles(state, slot.active);
    // The panel about a row of a list has its question as its name: Why.
    let long = |row: &PanelRow| if row.about.is_some() { row.short } else { row.title };
    let others = [long, |row: &PanelRow| row.short];
    let choices = titles.iter().flat_map(|title| others.iter().map(move |other| (title, *other)));
    let names = |(title, other): (&String, fn(&PanelRow) -> &'static str)| -> Vec<String> {
        let name = |p: &Panel| match *p {
            p if p == slot.active => title.clone(),
            p => other(p.row()).to_string(),
        };
        panels.iter().map(name).collect()
    };
    let width = |names: &[String]| names.iter().map(|n| n.width() + 2).sum::<usize>();
    let mut all: Vec<Vec<String>> = choices.map(names).collect();
    let fits = all.iter().position(|n| width(n) <= room).unwrap_or(all.len() - 1);
    let names = all.swap_remove(fits);
    let active = panels.iter().position(|p| *p == slot.active).unwrap_or(0);
    // If some tabs are hidden, the last column is reserved for the stale mark.
    let shown = match width(&names) <= room {
        true => 0..names.len(),
        false => window(&names, active, room.saturating_sub(1)),
    };
    let mut out: Vec<Tab> = Vec::new();
    let mut x = slot.tabs.x;
    let has_errors = state.results.marked(&marks::ERROR) > 0;
    let mut put = |panel: Panel, text: String, is_mark: bool| {
        let left = usize::from(slot.tabs.right().saturating_sub(x));
        let text = fit(&text, left);
        let width = text.width() as u16;
        out.push(Tab { panel, text, x, width, is_mark });
        x += width;
    };
    if let Some(before) = shown.start.checked_sub(1) {
        put(panels[before], format!(" {}", marks::tabs_before(shown.start)), true);
    }
    for place in shown.clone() {
        // The mark of errors has the place of a blank, so that no tab moves when an error comes or goes.
        let is_marked = panels[place] == Panel::DIAGNOSTICS && panels[place] != slot.active && has_errors;
        let end = if is_marked { marks::ERROR.glyph } else { " " };
        put(panels[place], format!(" {}{end}", names[place]), false);
    }
    if let Some(next) = panels.get(shown.end) {
        put(*next, marks::tabs_after(panels.len() - shown.end), true);
    }
    out
}

/// Returns the range of tabs around the active one that fit in `room` cells, including the marks of hidden
/// tabs. The active one is always included.
fn window(names: &[String], active: usize, room: usize) -> Range<usize> {
    let width = |shown: &Range<usize>| {
        let before = if shown.start > 0 { 1 + marks::tabs_before(shown.start).width() } else { 0 };
        let behind = names.len() - shown.end;
        let behind = if behind > 0 { marks::tabs_after(behind).width() } else { 0 };
        before + names[shown.clone()].iter().map(|name| name.width() + 2).sum::<usize>() + behind
    };
    let mut shown = active..active + 1;
    // Add tabs before the active one first, so that tabs move as little as possible.
    while let Some(start) = shown.start.checked_sub(1)
        && width(&(start..shown.end)) <= room
    {
        shown.start = start;
    }
    while shown.end < names.len() && width(&(shown.start..shown.end + 1)) <= room {
        shown.end += 1;
    }
    shown
}

/// Returns titles for the active panel's tab: its name with the most important figures, longest first.
fn active_titles(state: &State, panel: Panel) -> Vec<String> {
    let mut titles: Vec<String> = panel.row().tab.map_or_else(|| panel.titles().collect(), |tab| tab(state));
    let own = state.own_title(panel);
    titles.iter_mut().for_each(|title| title.push_str(&own));
    match state.screen.filter(panel) {
        Some(filter) => {
            titles.into_iter().map(|title| format!("{title} /{}", visible(filter.query()))).collect()
        }
        None => titles,
    }
}

pub fn tab_under(state: &State, slot: &LayoutSlot, column: u16) -> Option<Panel> {
    let tab = tabs(state, slot).into_iter().find(|tab| (tab.x..tab.x + tab.width).contains(&column))?;
    Some(tab.panel)
}

pub fn draw(state: &State, slot: &LayoutSlot, theme: &Theme, buffer: &mut Buffer) {
    buffer.set_string(slot.tabs.x, slot.tabs.y, " ".repeat(slot.tabs.width.into()), theme.style(Look::Tabs));
    let mut end = slot.tabs.x;
    let has_errors = state.results.marked(&marks::ERROR) > 0;
    for Tab { panel, text, x, width, is_mark } in tabs(state, slot) {
        let look = match panel == slot.active {
            _ if is_mark => marks::TABS_AFTER.look,
            true if state.screen.focus == panel => Look::TabFocus,
            true => Look::Tab,
            false => Look::Tabs,
        };
        let mut style = theme.style(look);
        if is_mark {
            style = theme.style(Look::Tabs).patch(style);
        }
        if panel == Panel::DIAGNOSTICS && panel != slot.active && !is_mark && has_errors {
            style = style.patch(theme.style(Look::Bad));
        }
        let score = text.split_once(SCORE).map(|(before, after)| {
            let after = after.split(" ·").next().unwrap_or_default();
            ((before.width() + 3) as u16, (SCORE.width() + after.width()) as u16 - 3)
        });
        buffer.set_span(x, slot.tabs.y, &Span::styled(text, style), width);
        if let Some((before, length)) =
            score.filter(|_| panel == Panel::MUTANTS && !state.results.score_counts())
        {
            let cells = Rect { x: x + before, y: slot.tabs.y, width: length, height: 1 };
            // Colours of the tab itself would leave it hard to read.
            buffer.set_style(cells.intersection(slot.tabs), theme.ground().patch(theme.style(Look::Tabs)));
        }
        end = x + width;
    }
    // After the tabs: whether the content below is up to date.
    let behind = state.age_of(slot.active).map_or(String::new(), Mark::shown);
    let width = behind.width() as u16;
    if width > 0 && end + width < slot.tabs.right() {
        let x = slot.tabs.right() - width - 1;
        buffer.set_string(x, slot.tabs.y, behind, theme.style(Look::Tabs).patch(theme.style(Look::Warning)));
    } else if width > 0 && slot.tabs.width > 2 {
        // A title that ends below it may be bold.
        let style = theme.ground().patch(theme.style(Look::Tabs)).patch(theme.style(Look::Warning));
        buffer.set_string(slot.tabs.right() - 1, slot.tabs.y, marks::NOT_CURRENT.glyph, style);
    }
}
