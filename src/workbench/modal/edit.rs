//! Edits that both key sets have. Each is one undo step.

use std::ops::Range;

use super::motion::first_ink;
use super::{Modal, Request};
use crate::workbench::text::{Buffer, EditKind, Motion, Selection};

/// The text that was deleted or copied last.
#[derive(Clone, Debug, Default)]
pub struct Register {
    pub text: String,
    /// Whether it consists of whole lines.
    pub is_lines: bool,
}

/// The maximum number of characters that one command inserts.
pub(super) const LONGEST: usize = 1 << 20;

/// Returns the range of whole lines, with their line ends.
pub fn lines(buffer: &Buffer, first: usize, last: usize) -> Range<usize> {
    let last = last.min(buffer.lines() - 1);
    let end = if last + 1 < buffer.lines() { buffer.line_start(last + 1) } else { buffer.len() };
    buffer.line_start(first)..end
}

/// Returns the position after the character at a position; at a line's end, the same position.
pub fn after(buffer: &Buffer, at: usize) -> usize {
    buffer.target(Motion::Right, at, 0).min(buffer.line_end(buffer.line_of(at))).max(at)
}

impl Modal {
    /// Keeps a range in the register, unless it is empty.
    pub(super) fn keep(&mut self, buffer: &Buffer, range: Range<usize>, is_lines: bool) {
        if range.is_empty() && !is_lines {
            return;
        }
        let mut text = buffer.slice(range);
        if is_lines && !text.ends_with('\n') {
            text.push_str(buffer.line_ending());
        }
        self.register = Register { text, is_lines };
    }

    /// Keeps a range, for the system's clipboard as well, and moves the cursor to `to`.
    pub(super) fn copy(
        &mut self,
        buffer: &mut Buffer,
        range: Range<usize>,
        is_lines: bool,
        to: usize,
    ) -> Option<Request> {
        let is_empty = range.is_empty() && !is_lines;
        self.keep(buffer, range, is_lines);
        buffer.select(Selection::at(to));
        (!is_empty).then(|| Request::Copy(self.register.text.clone()))
    }

    /// Deletes a range and keeps it.
    pub(super) fn delete(&mut self, buffer: &mut Buffer, range: Range<usize>, is_lines: bool) {
        self.keep(buffer, range.clone(), is_lines);
        let mut range = range;
        let is_last = is_lines && range.end == buffer.len() && buffer.line_of(range.start) > 0;
        if is_last && !buffer.slice(range.clone()).ends_with('\n') {
            // The line end before the last line goes with it.
            range.start = buffer.line_end(buffer.line_of(range.start) - 1);
        }
        buffer.close_step();
        buffer.replace(range.clone(), "", EditKind::Other);
        let to = match is_lines {
            true => first_ink(buffer, buffer.line_of(range.start)),
            false => range.start,
        };
        buffer.select(Selection::at(to));
    }

    /// Deletes a range and inserts in its place. Of lines, the first one's indent and the last one's end stay.
    pub(super) fn change(&mut self, buffer: &mut Buffer, range: Range<usize>, is_lines: bool) {
        self.begin_insertion(buffer, range.start, 1);
        if is_lines {
            self.keep(buffer, range.clone(), true);
            let (first, last) =
                (buffer.line_of(range.start), buffer.line_of(range.end.max(range.start + 1) - 1));
            let from = first_ink(buffer, first);
            buffer.close_step();
            buffer.replace(from..buffer.line_end(last).max(from), "", EditKind::Other);
        } else {
            self.delete(buffer, range, false);
        }
    }

    /// Inserts with the cursor at a position.
    pub(super) fn insert_at(&mut self, buffer: &mut Buffer, at: usize, count: usize) {
        self.begin_insertion(buffer, at, count);
        buffer.select(Selection::at(at));
    }

    /// Inserts on a new line with the indent of the cursor's line.
    pub(super) fn open_line(&mut self, buffer: &mut Buffer, is_below: bool, count: usize) {
        let line = buffer.line_of(buffer.head());
        let at = if is_below { buffer.line_end(line) } else { buffer.line_start(line) };
        self.begin_insertion(buffer, at, count);
        if is_below {
            buffer.select(Selection::at(at));
            buffer.new_line();
        } else {
            let (start, ink) = (buffer.line_start(line), first_ink(buffer, line));
            let indent = buffer.slice(start..ink);
            let end = buffer.line_ending();
            buffer.replace(start..start, &format!("{indent}{end}"), EditKind::Other);
            buffer.select(Selection::at(start + indent.chars().count()));
        }
    }

    /// Inserts the register before or after a range, `count` times.
    pub(super) fn put(
        &mut self,
        buffer: &mut Buffer,
        at: Range<usize>,
        is_after: bool,
        count: usize,
    ) -> Option<Request> {
        let Register { text, is_lines } = &self.register;
        if text.is_empty() {
            return Some(Request::Say("nothing is deleted or copied yet; ctrl-v pastes the clipboard"));
        }
        if text.chars().count().saturating_mul(count) > LONGEST {
            return Some(Request::Say("too much text: a smaller number before p"));
        }
        let mut text = text.repeat(count);
        let length = text.chars().count();
        buffer.close_step();
        if !is_lines {
            let at = if is_after { at.end } else { at.start };
            buffer.replace(at..at, &text, EditKind::Other);
            buffer.select(Selection::at(at + length - 1));
            return None;
        }
        let last = buffer.line_of(at.end.max(at.start + 1) - 1);
        let line = if is_after { last + 1 } else { buffer.line_of(at.start) };
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
        None
    }

    /// Replaces each character of a range, except line ends, by another one; `\n` is a line end like the file's.
    pub(super) fn overwrite(&mut self, buffer: &mut Buffer, range: Range<usize>, with: char) {
        let is_end = |c: char| matches!(c, '\n' | '\r');
        let with = if with == '\n' { buffer.line_ending().to_string() } else { with.to_string() };
        let new = |c: char| if is_end(c) { c.to_string() } else { with.clone() };
        let text: String = buffer.slice(range.clone()).chars().map(new).collect();
        let start = range.start;
        buffer.close_step();
        buffer.replace(range, &text, EditKind::Other);
        buffer.select(Selection::at(start));
    }
}
