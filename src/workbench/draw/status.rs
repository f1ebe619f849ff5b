//! The last lines: one gauge for latency and verdicts, and the status bar.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthStr;

use super::super::rows::model::{ms, short_time, sparkline};
use super::super::rows::state_word;
use super::super::state::{State, Tone};
use super::super::text::visible;
use super::fit;
use super::theme::{Look, Theme};
use crate::engine::{Kind, MutantStatus, Outcome};

/// Tests, mutants and latency in one line, for screens where their panels are behind tabs.
pub fn gauge(state: &State, area: Rect, theme: &Theme, buffer: &mut Buffer) {
    buffer.set_string(area.x, area.y, " ".repeat(area.width.into()), theme.style(Look::Tabs));
    let mut spans = Vec::new();
    let mut say = |look: Look, text: String| {
        spans.push(Span::styled(text, theme.style(Look::Tabs).patch(theme.style(look))));
    };
    let results = &state.results;
    let errors = results.problems.iter().filter(|p| p.code.is_error()).count();
    let warnings = results.problems.len() - errors;
    if errors > 0 {
        let s = if errors == 1 { "" } else { "s" };
        say(Look::Bad, format!(" ✗ {errors} error{s}"));
    } else if let Some(shown) = state.shown() {
        let passed = shown.entries.iter().filter(|e| e.outcome == Outcome::Pass).count();
        let all = shown.entries.len();
        let (look, glyph) = if passed == all { (Look::Good, '✓') } else { (Look::Bad, '✗') };
        say(look, format!(" {glyph} {passed}/{all} tests"));
    } else {
        say(Look::Dim, " …".to_string());
    }
    if errors == 0 && warnings > 0 {
        say(Look::Warning, format!("  ⚠ {warnings}"));
    }
    let mutants = &results.mutants;
    let narrow = area.width < 100;
    if mutants.total > 0 {
        let score = mutants.score().map_or("–".to_string(), |s| format!("{s:.1}%"));
        let survived = mutants.count(MutantStatus::Survived);
        let judged = match mutants.judged.len() {
            all if all == mutants.total as usize => all.to_string(),
            some => format!("{some}/{}", mutants.total),
        };
        say(Look::Text, format!("  {judged} mutants {score} "));
        let glyph = state_word(MutantStatus::Survived).0;
        let word = if narrow { "" } else { " survive" };
        say(if survived > 0 { Look::Bad } else { Look::Good }, format!(" {glyph} {survived}{word} "));
    }
    if let Some(last) = results.history.last() {
        let all = last.all.map_or("…".to_string(), |t| short_time(ms(t)));
        let (panels, verdicts) = if narrow { ("", "→ ") } else { ("panels ", "verdicts ") };
        say(Look::Number, format!("  {panels}{} {verdicts}{all}  ", short_time(ms(last.base))));
    }
    let used: usize = spans.iter().map(|s| s.content.width()).sum();
    let room = usize::from(area.width).saturating_sub(used + 1).min(40);
    let all: Vec<f64> = results.history.iter().filter_map(|k| k.all.map(ms)).collect();
    let bars = sparkline(&all[all.len().saturating_sub(room)..]);
    spans.push(Span::styled(bars, theme.style(Look::Tabs).patch(theme.style(Look::Bar))));
    buffer.set_line(area.x, area.y, &Line::from(spans), area.width);
}

/// What to know now: a message, or the engine, the revision and the keys to begin with.
pub fn draw(state: &State, area: Rect, theme: &Theme, buffer: &mut Buffer) {
    let style = theme.style(Look::Status);
    let width = usize::from(area.width);
    buffer.set_string(area.x, area.y, " ".repeat(width), style);
    if let Some(message) = &state.message {
        let (glyph, look) = match message.tone {
            Tone::Plain => ("", Look::Text),
            Tone::Good => ("✓ ", Look::Good),
            Tone::Bad => ("! ", Look::Bad),
        };
        let text = fit(&visible(&format!(" {glyph}{}", message.text)), width);
        buffer.set_string(area.x, area.y, text, style.patch(theme.style(look)));
        return;
    }
    let (line, column) = state.buffer.place(state.buffer.head());
    let place = format!(" {}:{} ", line + 1, column + 1);
    let keys = "F1 help · ctrl-s save · F6 next panel ";
    let engine = visible(&engine_text(state));
    let difference = state.results.cross_check.as_ref().is_some_and(|c| c.difference.is_some());
    let look = if difference || state.engine.stopped { Look::Bad } else { Look::Text };
    let mut right = format!("{place}· {keys}");
    if right.width() + engine.width().min(34) + 2 > width {
        right = place;
    }
    let left = fit(&format!(" {engine}"), width.saturating_sub(right.width() + 1));
    buffer.set_string(area.x, area.y, left, style.patch(theme.style(look)));
    buffer.set_string(area.right() - right.width() as u16, area.y, right, style.patch(theme.style(Look::Dim)));
}

/// Which engine, why, at which revision, and whether the other one agrees.
fn engine_text(state: &State) -> String {
    let engine = &state.engine;
    if engine.stopped {
        return "engine stopped; F9 starts it again".to_string();
    }
    let Some(kind) = engine.kind else { return "starting the engine".to_string() };
    let name = if engine.description.is_empty() {
        match kind {
            Kind::Cpu => "CPU engine".to_string(),
            Kind::Gpu => "GPU engine".to_string(),
        }
    } else {
        engine.description.clone()
    };
    let reason = if engine.reason.is_empty() { String::new() } else { format!(" ({})", engine.reason) };
    let agrees = match &state.results.cross_check {
        Some(check) => match &check.difference {
            Some(difference) => format!(" · {} DIFFERS: {difference}", check.other),
            None => format!(" · {} agrees on {}", check.other, check.checked),
        },
        None => String::new(),
    };
    let behind = if state.pending() { "…" } else { "" };
    match state.results.cross_check.as_ref().is_some_and(|c| c.difference.is_some()) {
        // A difference comes first: it must not be cut off.
        true => format!("{}{reason}", agrees.trim_start_matches(" · ")),
        false => format!("{name}{reason} · rev {}{behind}{agrees}", state.revision),
    }
}
