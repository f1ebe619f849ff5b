//! Pending questions: how they arise, the chord that opens the first, and the unsaved texts of earlier runs.

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
    /// Opens the most urgent pending question, or, without one, requests the unsaved texts of earlier runs.
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
            self.list_unsaved();
        } else {
            effects.push(Effect::FindUnsaved);
        }
    }

    /// Handles a change on both sides. A newer version of the file replaces the one in question.
    pub(super) fn conflict(&mut self, theirs: Arc<str>, bom: bool) {
        let conflict = Conflict { theirs, bom };
        if let Some(Overlay::Conflict(shown)) = &mut self.overlay {
            *shown = conflict.clone();
        }
        self.waiting.conflict = Some(conflict);
    }

    /// Withdraws the question between two versions.
    pub(super) fn no_conflict(&mut self) {
        self.waiting.conflict = None;
        if matches!(self.overlay, Some(Overlay::Conflict(_))) {
            self.overlay = None;
        }
    }

    /// Handles a failed save: another program wrote the file. Actions that wait for the save are cancelled.
    pub(super) fn save_conflict(&mut self, theirs: Arc<str>, bom: bool) {
        self.cancel_after_save();
        self.conflict(theirs, bom);
        self.say(
            Tone::Bad,
            format!("not saved: {} was also changed by another program; alt-a decides", self.file.name()),
        );
    }

    /// Handles a failed save: the name is taken.
    pub(super) fn save_exists(&mut self, path: PathBuf) {
        self.say(Tone::Bad, format!("not saved: {} exists; alt-a decides", path.display()));
        self.waiting.exists = Some(path);
    }

    /// Handles an edit made after another file was requested.
    pub(super) fn defer_open(&mut self, target: Target) {
        self.say(
            Tone::Bad,
            format!("{} was edited meanwhile, so it stays open; alt-a decides", self.file.name()),
        );
        self.waiting.leave = Some(target);
    }

    /// Handles the unsaved texts of earlier runs. `held` means that another run has a text of the file.
    pub(super) fn unsaved(&mut self, texts: Vec<Unsaved>, held: bool, asked: bool) {
        if held {
            let said = "another myriad has this file open, with unsaved text";
            self.say(Tone::Bad, said);
        }
        let differs = |unsaved: &Unsaved| asked || unsaved.text != *self.buffer.text();
        self.waiting.unsaved = texts.into_iter().filter(differs).collect();
        self.waiting.looked = false;
        if asked && matches!(self.overlay, None | Some(Overlay::Open(_))) {
            if self.waiting.unsaved.is_empty() {
                const NOTHING: &str = "no question is pending, and no earlier run left an unsaved text";
                match &mut self.overlay {
                    // The prompt covers the last line.
                    Some(Overlay::Open(view)) => view.problem = Some(NOTHING.to_string()),
                    _ => self.say(Tone::Plain, NOTHING),
                }
            } else {
                self.list_unsaved();
            }
        }
    }

    fn list_unsaved(&mut self) {
        self.waiting.looked = true;
        self.overlay = Some(Overlay::Unsaved(UnsavedView::default()));
    }

    /// Handles a key while the texts of earlier runs are listed. Returns false if the key closes the list.
    pub(super) fn unsaved_key(&mut self, view: &mut UnsavedView, key: Key, effects: &mut Vec<Effect>) -> bool {
        let last = self.waiting.unsaved.len().saturating_sub(1);
        let discarding = std::mem::take(&mut view.discarding);
        match key.code {
            KeyCode::Esc => {
                self.say(Tone::Plain, "unsaved texts stay where they are: alt-a lists them again");
                if self.file.path.is_none() && !self.dirty() && self.buffer.is_empty() {
                    // No file is open: return to the list of programs.
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

    /// Takes over an unsaved text as one undoable step. It stays in the journal until the file holds it.
    fn adopt(&mut self, unsaved: &Unsaved) {
        self.buffer.reload(&unsaved.text);
        self.waiting.unsaved.retain(|other| other.entry != unsaved.entry);
        self.adopted = Some(Adopted { entry: unsaved.entry.clone(), steps: self.buffer.steps() });
        self.say(Tone::Good, "recovered; ctrl-s saves it, ctrl-u takes it back");
    }

    /// Forgets the adopted text once it is undone: a later save does not contain it.
    pub(super) fn forget_undone_adoption(&mut self) {
        let steps = self.buffer.steps();
        self.adopted.take_if(|adopted| steps < adopted.steps);
    }
}
