//! Whole lines: moving, duplicating, deleting, indenting, comments.

use std::ops::Range;

use crate::workbench::text::edits::INDENT;
use crate::workbench::text::{Buffer, CaretEdit, Carets, EditKind, Selection};

impl Buffer {
    /// Returns the lines that the main selection touches.
    pub fn selected_lines(&self) -> std::ops::RangeInclusive<usize> {
        self.lines_of(self.selection())
    }

    fn lines_of(&self, selection: Selection) -> std::ops::RangeInclusive<usize> {
        let range = selection.range();
        let first = self.line_of(range.start);
        let mut last = self.line_of(range.end);
        if last > first && range.end == self.line_start(last) {
            last -= 1;
        }
        first..=last
    }

    /// Returns the lines that any selection touches, in order.
    fn touched_lines(&self) -> Vec<usize> {
        let mut lines: Vec<usize> =
            self.carets().in_order().into_iter().flat_map(|(own, _)| self.lines_of(own)).collect();
        lines.dedup();
        lines
    }

    /// Returns whether a selection contains all of a line.
    fn is_whole_line(&self, selection: Selection, line: usize) -> bool {
        let (selected, start, end) = (selection.range(), self.line_start(line), self.line_end(line));
        !selected.is_empty() && selected.start <= start && selected.end >= end
    }

    /// Replaces each selection by spaces up to the next level; lines selected as a whole are indented by one level.
    pub fn indent(&mut self) {
        let is_inside = |own: Selection| {
            let lines = self.lines_of(own);
            lines.start() == lines.end() && !self.is_whole_line(own, *lines.start())
        };
        if self.carets().in_order().into_iter().all(|(own, _)| is_inside(own)) {
            return self.edit_carets(EditKind::Typing, |buffer, own, _| {
                let range = own.range();
                let column = buffer.place(range.start).1;
                CaretEdit::new(range, " ".repeat(INDENT - column % INDENT))
            });
        }
        self.shift_lines(self.touched_lines(), 1);
    }

    /// Removes one level of indent from all selected lines.
    pub fn unindent(&mut self) {
        self.shift_lines(self.touched_lines(), -1);
    }

    /// Indents lines by a number of levels, or removes as many, as one undo step. Empty lines stay.
    pub fn shift_lines(&mut self, lines: impl IntoIterator<Item = usize>, levels: isize) {
        let cells = INDENT * levels.unsigned_abs();
        let edits = { lines.into_iter() }
            .filter_map(|line| {
                let (text, start) = (self.line_text(line), self.line_start(line));
                if levels > 0 {
                    return (!text.is_empty()).then(|| (start..start, " ".repeat(cells)));
                }
                let (mut left, mut count) = (cells, 0);
                for c in text.chars().take_while(|c| matches!(c, ' ' | '\t')) {
                    if left == 0 {
                        break;
                    }
                    // A tab is a level.
                    left = left.saturating_sub(if c == '\t' { INDENT } else { 1 });
                    count += 1;
                }
                (count > 0).then(|| (start..start + count, String::new()))
            })
            .collect();
        self.change_all(edits);
    }

    /// Comments the selected lines, or uncomments them if all are comments.
    pub fn toggle_comment(&mut self) {
        let lines: Vec<(usize, String)> = { self.touched_lines().into_iter() }
            .map(|line| (line, self.line_text(line)))
            .filter(|(_, text)| !text.trim().is_empty())
            .collect();
        let indent = |text: &str| text.chars().take_while(|c| c.is_whitespace()).count();
        let edits = if lines.iter().all(|(_, text)| text.trim_start().starts_with("//")) {
            { lines.iter() }
                .map(|(line, text)| {
                    let start = self.line_start(*line) + indent(text);
                    let width = if text.trim_start().starts_with("// ") { 3 } else { 2 };
                    (start..start + width, String::new())
                })
                .collect()
        } else {
            let least = lines.iter().map(|(_, text)| indent(text)).min().unwrap_or(0);
            { lines.iter() }
                .map(|(line, _)| {
                    let start = self.line_start(*line) + least;
                    (start..start, "// ".to_string())
                })
                .collect()
        };
        self.change_all(edits);
    }

