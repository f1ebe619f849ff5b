//! Insertions: each is one undo step up to esc, and a number before its command repeats it.

use std::sync::Arc;

use super::edit::LONGEST;
use super::{Modal, Mode};
use crate::workbench::text::{Buffer, EditKind, Selection};

/// An insertion that is repeated at its end.
#[derive(Clone, Debug)]
pub(super) struct Insertion {
    count: usize,
    /// The position, in characters, at which it began.
    at: usize,
    /// The text before it.
    before: Arc<str>,
}

impl Modal {
    /// Begins to insert at a position; a number before the command repeats what is inserted.
    pub(super) fn begin_insertion(&mut self, buffer: &mut Buffer, at: usize, count: usize) {
        self.mode = Mode::Insert;
        buffer.gather_steps();
        self.insertion = (count > 1).then(|| Insertion { count, at, before: buffer.text().clone() });
    }
}

impl Insertion {
    /// Inserts again what was inserted. Returns why if it is not.
    pub(super) fn repeat(self, buffer: &mut Buffer) -> Option<&'static str> {
        let Insertion { count, at, before } = self;
        let text = buffer.text().clone();
        let from = buffer.byte_of(at);
        let end = (from + text.len()).saturating_sub(before.len());
        let is_insertion = text.get(..from) == before.get(..from)
            && text.get(end..).is_some_and(|rest| Some(rest) == before.get(from..));
        let Some(inserted) = text.get(from..end).filter(|_| is_insertion) else {
            return Some("not repeated: a number repeats what is inserted at one place");
        };
        if inserted.chars().count().saturating_mul(count) > LONGEST {
            return Some("not repeated: too much text");
        }
        let again = inserted.repeat(count - 1);
        let head = buffer.head() + again.chars().count();
        let end = buffer.position_of_byte(end);
        buffer.replace(end..end, &again, EditKind::Other);
        buffer.select(Selection::at(head));
        None
    }
}
