//! A thread that performs all operations on one file, in order. Saves are therefore ordered, this run's own
//! writes are recognized, and a file system that does not respond blocks nothing else.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::workbench::edge::journal::Journal;
use crate::workbench::edge::save::{self, Replaced, SaveJob};
use crate::workbench::edge::{disk, watch};
use crate::workbench::event::{Event, FileContents};

/// The delay after a save until the replaced file is checked again.
/// A program that opened the replaced file before the save may still write to it.
const LATER: Duration = Duration::from_secs(1);
/// A file being replaced may be missing for a moment.
const MOMENT: Duration = Duration::from_millis(60);
const MOMENTS: usize = 4;
/// The maximum number of own saves remembered.
const REMEMBERED: usize = 64;

pub enum FileTask {
    Save(SaveJob),
    /// Save the other version under another name, then save the text.
    SaveKeepingTheirs {
        job: SaveJob,
        theirs: Arc<str>,
        bom: bool,
    },
    /// Save one's own text under another name.
    SaveCopy {
        text: Arc<str>,
        bom: bool,
    },
    /// Report the current contents.
    Look,
    /// Report the contents after each change.
    Watch,
    End,
}

pub struct FileWorker {
    pub path: PathBuf,
    pub watches: bool,
    orders: Sender<FileTask>,
    thread: Option<JoinHandle<()>>,
}

impl FileWorker {
    /// Starts the thread, which reports results as events.
    pub fn start(
        path: &Path,
        journal: Arc<Journal>,
        tell: impl Fn(Event) + Clone + Send + 'static,
    ) -> std::io::Result<FileWorker> {
        let (orders, queue) = channel();
        let work = KeeperWork {
            path: path.to_path_buf(),
            journal,
            tell,
            own: orders.clone(),
            ours: Vec::new(),
            olds: VecDeque::new(),
        };
        let thread = std::thread::Builder::new().name("file".into()).spawn(move || work.run(queue))?;
        Ok(FileWorker { path: path.to_path_buf(), watches: false, orders, thread: Some(thread) })
    }

    pub fn order(&self, order: FileTask) {
        let _ = self.orders.send(order);
    }

    /// Ends the thread after its queued operations, and waits for it up to `patience`.
    pub fn finish(mut self, patience: Duration) {
        let _ = self.orders.send(FileTask::End);
        // The end waits for no disk that does not answer.
        let end = Instant::now() + patience;
        while self.thread.as_ref().is_some_and(|thread| !thread.is_finished()) && Instant::now() < end {
            std::thread::sleep(Duration::from_millis(2));
        }
        self.thread = None;
    }
}

impl Drop for FileWorker {
    fn drop(&mut self) {
        let _ = self.orders.send(FileTask::End);
    }
}

struct KeeperWork<T> {
    path: PathBuf,
    journal: Arc<Journal>,
    tell: T,
    own: Sender<FileTask>,
    /// The contents before this run's first write, then this run's own writes, until another program writes
    /// the file.
    ours: Vec<Arc<str>>,
    /// Files replaced by saves, and when.
    olds: VecDeque<(Instant, Replaced)>,
}

