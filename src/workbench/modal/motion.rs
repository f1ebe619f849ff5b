//! Motions: the places that letters lead to.

use crate::workbench::text::{Buffer, Motion};

/// The text between the cursor and the end of a motion, for operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Span {
    Exclusive,
    /// The character at the end belongs to it.
    Inclusive,
    Lines,
}

/// A search for a character in the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Find {
    pub forward: bool,
    /// Stop before the character.
    pub until: bool,
}

impl Find {
    pub fn of(c: char) -> Option<Find> {
        match c {
            'f' | 't' | 'F' | 'T' => {
                Some(Find { forward: c.is_lowercase(), until: c.eq_ignore_ascii_case(&'t') })
            }
            _ => None,
        }
    }

    pub fn key(self) -> &'static str {
        match (self.forward, self.until) {
            (true, false) => "f",
            (true, true) => "t",
            (false, false) => "F",
            (false, true) => "T",
        }
    }

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
}

/// The class of a character: words, signs and spaces are separate.
fn class(buffer: &Buffer, at: usize) -> Option<u8> {
    Some(match buffer.char_at(at)? {
        c if c.is_whitespace() => 0,
        c if c == '_' || c.is_alphanumeric() => 1,
        _ => 2,
    })
}

pub fn next_word(buffer: &Buffer, from: usize) -> usize {
    let mut at = from;
    let own = class(buffer, at);
    while own != Some(0) && at < buffer.len() && class(buffer, at) == own {
        at += 1;
    }
    while class(buffer, at) == Some(0) {
        at += 1;
    }
    at
}

pub fn word_before(buffer: &Buffer, from: usize) -> usize {
    let mut at = from;
    while at > 0 && class(buffer, at - 1) == Some(0) {
        at -= 1;
    }
    let Some(last) = at.checked_sub(1) else { return 0 };
    let own = class(buffer, last);
    while at > 0 && class(buffer, at - 1) == own {
        at -= 1;
    }
    at
}

/// Returns the position after the last character of the word that ends at or after `from`.
pub fn word_end(buffer: &Buffer, from: usize) -> usize {
    let mut at = from;
    while class(buffer, at) == Some(0) {
        at += 1;
    }
    let own = class(buffer, at);
    while at < buffer.len() && class(buffer, at) == own {
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
    c: char,
    from: usize,
    count: Option<usize>,
    goal: usize,
) -> Option<(usize, Span)> {
    let n = count.unwrap_or(1);
    let line = buffer.line_of(from);
    let (start, end) = (buffer.line_start(line), buffer.line_end(line));
    Some(match c {
        'h' => (repeated(from, n, |at| buffer.target(Motion::Left, at, 0)).max(start), Span::Exclusive),
        'l' | ' ' => (repeated(from, n, |at| buffer.target(Motion::Right, at, 0)).min(end), Span::Exclusive),
        'j' => (buffer.position_at((line + n).min(buffer.lines() - 1), goal), Span::Lines),
        'k' => (buffer.position_at(line.saturating_sub(n), goal), Span::Lines),
        '0' => (start, Span::Exclusive),
        '^' => (first_ink(buffer, line), Span::Exclusive),
        '$' => (buffer.line_end((line + n - 1).min(buffer.lines() - 1)), Span::Exclusive),
        'G' => {
            let wanted = count.map_or(last_line(buffer), |number| (number - 1).min(last_line(buffer)));
            (first_ink(buffer, wanted), Span::Lines)
        }
        _ => return None,
    })
}
