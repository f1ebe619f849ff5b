//! The terminal's world: the system's files and clipboard, the journal, the screen.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crossterm::clipboard::CopyToClipboard;

use super::leaving::in_time;
use crate::workbench::edge::background::spawn_detached;
use crate::workbench::edge::clipboard::Clipboard;
use crate::workbench::edge::journal::{self, Journal};
use crate::workbench::edge::keeper::FileWorker;
use crate::workbench::edge::lesson;
use crate::workbench::edge::recent;
use crate::workbench::edge::save::leftovers;
use crate::workbench::edge::services::Services;
use crate::workbench::edge::signals::{self, HANGUP};
use crate::workbench::edge::terminal::{self, Screen};
use crate::workbench::edge::world::{EngineSession, FileTask, World};
use crate::workbench::event::Event;
use crate::workbench::state::Document;

/// The maximum number of bytes that terminals accept to copy.
const OSC52_LIMIT: usize = 74_000;

pub struct Outside {
    pub screen: Screen,
    pub clipboard: Clipboard,
    pub services: Services,
    pub journal: Arc<Journal>,
    /// The threads that access files; the last one belongs to the file on screen.
    pub file_workers: Vec<FileWorker>,
    pub exit: Option<u8>,
}

impl Outside {
    /// Searches for unsaved texts of earlier runs: of this file, or of all files if there is none or if
    /// `asked`.
    pub fn offer_unsaved(&self, document: &Document, asked: bool) {
        let (events, opened, journal) = (self.services.events.clone(), document.opened, self.journal.clone());
        let path = document.file.path.clone().filter(|_| !asked);
        let saved = document.file.on_disk.clone().unwrap_or_default();
        spawn_detached("unsaved", move || {
            if let Some(path) = &path {
                leftovers::clear(path);
            }
            let own = journal
                .name()
                .inspect_err(|error| drop(events.send(Event::JournalFailed(Some(error.to_string())))));
            let places = journal::folder::places();
            let offer = journal::offered(&places, path.as_deref(), &saved, own.ok().as_deref());
            let event = Event::Unsaved { texts: offer.texts, more: offer.more, held: offer.held, asked };
            drop(events.send(Event::FileEvent { opened, event: Box::new(event) }));
        });
    }

    /// Updates the journal with text that is unsaved.
    pub fn remember(&self, document: &Document) {
        let unsaved = document.dirty().then(|| document.buffer.text());
        self.journal.remember(document.file.path.as_deref(), unsaved);
    }

    /// Writes unsaved text to disk immediately.
    pub fn flush(&self, document: &Document) -> io::Result<Option<PathBuf>> {
        self.remember(document);
        let journal = self.journal.clone();
        in_time(move || journal.flush()).unwrap_or_else(|| Err(io::Error::other("the disk does not answer")))
    }

    /// Leaves abruptly, after writing unsaved text to disk and restoring the terminal.
    pub fn leave(&mut self, document: &Document, code: u8) -> u8 {
        let kept = self.flush(document);
        terminal::restore();
        terminal::report_unsaved(&kept);
        code
    }
}

impl World for Outside {
    fn session(&mut self) -> &mut dyn EngineSession {
        &mut self.services
    }

    /// Queues an operation on a file, after those already queued for it.
    fn file(&mut self, document: &Document, path: &Path, task: FileTask) -> Option<Event> {
        if !self.file_workers.iter().any(|keeper| keeper.path == path) {
            let (events, opened) = (self.services.events.clone(), document.opened);
            let tell = move |event| drop(events.send(Event::FileEvent { opened, event: Box::new(event) }));
            match FileWorker::start(path, self.journal.clone(), tell) {
                // Insert at the front: the last keeper belongs to the file on screen.
                Ok(keeper) => self.file_workers.insert(0, keeper),
                Err(error) => return Some(Event::Notice(format!("files cannot be accessed: {error}"))),
            }
        }
        if let Some(keeper) = self.file_workers.iter().find(|keeper| keeper.path == path) {
            keeper.order(task);
        }
        None
    }

    /// Watches the file on screen, and no other.
    fn watch(&mut self, document: &Document, opened: bool) -> Option<Event> {
        if opened {
            // Pending operations on the previous file are completed; then its keeper ends.
            self.file_workers.clear();
        }
        let path = document.file.path.as_ref()?;
        let mut failed = None;
        if !self.file_workers.last().is_some_and(|keeper| keeper.path == *path && keeper.watches) {
            failed = self.file(document, path, FileTask::Watch);
            self.file_workers.retain(|keeper| keeper.path == *path);
            self.file_workers.iter_mut().for_each(|keeper| keeper.watches = true);
        }
        recent::note(path.clone(), self.services.events.clone());
        if opened {
            self.offer_unsaved(document, false);
        }
        failed
    }

    fn find_unsaved(&mut self, document: &Document) -> Option<Event> {
        self.offer_unsaved(document, true);
        None
    }

    fn drop_unsaved(&mut self, entry: PathBuf) {
        spawn_detached("unsaved", move || _ = journal::folder::remove_entry(&entry));
    }

    fn lesson_done(&mut self, key: String) {
        lesson::done(key, self.services.events.clone());
    }

    fn copy(&mut self, text: String) {
        // Also set the terminal's clipboard, which reaches the user's machine through a remote shell.
        if text.len() <= OSC52_LIMIT {
            self.screen.tell(CopyToClipboard::to_clipboard_from(&text));
        }
        self.clipboard.copy(text);
    }

    fn paste(&mut self, own: String) -> Option<Event> {
        let events = self.services.events.clone();
        self.clipboard.paste(move |text| {
            let text = text.filter(|t| !t.is_empty()).unwrap_or(own);
            let _ = events.send(Event::Paste(text));
        });
        None
    }

    fn fade(&mut self, number: u64, after: Duration) {
        let events = self.services.events.clone();
        tokio::spawn(async move {
            tokio::time::sleep(after).await;
            drop(events.send(Event::Fade(number)));
        });
    }

    fn suspend(&mut self) -> bool {
        signals::stop_job();
        true
    }

    fn redraw(&mut self, document: &Document) {
        if self.screen.redraw().is_err() {
            self.exit = Some(self.leave(document, HANGUP));
        }
    }

    fn quit(&mut self) {
        self.exit = Some(0);
    }
}
