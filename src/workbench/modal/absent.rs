//! Commands of vi and helix that are absent. All keys of such a command are swallowed: none acts as a command of its own.

use super::{KeySet, Modal, Mode, Prefix, Request};
use crate::workbench::text::Buffer;

/// The message for commands that are absent.
pub(super) const ABSENT: &str = "no such command; docs/keys-modal.md lists all, F1 the other keys";

/// The message while a text is swallowed.
pub(super) const UNUSED: &str = "no such command: its text up to enter is not used; esc ends it";

/// The keys of a command after the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rest {
    Keys(u8),
    /// A text that enter ends.
    Line,
    /// The name of a register, then a command.
    Register,
}

impl Modal {
    /// Returns the keys that follow the first key of an absent command, if any do.
    pub(super) fn rest_of_absent(&self, c: char) -> Option<Rest> {
        let operator = self.operator.map(|(operator, _)| operator);
        if self.prefix.is_some() || operator == Some(c) {
            return None;
        }
        let (is_free, is_selecting) = (operator.is_none(), self.mode != Mode::Normal);
        Some(match (self.set, c) {
            (KeySet::Helix, '"') => Rest::Register,
            (KeySet::Helix, 's' | 'S' | 'K' | '|' | '!' | '?') => Rest::Line,
            (KeySet::Helix, ' ' | '[' | ']' | 'z' | 'Z') => Rest::Keys(1),
            (KeySet::Helix, _) => return None,
            (_, '"') if is_free => Rest::Register,
            (_, 'm' | 'q' | '@' | 'Z') if is_free => Rest::Keys(1),
            (_, '\'' | '`' | '[' | ']' | 'z') => Rest::Keys(1),
            // Text objects.
            (_, 'i' | 'a') if is_selecting || !is_free => Rest::Keys(1),
            (_, '?') => Rest::Line,
            (_, '/') if is_selecting || !is_free => Rest::Line,
            (_, '!') if is_selecting => Rest::Line,
            _ => return None,
        })
    }

    /// Begins to swallow the rest of an absent command.
    pub(super) fn begin_absent(&mut self, first: char, rest: Rest) -> Option<Request> {
        self.prefix = Some(Prefix::Absent(first, rest));
        (rest == Rest::Line).then_some(Request::Say(UNUSED))
    }

    /// Swallows a key of an absent command.
    pub(super) fn swallow(&mut self, first: char, rest: Rest, c: char) -> Option<Request> {
        match (rest, first, c) {
            (Rest::Register, ..) => {
                (self.prefix, self.is_refused) = (None, true);
                None
            }
            (Rest::Keys(count @ 2..), ..) => self.begin_absent(first, Rest::Keys(count - 1)),
            // Menus of helix: windows have another key, lists a text.
            (Rest::Keys(_), ' ', 'w') => self.begin_absent('w', Rest::Keys(1)),
            (Rest::Keys(_), ' ', _) if "fFbjgsSdDr'/?".contains(c) => self.begin_absent(c, Rest::Line),
            _ => self.refuse(ABSENT),
        }
    }

    /// Handles a key of a command for a register with a name. It is tried on a copy of the text, to find its end.
    pub(super) fn press_refused(&mut self, c: char, buffer: &Buffer) -> Option<Request> {
        let (mut trial, mut copy) = (Modal { is_refused: false, ..self.clone() }, Buffer::new(buffer.text()));
        copy.select(buffer.selection());
        let wanted = trial.press_character(c, &mut copy);
        if trial.is_begun() {
            *self = Modal { is_refused: true, ..trial };
            return wanted;
        }
        match wanted {
            // These ask for a text.
            Some(Request::Search | Request::CommandLine) => {
                self.forget();
                wanted
            }
            _ => self.refuse("registers have no names here: p puts what was deleted or copied last"),
        }
    }
}
