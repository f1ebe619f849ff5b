//! Edits of the text: erasing, new lines with their indent, pasting, cutting.

use std::ops::Range;

use crate::workbench::text::{Buffer, CaretEdit, EditKind, Motion, Selection};

/// The number of spaces per level of indent.
pub const INDENT: usize = 4;

impl Buffer {
    /// Starts a new line at each cursor with the same indent, one level deeper after an opening bracket.
    pub fn new_line(&mut self) {
        self.edit_carets(EditKind::Typing, |buffer, own, _| {
            let range = own.range();
            let (deeper, indent) = buffer.indents_at(range.start);
            let opens = deeper.len() > indent.len();
            let closes = matches!(buffer.char_at(range.end), Some('}' | ')' | ']'));
            let end = buffer.line_ending();
            let mut text = format!("{end}{deeper}");
            let caret = text.chars().count();
            if opens && closes {
                // The closing bracket moves to its own line, and the cursor to the line between.
                text.push_str(&format!("{end}{indent}"));
            }
            CaretEdit { range, text, caret }
        });
    }

    /// Returns the indent of a line that begins at a position, one level deeper after an opening bracket, and the indent of
    /// the position's own line.
    pub fn indents_at(&self, position: usize) -> (String, String) {
        let before = self.slice(self.line_start(self.line_of(position))..position);
        let indent: String = before.chars().take_while(|c| matches!(c, ' ' | '\t')).collect();
        let opens = matches!(before.trim_end().chars().last(), Some('{' | '(' | '['));
        (format!("{indent}{}", " ".repeat(if opens { INDENT } else { 0 })), indent)
    }

    /// Inserts pasted text at each cursor as one undo step, with its line ends converted to the file's. A text with one
    /// line for each cursor is distributed over them.
    pub fn paste(&mut self, text: &str) {
        self.history.close();
        let text = self.with_own_line_ends(text);
        let lines: Vec<&str> = text.lines().collect();
        let is_shared = !self.others.is_empty() && lines.len() == self.others.len() + 1;
        self.edit_carets(EditKind::Other, |_, own, number| {
            let part = if is_shared { lines.get(number).copied().unwrap_or("") } else { &text };
            CaretEdit::new(own.range(), part)
        });
    }

    /// Inserts a piece of text that arrives as keys, without indenting new lines. If `is_continuation`, it joins the
    /// previous piece's undo step.
    pub fn burst(&mut self, text: &str, is_continuation: bool) {
        if !is_continuation {
            self.history.close();
            self.drop_closers_of(text);
        }
        let text = self.with_own_line_ends(text);
        self.edit_carets(EditKind::Burst, |_, own, _| CaretEdit::new(own.range(), text.as_str()));
    }

    /// Appends an item on its own line at the end of the text, as one undo step, and places the cursor before
    /// it. It is separated by an empty line unless the last item is a test or property.
    pub fn append_item(&mut self, item: &str) {
        let text = self.text();
        let last = text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("");
        let apart = match last {
            "" => "",
            last if last.starts_with("test ") || last.starts_with("prop ") => "\n",
            _ => "\n\n",
        };
        let end = text.trim_end().chars().count();
        let line = self.with_own_line_ends(&format!("{apart}{item}\n"));
        self.history.close();
        self.replace(end..self.len(), &line, EditKind::Other);
        let start = end + self.with_own_line_ends(apart).chars().count();
        self.select(Selection::at(start));
    }

    pub(super) fn with_own_line_ends(&self, text: &str) -> String {
        text.replace("\r\n", "\n").replace('\r', "\n").replace('\n', self.line_ending())
    }

    /// Erases each selection, or the text between each cursor and a motion's target.
    pub fn erase(&mut self, motion: Motion) {
        self.edit_carets(EditKind::Erasing, |buffer, own, _| {
            let head = own.head;
            let range = match motion {
                _ if !own.is_empty() => own.range(),
                Motion::Left if buffer.is_in_empty_pair(head) => head - 1..head + 1,
                Motion::Left => buffer.backspace_target(head)..head,
                _ => {
                    let target = buffer.target(motion, head, 0);
                    target.min(head)..target.max(head)
                }
            };
            CaretEdit::new(range, "")
        });
    }

    /// Returns the target of backspace: one character back, or one level of indent if only spaces precede the
    /// cursor.
    fn backspace_target(&self, head: usize) -> usize {
        let start = self.line_start(self.line_of(head));
        let before = self.slice(start..head);
        if !before.is_empty() && before.chars().all(|c| c == ' ') {
            return head - ((before.len() - 1) % INDENT + 1);
        }
        self.target(Motion::Left, head, 0)
    }

    /// Replaces the text by one that differs in white space only, as one undo step. The cursor stays at its character.
    pub fn lay_out(&mut self, text: &str) {
        let is_ink = |c: &char| !c.is_whitespace();
        let before = self.slice(0..self.head()).chars().filter(is_ink).count();
        let is_at_ink = self.char_at(self.head()).is_some_and(|c| is_ink(&c));
        let mut ink = text.chars().enumerate().filter(|(_, c)| is_ink(c)).map(|(position, _)| position);
        let head = match is_at_ink {
            true => ink.nth(before).unwrap_or(0),
            false => before.checked_sub(1).and_then(|last| ink.nth(last)).map_or(0, |position| position + 1),
        };
        self.reload(text);
        self.select(Selection::at(head));
    }

    /// Returns the range that a copy takes at a cursor: the selection, or the whole line.
    fn copied(&self, own: Selection) -> Range<usize> {
        match own.is_empty() {
            true => {
                let line = self.line_of(own.head);
                self.line_start(line)..self.line_start(line + 1).max(self.line_end(line))
            }
            false => own.range(),
        }
    }

    /// Returns the selected text, or the whole line if nothing is selected; of several cursors, one after the other on
    /// lines of their own.
    pub fn text_to_copy(&self) -> String {
        let parts: Vec<String> =
            self.carets().in_order().into_iter().map(|(own, _)| self.slice(self.copied(own))).collect();
        match parts.as_slice() {
            [part] => part.clone(),
            _ => parts.iter().map(|part| format!("{}\n", part.trim_end_matches(['\n', '\r']))).collect(),
        }
    }

    /// Removes the text that `text_to_copy` returns.
    pub fn remove_copied(&mut self) {
        self.history.close();
        self.edit_carets(EditKind::Other, |buffer, own, _| CaretEdit::new(buffer.copied(own), ""));
    }
}
