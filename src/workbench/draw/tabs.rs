//! The row of tabs above each place.

use ratatui::buffer::Buffer;
use ratatui::text::Span;
use unicode_width::UnicodeWidthStr;

use super::super::layout::Slot;
use super::super::panels::Panel;
use super::super::rows;
use super::super::state::State;
use super::fit;
use super::theme::{Look, Theme};
use crate::engine::{MutantStatus, Outcome};

/// The tabs of a place: panel, text, first column and width.
fn tabs(state: &State, slot: &Slot) -> Vec<(Panel, String, u16, u16)> {
    let room = usize::from(slot.tabs.width);
    // The active tab says more than its name and the others their whole names, as far as there is room.
    let titles = active_titles(state, slot.active);
    let others = [Panel::title as fn(Panel) -> &'static str, Panel::short_title];
    let choices = titles.iter().flat_map(|title| others.iter().map(move |other| (title, *other)));
    let names = |(title, other): (&String, fn(Panel) -> &'static str)| -> Vec<String> {
        let name = |p: &Panel| if *p == slot.active { title.clone() } else { other(*p).to_string() };
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
            let mark = if state.dirty() { " ●" } else { "" };
            return vec![format!("{}{mark}", super::super::text::visible(&state.file.name()))];
        }
        Panel::Tests => state.shown().filter(|s| !s.entries.is_empty()).map(|shown| {
            let passed = shown.entries.iter().filter(|e| e.outcome == Outcome::Pass).count();
            vec![format!("{title} {passed}/{}", shown.entries.len())]
        }),
        Panel::Mutants => (mutants.total > 0).then(|| {
            let filter = state.filter.map_or("all", |f| rows::state_word(f).1);
            let score = mutants.score().map_or(String::new(), |s| format!(" · score {s:.1}%"));
            let survived = mutants.count(MutantStatus::Survived);
            let judged = format!("{}/{}", mutants.judged.len(), mutants.total);
            vec![
                format!("{title} {judged}{score} · {survived} survive · listed: {filter}"),
                format!("{title} {judged} · listed: {filter}"),
                format!("{title}: {filter}"),
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
    titles.push(title.to_string());
    titles.push(panel.short_title().to_string());
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
        buffer.set_span(x, slot.tabs.y, &Span::styled(text, theme.style(look)), width);
        end = x + width;
    }
    // Behind the tabs: whether what is below is of this text.
    let behind = if slot.active == Panel::Editor || slot.active == Panel::Problems {
        ""
    } else if state.stale() {
        "stale"
    } else if state.pending() && state.shown().is_some() {
        "…"
    } else {
        ""
    };
    let width = behind.width() as u16;
    if width > 0 && end + width < slot.tabs.right() {
        let x = slot.tabs.right() - width - 1;
        buffer.set_string(x, slot.tabs.y, behind, theme.style(Look::Tabs).patch(theme.style(Look::Warning)));
    } else if width > 0 && slot.tabs.width > 2 {
        let style = theme.style(Look::Tabs).patch(theme.style(Look::Warning));
        buffer.set_string(slot.tabs.right() - 1, slot.tabs.y, "~", style);
    }
}
