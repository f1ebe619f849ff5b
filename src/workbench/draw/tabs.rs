//! The row of tabs above each place.

use ratatui::buffer::Buffer;
use ratatui::text::Span;
use unicode_width::UnicodeWidthStr;

use super::super::layout::Slot;
use super::super::marks;
use super::super::panels::Panel;
use super::super::rows;
use super::super::state::{MutantFilter, State};
use super::fit;
use super::theme::{Look, Theme};
use crate::lang::verdict::Outcome;
use crate::measure::numbers::grouped;
use crate::report::mutants::percent;

/// The tabs of a place: panel, text, first column and width.
fn tabs(state: &State, slot: &Slot) -> Vec<(Panel, String, u16, u16)> {
    let room = usize::from(slot.tabs.width);
    // The active tab says more than its name and the others their whole names, as far as there is room.
    let titles = active_titles(state, slot.active);
    let others = [Panel::title as fn(Panel) -> &'static str, Panel::short_title];
    let choices = titles.iter().flat_map(|title| others.iter().map(move |other| (title, *other)));
    let names = |(title, other): (&String, fn(Panel) -> &'static str)| -> Vec<String> {
        let name = |p: &Panel| match *p {
            p if p == slot.active => title.clone(),
            Panel::Problems if state.broken() => format!("{}✗", other(Panel::Problems)),
            p => other(p).to_string(),
        };
        slot.panels.iter().map(name).collect()
    };
    let width = |names: &[String]| names.iter().map(|n| n.width() + 2).sum::<usize>();
    let mut all: Vec<Vec<String>> = choices.map(names).collect();
    let fits = all.iter().position(|n| width(n) <= room).unwrap_or(all.len() - 1);
    let names = all.swap_remove(fits);
    let whole = width(&names);
    // What does not fit even so begins as far left as leaves the active tab whole.
    let active = slot.panels.iter().position(|p| *p == slot.active).unwrap_or(0);
    let skip = match whole <= room {
        true => 0,
        false => (0..active).find(|first| width(&names[*first..=active]) <= room).unwrap_or(active),
    };
    let mut x = slot.tabs.x;
    let mut out = Vec::new();
    for (panel, name) in slot.panels.iter().zip(names).skip(skip) {
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
    let title = panel.title();
    let mutants = &state.results.mutants;
    let fuller = match panel {
        Panel::Editor => {
            let mark = if state.dirty() { format!(" {}", marks::UNSAVED.glyph) } else { String::new() };
            return vec![format!("{}{mark}", super::super::text::visible(&state.file.name()))];
        }
        Panel::Tests => state.shown().filter(|s| !s.entries.is_empty()).map(|shown| {
            let passed = shown.entries.iter().filter(|e| e.outcome == Outcome::Pass).count();
            vec![format!("{title} {passed}/{}", shown.entries.len())]
        }),
        Panel::Mutants => (mutants.total > 0).then(|| {
            let listed = match state.filter {
                MutantFilter::Singles => String::new(),
                filter => format!(" · listed: {}", filter.word()),
            };
            let score = mutants.tally.score().map_or(String::new(), |s| format!(" · score {}", percent(s)));
            let survived = grouped(mutants.tally.singles.survived.into());
            let (singles, pairs) = (mutants.singles_text(), mutants.pairs_text());
            let pairs = pairs.map_or(String::new(), |pairs| format!(" · {pairs}"));
            vec![
                format!("{title} {singles}{score} · {survived} survived{pairs}{listed}"),
                format!("{title} {singles}{score}{pairs}{listed}"),
                format!("{title} {singles}{pairs}{listed}"),
            ]
        }),
        Panel::Ir => {
            let form = rows::ir_title(state);
            let short = form.split_once(' ').map_or(form.as_str(), |(_, what)| what);
            // Which form is shown must be seen, and nothing below says it.
            return vec![format!("{title} {form}"), format!("{title} {short}")];
        }
        Panel::Problems => {
            let count = state.results.problems.len();
            (count > 0).then(|| vec![format!("{title} {count}")])
        }
        _ => None,
    };
    let mut titles = fuller.unwrap_or_default();
    // All single changes are what is expected of the mutants; where it is something else, that must be seen.
    let listed = match state.filter {
        filter if panel == Panel::Mutants && filter != MutantFilter::Singles => format!(": {}", filter.word()),
        _ => String::new(),
    };
    titles.extend([title, panel.short_title()].map(|name| format!("{name}{listed}")));
    titles
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
        if panel == Panel::Problems && panel != slot.active && state.broken() {
            style = style.patch(theme.style(Look::Bad));
        }
        buffer.set_span(x, slot.tabs.y, &Span::styled(text, style), width);
        end = x + width;
    }
    // Behind the tabs: whether what is below is of this text.
    let behind = if slot.active == Panel::Editor || slot.active == Panel::Problems {
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
