//! Edits of the text: typing, erasing, new lines with their indent, indenting, comments, pasting.

use crate::workbench::text::{Buffer, EditKind, Motion, Selection};

/// The number of spaces per level of indent.
pub const INDENT: usize = 4;

impl Buffer {
    /// Types one character in place of the selection. A `}` typed as the first character of a line removes
    /// one level of indent.
    pub fn type_char(&mut self, c: char) {
        if c == '}' && self.selection.is_empty() {
            let line = self.line_of(self.head());
            let start = self.line_start(line);
            let before = self.slice(start..self.head());
            if before.len() >= INDENT && before.chars().all(|c| c == ' ') {
                let from = self.head() - INDENT;
                self.replace(from..self.head(), "}", EditKind::Other);
                return;
            }
        }
        self.replace(self.selection.range(), c.encode_utf8(&mut [0; 4]), EditKind::Typing);
    }

    /// Starts a new line with the same indent, one level deeper after an opening bracket.
    pub fn new_line(&mut self) {
        let range = self.selection.range();
        let line = self.line_of(range.start);
        let before = self.slice(self.line_start(line)..range.start);
        let indent: String = before.chars().take_while(|c| matches!(c, ' ' | '\t')).collect();
        let opens = matches!(before.trim_end().chars().last(), Some('{' | '(' | '['));
        let closes = matches!(self.char_at(range.end), Some('}' | ')' | ']'));
        let end = self.line_ending();
        let mut text = format!("{end}{indent}");
        if opens {
            text.push_str(&" ".repeat(INDENT));
        }
        let inner = range.start + text.chars().count();
        if opens && closes {
            // The closing bracket moves to its own line, and the cursor to the line between.
            text.push_str(&format!("{end}{indent}"));
        }
        self.replace(range, &text, EditKind::Typing);
        if opens && closes {
            self.select(Selection::at(inner));
        }
    }

    /// Inserts pasted text as one undo step, with its line ends converted to the file's.
    pub fn paste(&mut self, text: &str) {
        self.history.close();
        self.replace(self.selection.range(), &self.with_own_line_ends(text), EditKind::Other);
    }

    /// Inserts a piece of text that arrives as keys, without indenting new lines. If `is_continuation`, it joins the
    /// previous piece's undo step.
    pub fn burst(&mut self, text: &str, is_continuation: bool) {
        if !is_continuation {
            self.history.close();
        }
        self.replace(self.selection.range(), &self.with_own_line_ends(text), EditKind::Burst);
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

    fn with_own_line_ends(&self, text: &str) -> String {
        text.replace("\r\n", "\n").replace('\r', "\n").replace('\n', self.line_ending())
    }

    /// Erases the selection, or the text between the cursor and a motion's target.
    pub fn erase(&mut self, motion: Motion) {
        let mut range = self.selection.range();
        if range.is_empty() {
            let target = match motion {
                Motion::Left => self.backspace_target(),
                _ => self.target(motion, self.head(), 0),
            };
            range = target.min(self.head())..target.max(self.head());
        }
        self.replace(range, "", EditKind::Erasing);
    }

    /// Returns the target of backspace: one character back, or one level of indent if only spaces precede the
    /// cursor.
    fn backspace_target(&self) -> usize {
        let head = self.head();
        let start = self.line_start(self.line_of(head));
        let before = self.slice(start..head);
        if !before.is_empty() && before.chars().all(|c| c == ' ') {
            return head - ((before.len() - 1) % INDENT + 1);
        }
        self.target(Motion::Left, head, 0)
    }

    /// Returns the lines that the selection touches.
    pub fn selected_lines(&self) -> std::ops::RangeInclusive<usize> {
        let range = self.selection.range();
        let first = self.line_of(range.start);
        let mut last = self.line_of(range.end);
        if last > first && range.end == self.line_start(last) {
            last -= 1;
        }
        first..=last
    }

    /// Returns whether the selection contains all of a line.
    fn selects_whole_line(&self, line: usize) -> bool {
        let (selected, start, end) = (self.selection.range(), self.line_start(line), self.line_end(line));
        !selected.is_empty() && selected.start <= start && selected.end >= end
    }

    /// Replaces the selection by spaces up to the next level; lines selected as a whole are indented by one
    /// level.
    pub fn indent(&mut self) {
        let lines = self.selected_lines();
        if lines.start() == lines.end() && !self.selects_whole_line(*lines.start()) {
            let range = self.selection.range();
            let column = self.place(range.start).1;
            self.replace(range, &" ".repeat(INDENT - column % INDENT), EditKind::Typing);
            return;
        }
        let edits = lines
            .filter(|line| !self.line_text(*line).is_empty())
            .map(|line| (self.line_start(line)..self.line_start(line), " ".repeat(INDENT)))
            .collect();
        self.edit_lines(edits);
    }

    /// Removes one level of indent from all selected lines.
    pub fn unindent(&mut self) {
        let edits = self
            .selected_lines()
            .filter_map(|line| {
                let text = self.line_text(line);
                let count = match text.starts_with('\t') {
                    true => 1,
                    false => text.chars().take(INDENT).take_while(|c| *c == ' ').count(),
                };
                let start = self.line_start(line);
                (count > 0).then(|| (start..start + count, String::new()))
            })
            .collect();
        self.edit_lines(edits);
    }

    /// Comments the selected lines, or uncomments them if all are comments.
    pub fn toggle_comment(&mut self) {
        let lines: Vec<(usize, String)> = self
            .selected_lines()
            .map(|line| (line, self.line_text(line)))
            .filter(|(_, text)| !text.trim().is_empty())
            .collect();
        let indent = |text: &str| text.chars().take_while(|c| c.is_whitespace()).count();
        let edits = if lines.iter().all(|(_, text)| text.trim_start().starts_with("//")) {
            lines
                .iter()
                .map(|(line, text)| {
                    let start = self.line_start(*line) + indent(text);
                    let width = if text.trim_start().starts_with("// ") { 3 } else { 2 };
                    (start..start + width, String::new())
                })
                .collect()
        } else {
            let least = lines.iter().map(|(_, text)| indent(text)).min().unwrap_or(0);
            lines
                .iter()
                .map(|(line, _)| {
                    let start = self.line_start(*line) + least;
                    (start..start, "// ".to_string())
                })
                .collect()
        };
        self.edit_lines(edits);
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

    /// Applies edits and moves both ends of the selection with the text.
    fn edit_lines(&mut self, edits: Vec<(std::ops::Range<usize>, String)>) {
        let carry = |position: usize| {
            let mut moved = position as isize;
            for (range, with) in &edits {
                if range.start < position || (range.is_empty() && range.start == position) {
                    moved += with.chars().count() as isize;
                    moved -= (range.end.min(position) - range.start) as isize;
                }
            }
            moved.max(0) as usize
        };
        let Selection { anchor, head } = self.selection;
        let after = Selection { anchor: carry(anchor), head: carry(head) };
        self.replace_all(edits, after);
    }

    /// Returns the selected text, or the whole line if nothing is selected.
    pub fn text_to_copy(&self) -> String {
        if self.selection.is_empty() {
            String::from(self.line(self.line_of(self.head())))
        } else {
            self.selected_text()
        }
    }

    /// Removes the text that `text_to_copy` returns.
    pub fn remove_copied(&mut self) {
        let range = if self.selection.is_empty() {
            let line = self.line_of(self.head());
            self.line_start(line)..self.line_start(line + 1).max(self.line_end(line))
        } else {
            self.selection.range()
        };
        self.history.close();
        self.replace(range, "", EditKind::Other);
    }
}
