//! Questions that nobody asked for: what makes them wait, the chord that opens the first, and the texts of earlier runs.

use std::path::PathBuf;
use std::sync::Arc;

use crossterm::event::KeyCode;

use crate::workbench::event::Effect;
use crate::workbench::key::Key;
use crate::workbench::open::Target;
use crate::workbench::state::waiting::Conflict;
use crate::workbench::state::{Adopted, Overlay, State, Tone};
use crate::workbench::unsaved::{Unsaved, UnsavedView};

impl State {
    /// Opens the most urgent question that waits; where none does, asks what earlier runs left.
    pub(super) fn answer_waiting(&mut self, effects: &mut Vec<Effect>) {
        if let Some(conflict) = &self.waiting.conflict {
            self.overlay = Some(Overlay::Conflict(conflict.clone()));
        } else if let Some(path) = self.waiting.exists.take() {
            self.overlay = Some(Overlay::Overwrite(path));
        } else if let Some(target) = self.waiting.leave.take() {
            if self.dirty() {
                self.overlay = Some(Overlay::Leave(target));
            } else {
                self.open(target, effects);
            }
        } else if !self.waiting.unsaved.is_empty() && !self.waiting.looked {
            self.look_at_unsaved();
        } else {
            effects.push(Effect::FindUnsaved);
        }
    }

    /// Both sides changed. A newer version of theirs replaces the one in question.
    pub(super) fn conflict(&mut self, theirs: Arc<str>, bom: bool) {
        let conflict = Conflict { theirs, bom };
        if let Some(Overlay::Conflict(shown)) = &mut self.overlay {
            *shown = conflict.clone();
        }
        self.waiting.conflict = Some(conflict);
    }

    /// Nobody has to decide between two versions any more.
    pub(super) fn no_conflict(&mut self) {
        self.waiting.conflict = None;
        if matches!(self.overlay, Some(Overlay::Conflict(_))) {
            self.overlay = None;
        }
    }

    /// The text is not in the file, which someone else wrote; nothing that waits for that may happen.
    pub(super) fn save_conflict(&mut self, theirs: Arc<str>, bom: bool) {
        self.stay();
        self.conflict(theirs, bom);
        self.say(
            Tone::Bad,
            format!("not saved: {} was also changed by another program; alt-a decides", self.file.name()),
        );
    }

    /// The text is not in the file, whose name is taken.
    pub(super) fn save_exists(&mut self, path: PathBuf) {
        self.say(Tone::Bad, format!("not saved: {} exists; alt-a decides", path.display()));
        self.waiting.exists = Some(path);
    }

    /// Something was typed since another file was asked for.
    pub(super) fn leave_later(&mut self, target: Target) {
        self.say(Tone::Bad, format!("{} has changed since, so it stays; alt-a decides", self.file.name()));
        self.waiting.leave = Some(target);
    }

    /// What earlier runs left, and whether another run has a text of the file as well.
    pub(super) fn unsaved(&mut self, texts: Vec<Unsaved>, held: bool, asked: bool) {
        if held {
            let said = "another myriad is open on this file, with text that it has not saved";
            self.say(Tone::Bad, said);
        }
        let differs = |unsaved: &Unsaved| asked || unsaved.text != *self.buffer.text();
        self.waiting.unsaved = texts.into_iter().filter(differs).collect();
        self.waiting.looked = false;
        if asked && matches!(self.overlay, None | Some(Overlay::Open(_))) {
            if self.waiting.unsaved.is_empty() {
                const NOTHING: &str = "nothing waits, and no earlier run left an unsaved text";
                match &mut self.overlay {
                    // It covers the last line.
                    Some(Overlay::Open(view)) => view.problem = Some(NOTHING.to_string()),
                    _ => self.say(Tone::Plain, NOTHING),
                }
            } else {
                self.look_at_unsaved();
            }
        }
    }

    fn look_at_unsaved(&mut self) {
        self.waiting.looked = true;
        self.overlay = Some(Overlay::Unsaved(UnsavedView::default()));
    }

    /// A key while the texts of earlier runs are listed; false where that closes the list.
    pub(super) fn unsaved_key(&mut self, view: &mut UnsavedView, key: Key, effects: &mut Vec<Effect>) -> bool {
        let last = self.waiting.unsaved.len().saturating_sub(1);
        let discarding = std::mem::take(&mut view.discarding);
        match key.code {
            KeyCode::Esc => {
                self.say(Tone::Plain, "unsaved texts stay where they are: alt-a lists them again");
                if self.file.path.is_none() && !self.dirty() && self.buffer.is_empty() {
                    // Nothing is open: back to the list of what there is.
                    self.ask_what_to_open();
                }
                return false;
            }
            KeyCode::Up => view.chosen = view.chosen.saturating_sub(1),
            KeyCode::Down => view.chosen = (view.chosen + 1).min(last),
            KeyCode::Enter => {
                if let Some(unsaved) = self.waiting.unsaved.get(view.chosen).cloned() {
                    self.adopt(&unsaved);
                }
                return false;
            }
            KeyCode::Delete if discarding && view.chosen <= last => {
                let unsaved = self.waiting.unsaved.remove(view.chosen);
                effects.push(Effect::DropUnsaved(unsaved.entry));
                self.say(Tone::Plain, "the unsaved text is discarded");
                view.chosen = view.chosen.min(last.saturating_sub(1));
                return !self.waiting.unsaved.is_empty();
            }
            KeyCode::Delete => view.discarding = true,
            _ => {}
        }
        true
    }

    /// Takes an unsaved text over, as one step that can be undone. It stays in the journal until the file holds it.
    fn adopt(&mut self, unsaved: &Unsaved) {
        self.buffer.reload(&unsaved.text);
        self.waiting.unsaved.retain(|other| other.entry != unsaved.entry);
        self.adopted = Some(Adopted { entry: unsaved.entry.clone(), steps: self.buffer.steps() });
        self.say(Tone::Good, "recovered; ctrl-s saves it, ctrl-u takes it back");
    }

    /// Who undoes what was taken over has not saved it, whatever is saved then.
    pub(super) fn look_after_adopted(&mut self) {
        let steps = self.buffer.steps();
        self.adopted.take_if(|adopted| steps < adopted.steps);
    }
}
