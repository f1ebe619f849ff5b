//! Typing one character at each cursor, and the brackets that close themselves.
//!
//! A bracket that was closed automatically is typed over, so typing a text character by character yields the same text as
//! without this.

use crate::workbench::text::brackets::{closing, is_closing};
use crate::workbench::text::edits::INDENT;
use crate::workbench::text::{Buffer, CaretEdit, EditKind, Selection};

impl Buffer {
    /// Types one character in place of each selection. A `}` typed as the first character of a line removes one level of
    /// indent. If `closes`, an opening bracket also inserts its closing bracket unless text follows, or one without partner.
    pub fn type_char(&mut self, c: char, closes: bool) {
        if self.type_over(c) {
            return;
        }
        let has_room = |buffer: &Buffer, own: Selection| {
            own.is_empty() && buffer.ends_at(own.head) && !buffer.waits_for(c, own.head)
        };
        if let Some(close) = closing(c).filter(|_| closes && self.all_carets(has_room)) {
            self.edit_carets(EditKind::Typing, |_, own, _| CaretEdit {
                range: own.range(),
                text: format!("{c}{close}"),
                caret: 1,
            });
            let heads: Vec<usize> = self.carets().in_order().iter().map(|(own, _)| own.head).collect();
            return self.carried.expect_closers(heads);
        }
        self.edit_carets(EditKind::Typing, |buffer, own, _| {
            let from = match c {
                '}' if own.is_empty() && buffer.is_indented_at(own.head) => own.head - INDENT,
                _ => own.range().start,
            };
            CaretEdit::new(from..own.range().end, c)
        });
    }

    fn all_carets(&self, is_so: impl Fn(&Buffer, Selection) -> bool) -> bool {
        self.carets().in_order().into_iter().all(|(own, _)| is_so(self, own))
    }

    /// Returns whether only spaces are before a position in its line, at least one level of them.
    fn is_indented_at(&self, position: usize) -> bool {
        let before = self.slice(self.line_start(self.line_of(position))..position);
        before.len() >= INDENT && before.chars().all(|c| c == ' ')
    }

    /// Returns whether no text follows a position that an opening bracket there could enclose.
    fn ends_at(&self, position: usize) -> bool {
        self.char_at(position).is_none_or(|c| c.is_whitespace() || is_closing(c) || matches!(c, ',' | ';'))
    }

    /// Moves each cursor over the automatic closing bracket that is next, if `c` is that bracket. Blank lines before the
    /// bracket are removed. Returns whether this was done.
    fn type_over(&mut self, c: char) -> bool {
        let closers = self.carried.closers().to_vec();
        let next = |buffer: &Buffer, own: Selection| {
            let at = closers.iter().copied().find(|at| *at >= own.head).filter(|_| own.is_empty())?;
            let is_blank = buffer.slice(own.head..at).chars().all(char::is_whitespace);
            (is_blank && buffer.char_at(at) == Some(c)).then_some(at)
        };
        if closers.is_empty() || !self.all_carets(|buffer, own| next(buffer, own).is_some()) {
            return false;
        }
        if self.all_carets(|buffer, own| next(buffer, own) == Some(own.head)) {
            let carets = self.carets();
            self.carried.forget(carets.in_order().iter().map(|(own, _)| own.head));
            self.selection = Selection::at(carets.main.head + 1);
            self.others = carets.others.iter().map(|own| Selection::at(own.head + 1)).collect();
            self.history.close();
            return true;
        }
        self.history.close();
        self.edit_carets(EditKind::Other, |buffer, own, _| {
            let at = next(buffer, own).unwrap_or(own.head);
            let line = buffer.line_start(buffer.line_of(at));
            if line <= own.head {
                return CaretEdit::new(own.head..at + 1, c);
            }
            // A bracket on a line of its own keeps its indent.
            let kept = format!("{}{}{c}", buffer.line_ending(), buffer.slice(line..at));
            CaretEdit::new(buffer.blank_start(own.head)..at + 1, kept)
        });
        true
    }

    /// Returns the end of the text before a position: in its line, or in the line before if its own is blank.
    fn blank_start(&self, position: usize) -> usize {
        let line = self.line_of(position);
        let before = self.slice(self.line_start(line)..position);
        match before.trim().is_empty() && line > 0 {
            true => self.line_end(line - 1),
            false => position - (before.chars().count() - before.trim_end().chars().count()),
        }
    }

    /// Returns whether a cursor is between a bracket and the one that closed it automatically.
    pub(super) fn is_in_empty_pair(&self, position: usize) -> bool {
        let open = position.checked_sub(1).and_then(|at| self.char_at(at));
        let close = open.and_then(closing);
        close.is_some() && self.carried.closers().contains(&position) && self.char_at(position) == close
    }

    /// Removes the automatic closing brackets after the cursor that a text brings itself.
    pub(super) fn drop_closers_of(&mut self, text: &str) {
        let mut open = Vec::new();
        let mut unmatched = Vec::new();
        for c in text.chars() {
            match closing(c) {
                Some(close) => open.push(close),
                None if is_closing(c) && open.pop().is_none() => unmatched.push(c),
                None => {}
            }
        }
        let head = self.head();
        let next: Vec<usize> = self.carried.closers().iter().copied().filter(|at| *at >= head).collect();
        let brought = next.into_iter().zip(unmatched).take_while(|(at, c)| self.char_at(*at) == Some(*c));
        let edits: Vec<_> = brought.map(|(at, _)| (at..at + 1, String::new())).collect();
        if !edits.is_empty() {
            self.replace_all(edits, self.selection);
        }
    }
}
