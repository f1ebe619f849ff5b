//! The file: saving, changes from outside, what an earlier run left.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::super::event::{Disk, Effect};
use super::super::field::Field;
use super::super::state::{Overlay, State, Tone};
use crate::report::numbers::plural;

impl State {
    pub(super) fn save(&mut self, effects: &mut Vec<Effect>) {
        match &self.file.path {
            None => self.overlay = Some(Overlay::SaveAs(Field::new(&self.file.suggested()))),
            Some(path) => effects.push(Effect::Save {
                path: path.clone(),
                expect: self.file.on_disk.clone(),
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
        // Under the name that it has, this is an ordinary save.
        let expect = if self.file.path.as_ref() == Some(&path) { self.file.on_disk.clone() } else { None };
        effects.push(Effect::Save { path, expect, overwrite: false });
    }

    pub(super) fn saved(&mut self, path: PathBuf, text: Arc<str>, effects: &mut Vec<Effect>) {
        self.say(Tone::Good, format!("saved {}, {}", path.display(), plural(text.len() as u64, "byte")));
        self.file.path = Some(path);
        self.file.on_disk = Some(text);
        self.file.sample = None;
        effects.push(Effect::Saved);
        if std::mem::take(&mut self.quit_when_saved) && !self.dirty() {
            effects.push(Effect::Quit);
        }
        match self.open_when_saved.take() {
            Some(target) if self.dirty() => self.overlay = Some(Overlay::Leave(target)),
            Some(target) => self.open(target, effects),
            None => {}
        }
    }

    /// Nothing that waits for the text to be in the file is to happen.
    pub(super) fn stay(&mut self) {
        self.quit_when_saved = false;
        self.open_when_saved = None;
    }

    /// The text is not in the file; nothing that waits for that may happen.
    pub(super) fn save_failed(&mut self, why: String) {
        self.stay();
        self.say(Tone::Bad, why);
    }

    /// The file as it is now, after something touched it.
    pub(super) fn disk(&mut self, disk: Disk) {
        match disk {
            Disk::Text { text, .. } if self.file.on_disk.as_ref() == Some(&text) => {}
            Disk::Text { text, bom } if *text == **self.buffer.text() => {
                self.file.on_disk = Some(text);
                self.file.bom = bom;
            }
            Disk::Text { text, bom } if !self.dirty() => {
                self.take_theirs(text, bom);
                self.say(Tone::Plain, format!("{} changed outside: read again", self.file.name()));
            }
            Disk::Text { text, bom } => self.conflict(text, bom, false),
            Disk::Gone if self.file.on_disk.is_some() => {
                self.file.on_disk = None;
                let name = self.file.name();
                self.say(
                    Tone::Bad,
                    format!("{name} was removed outside; the text is kept, ctrl-s writes it again"),
                );
            }
            Disk::Gone => {}
            Disk::Unreadable(why) => {
                self.say(Tone::Bad, format!("{} changed outside: {why}", self.file.name()))
            }
        }
    }

    /// Both sides changed: a question. A newer version of theirs replaces the one in question.
    pub(super) fn conflict(&mut self, theirs: Arc<str>, bom: bool, saving: bool) {
        let saving = saving || matches!(self.overlay, Some(Overlay::Conflict { saving: true, .. }));
        self.overlay = Some(Overlay::Conflict { theirs, bom, saving });
    }

    /// Takes the file's text in place of ours, as one step that can be undone.
    pub(super) fn take_theirs(&mut self, theirs: Arc<str>, bom: bool) {
        self.buffer.reload(&theirs);
        self.file.on_disk = Some(theirs);
        self.file.bom = bom;
    }

    /// Our text is safe under another name: theirs may come in.
    pub(super) fn put_aside(&mut self, path: &Path) {
        self.stay();
        if let Some(Overlay::Conflict { theirs, bom, .. }) = self.overlay.take() {
            self.take_theirs(theirs, bom);
        }
        self.say(Tone::Good, format!("your version is in {}; this is theirs", path.display()));
    }

    /// An earlier run left its text.
    pub(super) fn recovered(&mut self, text: Arc<str>) {
        if text != *self.buffer.text() {
            self.overlay = Some(Overlay::Recovered { text });
        }
    }
}
