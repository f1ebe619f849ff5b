//! Draws the row of tabs above each place.

use std::ops::Range;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Span;
use unicode_width::UnicodeWidthStr;

use crate::workbench::marks;
use crate::workbench::panels::layout::LayoutSlot;
use crate::workbench::panels::mutants::{self, SCORE};
use crate::workbench::panels::{Panel, PanelRow, editor};
use crate::workbench::state::State;
use crate::workbench::text::{fit, visible};
use crate::workbench::theme::{Look, Theme};

/// The cells that are kept for figures that nothing else on screen says, and for those of the list of mutants and its filter.
const NEEDED: usize = 12;
const NEEDED_BY_MUTANTS: usize = 12;
const NEEDED_BY_FILTER: usize = 16;
/// The cells that long names of other tabs leave for short figures.
const FIGURES: usize = 6;

/// A tab, or the mark of hidden tabs: the panel that it selects, its text, first column and width.
struct Tab {
    panel: Panel,
    text: String,
    x: u16,
    width: u16,
    is_mark: bool,
}

fn tabs(state: &State, slot: &LayoutSlot) -> Vec<Tab> {
    let all = usize::from(slot.tabs.width);
    let needs_figures = slot.active.row().needs_figures || !ends(state, slot.active).is_empty();
    let needed = match slot.active {
        Panel::MUTANTS if mutants::listed(state).is_some() => NEEDED_BY_FILTER,
        Panel::MUTANTS => NEEDED_BY_MUTANTS,
        _ if needs_figures => NEEDED,
        _ => 0,
    };
    let room = all - needed.min(all / 2);
    let has_tab = |panel: &Panel| *panel == slot.active || state.has_tab(*panel);
    // With the tab of the repairs, which comes when a test fails: no other tab moves then.
    let may_have_tab = |panel: &Panel| *panel == Panel::REPAIRS || has_tab(panel);
    let reserved: Vec<Panel> = slot.panels.iter().copied().filter(may_have_tab).collect();
    let (long, blanks) = names_that_fit(state, &reserved, slot.active, room);
    let panels: Vec<Panel> = reserved.into_iter().filter(has_tab).collect();
    let name = |panel: &Panel| name(state, *panel, long.contains(panel));
    let names: Vec<String> = panels.iter().map(name).collect();
    let widths: Vec<usize> =
        panels.iter().zip(&names).map(|(panel, name)| name.width() + around(*panel, blanks)).collect();
    let active = panels.iter().position(|p| *p == slot.active).unwrap_or(0);
    // If some tabs are hidden, the last column is reserved for the stale mark.
    let shown = match widths.iter().sum::<usize>() <= room {
        true => 0..names.len(),
        false => window(&widths, active, room.saturating_sub(1)),
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
        let end = if around(panels[place], blanks) == 2 { end } else { "" };
        put(panels[place], format!(" {}{end}", names[place]), false);
    }
    if let Some(next) = panels.get(shown.end) {
        put(*next, format!(" {}", marks::tabs_after(panels.len() - shown.end)), true);
    }
    out
}

fn name(state: &State, panel: Panel, is_long: bool) -> String {
    let row: &PanelRow = panel.row();
    match panel {
        Panel::EDITOR => editor::name(state),
        _ if is_long => row.title.to_string(),
        _ => row.short.to_string(),
    }
}

/// Returns the blanks of a tab: one before its name, and one after it if there is room, or if a mark may come there.
fn around(panel: Panel, blanks: usize) -> usize {
    if panel == Panel::DIAGNOSTICS { 2 } else { blanks }
}

/// Returns the panels whose tabs have long names, and the blanks around a name: two if all long names fit then. The active
/// panel is the first to have a long name, and the others follow in their order while there is room.
fn names_that_fit(state: &State, panels: &[Panel], active: Panel, room: usize) -> (Vec<Panel>, usize) {
    let width = |long: &[Panel], blanks: usize| {
        let of = |panel: &Panel| name(state, *panel, long.contains(panel)).width() + around(*panel, blanks);
        panels.iter().map(of).sum::<usize>()
    };
    if width(panels, 2) <= room {
        return (panels.to_vec(), 2);
    }
    let mut long: Vec<Panel> = Vec::new();
    for panel in std::iter::once(active).chain(panels.iter().copied()) {
        // The last column is free for the stale mark, and what only makes others' names long leaves room for figures.
        let free = if panel == active { 1 } else { FIGURES };
        long.push(panel);
        if width(&long, 1) + free > room {
            long.pop();
        }
    }
    (long, 1)
}

