//! The text being edited: a rope, one cursor or several, and a history of transactions.
//!
//! Positions are counted in characters of the rope. Lines end at `\n`; a preceding `\r` is kept and moves
//! with it as one grapheme, so a file's line ends survive editing byte for byte. This module does not depend
//! on files, screens or engines.

mod brackets;
mod carets;
mod carried;
mod edits;
mod glyph;
mod history;
mod lines;
mod movement;
mod pairs;
mod rows;
mod search;
mod selections;
mod wrap;

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use ropey::{Rope, RopeSlice};

pub use brackets::is_bracket;
use carets::CaretEdit;
use carried::Carried;
pub use glyph::{Glyph, glyphs, visible};
pub use history::EditKind;
use history::{History, TextChange};
pub use movement::Motion;
pub use rows::ScreenRow;
pub use search::{Finder, TextMatch};
pub use selections::Carets;
pub use wrap::{columns, fit, wrap};

/// A selection between `anchor` and `head`; the cursor is at `head`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    pub anchor: usize,
    pub head: usize,
}

impl Selection {
    /// Creates a cursor with nothing selected.
    pub fn at(position: usize) -> Selection {
        Selection { anchor: position, head: position }
    }
    pub fn range(self) -> Range<usize> {
        self.anchor.min(self.head)..self.anchor.max(self.head)
    }
    pub fn is_empty(self) -> bool {
        self.anchor == self.head
    }
}

/// The text and its editing state.
#[derive(Clone, Debug)]
pub struct Buffer {
    rope: Rope,
    /// The whole text as one string, shared with the engine; made when it is first asked for after a change.
    text: OnceLock<Arc<str>>,
    /// The main cursor, which the screen follows.
    selection: Selection,
    /// The other cursors, in text order.
    others: Vec<Selection>,
    /// The columns that vertical movement aims for: of the main cursor, then of the others.
    goal: Option<Vec<usize>>,
    history: History,
    /// Places that move with the text.
    carried: Carried,
}

impl Buffer {
    pub fn new(text: &str) -> Buffer {
        Buffer {
            rope: Rope::from_str(text),
            text: OnceLock::from(Arc::from(text)),
            selection: Selection::default(),
            others: Vec::new(),
            goal: None,
            history: History::default(),
            carried: Carried::default(),
        }
    }

    pub fn text(&self) -> &Arc<str> {
        self.text.get_or_init(|| String::from(&self.rope).into())
    }
    pub fn selection(&self) -> Selection {
        self.selection
    }
    /// Returns the cursor's position.
    pub fn head(&self) -> usize {
        self.selection.head
    }
    pub fn len(&self) -> usize {
        self.rope.len_chars()
    }
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Returns the number of lines: one more than the number of line ends.
    pub fn lines(&self) -> usize {
        self.rope.len_lines()
    }

