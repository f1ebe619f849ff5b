//! Several cursors: an edit or a movement acts at each of them.

use std::ops::Range;

use crate::workbench::text::history::TextChange;
use crate::workbench::text::{Buffer, Carets, EditKind, Selection};

/// The maximum number of cursors.
const MOST: usize = 1_000;

pub(super) struct CaretEdit {
    pub range: Range<usize>,
    pub text: String,
    /// The cursor afterwards, in characters from the start of the insertion.
    pub caret: usize,
}

impl CaretEdit {
    /// Replaces a range, with the cursor at the end of the insertion.
    pub fn new(range: Range<usize>, text: impl Into<String>) -> CaretEdit {
        let text = text.into();
        CaretEdit { range, caret: text.chars().count(), text }
    }
}

impl Buffer {
    /// The maximum number of cursors.
    pub const MOST_CARETS: usize = MOST;

    pub fn carets(&self) -> Carets {
        Carets { main: self.selection, others: self.others.clone() }
    }
    /// Returns the cursors other than the main one, in text order.
    pub fn others(&self) -> &[Selection] {
        &self.others
    }

    /// Places the cursors. The next edit starts a new undo step.
    pub fn set_carets(&mut self, carets: Carets) {
        let Carets { main, others } = carets;
        self.select(main);
        let len = self.len();
        let within = |own: Selection| Selection { anchor: own.anchor.min(len), head: own.head.min(len) };
        let carets = Carets::new(self.selection, others.into_iter().map(within).collect());
        (self.selection, self.others) = (carets.main, carets.others);
    }

    /// Edits at each cursor as one undo step; the step joins the previous one if the kinds allow. Where two edits
    /// overlap, the second keeps the rest of its range.
    pub(super) fn edit_carets(
        &mut self,
        kind: EditKind,
        edit: impl Fn(&Buffer, Selection, usize) -> CaretEdit,
    ) {
        let before = self.carets();
        let mut end = 0;
        let mut edits: Vec<(CaretEdit, bool)> = Vec::new();
        for (number, (own, is_main)) in before.in_order().into_iter().enumerate() {
            let mut edit = edit(self, own, number);
            edit.range.start = edit.range.start.max(end).min(self.len());
            edit.range.end = edit.range.end.max(edit.range.start).min(self.len());
            end = edit.range.end;
            edits.push((edit, is_main));
        }
        let (mut main, mut others, mut shift) = (before.main, Vec::new(), 0);
        for (edit, is_main) in &edits {
            let caret = (edit.range.start + edit.caret).saturating_add_signed(shift);
            match is_main {
                true => main = Selection::at(caret),
                false => others.push(Selection::at(caret)),
            }
            shift += edit.text.chars().count() as isize - edit.range.len() as isize;
        }
        let mut changes = Vec::new();
        for (CaretEdit { range, text, .. }, _) in edits.into_iter().rev() {
            if !range.is_empty() || !text.is_empty() {
                let change = TextChange { at: range.start, removed: self.slice(range), inserted: text };
                self.apply(&change);
                changes.push(change);
            }
        }
        if changes.is_empty() {
            return;
        }
        let after = Carets::new(main, others);
        (self.selection, self.others) = (after.main, after.others.clone());
        self.goal = None;
        self.history.record(changes, before, after, kind);
    }

    /// Adds a cursor at the next occurrence of the selection; without a selection, selects the word at each cursor.
    ///
    /// # Errors
    /// Says why if there is no other occurrence, nothing to look for, or no room for another cursor.
    pub fn add_caret_at_next(&mut self) -> Result<(), &'static str> {
        if self.selection.is_empty() {
            let word = |own: Selection| self.word_around(own.head).unwrap_or(own);
            let carets = self.carets();
            let main = word(carets.main);
            if main.is_empty() {
                return Err("no word here: select what the next cursor looks for");
            }
            let others = carets.others.into_iter().map(word).collect();
            self.set_carets(Carets { main, others });
            return Ok(());
        }
        if self.others.len() + 1 >= MOST {
            return Err("there are as many cursors as are allowed");
        }
        let found = self.next_occurrence().ok_or("there is no other occurrence")?;
        let mut carets = self.carets();
        carets.others.push(carets.main);
        self.set_carets(Carets { main: found, others: carets.others });
        Ok(())
    }

    /// Returns the next text like the selection that no cursor selects, wrapping around at the end. If a whole word is
    /// selected, only whole words are alike.
    fn next_occurrence(&self) -> Option<Selection> {
        let needle = self.selected_text();
        let is_word = |range: Range<usize>| self.word_at(range.start).range() == range;
        let whole = is_word(self.selection.range());
        let text = self.text();
        let from = self.byte_of(self.selection.range().end);
        let after = text[from..].match_indices(&needle).map(|(at, _)| from + at);
        let before = text.match_indices(&needle).map(|(at, _)| at).take_while(|at| *at < from);
        let ranges =
            after.chain(before).map(|at| self.position_of_byte(at)..self.position_of_byte(at + needle.len()));
        let taken = self.carets();
        let is_taken = |range: &Range<usize>| {
            let own = Selection { anchor: range.start, head: range.end };
            taken.main.overlaps(own) || taken.others.iter().any(|other| other.overlaps(own))
        };
        let mut fitting = ranges.filter(|range| !is_taken(range) && (!whole || is_word(range.clone())));
        fitting.next().map(|range| Selection { anchor: range.start, head: range.end })
    }

    /// Adds a cursor on the line above or below the newest one, in the same column. Returns whether there is such a line.
    pub fn add_caret_on_next_line(&mut self, is_below: bool) -> bool {
        let (line, column) = self.place(self.selection.head);
        let last = self.lines() - 1;
        let next = if is_below { Some(line + 1).filter(|next| *next <= last) } else { line.checked_sub(1) };
        let Some(next) = next.filter(|_| self.others.len() + 1 < MOST) else { return false };
        let goal = self.goal.as_ref().and_then(|goals| goals.first().copied()).unwrap_or(column);
        let head = Selection::at(self.position_at(next, goal));
        let mut carets = self.carets();
        carets.others.push(carets.main);
        self.set_carets(Carets { main: head, others: carets.others });
        self.goal = Some(vec![goal; self.others.len() + 1]);
        true
    }

    /// Drops all cursors but the main one. Returns whether there were several.
    pub fn keep_main_caret(&mut self) -> bool {
        let had_several = !self.others.is_empty();
        if had_several {
            self.select(self.selection);
        }
        had_several
    }
}
