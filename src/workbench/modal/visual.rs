//! The visual modes of vi: selections that motions extend, and commands on them.

use std::ops::Range;

use super::command::Action;
use super::edit::{after, join, lines, lines_of, overwrite};
use super::vi::text_end;
use super::{Modal, Mode, Outcome, Request};
use crate::workbench::text::{self, Buffer, Selection};

impl Modal {
    /// Shows the selection of a visual mode with the cursor at a position.
    pub(super) fn extend(&mut self, buffer: &mut Buffer, head: usize) {
        self.is_foreign = false;
        let line = buffer.line_of(self.origin);
        let anchor = match (self.mode, head < self.origin) {
            (Mode::SelectLines, true) => buffer.line_end(line),
            (Mode::SelectLines, false) => buffer.line_start(line),
            (_, true) => after(buffer, self.origin),
            (_, false) => self.origin,
        };
        buffer.select(Selection { anchor, head });
    }

    /// Returns the range of the visual modes, and whether it consists of lines.
    pub(super) fn visual_range(&self, buffer: &Buffer) -> (Range<usize>, bool) {
        let head = buffer.head();
        let (start, end) = (self.origin.min(head), self.origin.max(head));
        match self.mode {
            Mode::SelectLines => (lines(buffer, buffer.line_of(start), buffer.line_of(end)), true),
            _ if self.is_foreign => (buffer.selection().range(), false),
            // The last line end stays.
            _ => (start..buffer.target(text::Motion::Right, end, 0).min(text_end(buffer).max(start)), false),
        }
    }

    /// Runs a command on the selection of a visual mode.
    pub(super) fn act_on_selection(
        &mut self,
        buffer: &mut Buffer,
        action: Action,
        count: Option<usize>,
    ) -> Outcome {
        let (range, is_lines) = self.visual_range(buffer);
        let (first, last) = lines_of(buffer, &range);
        let mode = std::mem::take(&mut self.mode);
        match action {
            Action::Put { .. } => return self.put_over(buffer, range, is_lines, count.unwrap_or(1)),
            Action::Select | Action::SelectLines => {
                let wanted = if action == Action::Select { Mode::Select } else { Mode::SelectLines };
                let head = buffer.head();
                if wanted == mode {
                    buffer.select(Selection::at(head));
                } else {
                    self.mode = wanted;
                    self.extend(buffer, head);
                }
            }
            Action::SwapEnds => {
                self.mode = mode;
                let head = std::mem::replace(&mut self.origin, buffer.head());
                self.extend(buffer, head);
            }
            Action::Replace(with) => overwrite(buffer, range, with),
            Action::Join => {
                buffer.select(Selection::at(range.start));
                if !join(buffer, first, last.max(first + 1)) {
                    return Err("there is no line below");
                }
            }
            Action::CommandLine => {
                buffer.select(Selection::at(range.start));
                return Ok(Some(Request::CommandLine(format!("{},{}", first + 1, last + 1))));
            }
            _ => {
                self.mode = mode;
                return self.act_in_both(buffer, action, count);
            }
        }
        Ok(None)
    }
}