impl<T: Fn(Event) + Clone + Send + 'static> KeeperWork<T> {
    fn run(mut self, queue: Receiver<FileTask>) {
        let mut watch = None;
        loop {
            // Waits for the next order only until a replaced file has to be checked.
            let next = match self.olds.front() {
                None => queue.recv().map_err(|_| RecvTimeoutError::Disconnected),
                Some((when, _)) => {
                    queue.recv_timeout((*when + LATER).saturating_duration_since(Instant::now()))
                }
            };
            match next {
                Ok(FileTask::Save(job)) => self.save(&job, None),
                Ok(FileTask::SaveKeepingTheirs { job, theirs, bom }) => self.save_beside(&job, &theirs, bom),
                Ok(FileTask::SaveCopy { text, bom }) => self.keep_copy(text, bom),
                Ok(FileTask::Look) => self.look(),
                Ok(FileTask::Watch) => {
                    watch = self.watch();
                    // Report changes made between reading the text on screen and now.
                    self.look();
                }
                Err(RecvTimeoutError::Timeout) => {}
                Ok(FileTask::End) | Err(RecvTimeoutError::Disconnected) => break,
            }
            while self.olds.front().is_some_and(|(when, _)| when.elapsed() >= LATER) {
                self.look_again();
            }
        }
        drop(watch);
        // Without delay: the thread must end, and a late write to a replaced file would be lost.
        while !self.olds.is_empty() {
            self.look_again();
        }
    }

    /// Saves the file; `beside` is added to the note.
    fn save(&mut self, job: &SaveJob, beside: Option<String>) {
        let save::Saved { event, old } = save::save(job, &self.ours, &self.journal);
        self.olds.extend(old.map(|old| (Instant::now(), old)));
        let event = match event {
            Event::Saved { path, text, note } => {
                // The text before the first save is known as well: a slow watch may still report it.
                if self.ours.is_empty() {
                    self.ours.extend(job.expect.clone());
                }
                self.ours.push(text.clone());
                let excess = self.ours.len().saturating_sub(REMEMBERED);
                self.ours.drain(..excess);
                let note = [beside, note].into_iter().flatten().reduce(|a, b| format!("{a}; {b}"));
                Event::Saved { path, text, note }
            }
            other => {
                // Another program wrote the file.
                if matches!(other, Event::SaveConflict { .. } | Event::SaveExists(_)) {
                    self.ours.clear();
                }
                other
            }
        };
        (self.tell)(event);
    }

    fn save_beside(&mut self, job: &SaveJob, theirs: &str, bom: bool) {
        match save::save_copy(&self.path, save::THEIRS, &disk::encode(theirs, bom), &self.journal) {
            Ok(aside) => self.save(job, Some(format!("their version is in {}", aside.display()))),
            Err(error) => (self.tell)(Event::SaveFailed(format!(
                "not saved: their version cannot be put aside: {}",
                save::describe_error(&error)
            ))),
        }
    }

    fn keep_copy(&mut self, text: Arc<str>, bom: bool) {
        let event = match save::save_copy(&self.path, save::MINE, &disk::encode(&text, bom), &self.journal) {
            Ok(path) => Event::CopySaved { path, text },
            Err(error) => Event::SaveFailed(format!(
                "nothing changed: your version cannot be put aside: {}",
                save::describe_error(&error)
            )),
        };
        (self.tell)(event);
    }

    fn look(&mut self) {
        let mut found = disk::read(&self.path);
        for _ in 0..MOMENTS {
            if found != FileContents::Gone {
                break;
            }
            std::thread::sleep(MOMENT);
            found = disk::read(&self.path);
        }
        let own =
            matches!((&found, self.ours.last()), (FileContents::Text { text, .. }, Some(last)) if text == last);
        if !own {
            self.ours.clear();
        }
        (self.tell)(Event::FileContents(found));
    }

    fn watch(&self) -> Option<watch::Watch> {
        let (own, tell) = (self.own.clone(), self.tell.clone());
        let failed = move |error| {
            tell(Event::Notice(format!("changes by other programs will not be noticed: {error}")));
        };
        let on_change = {
            let failed = failed.clone();
            move |told: notify::Result<()>| match told {
                Ok(()) => drop(own.send(FileTask::Look)),
                Err(error) => failed(error),
            }
        };
        watch::watch(&self.path, on_change).map_err(failed).ok()
    }

    fn look_again(&mut self) {
        let Some((_, old)) = self.olds.pop_front() else { return };
        let became = match old.look_again(&self.journal) {
            Ok(None) => return,
            Ok(Some(kept)) => format!("its text is in {}", kept.display()),
            Err(error) => format!("its text cannot be kept: {}", save::describe_error(&error)),
        };
        (self.tell)(Event::Notice(format!("another program wrote to the replaced file: {became}")));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes before and after the start of watching are both reported.
    #[test]
    fn watch_reports_writes_before_and_after_its_start() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("twice.myr");
        std::fs::write(&file, "written while the program opened").expect("written");
        let journal = Journal::start(vec![folder.path().join("unsaved")], |_| {}).expect("started");
        let (tell, told) = channel();
        let tell = move |event| drop(tell.send(event));
        let keeper = FileWorker::start(&file, journal, tell).expect("started");
        keeper.order(FileTask::Watch);
        let next_text = || match told.recv_timeout(Duration::from_secs(30)) {
            Ok(Event::FileContents(FileContents::Text { text, .. })) => text.to_string(),
            other => panic!("unexpected event: {:?}", other.is_ok()),
        };
        assert_eq!(next_text(), "written while the program opened");
        std::fs::write(file.with_extension("new"), "another").expect("written");
        std::fs::rename(file.with_extension("new"), &file).expect("renamed");
        assert_eq!(next_text(), "another");
    }

    #[test]
    fn watch_goes_on_in_a_folder_that_was_made_again() {
        let root = tempfile::tempdir().expect("a folder");
        let (folder, old) = (root.path().join("program"), root.path().join("old"));
        let file = folder.join("a.myr");
        std::fs::create_dir(&folder).expect("made");
        std::fs::write(&file, "first").expect("written");
        let journal = Journal::start(vec![root.path().join("unsaved")], |_| {}).expect("started");
        let (tell, told) = channel();
        let keeper = FileWorker::start(&file, journal, move |event| drop(tell.send(event))).expect("started");
        keeper.order(FileTask::Watch);
        // The contents may be reported several times.
        let wait_for = |wanted: &str| loop {
            match told.recv_timeout(Duration::from_secs(60)) {
                Ok(Event::FileContents(FileContents::Text { text, .. })) if *text == *wanted => break,
                Ok(Event::FileContents(_)) => {}
                other => panic!("{wanted}: unexpected event: {:?}", other.is_ok()),
            }
        };
        wait_for("first");
        std::fs::rename(&folder, &old).expect("moved");
        std::fs::create_dir(&folder).expect("made");
        std::fs::write(&file, "second").expect("written");
        wait_for("second");
        std::fs::write(&file, "third").expect("written");
        wait_for("third");
    }
}
