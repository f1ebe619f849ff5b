//! Pending questions: how they arise, the chord that opens the first, and the unsaved texts of earlier runs.

use std::path::PathBuf;
use std::sync::Arc;

use crossterm::event::KeyCode;

use crate::workbench::event::Effect;
use crate::workbench::key::Key;
use crate::workbench::state::waiting::Conflict;
use crate::workbench::state::{Overlay, State, Tone};
use crate::workbench::unsaved::{Base, Unsaved, UnsavedView, declined, is_declined};

impl State {
    /// Opens the most urgent pending question, or, without one, requests the unsaved texts of earlier runs.
    pub(super) fn answer_waiting(&mut self, effects: &mut Vec<Effect>) {
        if let Some(conflict) = &self.prompts.waiting.conflict {
            self.prompts.overlay = Some(Overlay::Conflict(conflict.clone()));
        } else if let Some(path) = self.prompts.waiting.exists.take() {
            self.prompts.overlay = Some(Overlay::Overwrite(path));
        } else if !self.prompts.waiting.unsaved.is_empty() && !self.prompts.waiting.looked {
            self.list_unsaved();
        } else {
            effects.push(Effect::FindUnsaved);
        }
    }

    /// Handles a change on both sides. A newer version of the file replaces the one in question.
    pub(super) fn conflict(&mut self, theirs: Arc<str>, bom: bool) {
        let conflict = Conflict { theirs, bom };
        if let Some(Overlay::Conflict(shown)) = &mut self.prompts.overlay {
            *shown = conflict.clone();
        }
        self.prompts.waiting.conflict = Some(conflict);
    }

    /// Withdraws the question between two versions.
    pub(super) fn no_conflict(&mut self) {
        self.prompts.waiting.conflict = None;
        if matches!(self.prompts.overlay, Some(Overlay::Conflict(_))) {
            self.prompts.overlay = None;
        }
    }

    /// Handles a failed save: another program wrote the file. Actions that wait for the save are cancelled.
    pub(super) fn save_conflict(&mut self, theirs: Arc<str>, bom: bool) {
        self.prompts.cancel_after_save();
        self.conflict(theirs, bom);
        self.say(
            Tone::Bad,
            format!(
                "not saved: {} was also changed by another program; alt-a decides",
                self.document.file.name()
            ),
        );
    }

    /// Handles a failed save: the name is taken.
    pub(super) fn save_exists(&mut self, path: PathBuf) {
        self.say(Tone::Bad, format!("not saved: {} exists; alt-a decides", path.display()));
        self.prompts.waiting.exists = Some(path);
    }

    /// Handles the unsaved texts of earlier runs. `held` means that another run has a text of the file.
    pub(super) fn unsaved(&mut self, texts: Vec<Unsaved>, held: bool, asked: bool) {
        if held {
            let said = "another myriad has this file open, with unsaved text";
            self.say(Tone::Bad, said);
        }
        let differs = |unsaved: &Unsaved| asked || unsaved.text != *self.document.buffer.text();
        self.prompts.waiting.unsaved = texts.into_iter().filter(differs).collect();
        self.prompts.waiting.looked = false;
        self.prompts.waiting.are_own = !asked && self.document.file.path.is_some();
        if self.prompts.waiting.are_own && !held {
            self.bring_back();
        }
        if asked && matches!(self.prompts.overlay, None | Some(Overlay::Open(_) | Overlay::Welcome(_))) {
            if self.prompts.waiting.unsaved.is_empty() {
                const NOTHING: &str = "no question is pending, and no earlier run left an unsaved text";
                match &mut self.prompts.overlay {
                    // The prompt covers the last line.
                    Some(Overlay::Open(view)) => view.problem = Some(NOTHING.to_string()),
                    _ => self.say(Tone::Plain, NOTHING),
                }
            } else {
                self.list_unsaved();
            }
        }
    }

    /// Takes over the newest text if the file is still what that text was based on, and nothing was typed since the file was
    /// opened. Any other text is only offered.
    fn bring_back(&mut self) {
        let on_disk = Base::of(self.document.file.on_disk.as_deref());
        let waiting = &mut self.prompts.waiting;
        let fits = |newest: &Unsaved| {
            newest.base.as_ref() == Some(&on_disk) && !newest.damaged && !is_declined(&newest.entry)
        };
        if !waiting.unsaved.first().is_some_and(fits) || self.document.dirty() || waiting.conflict.is_some() {
            return;
        }
        let newest = waiting.unsaved.remove(0);
        let Unsaved { age, difference, .. } = &newest;
        let said = format!("unsaved text is back ({age}, {}): ctrl-u undoes it", difference.counts());
        self.document.adopt(newest);
        self.say(Tone::Good, said);
    }

    /// Offers an adopted text again if it was undone. It is not opened automatically any more.
    pub(super) fn return_undone_text(&mut self, effects: &mut Vec<Effect>) {
        let Some(mut undone) = self.document.take_undone_adoption() else { return };
        effects.push(Effect::DeclineUnsaved(undone.entry.clone()));
        undone.entry = declined(&undone.entry);
        let waiting = &mut self.prompts.waiting;
        waiting.unsaved.insert(0, undone);
        waiting.looked = false;
    }

    fn list_unsaved(&mut self) {
        self.prompts.waiting.looked = true;
        self.prompts.overlay = Some(Overlay::Unsaved(UnsavedView::default()));
    }

    /// Handles a key while the texts of earlier runs are listed. Returns false if the key closes the list.
    pub(super) fn unsaved_key(&mut self, view: &mut UnsavedView, key: Key, effects: &mut Vec<Effect>) -> bool {
        let last = self.prompts.waiting.unsaved.len().saturating_sub(1);
        let discarding = std::mem::take(&mut view.discarding);
        match key.code {
            KeyCode::Esc => {
                self.say(Tone::Plain, "unsaved texts stay where they are: alt-a lists them again");
                if self.document.is_blank() {
                    self.welcome();
                }
                return false;
            }
            KeyCode::Enter => {
                if let Some(unsaved) = self.prompts.waiting.unsaved.get(view.chosen).cloned() {
                    self.adopt(&unsaved);
                }
                return false;
            }
            KeyCode::Delete if discarding && view.chosen <= last => {
                let unsaved = self.prompts.waiting.unsaved.remove(view.chosen);
                effects.push(Effect::DropUnsaved(unsaved.entry));
                self.say(Tone::Plain, "the unsaved text is discarded");
                view.chosen = view.chosen.min(last.saturating_sub(1));
                return !self.prompts.waiting.unsaved.is_empty();
            }
            KeyCode::Delete => view.discarding = true,
            _ => view.chosen = key.row_after(view.chosen, last).unwrap_or(view.chosen),
        }
        true
    }

    /// Takes over an unsaved text.
    fn adopt(&mut self, unsaved: &Unsaved) {
        self.document.adopt(unsaved.clone());
        self.prompts.waiting.unsaved.retain(|other| other.entry != unsaved.entry);
        self.say(Tone::Good, "recovered; ctrl-s saves it, ctrl-u takes it back");
    }
}