/// Returns the range of tabs around the active one that fit in `room` cells, including the marks of hidden
/// tabs. The active one is always included.
fn window(widths: &[usize], active: usize, room: usize) -> Range<usize> {
    let width = |shown: &Range<usize>| {
        let before = if shown.start > 0 { 1 + marks::tabs_before(shown.start).width() } else { 0 };
        let behind = widths.len() - shown.end;
        let behind = if behind > 0 { 1 + marks::tabs_after(behind).width() } else { 0 };
        before + widths[shown.clone()].iter().sum::<usize>() + behind
    };
    let mut shown = active..active + 1;
    // Add tabs before the active one first, so that tabs move as little as possible.
    while let Some(start) = shown.start.checked_sub(1)
        && width(&(start..shown.end)) <= room
    {
        shown.start = start;
    }
    while shown.end < widths.len() && width(&(shown.start..shown.end + 1)) <= room {
        shown.end += 1;
    }
    shown
}

/// Returns the longest figures of the active panel that fit into `room` cells with a blank on each side.
fn figures(state: &State, panel: Panel, room: usize) -> String {
    let mut figures = (panel.row().figures)(state);
    for end in ends(state, panel) {
        let with = |figures: &String| format!("{figures} {end}");
        figures = figures.iter().map(with).chain([end.clone()]).collect();
    }
    let needed = figures.last().filter(|_| panel.row().needs_figures || !ends(state, panel).is_empty());
    let needed = needed.map_or(String::new(), |needed| fit(needed, room.saturating_sub(2)));
    figures.into_iter().find(|figures| figures.width() + 2 <= room).unwrap_or(needed)
}

/// Returns what is always shown after the figures: the mutant whose program it is, and filters.
fn ends(state: &State, panel: Panel) -> Vec<String> {
    let filter = state.screen.filter(panel).map(|filter| format!("/{}", visible(filter.query())));
    let listed = if panel == Panel::MUTANTS { mutants::listed(state) } else { None };
    [Some(state.own_title(panel)), listed, filter].into_iter().flatten().filter(|end| !end.is_empty()).collect()
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
        buffer.set_span(x, slot.tabs.y, &Span::styled(text, style), width);
        end = x + width;
    }
    // The figures end at the place's edge, so that tabs stay where they are whatever they say.
    let last = slot.tabs.right().saturating_sub(1);
    let text = figures(state, slot.active, usize::from(slot.tabs.right().saturating_sub(end)));
    let start = last - text.width() as u16;
    let style = theme.style(Look::Tab);
    buffer.set_span(start, slot.tabs.y, &Span::styled(&text, style), text.width() as u16);
    // The score, and the survivors next to it, or alone.
    let counted = text.find(SCORE).or_else(|| text.ends_with(mutants::SURVIVED).then_some(0));
    if let Some(at) = counted
        && slot.active == Panel::MUTANTS
        && !state.results.score_counts()
    {
        let (before, counted) = text.split_at(at);
        let length = counted.width() as u16;
        let cells = Rect { x: start + before.width() as u16, y: slot.tabs.y, width: length, height: 1 };
        // Colours of the tab itself would leave it hard to read.
        buffer.set_style(cells.intersection(slot.tabs), theme.ground().patch(theme.style(Look::Tabs)));
    }
    // Whether the content below is up to date.
    let Some(age) = state.age_of(slot.active) else { return };
    let (behind, style) = (age.shown(), theme.style(Look::Tabs).patch(theme.style(Look::Warning)));
    let width = behind.width() as u16;
    if width == 1 && end <= last {
        buffer.set_string(last, slot.tabs.y, behind, style);
    } else if end + width + 1 < start {
        buffer.set_string(start - width - 1, slot.tabs.y, behind, style);
    } else if slot.tabs.width > 2 {
        // A title that ends below it may be bold.
        buffer.set_string(last, slot.tabs.y, marks::NOT_CURRENT.glyph, theme.ground().patch(style));
    }
}
