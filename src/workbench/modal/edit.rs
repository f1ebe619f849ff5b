//! Edits that both key sets have. Each is one undo step.

use std::ops::Range;

use super::command::Case;
use super::motion::{first_ink, last_line};
use super::registers::{LONGEST, Register};
use super::{Modal, Outcome, Request};
use crate::workbench::text::{Buffer, EditKind, Motion, Selection};

/// Returns the range of whole lines, with their line ends.
pub fn lines(buffer: &Buffer, first: usize, last: usize) -> Range<usize> {
    let last = last.min(buffer.lines() - 1);
    let end = if last + 1 < buffer.lines() { buffer.line_start(last + 1) } else { buffer.len() };
    buffer.line_start(first)..end
}

/// Returns the first and the last line of a range.
pub fn lines_of(buffer: &Buffer, range: &Range<usize>) -> (usize, usize) {
    (buffer.line_of(range.start), buffer.line_of(range.end.max(range.start + 1) - 1))
}

/// Returns the position after the character at a position; at a line's end, the same position.
pub fn after(buffer: &Buffer, at: usize) -> usize {
    buffer.target(Motion::Right, at, 0).min(buffer.line_end(buffer.line_of(at))).max(at)
}

/// Returns a character in another case, unless that is several characters.
fn recased(c: char, case: Case) -> char {
    let is_upper = match case {
        Case::Lower => false,
        Case::Upper => true,
        Case::Other => c.is_lowercase(),
    };
    let one = |mut all: Box<dyn Iterator<Item = char>>| all.next().filter(|_| all.next().is_none());
    one(if is_upper { Box::new(c.to_uppercase()) } else { Box::new(c.to_lowercase()) }).unwrap_or(c)
}

/// Replaces the characters of a range by others, as one undo step; the cursor goes to its start.
fn map(buffer: &mut Buffer, range: Range<usize>, new: impl Fn(char) -> String) {
    let text: String = buffer.slice(range.clone()).chars().map(new).collect();
    let start = range.start;
    buffer.close_step();
    buffer.replace(range, &text, EditKind::Other);
    buffer.select(Selection::at(start));
}

/// Returns a text with its letters in another case.
pub fn recased_text(text: &str, case: Case) -> String {
    text.chars().map(|c| recased(c, case)).collect()
}

/// Replaces the case of letters.
pub fn recase(buffer: &mut Buffer, range: Range<usize>, case: Case) {
    map(buffer, range, |c| recased(c, case).to_string());
}

/// Replaces each character of a range, except line ends, by another; `\n` is a line end like the file's.
pub fn overwrite(buffer: &mut Buffer, range: Range<usize>, with: char) {
    let with = if with == '\n' { buffer.line_ending().to_string() } else { with.to_string() };
    map(buffer, range, |c| if matches!(c, '\n' | '\r') { c.to_string() } else { with.clone() });
}

/// Joins lines with one blank between them, and moves the cursor to the last one. Returns false at the end of the text.
pub fn join(buffer: &mut Buffer, first: usize, last: usize) -> bool {
    let last = last.min(last_line(buffer));
    if first >= last {
        return false;
    }
    let mut text = buffer.line_text(first);
    let mut to = 0;
    for line in first + 1..=last {
        let next = buffer.line_text(line);
        let next = next.trim_start();
        to = text.chars().count();
        if !(next.is_empty() || next.starts_with(')') || text.is_empty() || text.ends_with(char::is_whitespace))
        {
            text.push(' ');
        }
        text.push_str(next);
    }
    let start = buffer.line_start(first);
    buffer.close_step();
    buffer.replace(start..buffer.line_end(last), &text, EditKind::Other);
    buffer.select(Selection::at(start + to));
    true
}

impl Modal {
    /// Keeps a range in the register, unless it is empty.
    pub(super) fn keep(&mut self, buffer: &Buffer, range: Range<usize>, is_lines: bool, is_copy: bool) {
        if range.is_empty() && !is_lines {
            return;
        }
        let mut text = buffer.slice(range);
        if is_lines && !text.ends_with('\n') {
            text.push_str(buffer.line_ending());
        }
        self.registers.keep(Register { text, is_lines }, is_copy);
    }

    /// Keeps a range, for the system's clipboard as well unless a register is chosen.
    pub(super) fn copy(&mut self, buffer: &Buffer, range: Range<usize>, is_lines: bool) -> Option<Request> {
        let is_empty = range.is_empty() && !is_lines;
        self.keep(buffer, range, is_lines, true);
        let text = self.registers.read().filter(|_| self.registers.chosen.is_none() && !is_empty);
        text.map(|register| Request::Copy(register.text.clone()))
    }

    /// Deletes a range and keeps it.
    pub(super) fn delete(&mut self, buffer: &mut Buffer, range: Range<usize>, is_lines: bool) {
        self.keep(buffer, range.clone(), is_lines, false);
        let mut range = range;
        let is_last = is_lines && range.end == buffer.len() && buffer.line_of(range.start) > 0;
        if is_last && !buffer.slice(range.clone()).ends_with('\n') {
            // The line end before the last line goes with it.
            range.start = buffer.line_end(buffer.line_of(range.start) - 1);
        }
        buffer.close_step();
        buffer.replace(range.clone(), "", EditKind::Other);
        let to = match is_lines {
            true => first_ink(buffer, buffer.line_of(range.start).min(last_line(buffer))),
            false => range.start,
        };
        buffer.select(Selection::at(to));
    }

