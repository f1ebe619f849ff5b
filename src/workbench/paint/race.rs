//! Draws the race on the whole screen: a bar for each contestant, then the table of results.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use unicode_width::UnicodeWidthStr;

use crate::paper::race::forms::{count, end, grouped, text};
use crate::paper::race::{Contestant, Score};
use crate::workbench::paint::{last_line, race_table};
use crate::workbench::race::{ContestantState, RaceView};
use crate::workbench::text::{fit, visible, wrap};
use crate::workbench::theme::{Look, Theme};

/// The widths of a contestant's name where there is room, of the figures after its bar, and of the repetition
/// after them, which is drawn only on screens of at least `WIDE` columns.
const NAME: usize = 25;
const FIGURES: usize = 28;
const REPETITION: usize = 8;
const WIDE: usize = 60;
/// The minimum and maximum width of a bar, in cells.
const BAR: (usize, usize) = (4, 60);

/// Draws a race. `text` is the current text, which may differ from the raced one.
pub fn draw(view: &RaceView, text: &str, screen: Rect, theme: &Theme, buffer: &mut Buffer) {
    for y in screen.top()..screen.bottom() {
        buffer.set_string(screen.x, y, " ".repeat(screen.width.into()), theme.ground());
    }
    let width = usize::from(screen.width);
    let mut line = |y: u16, said: &str, look: Look| {
        if y < screen.bottom() {
            buffer.set_string(screen.x, y, fit(said, width), theme.style(look));
        }
    };
    let variants = if view.k > 0 { format!(": {} variants", count(view.k)) } else { String::new() };
    let older = if *view.text == *text { "" } else { ", an older text" };
    let title = format!(" Race · {}{older}{variants} · times are measured", visible(&view.name));
    line(screen.y, &format!("{title:<width$}"), Look::TabFocus);
    let lines = lines(view, width);
    let room = room(screen.height);
    let top = view.top.min(lines.len().saturating_sub(room));
    for (y, (said, look)) in (screen.y + 1..last_line(screen).y).zip(lines.iter().skip(top)) {
        line(y, said, *look);
    }
    let keys = match (view.is_over(), view.stopping) {
        _ if view.asking => " Race again? This result is discarded.   [enter] race   [esc] keep it",
        (true, _) if lines.len() > room => " esc leaves · enter races again · ↓ ↑ scroll · F4 returns",
        (true, _) if view.result.is_some() => " esc leaves · enter races again · F4 returns",
        (true, _) => " esc leaves · enter races again",
        (false, true) => " stopping · esc leaves",
        (false, false) => " s stops and keeps the results so far · esc stops and leaves",
    };
    line(last_line(screen).y, &format!("{keys:<width$}"), Look::Prompt);
}

/// Returns the number of rows between the title and the keys.
fn room(height: u16) -> usize {
    usize::from(height).saturating_sub(2)
}

/// Returns the maximum scroll position.
pub fn last_top(view: &RaceView, (width, height): (u16, u16)) -> usize {
    lines(view, width.into()).len().saturating_sub(room(height))
}

/// Returns the scrolling lines: the contestants, then the result.
fn lines(view: &RaceView, width: usize) -> Vec<(String, Look)> {
    let mut lines: Vec<_> =
        view.contestant_states.iter().map(|(contestant, stand)| row(*contestant, stand, view, width)).collect();
    let below = below(view, width);
    if !below.is_empty() {
        lines.push((String::new(), Look::Text));
        lines.extend(below);
    }
    lines
}

/// Returns a contestant's line while the race runs.
fn row(contestant: Contestant, stand: &ContestantState, view: &RaceView, width: usize) -> (String, Look) {
    let name = format!(" {} {}", contestant.letter(), contestant.title());
    let figures = FIGURES + if width < WIDE { 0 } else { REPETITION };
    // Prefer the figures to the end of a name, and that to a long bar.
    let room = NAME.min(width.saturating_sub(figures + BAR.0)).max(4);
    let name = fit(&name, room - 1);
    let rest = |said: &str| format!("{name:<room$}{said}");
    let bar = |done: u32, rate: f64, repetition: usize| {
        let cells = width.saturating_sub(room + figures).min(BAR.1);
        let full = (u64::from(done) * cells as u64 / u64::from(view.k.max(1))) as usize;
        let (full, empty) = ("█".repeat(full.min(cells)), "░".repeat(cells.saturating_sub(full)));
        let of = if width < WIDE { String::new() } else { format!("  {repetition}/{}", view.repetitions) };
        rest(&format!("{full}{empty} {done:>6} {:>10} a second{of}", grouped(rate)))
    };
    let ended = |score: &Score, look: Look| match score.per_second() {
        Some(rate) => (bar(score.done, rate, score.runs.len()), look),
        None => (rest(&absent(score)), Look::Dim),
    };
    match stand {
        ContestantState::Waits => (rest("waits"), Look::Dim),
        ContestantState::Prepares => (rest("prepares"), Look::Text),
        ContestantState::Runs { repetition, done, time } => {
            let rate = f64::from(*done) / time.as_secs_f64().max(1e-9);
            (bar(*done, rate, *repetition as usize), Look::Text)
        }
        ContestantState::Between(score) => ended(score, Look::Text),
        ContestantState::Ended(score) => ended(score, Look::Good),
    }
}

fn absent(score: &Score) -> String {
    let (word, why) = end(score);
    why.map_or(word.to_string(), |why| format!("{word}: {}", visible(why)))
}

/// Returns the lines below the bars: the result, or why there is none.
fn below(view: &RaceView, width: usize) -> Vec<(String, Look)> {
    let cells = width.saturating_sub(2);
    let indented = |text: &str, look| (format!(" {text}"), look);
    if let Some(why) = &view.refused {
        return wrap(why, cells).iter().map(|line| indented(line, Look::Bad)).collect();
    }
    let Some(race) = &view.result else { return vec![] };
    let mut lines = vec![];
    lines.extend(race_table::lines(race, cells).iter().map(|(line, look)| indented(line, *look)));
    lines.push(indented("", Look::Text));
    let differ = !race.disagreements().is_empty();
    for note in text::notes(race) {
        let look = if differ && note.starts_with("On ") { Look::Bad } else { Look::Dim };
        lines.extend(hanging(&visible(&note), cells).iter().map(|line| indented(line, look)));
    }
    lines
}

/// Wraps a note with a hanging indent after its contestant's letter or its leading spaces.
fn hanging(note: &str, cells: usize) -> Vec<String> {
    let words = match note.split_once("  ") {
        Some((letter, words)) if letter.chars().count() <= 1 => words.trim_start(),
        _ => note,
    };
    let (before, indent) = (&note[..note.len() - words.len()], note.width() - words.width());
    let mut lines = wrap(words, cells.saturating_sub(indent));
    for (i, line) in lines.iter_mut().enumerate() {
        *line = format!("{:<indent$}{line}", if i == 0 { before } else { "" });
    }
    lines
}
