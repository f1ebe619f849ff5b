//! Saving the file, and changes by other programs.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::host::measure::numbers::plural;
use crate::workbench::event::{Effect, FileContents};
use crate::workbench::field::Field;
use crate::workbench::state::waiting::Conflict;
use crate::workbench::state::{AfterSave, Ask, Overlay, State, Tone};

impl State {
    pub(super) fn save(&mut self, effects: &mut Vec<Effect>) {
        self.format_before_save();
        match &self.document.file.path {
            None => {
                self.prompts.overlay =
                    Some(Overlay::Ask(Ask::FileName, Field::new(&self.document.file.suggested())))
            }
            Some(path) => effects.push(Effect::Save {
                path: path.clone(),
                expect: self.document.file.on_disk.clone(),
                overwrite: false,
            }),
        }
    }

    pub(super) fn save_as(&mut self, name: &str, effects: &mut Vec<Effect>) {
        let name = name.trim();
        if name.is_empty() {
            return self.say(Tone::Bad, "not saved: no name given");
        }
        let path = PathBuf::from(name);
        if let Some(other) = self.other_with_path(&path) {
            let name = other.file.name();
            return self.say(
                Tone::Bad,
                format!("not saved: {name} is open, too; choose another name, or close it first"),
            );
        }
        // A save under the current name is an ordinary save.
        let expect = if self.document.file.path.as_ref() == Some(&path) {
            self.document.file.on_disk.clone()
        } else {
            None
        };
        effects.push(Effect::Save { path, expect, overwrite: false });
    }

    pub(super) fn saved(
        &mut self,
        path: PathBuf,
        text: Arc<str>,
        note: Option<&str>,
        effects: &mut Vec<Effect>,
    ) {
        let bytes = plural(text.len() as u64, "byte");
        match note {
            None => self.say(Tone::Good, format!("saved {}, {bytes}", path.display())),
            Some(note) => self.say(Tone::Good, format!("saved {}, {bytes}; {note}", path.display())),
        }
        self.document.file.path = Some(path);
        self.document.file.on_disk = Some(text);
        self.document.file.sample = None;
        self.no_conflict();
        effects.push(Effect::Saved);
        effects.extend(self.document.adopted_and_saved().map(Effect::DropUnsaved));
        match self.prompts.saved(self.document.id) {
            // Typing went on meanwhile.
            Some(AfterSave::Quit | AfterSave::Close) if self.dirty() => {}
            Some(AfterSave::Quit) => self.quit(effects),
            Some(AfterSave::Close) => self.close(effects),
            Some(AfterSave::Open(target)) => self.open(target, effects),
            None => {}
        }
    }

    pub(super) fn save_failed(&mut self, why: String) {
        self.prompts.cancel_after_save();
        self.say(Tone::Bad, why);
    }

    /// Handles the file's content after another program may have changed it.
    pub(super) fn disk(&mut self, disk: FileContents) {
        match disk {
            FileContents::Text { text, .. } if self.document.file.on_disk.as_ref() == Some(&text) => {
                self.no_conflict()
            }
            FileContents::Text { text, bom } if *text == **self.document.buffer.text() => {
                self.document.file.on_disk = Some(text);
                self.document.file.bom = bom;
                self.no_conflict();
            }
            FileContents::Text { text, bom } if !self.dirty() => {
                self.no_conflict();
                self.take_theirs(text, bom);
                self.say(
                    Tone::Plain,
                    format!("{} was changed by another program and is loaded again", self.document.file.name()),
                );
            }
            FileContents::Text { text, bom } => self.conflict(text, bom),
            FileContents::Gone if self.document.file.on_disk.is_some() => {
                self.document.file.on_disk = None;
                self.no_conflict();
                let name = self.document.file.name();
                self.say(
                    Tone::Bad,
                    format!("{name} was removed by another program; the text is kept, ctrl-s writes it again"),
                );
            }
            FileContents::Gone => {}
            FileContents::ReadError(why) => self
                .say(Tone::Bad, format!("{} was changed by another program: {why}", self.document.file.name())),
        }
    }

    /// Replaces our text by the file's, as one undoable step.
    pub(super) fn take_theirs(&mut self, theirs: Arc<str>, bom: bool) {
        self.document.buffer.reload(&theirs);
        self.document.file.on_disk = Some(theirs);
        self.document.file.bom = bom;
    }

    /// Handles the text's rescue under another name: the file's version replaces it if nothing was typed
    /// meanwhile.
    pub(super) fn put_aside(&mut self, path: &Path, text: &Arc<str>) {
        self.prompts.cancel_after_save();
        if text != self.document.buffer.text() {
            let said = format!("your earlier version is in {}; alt-a decides again", path.display());
            return self.say(Tone::Plain, said);
        }
        if let Some(Conflict { theirs, bom }) = self.prompts.waiting.conflict.take() {
            self.take_theirs(theirs, bom);
            self.say(Tone::Good, format!("your version is in {}; this is theirs", path.display()));
        } else {
            self.say(Tone::Good, format!("your version is in {}", path.display()));
        }
    }
}
