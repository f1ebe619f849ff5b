//! The terminal's world: the system's files and clipboard, the journal, the screen.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crossterm::clipboard::CopyToClipboard;

use crate::workbench::edge::background::{in_time, spawn_detached};
use crate::workbench::edge::clipboard::Clipboard;
use crate::workbench::edge::journal::{self, Journal};
use crate::workbench::edge::keeper::FileWorker;
use crate::workbench::edge::save::leftovers;
use crate::workbench::edge::services::Services;
use crate::workbench::edge::signals::{self, HANGUP};
use crate::workbench::edge::terminal::{self, Screen};
use crate::workbench::edge::world::{EngineSession, FileTask, World};
use crate::workbench::edge::{arrangements, lesson, recent};
use crate::workbench::event::{Event, Fading};
use crate::workbench::state::{Arrangements, State, WorkbenchDocument};

/// The maximum number of bytes that terminals accept to copy.
const OSC52_LIMIT: usize = 74_000;

pub struct Outside {
    pub screen: Screen,
    pub clipboard: Clipboard,
    pub services: Services,
    pub journal: Arc<Journal>,
    /// The threads that access files, one for each.
    pub file_workers: Vec<FileWorker>,
    /// Entries that the user has declined.
    pub declined: Vec<PathBuf>,
    /// Whether the session is recorded: a tape cannot contain the texts of earlier runs.
    pub is_recorded: bool,
    pub exit: Option<u8>,
}

impl Outside {
    /// Searches for unsaved texts of earlier runs: of this file; of all files if no file is open, or if
    /// `asked`.
    pub fn offer_unsaved(&self, document: &WorkbenchDocument, asked: bool) {
        let (events, document_id, journal) = (self.services.events.clone(), document.id, self.journal.clone());
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
            drop(events.send(Event::FileEvent { document: document_id, event: Box::new(event) }));
        });
    }

    /// Updates the journal with the texts that are unsaved.
    pub fn remember(&self, state: &State) {
        self.journal.remember(state.unsaved_texts());
    }

    /// Writes unsaved texts to disk immediately.
    pub fn flush(&self, state: &State) -> io::Result<Vec<PathBuf>> {
        self.remember(state);
        let journal = self.journal.clone();
        in_time(move || journal.flush()).unwrap_or_else(|| Err(io::Error::other("the disk does not answer")))
    }

    /// Leaves abruptly, after writing unsaved texts to disk and restoring the terminal.
    pub fn leave(&mut self, state: &State, code: u8) -> u8 {
        let kept = self.flush(state);
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
    fn file(&mut self, document: u64, path: &Path, task: FileTask) -> Option<Event> {
        if !self.file_workers.iter().any(|worker| worker.path == path) {
            let events = self.services.events.clone();
            let tell = move |event| drop(events.send(Event::FileEvent { document, event: Box::new(event) }));
            match FileWorker::start(path, self.journal.clone(), tell) {
                Ok(worker) => self.file_workers.push(worker),
                Err(error) => return Some(Event::Notice(format!("files cannot be accessed: {error}"))),
            }
        }
        if let Some(worker) = self.file_workers.iter().find(|worker| worker.path == path) {
            worker.order(task);
        }
        None
    }

    /// Watches the open files, and no others. The workers of other files end after their pending operations.
    fn watch(&mut self, state: &State, opened: bool) -> Option<Event> {
        let path = |document: &WorkbenchDocument| Some((document.id, document.file.path.clone()?));
        let open: Vec<(u64, PathBuf)> = state.documents().filter_map(path).collect();
        self.file_workers.retain(|worker| open.iter().any(|(_, path)| worker.path == *path));
        let mut failed = None;
        for (document, path) in &open {
            if !self.file_workers.iter().any(|worker| worker.path == *path && worker.watches) {
                failed = self.file(*document, path, FileTask::Watch).or(failed);
                let workers = self.file_workers.iter_mut().filter(|worker| worker.path == *path);
                workers.for_each(|worker| worker.watches = true);
            }
        }
        if let Some(path) = &state.document.file.path {
            recent::note(path.clone(), self.services.events.clone());
        }
        if opened && state.document.file.path.is_some() && !self.is_recorded {
            self.offer_unsaved(&state.document, false);
        }
        failed
    }

    fn find_unsaved(&mut self, document: &WorkbenchDocument) -> Option<Event> {
        self.offer_unsaved(document, true);
        None
    }

    fn drop_unsaved(&mut self, entry: PathBuf) {
        spawn_detached("unsaved", move || _ = journal::folder::remove_entry(&entry));
    }

    fn decline_unsaved(&mut self, entry: PathBuf) {
        self.declined.push(entry.clone());
        spawn_detached("unsaved", move || _ = journal::folder::decline_entry(&entry));
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

    fn fade(&mut self, what: Fading, after: Duration) {
        let events = self.services.events.clone();
        tokio::spawn(async move {
            tokio::time::sleep(after).await;
            drop(events.send(Event::Fade(what)));
        });
    }

    fn suspend(&mut self) -> bool {
        signals::stop_job();
        true
    }

    fn redraw(&mut self, state: &State) {
        if self.screen.redraw().is_err() {
            self.exit = Some(self.leave(state, HANGUP));
        }
    }

    fn keep_arrangements(&mut self, kept: Arrangements) {
        arrangements::keep(kept, self.services.events.clone());
    }

    fn scan(&mut self) -> Option<Event> {
        drop(self.services.events.send(Event::Scan));
        None
    }

    fn quit(&mut self) {
        self.exit = Some(0);
    }
}
