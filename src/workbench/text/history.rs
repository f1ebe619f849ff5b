//! Undo and redo as transactions. What is typed or erased in one go is one step; a word, a movement or a new line
//! ends it.

use super::Selection;

/// A replacement at one place, in characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    pub at: usize,
    pub removed: String,
    pub inserted: String,
}

impl Change {
    pub fn inverse(&self) -> Change {
        Change { at: self.at, removed: self.inserted.clone(), inserted: self.removed.clone() }
    }
    fn end(&self) -> usize {
        self.at + self.inserted.chars().count()
    }
}

/// What made an edit: edits of one kind that follow each other without a gap are one step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EditKind {
    Typing,
    Erasing,
    /// A part of a text that comes in pieces.
    Burst,
    Other,
}

/// What one undo takes back. The changes are in the order in which they were made.
#[derive(Clone, Debug)]
pub struct Step {
    pub changes: Vec<Change>,
    pub before: Selection,
    pub after: Selection,
    kind: EditKind,
}

/// Steps kept; older ones are forgotten.
const DEPTH: usize = 10_000;

#[derive(Clone, Debug, Default)]
pub struct History {
    done: Vec<Step>,
    undone: Vec<Step>,
    /// Whether the next edit may join the last step.
    open: bool,
}

impl History {
    /// Ends the current step: the next edit begins a new one.
    pub fn close(&mut self) {
        self.open = false;
    }
    /// Steps that can be undone.
    pub fn steps(&self) -> usize {
        self.done.len()
    }
    pub fn can_undo(&self) -> bool {
        !self.done.is_empty()
    }
    pub fn can_redo(&self) -> bool {
        !self.undone.is_empty()
    }

    /// Takes note of changes that have been made.
    pub fn record(&mut self, changes: Vec<Change>, before: Selection, after: Selection, kind: EditKind) {
        self.undone.clear();
        let joined = self.open
            && match (self.done.last_mut(), changes.as_slice()) {
                (Some(last), [change]) if last.kind == kind => match last.changes.as_mut_slice() {
                    [old] => join(old, change, kind),
                    _ => false,
                },
                _ => false,
            };
        if joined {
            if let Some(last) = self.done.last_mut() {
                last.after = after;
            }
        } else {
            if self.done.len() >= DEPTH {
                self.done.drain(..DEPTH / 10);
            }
            self.done.push(Step { changes, before, after, kind });
        }
        self.open = kind != EditKind::Other;
    }

    pub fn undo(&mut self) -> Option<Step> {
        let step = self.done.pop()?;
        self.undone.push(step.clone());
        self.open = false;
        Some(step)
    }
    pub fn redo(&mut self) -> Option<Step> {
        let step = self.undone.pop()?;
        self.done.push(step.clone());
        self.open = false;
        Some(step)
    }
}

/// Makes `new` a part of `old`, where they are one gesture.
fn join(old: &mut Change, new: &Change, kind: EditKind) -> bool {
    match kind {
        EditKind::Typing => {
            let word_begins =
                old.inserted.ends_with(char::is_whitespace) && !new.inserted.starts_with(char::is_whitespace);
            let line_begins = new.inserted.contains('\n');
            if new.at != old.end() || !new.removed.is_empty() || word_begins || line_begins {
                return false;
            }
            old.inserted.push_str(&new.inserted);
            true
        }
        EditKind::Burst if new.at == old.end() && new.removed.is_empty() => {
            old.inserted.push_str(&new.inserted);
            true
        }
        EditKind::Erasing if new.inserted.is_empty() && old.inserted.is_empty() => {
            let count = new.removed.chars().count();
            if new.at + count == old.at {
                old.at = new.at;
                old.removed.insert_str(0, &new.removed);
                true
            } else if new.at == old.at {
                old.removed.push_str(&new.removed);
                true
            } else {
                false
            }
        }
        _ => false,
    }
}
