//! The app's file operations, and the choice of the file to watch.

use std::path::Path;
use std::sync::Arc;

use super::App;
use crate::workbench::edge::aside::aside;
use crate::workbench::edge::journal;
use crate::workbench::edge::keeper::{FileTask, FileWorker};
use crate::workbench::edge::save::{self, leftovers};
use crate::workbench::event::Event;
use crate::workbench::state::Tone;

impl App {
    /// Returns a job that writes the text to a file.
    pub(super) fn job(&self, path: &Path, expect: Option<Arc<str>>, overwrite: bool) -> save::Job {
        let text = self.state.document.buffer.text().clone();
        save::Job { path: path.to_path_buf(), text, bom: self.state.document.file.bom, expect, overwrite }
    }

    /// Queues an operation on a file, after those already queued for it.
    pub(super) fn order(&mut self, path: &Path, order: FileTask) {
        if !self.file_workers.iter().any(|keeper| keeper.path == path) {
            let (events, opened) = (self.events.clone(), self.state.document.opened);
            let tell = move |event| drop(events.send(Event::FileEvent { opened, event: Box::new(event) }));
            match FileWorker::start(path, self.journal.clone(), tell) {
                // Insert at the front: the last keeper belongs to the file on screen.
                Ok(keeper) => self.file_workers.insert(0, keeper),
                Err(error) => {
                    return self.state.say(Tone::Bad, format!("files cannot be accessed: {error}"));
                }
            }
        }
        if let Some(keeper) = self.file_workers.iter().find(|keeper| keeper.path == path) {
            keeper.order(order);
        }
    }

    /// Watches the file on screen, and no other.
    pub(super) fn watch_current_file(&mut self) {
        let Some(path) = self.state.document.file.path.clone() else { return };
        if self.file_workers.last().is_some_and(|keeper| keeper.path == path && keeper.watches) {
            return;
        }
        self.order(&path, FileTask::Watch);
        self.file_workers.retain(|keeper| keeper.path == path);
        self.file_workers.iter_mut().for_each(|keeper| keeper.watches = true);
    }

    /// Searches for unsaved texts of earlier runs: of this file, or of all files if there is none or if
    /// `asked`.
    pub(super) fn find_unsaved(&self, asked: bool) {
        let (events, opened, journal) = (self.events.clone(), self.state.document.opened, self.journal.clone());
        let path = self.state.document.file.path.clone().filter(|_| !asked);
        let saved = self.state.document.file.on_disk.clone().unwrap_or_default();
        aside("unsaved", move || {
            if let Some(path) = &path {
                leftovers::clear(path);
            }
            let own = journal
                .name()
                .inspect_err(|error| drop(events.send(Event::JournalFailed(Some(error.to_string())))));
            let places = journal::folder::places();
            let offer = journal::offered(&places, path.as_deref(), &saved, own.ok().as_deref());
            let event = Event::Unsaved { texts: offer.texts, more: offer.more, held: offer.held, asked };
            let event = Box::new(event);
            drop(events.send(Event::FileEvent { opened, event }));
        });
    }
}