    /// Replaces ranges as one undo step, and moves both ends of all selections with the text. The ranges are ascending and do
    /// not overlap.
    pub fn change_all(&mut self, edits: Vec<(Range<usize>, String)>) {
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
        let carried = |own: Selection| Selection { anchor: carry(own.anchor), head: carry(own.head) };
        let Carets { main, others } = self.carets();
        let after = Carets { main: carried(main), others: others.into_iter().map(carried).collect() };
        self.replace_all(edits, after);
    }

    pub fn delete_lines(&mut self) {
        self.history.close();
        self.edit_carets(EditKind::Other, |buffer, own, _| {
            let line = buffer.line_of(own.head);
            let end = if line + 1 < buffer.lines() { buffer.line_start(line + 1) } else { buffer.len() };
            CaretEdit::new(buffer.line_start(line)..end, "")
        });
    }

    /// Returns the number of lines, without the empty one after a final line end.
    fn written_lines(&self) -> usize {
        self.lines() - usize::from(self.line(self.lines() - 1).len_chars() == 0)
    }

    /// Returns a line's text and its line end.
    fn parts(&self, line: usize) -> (String, String) {
        let (whole, text) = (String::from(self.line(line)), self.line_text(line));
        let end = whole[text.len()..].to_string();
        (text, end)
    }

    /// Moves the selected lines a line down, or up, as one undo step. Returns false at the end of the text.
    pub fn move_lines(&mut self, is_down: bool) -> bool {
        let lines = self.selected_lines();
        let (first, last) = (*lines.start(), *lines.end());
        let (from, to) = match is_down {
            true => (first, last + 1),
            false if first == 0 => return false,
            false => (first - 1, last),
        };
        if to >= self.written_lines() {
            return false;
        }
        let parts: Vec<(String, String)> = (from..=to).map(|line| self.parts(line)).collect();
        let mut texts: Vec<&str> = parts.iter().map(|(text, _)| text.as_str()).collect();
        if is_down {
            texts.rotate_right(1)
        } else {
            texts.rotate_left(1)
        }
        // Line ends stay in their places.
        let mut starts = vec![self.line_start(from)];
        let mut moved = String::new();
        for (text, (_, end)) in texts.iter().zip(&parts) {
            moved.push_str(text);
            moved.push_str(end);
            starts.push(starts[0] + moved.chars().count());
        }
        let carry = |position: usize| {
            let line = self.line_of(position);
            let own = if is_down { line + 1 } else { line - 1 };
            let start = starts.get(own - from).or(starts.last()).copied().unwrap_or(0);
            start + position - self.line_start(line)
        };
        let Selection { anchor, head } = self.selection();
        let after = Selection { anchor: carry(anchor), head: carry(head) };
        self.history.close();
        self.replace_all(vec![(starts[0]..self.line_start(to) + self.line(to).len_chars(), moved)], after);
        true
    }

    /// Inserts a copy of the selected lines below them, as one undo step, and moves the selection to the copy.
    pub fn duplicate_lines(&mut self) {
        let lines = self.selected_lines();
        let start = self.line_start(*lines.start());
        let end = self.line_start(*lines.end()) + self.line(*lines.end()).len_chars();
        let mut copy = self.slice(start..end);
        let mut by = end - start;
        if !copy.ends_with('\n') {
            copy.insert_str(0, self.line_ending());
            by += self.line_ending().len();
        }
        let Selection { anchor, head } = self.selection();
        self.history.close();
        self.replace_all(vec![(end..end, copy)], Selection { anchor: anchor + by, head: head + by });
    }
}