    /// Returns a line with its line end.
    pub fn line(&self, line: usize) -> RopeSlice<'_> {
        self.rope.line(line.min(self.lines() - 1))
    }
    /// Returns a line without its line end.
    pub fn line_text(&self, line: usize) -> String {
        let mut text = String::from(self.line(line));
        if text.ends_with('\n') {
            text.pop();
            if text.ends_with('\r') {
                text.pop();
            }
        }
        text
    }
    pub fn line_of(&self, position: usize) -> usize {
        self.rope.char_to_line(position.min(self.len()))
    }
    pub fn line_start(&self, line: usize) -> usize {
        self.rope.line_to_char(line.min(self.lines()))
    }
    /// Returns the end of a line, before its line end.
    pub fn line_end(&self, line: usize) -> usize {
        self.line_start(line) + self.line_text(line).chars().count()
    }
    pub fn byte_of(&self, position: usize) -> usize {
        self.rope.char_to_byte(position.min(self.len()))
    }
    /// Returns the position at or before a byte offset.
    pub fn position_of_byte(&self, byte: usize) -> usize {
        self.rope.byte_to_char(byte.min(self.rope.len_bytes()))
    }
    pub fn char_at(&self, position: usize) -> Option<char> {
        self.rope.get_char(position)
    }
    pub fn slice(&self, range: Range<usize>) -> String {
        String::from(self.rope.slice(range.start.min(self.len())..range.end.min(self.len())))
    }
    pub fn selected_text(&self) -> String {
        self.slice(self.selection.range())
    }

    /// Returns the line and the display column of a position, both from 0.
    pub fn place(&self, position: usize) -> (usize, usize) {
        let line = self.line_of(position);
        (line, self.column_in(line, position))
    }
    /// Returns the line and column of a position from 1, with the column in characters, as in messages of
    /// Myriad.
    pub fn place_in_characters(&self, position: usize) -> (usize, usize) {
        let line = self.line_of(position);
        (line + 1, position.min(self.len()) - self.line_start(line) + 1)
    }
    pub fn column_in(&self, line: usize, position: usize) -> usize {
        let text = self.line_text(line);
        let mut at = self.line_start(line);
        let mut column = 0;
        for glyph in glyphs(&text) {
            if at >= position {
                break;
            }
            at += glyph.chars;
            column += glyph.width;
        }
        column
    }
    /// Returns the position in a line whose glyph covers a display column, or the end of the line.
    pub fn position_at(&self, line: usize, column: usize) -> usize {
        let line = line.min(self.lines() - 1);
        let text = self.line_text(line);
        let mut at = self.line_start(line);
        let mut here = 0;
        for glyph in glyphs(&text) {
            here += glyph.width;
            if here > column {
                break;
            }
            at += glyph.chars;
        }
        at
    }

    /// Selects a range, or places the cursor if the range is empty; other cursors are dropped. The next edit starts a new
    /// undo step.
    pub fn select(&mut self, selection: Selection) {
        let len = self.len();
        self.selection = Selection { anchor: selection.anchor.min(len), head: selection.head.min(len) };
        self.others.clear();
        self.goal = None;
        self.carried.forget_closers();
        self.history.close();
    }
    pub fn select_all(&mut self) {
        self.select(Selection { anchor: 0, head: self.len() });
    }

    /// Returns the line end for new lines: the first line's, as files rarely mix them.
    pub fn line_ending(&self) -> &'static str {
        let first = self.rope.line(0);
        let n = first.len_chars();
        if n >= 2 && first.char(n - 2) == '\r' && first.char(n - 1) == '\n' { "\r\n" } else { "\n" }
    }

    /// Replaces a range. The change is one undo step, or joins the previous step if the kinds allow. The
    /// cursor moves to the end of the insertion; other cursors are dropped.
    pub fn replace(&mut self, range: Range<usize>, with: &str, kind: EditKind) {
        let range = range.start.min(self.len())..range.end.min(self.len());
        if range.is_empty() && with.is_empty() {
            return;
        }
        let before = self.carets();
        let change = TextChange { at: range.start, removed: self.slice(range), inserted: with.to_string() };
        let after = Selection::at(change.at + with.chars().count());
        self.apply(&change);
        self.selection = after;
        self.others.clear();
        self.goal = None;
        self.history.record(vec![change], before, after.into(), kind);
    }

    /// Replaces several ranges as one undo step, then selects. The ranges are ascending and do not overlap.
    pub fn replace_all(&mut self, edits: Vec<(Range<usize>, String)>, after: impl Into<Carets>) {
        if edits.is_empty() {
            return;
        }
        let before = self.carets();
        let mut changes = Vec::new();
        for (range, with) in edits.into_iter().rev() {
            let change = TextChange { at: range.start, removed: self.slice(range), inserted: with };
            self.apply(&change);
            changes.push(change);
        }
        self.set_carets(after.into());
        self.history.record(changes, before, self.carets(), EditKind::Other);
    }

    /// Replaces the whole text after an external edit, changing only the range that differs. The cursor keeps
    /// its line and column.
    pub fn reload(&mut self, text: &str) {
        let (line, column) = self.place(self.head());
        let (prefix, suffix) = common_prefix_and_suffix(self.text(), text);
        let start = self.position_of_byte(prefix);
        let end = self.position_of_byte(self.rope.len_bytes() - suffix);
        self.history.close();
        self.history.leave_apart();
        self.replace(start..end, &text[prefix..text.len() - suffix], EditKind::Other);
        self.select(Selection::at(self.position_at(line, column)));
    }

    /// Undoes the last step. Returns false if nothing is done.
    pub fn undo(&mut self) -> bool {
        let Some(step) = self.history.undo() else { return false };
        for change in step.changes.iter().rev() {
            self.apply(&change.inverse());
        }
        self.set_carets(step.before);
        true
    }
    /// Redoes the step undone last. Returns false if nothing is undone.
    pub fn redo(&mut self) -> bool {
        let Some(step) = self.history.redo() else { return false };
        for change in &step.changes {
            self.apply(change);
        }
        self.set_carets(step.after);
        true
    }
    /// Ends the current undo step: the next edit starts a new one.
    pub fn close_step(&mut self) {
        self.history.close();
    }
    /// Gathers the undo steps from now on, until they are joined. A text that is loaded meanwhile leaves them apart.
    pub fn gather_steps(&mut self) {
        self.history.gather();
    }
    /// Joins the gathered undo steps into one.
    pub fn join_gathered_steps(&mut self) {
        self.history.join_gathered();
    }
    /// Returns the number of steps that are done, including those too old to be undone.
    pub fn steps(&self) -> usize {
        self.history.steps()
    }
    pub fn can_undo(&self) -> bool {
        self.history.can_undo()
    }
    pub fn can_redo(&self) -> bool {
        self.history.can_redo()
    }

    fn apply(&mut self, change: &TextChange) {
        let end = change.at + change.removed.chars().count();
        self.rope.remove(change.at..end);
        self.rope.insert(change.at, &change.inserted);
        self.carried.carry(change.at..end, change.inserted.chars().count());
        self.text.take();
    }
}

