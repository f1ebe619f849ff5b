//! Text objects: the words, brackets, quotes and paragraphs around a position.

use std::ops::Range;

use super::command::{Object, Words};
use super::edit::lines;
use super::motion::{class, word_end};
use crate::workbench::text::Buffer;

impl Object {
    /// Returns the object's range around a position, without what encloses or separates it unless `is_around`. Pairs must be
    /// larger than `least`. `None` if the text has no such object.
    pub fn range(
        self,
        buffer: &Buffer,
        at: usize,
        is_around: bool,
        count: usize,
        least: usize,
    ) -> Option<Range<usize>> {
        match self {
            Object::Word(words) => word(buffer, at, words, is_around, count),
            Object::Quote(quote) => quoted(buffer, at, quote, is_around),
            Object::Paragraph => Some(paragraph(buffer, at, is_around)),
            Object::Pair(open) => {
                let pairs = buffer.pairs_of(open);
                let around = pairs.iter().filter(|(open, close)| *open <= at && at <= *close);
                let range =
                    |(open, close): (usize, usize)| if is_around { open..close + 1 } else { open + 1..close };
                let mut around = around
                    .map(|pair| range(*pair))
                    .filter(|range| range.len() > least || least == 0)
                    .peekable();
                match around.peek() {
                    // Outside of any pair, the next one.
                    None if count == 1 && least == 0 => {
                        pairs.into_iter().filter(|(open, _)| *open > at).min().map(range)
                    }
                    _ => around.nth(count - 1),
                }
            }
        }
    }
}

/// Returns the range of words in a line; blanks between them count as words, unless `is_around` adds them to a word: those
/// after it, or else those before.
fn word(buffer: &Buffer, at: usize, words: Words, is_around: bool, count: usize) -> Option<Range<usize>> {
    let line = buffer.line_of(at);
    let (start, end) = (buffer.line_start(line), buffer.line_end(line));
    let own = |at: usize| if at < end { class(buffer, at, words) } else { None };
    let run = |from: usize| (from..end).find(|at| own(*at) != own(from)).unwrap_or(end);
    let is_blank = |at: usize| own(at) == Some(0);
    let before =
        |from: usize| (start..from).rev().take_while(|at| own(*at) == own(from - 1)).last().unwrap_or(from);
    let mut first = if at < end { before(at + 1) } else { at };
    let begins_blank = first == end || is_blank(first);
    let mut last = first;
    for _ in 0..count {
        if last == end && is_around && count > 1 {
            return None;
        }
        if is_around && begins_blank {
            // Blanks and the word after them, on a line below if this one has no more.
            last = word_end(buffer, last, words);
            continue;
        }
        last = run(last);
        if is_around && is_blank(last) {
            last = run(last);
        }
    }
    let has_blank = begins_blank || last > first && is_blank(last - 1);
    if is_around && !has_blank && first > start && is_blank(first - 1) {
        let blanks = before(first);
        // The indent stays.
        first = if blanks > start { blanks } else { first };
    }
    Some(first..last)
}

/// Returns the range between quotes in a line: those around a position, or else the next ones. `is_around` adds the quotes and
/// the blanks after them, or else those before.
fn quoted(buffer: &Buffer, at: usize, quote: char, is_around: bool) -> Option<Range<usize>> {
    let line = buffer.line_of(at);
    let (start, end) = (buffer.line_start(line), buffer.line_end(line));
    let mut is_escaped = false;
    let is_quote = |at: &usize| {
        let c = buffer.char_at(*at);
        let is_it = c == Some(quote) && !is_escaped;
        is_escaped = c == Some('\\') && !is_escaped;
        is_it
    };
    let quotes: Vec<usize> = (start..end).filter(is_quote).collect();
    let before = quotes.iter().filter(|own| **own < at).count();
    // At a quote, quotes are counted from the start of the line; elsewhere the one before opens.
    let first = if quotes.contains(&at) { before & !1 } else { before.saturating_sub(1) };
    let (open, close) = (*quotes.get(first)?, *quotes.get(first + 1)?);
    let is_blank = |at: &usize| buffer.char_at(*at).is_some_and(char::is_whitespace);
    if !is_around {
        return Some(open + 1..close);
    }
    let after = (close + 1..end).take_while(is_blank).count();
    let before = if after > 0 { 0 } else { (start..open).rev().take_while(is_blank).count() };
    Some(open - before..close + 1 + after)
}

/// Returns the range of the lines around a position that are all blank, or all not. `is_around` adds the lines up to the next
/// paragraph, or else those after the one before.
fn paragraph(buffer: &Buffer, at: usize, is_around: bool) -> Range<usize> {
    let last_line = super::motion::last_line(buffer);
    let is_blank = |line: usize| buffer.line_text(line).trim().is_empty();
    let line = buffer.line_of(at).min(last_line);
    let last_alike = |from: usize| {
        (from..=last_line).take_while(|at| is_blank(*at) == is_blank(from)).last().unwrap_or(from)
    };
    let first_alike =
        |from: usize| (0..=from).rev().take_while(|at| is_blank(*at) == is_blank(from)).last().unwrap_or(from);
    let (mut first, mut last) = (first_alike(line), last_alike(line));
    if is_around && last < last_line {
        last = last_alike(last + 1);
    } else if is_around && first > 0 {
        first = first_alike(first - 1);
    }
    lines(buffer, first, last)
}
