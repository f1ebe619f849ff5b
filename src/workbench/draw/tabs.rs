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
    let full = |p: Panel| if p == slot.active { active_title(state, p) } else { p.title().to_string() };
    let short = |p: Panel| if p == slot.active { active_title(state, p) } else { p.short_title().to_string() };
    let shortest =
        |p: Panel| if p == slot.active { p.title().to_string() } else { p.short_title().to_string() };
    let width =
        |name: &dyn Fn(Panel) -> String| slot.panels.iter().map(|p| name(*p).width() + 2).sum::<usize>();
    let name: &dyn Fn(Panel) -> String = if width(&full) <= room {
        &full
    } else if width(&short) <= room {
        &short
    } else {
        &shortest
    };
    // What does not fit even so begins with the active tab.
    let skip =
        if width(name) <= room { 0 } else { slot.panels.iter().position(|p| *p == slot.active).unwrap_or(0) };
    let mut x = slot.tabs.x;
    let mut out = Vec::new();
    for panel in slot.panels.iter().skip(skip) {
        let left = usize::from(slot.tabs.right().saturating_sub(x));
        if left < 3 {
            break;
        }
        let text = fit(&format!(" {} ", name(*panel)), left);
        let width = text.width() as u16;
        out.push((*panel, text, x, width));
        x += width;
    }
    out
}

/// What the tab of a panel that shows says: its name and the figures that matter most.
fn active_title(state: &State, panel: Panel) -> String {
    let title = panel.title();
    let mutants = &state.results.mutants;
    match panel {
        Panel::Editor => {
            let mark = if state.dirty() { " ●" } else { "" };
            format!("{}{mark}", super::super::text::visible(&state.file.name()))
        }
        Panel::Tests => match state.shown() {
            Some(shown) if !shown.entries.is_empty() => {
                let passed = shown.entries.iter().filter(|e| e.outcome == Outcome::Pass).count();
                format!("{title} {passed}/{}", shown.entries.len())
            }
            _ => title.to_string(),
        },
        Panel::Mutants if mutants.total > 0 => {
            let filter = state.filter.map_or("all", |f| rows::state_word(f).1);
            let score = mutants.score().map_or(String::new(), |s| format!(" · {s:.0}%"));
            let survived = mutants.count(MutantStatus::Survived);
            format!("{title} {}/{}{score} · {survived} left · {filter}", mutants.judged.len(), mutants.total)
        }
        Panel::Ir => format!("{title} {}", rows::ir_title(state)),
        Panel::Problems if !state.results.problems.is_empty() => {
            format!("{title} {}", state.results.problems.len())
        }
        _ => title.to_string(),
    }
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
    if width > 0 && end + width + 1 < slot.tabs.right() {
        let x = slot.tabs.right() - width - 1;
        buffer.set_string(x, slot.tabs.y, behind, theme.style(Look::Tabs).patch(theme.style(Look::Warning)));
    } else if width > 0 && slot.tabs.width > 2 {
        let style = theme.style(Look::Tabs).patch(theme.style(Look::Warning));
        buffer.set_string(slot.tabs.right() - 1, slot.tabs.y, "~", style);
    }
}