/// The number of bytes that are compared at once: every key compares the whole text with the last one that was compiled.
const BLOCK: usize = 1024;

/// Returns the number of equal bytes at the start.
fn equal_start(x: &[u8], y: &[u8]) -> usize {
    let blocks = x.chunks_exact(BLOCK).zip(y.chunks_exact(BLOCK)).take_while(|(x, y)| x == y).count() * BLOCK;
    blocks + x[blocks..].iter().zip(&y[blocks..]).take_while(|(x, y)| x == y).count()
}

/// Returns the length in bytes of the longest common prefix, and of the longest common suffix of the
/// remainder, both at character boundaries.
pub fn common_prefix_and_suffix(a: &str, b: &str) -> (usize, usize) {
    let mut prefix = equal_start(a.as_bytes(), b.as_bytes());
    while !a.is_char_boundary(prefix) || !b.is_char_boundary(prefix) {
        prefix -= 1;
    }
    let (a, b) = (&a[prefix..], &b[prefix..]);
    let (x, y) = (a.as_bytes(), b.as_bytes());
    let blocks = x.rchunks_exact(BLOCK).zip(y.rchunks_exact(BLOCK)).take_while(|(x, y)| x == y).count() * BLOCK;
    let (x, y) = (&x[..x.len() - blocks], &y[..y.len() - blocks]);
    let mut suffix = blocks + x.iter().rev().zip(y.iter().rev()).take_while(|(x, y)| x == y).count();
    while !a.is_char_boundary(a.len() - suffix) || !b.is_char_boundary(b.len() - suffix) {
        suffix -= 1;
    }
    (prefix, suffix)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefix_and_suffix_of_long_texts_end_at_the_change() {
        let old = "ab cd\n".repeat(BLOCK / 2);
        for at in [0, 1, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK, old.len() - 1, old.len()] {
            let new = format!("{}é{}", &old[..at], &old[at..]);
            assert_eq!(common_prefix_and_suffix(&old, &new), (at, old.len() - at), "{at}");
            assert_eq!(common_prefix_and_suffix(&new, &old), (at, old.len() - at), "{at}");
        }
        assert_eq!(common_prefix_and_suffix(&old, &old), (old.len(), 0));
        assert_eq!(common_prefix_and_suffix("", "x"), (0, 0));
    }
}
