//! Undo and redo as transactions. Text typed or erased in one go is one step, at one cursor or at several; a word, a
//! movement or a new line ends the step.

use crate::workbench::text::Carets;

/// A replacement at one position, in characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextChange {
    pub at: usize,
    pub removed: String,
    pub inserted: String,
}

impl TextChange {
    /// Returns the bytes of text in the change.
    fn bytes(&self) -> usize {
        self.removed.len() + self.inserted.len()
    }
    pub fn inverse(&self) -> TextChange {
        TextChange { at: self.at, removed: self.inserted.clone(), inserted: self.removed.clone() }
    }
    fn end(&self) -> usize {
        self.at + self.inserted.chars().count()
    }
}

/// The kind of an edit: adjacent edits of one kind form one step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EditKind {
    Typing,
    Erasing,
    /// A piece of text that arrives in several pieces.
    Burst,
    Other,
}

/// A step that undo reverts. The changes are in the order in which they were made.
#[derive(Clone, Debug)]
pub struct HistoryStep {
    pub changes: Vec<TextChange>,
    pub before: Carets,
    pub after: Carets,
    kind: EditKind,
}

impl HistoryStep {
    fn bytes(&self) -> usize {
        self.changes.iter().map(TextChange::bytes).sum()
    }
}

/// The maximum number of steps; the oldest are dropped.
const DEPTH: usize = 10_000;
/// The maximum number of bytes in all steps. The last step is always kept, so that it can be undone.
const BYTES: usize = 64 << 20;

#[derive(Clone, Debug, Default)]
pub struct History {
    done: Vec<HistoryStep>,
    undone: Vec<HistoryStep>,
    /// The bytes in all steps, done and undone.
    bytes: usize,
    /// The number of steps that were dropped because they were old.
    forgotten: usize,
    /// Whether the next edit may join the last step.
    open: bool,
    /// The first of the steps that are gathered into one.
    gathered: Option<usize>,
}

impl History {
    /// Ends the current step: the next edit starts a new one.
    pub fn close(&mut self) {
        self.open = false;
    }
    /// Gathers the steps from now on, until they are joined or left apart.
    pub fn gather(&mut self) {
        self.close();
        self.gathered = Some(self.done.len());
    }
    /// Leaves the gathered steps apart.
    pub fn leave_apart(&mut self) {
        self.gathered = None;
    }
    /// Joins the gathered steps into one.
    pub fn join_gathered(&mut self) {
        self.close();
        let Some(first) = self.gathered.take().filter(|first| *first < self.done.len()) else { return };
        let joined = self.done.split_off(first).into_iter().reduce(|mut step, next| {
            step.changes.extend(next.changes);
            step.after = next.after;
            step
        });
        self.done.extend(joined);
    }
    /// Returns the number of steps that are done, including those too old to be undone.
    pub fn steps(&self) -> usize {
        self.forgotten + self.done.len()
    }
    pub fn can_undo(&self) -> bool {
        !self.done.is_empty()
    }
    pub fn can_redo(&self) -> bool {
        !self.undone.is_empty()
    }

    /// Records changes that have been made.
    pub fn record(&mut self, changes: Vec<TextChange>, before: Carets, after: Carets, kind: EditKind) {
        let gone: usize = self.undone.drain(..).map(|step| step.bytes()).sum();
        self.bytes += changes.iter().map(TextChange::bytes).sum::<usize>();
        self.bytes -= gone;
        let joined = self.open
            && self
                .done
                .last_mut()
                .is_some_and(|last| last.kind == kind && join_all(&mut last.changes, &changes, kind));
        if joined {
            if let Some(last) = self.done.last_mut() {
                last.after = after;
            }
        } else {
            if self.done.len() >= DEPTH {
                self.forget(DEPTH / 10);
            }
            self.done.push(HistoryStep { changes, before, after, kind });
        }
        self.open = kind != EditKind::Other;
        if self.bytes > BYTES {
            // Drop more than necessary, so that this is rare.
            let mut left = self.bytes;
            let old = self.done.iter().take_while(|step| {
                let over = left > BYTES / 10 * 9;
                left -= step.bytes();
                over
            });
            let count = old.count().min(self.done.len().saturating_sub(1));
            self.forget(count);
        }
    }

    /// Drops a number of the oldest steps.
    fn forget(&mut self, count: usize) {
        let gone: usize = self.done.drain(..count).map(|step| step.bytes()).sum();
        self.bytes -= gone;
        self.gathered = self.gathered.and_then(|first| first.checked_sub(count));
        self.forgotten += count;
    }

