//! Insertions: each is one undo step up to esc, and a number before its command repeats it. `.` runs the last command that
//! changed the text again, with its insertion.

use std::sync::Arc;

use super::command::Command;
use super::registers::LONGEST;
use super::{KeySet, Modal, Mode, Outcome};
use crate::workbench::text::{Buffer, EditKind, Motion, Selection};

/// An insertion that has begun.
#[derive(Clone, Debug)]
pub(super) struct Insertion {
    count: usize,
    /// The position, in characters, at which it began.
    at: usize,
    /// The text before it.
    before: Arc<str>,
    /// Whether each repetition is on a line of its own.
    pub is_line: bool,
}

/// A command that changed the text, for `.`.
#[derive(Clone, Debug)]
pub(super) struct Change {
    pub command: Command,
    /// The text that was inserted up to esc.
    pub text: Option<String>,
}

impl Modal {
    /// Edits, then begins to insert at the cursor. A number before the command repeats what is inserted.
    pub(super) fn insert(
        &mut self,
        buffer: &mut Buffer,
        count: usize,
        edit: impl FnOnce(&mut Modal, &mut Buffer),
    ) {
        buffer.gather_steps();
        edit(self, buffer);
        self.mode = Mode::Insert;
        let (at, before) = (buffer.head(), buffer.text().clone());
        self.insertion = Some(Insertion { count, at, before, is_line: false });
    }

    /// Returns to normal mode. Returns why the insertion is not repeated, if it should be.
    pub(super) fn end_insertion(&mut self, buffer: &mut Buffer) -> Option<&'static str> {
        self.mode = Mode::Normal;
        let ended = self.insertion.take().map(|insertion| insertion.end(buffer));
        let said = match ended {
            Some(Ok(text)) => {
                if let Some(change) = &mut self.change {
                    change.text = Some(text);
                }
                None
            }
            Some(Err(why)) => {
                self.change = None;
                why
            }
            None => {
                self.change = None;
                None
            }
        };
        buffer.join_gathered_steps();
        let head = buffer.head();
        if self.set == KeySet::Vi && head > buffer.line_start(buffer.line_of(head)) {
            buffer.select(Selection::at(buffer.target(Motion::Left, head, 0)));
        }
        said
    }

    /// Runs the last command that changed the text again; a number replaces its number.
    pub(super) fn repeat(&mut self, buffer: &mut Buffer, count: Option<usize>) -> Outcome {
        let Some(Change { mut command, text }) = self.change.clone() else {
            return Err(
                "nothing to repeat: no command has changed the text, or its insertion was at several places",
            );
        };
        command.count = count.or(command.count);
        let wants = self.run(command, buffer)?;
        if self.mode == Mode::Insert {
            let head = buffer.head();
            buffer.replace(head..head, &text.unwrap_or_default(), EditKind::Other);
            self.end_insertion(buffer).map_or(Ok(()), Err)?;
        }
        Ok(wants)
    }
}

impl Insertion {
    /// Inserts again what was inserted, and returns it.
    ///
    /// # Errors
    /// If it was not at one place, or is too long; says why if a number should repeat it.
    fn end(self, buffer: &mut Buffer) -> Result<String, Option<&'static str>> {
        let Insertion { count, at, before, is_line } = self;
        let text = buffer.text().clone();
        let from = buffer.byte_of(at);
        let end = (from + text.len()).saturating_sub(before.len());
        let is_insertion = text.get(..from) == before.get(..from)
            && text.get(end..).is_some_and(|rest| Some(rest) == before.get(from..));
        let inserted = text.get(from..end).filter(|_| is_insertion);
        let refused = |why| (count > 1).then_some(why);
        let inserted =
            inserted.ok_or_else(|| refused("not repeated: a number repeats what is inserted at one place"))?;
        if inserted.chars().count().saturating_mul(count) > LONGEST {
            return Err(refused("not repeated: too much text"));
        }
        if !is_line {
            let again = inserted.repeat(count - 1);
            let (end, head) = (buffer.position_of_byte(end), buffer.head() + again.chars().count());
            buffer.replace(end..end, &again, EditKind::Other);
            buffer.select(Selection::at(head));
        }
        for _ in 1..if is_line { count } else { 1 } {
            buffer.select(Selection::at(buffer.line_end(buffer.line_of(buffer.head()))));
            buffer.new_line();
            let head = buffer.head();
            buffer.replace(head..head, inserted, EditKind::Other);
        }
        Ok(inserted.to_string())
    }
}