    /// Deletes a range and inserts in its place. If it consists of lines, the first one's indent and the last one's end stay.
    pub(super) fn change(&mut self, buffer: &mut Buffer, range: Range<usize>, is_lines: bool) {
        self.insert(buffer, 1, |modal, buffer| {
            if is_lines {
                modal.keep(buffer, range.clone(), true, false);
                let (first, last) = lines_of(buffer, &range);
                let from = first_ink(buffer, first);
                buffer.replace(from..buffer.line_end(last).max(from), "", EditKind::Other);
                buffer.select(Selection::at(from));
            } else {
                modal.delete(buffer, range, false);
            }
        });
    }

    /// Inserts with the cursor at a position.
    pub(super) fn insert_at(&mut self, buffer: &mut Buffer, at: usize, count: usize) {
        self.insert(buffer, count, |_, buffer| buffer.select(Selection::at(at)));
    }

    /// Inserts on a new line with the indent of the cursor's line.
    pub(super) fn open_line(&mut self, buffer: &mut Buffer, is_below: bool, count: usize) {
        self.insert(buffer, count, |_, buffer| {
            let line = buffer.line_of(buffer.head());
            if is_below {
                // Undo leads back to the cursor.
                let at = buffer.line_end(line);
                let text = format!("{}{}", buffer.line_ending(), buffer.indents_at(at).0);
                buffer.replace(at..at, &text, EditKind::Other);
            } else {
                let (start, ink) = (buffer.line_start(line), first_ink(buffer, line));
                let indent = buffer.slice(start..ink);
                let end = buffer.line_ending();
                buffer.replace(start..start, &format!("{indent}{end}"), EditKind::Other);
                buffer.select(Selection::at(start + indent.chars().count()));
            }
        });
        if let Some(insertion) = &mut self.insertion {
            insertion.is_line = true;
        }
    }

    /// Inserts the register before or after a range, `count` times.
    pub(super) fn put(
        &mut self,
        buffer: &mut Buffer,
        at: Range<usize>,
        is_after: bool,
        count: usize,
    ) -> Outcome {
        let Some(Register { text, is_lines }) = self.registers.read() else {
            return Err("nothing is deleted or copied yet; ctrl-v pastes the clipboard");
        };
        if text.chars().count().saturating_mul(count) > LONGEST {
            return Err("too much text: a smaller number before p");
        }
        let mut text = text.repeat(count);
        let length = text.chars().count();
        buffer.close_step();
        if !is_lines {
            let at = if is_after { at.end } else { at.start };
            buffer.replace(at..at, &text, EditKind::Other);
            let to = if text.contains('\n') { at } else { at + length - 1 };
            buffer.select(Selection::at(to));
            return Ok(None);
        }
        let (first, last) = lines_of(buffer, &at);
        let line = if is_after { last + 1 } else { first };
        let to = if line < buffer.lines() {
            let at = buffer.line_start(line);
            buffer.replace(at..at, &text, EditKind::Other);
            line
        } else {
            // The last line has no end: it comes before the text instead of after it.
            let end = buffer.line_ending();
            text.truncate(text.trim_end_matches(['\r', '\n']).len());
            let at = buffer.len();
            buffer.replace(at..at, &format!("{end}{text}"), EditKind::Other);
            line
        };
        buffer.select(Selection::at(first_ink(buffer, to)));
        Ok(None)
    }

    /// Replaces a range by the register, `count` times, and keeps it.
    pub(super) fn put_over(
        &mut self,
        buffer: &mut Buffer,
        range: Range<usize>,
        is_lines: bool,
        count: usize,
    ) -> Outcome {
        let Some(register) = self.registers.read().cloned() else {
            return Err("nothing is deleted or copied yet; ctrl-v pastes the clipboard");
        };
        if register.text.chars().count().saturating_mul(count) > LONGEST {
            return Err("too much text: a smaller number before p");
        }
        let mut text = register.text.repeat(count);
        let is_ended = buffer.slice(range.clone()).ends_with('\n');
        match (is_lines, register.is_lines) {
            (true, true) if !is_ended => text.truncate(text.trim_end_matches(['\r', '\n']).len()),
            (true, false) if is_ended => text.push_str(buffer.line_ending()),
            (false, true) => text.insert_str(0, buffer.line_ending()),
            _ => {}
        }
        self.registers.chosen = None;
        self.keep(buffer, range.clone(), is_lines, false);
        buffer.close_step();
        let (start, length) = (range.start, text.chars().count());
        buffer.replace(range, &text, EditKind::Other);
        let line = buffer.line_of(start);
        buffer.select(Selection::at(match (is_lines, register.is_lines) {
            (true, true) => first_ink(buffer, line),
            (false, true) => first_ink(buffer, line + 1),
            (true, false) => start,
            (false, false) if text.contains('\n') => start,
            (false, false) => start + length - 1,
        }));
        Ok(None)
    }
}
