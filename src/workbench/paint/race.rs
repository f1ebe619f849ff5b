//! Draws the race on the whole screen: how far the measurements are, then all contestants on one time axis, then the table
//! of results.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use unicode_width::UnicodeWidthStr;

use crate::paper::race::forms::{count, end, seconds, text};
use crate::paper::race::{Contestant, Race, Score, replay};
use crate::workbench::paint::{last_line, race_table};
use crate::workbench::race::{ContestantState, RaceView};
use crate::workbench::text::{fit, visible, wrap};
use crate::workbench::theme::{Look, Theme};

/// The widths of a contestant's name where there is room, and of the counter after its bar.
const NAME: usize = 25;
const COUNTER: usize = 10;
/// The minimum and maximum width of a bar, in cells.
const BAR: (usize, usize) = (4, 60);
/// A cell of a bar that is filled by eighths.
const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

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
    let date = view.result.as_ref().map_or(String::new(), |race| format!(" · measured {}", race.date));
    let title = format!(" Race · {}{older}{variants}{date}", visible(&view.name));
    line(screen.y, &format!("{title:<width$}"), Look::TabFocus);
    let lines = lines(view, width);
    let room = room(screen.height);
    let top = view.top.min(lines.len().saturating_sub(room));
    for (y, (said, look)) in (screen.y + 1..last_line(screen).y).zip(lines.iter().skip(top)) {
        line(y, said, *look);
    }
    let keys = match (view.is_over(), view.stopping) {
        _ if view.asking => " Race again? This result is discarded.   [enter] race   [esc] keep it",
        (true, _) if lines.len() > room => {
            " esc leaves · r shows it again · enter races again · ↓ ↑ scroll · F4 returns"
        }
        (true, _) if view.result.is_some() => " esc leaves · r shows it again · enter races again · F4 returns",
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

/// Returns the number of rows that show all of a race, with its title and the keys.
pub fn height(view: &RaceView, width: u16) -> u16 {
    lines(view, width.into()).len() as u16 + 2
}

/// Returns the scrolling lines: the contestants, then the result.
fn lines(view: &RaceView, width: usize) -> Vec<(String, Look)> {
    let mut lines = match &view.result {
        Some(race) => replay_lines(race, view.frame, width),
        None => measuring_lines(view, width),
    };
    let below = if view.is_replaying() { vec![] } else { below(view, width) };
    if !below.is_empty() {
        lines.push((String::new(), Look::Text));
        lines.extend(below);
    }
    lines
}

/// Returns the widths of the names and of the bars.
fn widths(width: usize) -> (usize, usize) {
    // Prefer the counters to the end of a name, and that to a long bar.
    let name = NAME.min(width.saturating_sub(COUNTER + BAR.0)).max(4);
    (name, width.saturating_sub(name + COUNTER).min(BAR.1))
}

fn named(contestant: Contestant, width: usize) -> String {
    let name = format!(" {} {}", contestant.letter(), contestant.title());
    format!("{:<width$}", fit(&name, width - 1))
}

fn bar(part: f64, cells: usize) -> String {
    let eighths = (part.clamp(0.0, 1.0) * (8 * cells) as f64) as usize;
    format!("{:<cells$}", "█".repeat(eighths / 8) + EIGHTHS[eighths % 8])
}

/// Returns the lines while contestants are measured: how much is done, then a line for each.
fn measuring_lines(view: &RaceView, width: usize) -> Vec<(String, Look)> {
    let (name, cells) = widths(width);
    let (part, head) = (view.measured(), format!("{:<name$}", fit(" measuring, then a race", name - 1)));
    let mut lines = vec![(format!("{head}{}{:>6.0} %", bar(part, cells), 100.0 * part), Look::Heading)];
    for (contestant, state) in &view.contestant_states {
        let measured = |score: &Score| match score.per_second() {
            Some(_) => format!("measured {} of {} times", score.runs.len(), view.repetitions),
            None => absent(score),
        };
        let (said, look) = match state {
            ContestantState::Waits => ("waits".to_string(), Look::Dim),
            ContestantState::Prepares => ("prepares".to_string(), Look::Text),
            ContestantState::Runs { repetition, done, .. } => {
                let of = format!("time {repetition} of {}", view.repetitions);
                (format!("is measured: {} of {}, {of}", count(*done), count(view.k)), Look::Text)
            }
            ContestantState::Between(score) => (measured(score), Look::Text),
            ContestantState::Ended(score) => (measured(score), Look::Dim),
        };
        lines.push((format!("{}{said}", named(*contestant, name)), look));
    }
    lines
}

/// Returns the lines of a frame of the race: for each contestant the variants that it has judged since the start, and the
/// time axis.
fn replay_lines(race: &Race, frame: u32, width: usize) -> Vec<(String, Look)> {
    let (name, cells) = widths(width);
    let mut lines = vec![];
    for score in race.scores.iter() {
        let before = named(score.contestant, name);
        lines.push(match score.per_second() {
            Some(_) => {
                let judged = replay::judged(race, score, frame);
                let bar = bar(f64::from(judged) / f64::from(race.k.max(1)), cells);
                let look = if judged == race.k { Look::Good } else { Look::Text };
                (format!("{before}{bar}{:>COUNTER$}", format!("{} ", count(judged))), look)
            }
            None => (format!("{before}{}", absent(score)), Look::Dim),
        });
    }
    let Some(finish) = replay::finish(race) else { return lines };
    let scale = replay::FRAME * replay::FRAMES;
    let said = format!(
        "Variants judged, all contestants at once. {:.1} s here are {} of the race; now: {}.",
        scale.as_secs_f64(),
        seconds(finish),
        seconds(replay::time(race, frame))
    );
    lines.extend(wrap(&said, width.saturating_sub(2)).into_iter().map(|line| (format!(" {line}"), Look::Dim)));
    lines
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
