//! Motions: the places that keys lead to. Functions that are specific to a key set are in its file.

use super::command::{Find, Motion, Words};
use crate::workbench::text::{self, Buffer};

/// The text between the cursor and the end of a motion, for operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Span {
    Exclusive,
    /// The character at the end belongs to it.
    Inclusive,
    Lines,
}

impl Find {
    /// Returns the position of the `count`-th such character in the line, or next to it.
    pub fn target(self, buffer: &Buffer, from: usize, wanted: char, count: usize) -> Option<usize> {
        let line = buffer.line_of(from);
        let (start, end) = (buffer.line_start(line), buffer.line_end(line));
        let is_it = |at: &usize| buffer.char_at(*at) == Some(wanted);
        match self.forward {
            true => (from + 1..end).filter(is_it).nth(count - 1).map(|at| at - usize::from(self.until)),
            false => (start..from).rev().filter(is_it).nth(count - 1).map(|at| at + usize::from(self.until)),
        }
    }

    /// Returns the target of the search given again: a search up to a character passes the one that the cursor is next to.
    pub fn target_again(self, buffer: &Buffer, from: usize, wanted: char, count: usize) -> Option<usize> {
        let from = match (self.until && count == 1, self.forward) {
            (true, true) if buffer.char_at(from + 1) == Some(wanted) => from + 1,
            (true, false) if from.checked_sub(1).and_then(|at| buffer.char_at(at)) == Some(wanted) => from - 1,
            _ => from,
        };
        self.target(buffer, from, wanted, count)
    }
}

/// The class of a character: words, signs and spaces are separate.
pub fn class(buffer: &Buffer, at: usize, words: Words) -> Option<u8> {
    Some(match buffer.char_at(at)? {
        c if c.is_whitespace() => 0,
        _ if words == Words::Big => 1,
        c if c == '_' || c.is_alphanumeric() => 1,
        _ => 2,
    })
}

/// Returns whether a position is the end of an empty line.
fn is_empty_line(buffer: &Buffer, at: usize) -> bool {
    let line = buffer.line_of(at);
    buffer.line_start(line) == at && buffer.line_end(line) == at
}

/// Returns the start of the next word. If `has_empty`, empty lines are words.
pub fn next_word(buffer: &Buffer, from: usize, words: Words, has_empty: bool) -> usize {
    let mut at = from;
    let own = class(buffer, at, words);
    while own != Some(0) && at < buffer.len() && class(buffer, at, words) == own {
        at += 1;
    }
    while class(buffer, at, words) == Some(0) && !(has_empty && at > from && is_empty_line(buffer, at)) {
        at += 1;
    }
    at
}

/// Returns the start of the word before. If `has_empty`, empty lines are words.
pub fn word_before(buffer: &Buffer, from: usize, words: Words, has_empty: bool) -> usize {
    let mut at = from;
    while at > 0 && class(buffer, at - 1, words) == Some(0) {
        at -= 1;
        if has_empty && is_empty_line(buffer, at) {
            return at;
        }
    }
    let Some(last) = at.checked_sub(1) else { return 0 };
    let own = class(buffer, last, words);
    while at > 0 && class(buffer, at - 1, words) == own {
        at -= 1;
    }
    at
}

/// Returns the position after the last character of the word that ends at or after `from`.
pub fn word_end(buffer: &Buffer, from: usize, words: Words) -> usize {
    let mut at = from;
    while class(buffer, at, words) == Some(0) {
        at += 1;
    }
    let own = class(buffer, at, words);
    while at < buffer.len() && class(buffer, at, words) == own {
        at += 1;
    }
    at
}

/// Returns the first character of a line that is not blank, or the line's end.
pub fn first_ink(buffer: &Buffer, line: usize) -> usize {
    let (start, end) = (buffer.line_start(line), buffer.line_end(line));
    (start..end).find(|at| buffer.char_at(*at).is_some_and(|c| !c.is_whitespace())).unwrap_or(end)
}

/// Returns the last line; an empty line after the last line end does not count.
pub fn last_line(buffer: &Buffer) -> usize {
    let last = buffer.lines() - 1;
    if last > 0 && buffer.line_text(last).is_empty() { last - 1 } else { last }
}

/// Repeats a step until it no longer moves, at most `count` times.
pub fn repeated(from: usize, count: usize, step: impl Fn(usize) -> usize) -> usize {
    let mut at = from;
    for _ in 0..count {
        let next = step(at);
        if next == at {
            break;
        }
        at = next;
    }
    at
}

/// Returns the end of a motion that both key sets have, and the text that it spans. `goal` is the column that vertical motions
/// aim for.
pub fn target(
    buffer: &Buffer,
    motion: Motion,
    from: usize,
    count: Option<usize>,
    goal: usize,
) -> Option<(usize, Span)> {
    let n = count.unwrap_or(1);
    let line = buffer.line_of(from);
    let (start, end) = (buffer.line_start(line), buffer.line_end(line));
    let step = |motion| move |at| buffer.target(motion, at, 0);
    Some(match motion {
        Motion::Left => (repeated(from, n, step(text::Motion::Left)).max(start), Span::Exclusive),
        Motion::Right => (repeated(from, n, step(text::Motion::Right)).min(end), Span::Exclusive),
        Motion::Down => (buffer.position_at((line + n).min(buffer.lines() - 1), goal), Span::Lines),
        Motion::Up => (buffer.position_at(line.saturating_sub(n), goal), Span::Lines),
        Motion::LineStart => (start, Span::Exclusive),
        Motion::Ink => (first_ink(buffer, line), Span::Exclusive),
        Motion::LineEnd => (buffer.line_end((line + n - 1).min(last_line(buffer).max(line))), Span::Inclusive),
        Motion::FirstLine => (first_ink(buffer, (n - 1).min(buffer.lines() - 1)), Span::Lines),
        Motion::LastLine => {
            let wanted = count.map_or(last_line(buffer), |number| (number - 1).min(last_line(buffer)));
            (first_ink(buffer, wanted), Span::Lines)
        }
        Motion::Mark { name, is_line } => {
            let at = buffer.mark(name)?;
            match is_line {
                true => (first_ink(buffer, buffer.line_of(at)), Span::Lines),
                false => (at, Span::Exclusive),
            }
        }
        _ => return None,
    })
}
