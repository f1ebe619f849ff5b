//! The race, on the whole screen: a bar for each contestant, and in the end the table.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use unicode_width::UnicodeWidthStr;

use super::super::race::{RaceView, Stand};
use super::super::text::visible;
use super::theme::{Look, Theme};
use super::{fit, wrap};
use crate::race::forms::{end, grouped, text};
use crate::race::{Contestant, Score};

/// Columns of a contestant's name, and of the figures behind its bar.
const NAME: usize = 25;
const FIGURES: usize = 32;

pub fn draw(view: &RaceView, screen: Rect, theme: &Theme, buffer: &mut Buffer) {
    for y in screen.top()..screen.bottom() {
        buffer.set_string(screen.x, y, " ".repeat(screen.width.into()), theme.ground());
    }
    let width = usize::from(screen.width);
    let mut line = |y: u16, text: &str, look: Look| {
        if y < screen.bottom() {
            buffer.set_string(screen.x, y, fit(text, width), theme.style(look));
        }
    };
    let variants = if view.k > 0 { format!(": {} variants", view.k) } else { String::new() };
    let title = format!(" Race · {}{variants} · times are measured", visible(&view.name));
    line(screen.y, &format!("{title:<width$}"), Look::TabFocus);
    let first = screen.y + 1;
    for (y, (contestant, stand)) in (first..).zip(&view.stands) {
        let (text, look) = row(*contestant, stand, view.k, width);
        line(y, &text, look);
    }
    let body = first + view.stands.len() as u16 + 1;
    let room = usize::from(screen.bottom().saturating_sub(body + 1));
    let lines = below(view, width);
    let top = view.top.min(lines.len().saturating_sub(room));
    for (y, (text, look)) in (body..screen.bottom() - 1).zip(lines.iter().skip(top)) {
        line(y, text, *look);
    }
    let keys = match (view.is_over(), view.stopping) {
        (true, _) if lines.len() > room => " esc leaves · enter races again · ↓ ↑ scroll",
        (true, _) => " esc leaves · enter races again",
        (false, true) => " stopping · esc leaves",
        (false, false) => " s stops with what is there · esc stops and leaves",
    };
    line(screen.bottom() - 1, &format!("{keys:<width$}"), Look::Prompt);
}

/// A contestant's line while the race runs.
fn row(contestant: Contestant, stand: &Stand, k: u32, width: usize) -> (String, Look) {
    let name = format!(" {} {}", contestant.letter(), contestant.title());
    let rest = |said: &str| format!("{name:<NAME$}{said}");
    let bar = |done: u32, rate: f64| {
        let cells = width.saturating_sub(NAME + FIGURES).clamp(4, 60);
        let full = (u64::from(done) * cells as u64 / u64::from(k.max(1))) as usize;
        let (full, empty) = ("█".repeat(full.min(cells)), "░".repeat(cells.saturating_sub(full)));
        rest(&format!("{full}{empty} {done:>6} {:>11} a second", grouped(rate)))
    };
    match stand {
        Stand::Waits => (rest("waits"), Look::Dim),
        Stand::Prepares => (rest("prepares"), Look::Text),
        Stand::Runs { done, time } => (bar(*done, f64::from(*done) / time.as_secs_f64().max(1e-9)), Look::Text),
        Stand::Ended(score) => match score.per_second() {
            Some(rate) => (bar(score.done, rate), Look::Good),
            None => (rest(&absent(score)), Look::Dim),
        },
    }
}

fn absent(score: &Score) -> String {
    let (word, why) = end(score);
    why.map_or(word.to_string(), |why| format!("{word}: {}", visible(why)))
}

/// What stands below the bars: the result, or why there is none.
fn below(view: &RaceView, width: usize) -> Vec<(String, Look)> {
    let cells = width.saturating_sub(2);
    let indented = |text: &str, look| (format!(" {text}"), look);
    if let Some(why) = &view.refused {
        return wrap(why, cells).iter().map(|line| indented(line, Look::Bad)).collect();
    }
    let Some(race) = &view.result else { return vec![] };
    let mut lines = vec![];
    for (i, line) in text::lines(&text::table(race), cells).iter().enumerate() {
        lines.push(indented(line, [Look::Heading, Look::Dim].get(i).copied().unwrap_or(Look::Text)));
    }
    lines.push(indented("", Look::Text));
    let differ = !race.disagreements().is_empty();
    for note in text::notes(race) {
        let look = if differ && note.starts_with("On ") { Look::Bad } else { Look::Dim };
        if note.width() <= cells {
            lines.push(indented(&visible(&note), look));
        } else {
            lines.extend(wrap(&visible(&note), cells).iter().map(|line| indented(line, look)));
        }
    }
    lines
}