    pub fn undo(&mut self) -> Option<HistoryStep> {
        let step = self.done.pop()?;
        self.undone.push(step.clone());
        self.open = false;
        // Steps before those that are gathered stay apart.
        self.gathered.take_if(|first| self.done.len() < *first);
        Some(step)
    }
    pub fn redo(&mut self) -> Option<HistoryStep> {
        let step = self.undone.pop()?;
        self.done.push(step.clone());
        self.open = false;
        Some(step)
    }
}

/// Merges the changes at each cursor if all are one gesture. Returns whether it did. Both lists are in descending order
/// of position, and the places of `new` are in the text that `old` left.
fn join_all(old: &mut Vec<TextChange>, new: &[TextChange], kind: EditKind) -> bool {
    if let ([old], [new]) = (old.as_mut_slice(), new) {
        return join(old, new, kind);
    }
    if old.len() != new.len() {
        return false;
    }
    let mut joined = old.clone();
    let mut shift = 0;
    for (own, new) in joined.iter_mut().zip(new).rev() {
        let grown = own.inserted.chars().count() as isize - own.removed.chars().count() as isize;
        let Some(at) = new.at.checked_add_signed(-shift) else { return false };
        if !join(own, &TextChange { at, ..new.clone() }, kind) {
            return false;
        }
        shift += grown;
    }
    *old = joined;
    true
}

/// Merges `new` into `old` if they are one gesture. Returns whether it did.
fn join(old: &mut TextChange, new: &TextChange, kind: EditKind) -> bool {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workbench::text::Selection;

    fn pasted(history: &mut History, at: usize, text: &str) {
        let change = TextChange { at, removed: String::new(), inserted: text.to_string() };
        let (before, after) = (Selection::at(at).into(), Selection::at(at + text.len()).into());
        history.record(vec![change], before, after, EditKind::Other);
    }

    #[test]
    fn undo_history_drops_old_steps_at_its_byte_limit() {
        let mut history = History::default();
        let large = "x".repeat(BYTES / 8);
        for at in 0..100 {
            pasted(&mut history, at, &large);
            let held: usize = history.done.iter().chain(&history.undone).map(HistoryStep::bytes).sum();
            assert_eq!(held, history.bytes, "it is counted right");
            assert!(held <= BYTES, "{held}");
            if at % 10 == 9 {
                history.undo();
                history.undo();
            }
        }
        assert!(history.can_undo());
        // A step above the limit can still be undone and redone.
        pasted(&mut history, 0, &"x".repeat(2 * BYTES));
        assert_eq!(history.done.len(), 1);
        assert!(history.undo().is_some() && history.redo().is_some() && history.undo().is_some());
        pasted(&mut history, 0, "small");
        assert_eq!(history.bytes, 5);
    }

    #[test]
    fn gathered_steps_are_joined_and_older_ones_stay_apart() {
        let mut history = History::default();
        pasted(&mut history, 0, "a");
        history.gather();
        pasted(&mut history, 1, "b");
        pasted(&mut history, 2, "c");
        history.join_gathered();
        assert_eq!(history.steps(), 2);
        let step = history.undo().expect("a step");
        assert_eq!(step.changes.iter().map(|change| &*change.inserted).collect::<Vec<_>>(), ["b", "c"]);
        assert_eq!((step.before.main.head, step.after.main.head), (1, 3));
        // Steps before the first that is gathered are not joined, even if they are undone and redone meanwhile.
        history.redo();
        history.gather();
        history.undo();
        history.redo();
        pasted(&mut history, 3, "d");
        history.join_gathered();
        assert_eq!(history.steps(), 3);
        history.gather();
        history.join_gathered();
        assert_eq!(history.steps(), 3);
    }

    #[test]
    fn undo_history_counts_bytes_of_typing_and_pasting() {
        let mut history = History::default();
        for at in 0..1_000 {
            let change = TextChange { at, removed: String::new(), inserted: "x".to_string() };
            let (before, after) = (Selection::at(at).into(), Selection::at(at + 1).into());
            history.record(vec![change], before, after, EditKind::Typing);
        }
        assert_eq!((history.done.len(), history.bytes), (1, 1_000));
        for at in 0..2 * DEPTH {
            pasted(&mut history, at, "ab");
        }
        assert!(history.done.len() <= DEPTH);
        assert_eq!(history.bytes, history.done.iter().map(HistoryStep::bytes).sum::<usize>());
    }
}
