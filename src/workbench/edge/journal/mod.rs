//! The journal: however the program ends, unsaved text is on disk within a second of typing, in the user's
//! state folder.
//!
//! After each edit the interface passes the unsaved text to [`Journal::remember`], which returns at once. A
//! thread writes the newest text, and removes it once everything is saved. Panics and signals call
//! [`Journal::flush`]. The texts of ended runs are [`offered`] when their file is opened. They are removed
//! only at the user's request, or once the file holds them.

mod entry;
pub mod folder;
mod offer;

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant, SystemTime};

use crate::host::files::{self, whole};
use crate::workbench::unsaved::{Base, UnsavedText};
use folder::Folder;
pub use offer::offered;

/// The delay from the first keystroke until the text is written, with everything typed meanwhile.
/// A burst of keystrokes costs one write.
const GATHER: Duration = Duration::from_millis(100);
/// The minimum time between two writes.
/// With [`GATHER`], a text is on disk half a second after its first keystroke.
const PAUSE: Duration = Duration::from_millis(400);
/// The delay after a failed write.
const AGAIN: Duration = Duration::from_secs(2);
/// How long a flush waits for the writer thread when the program is about to end.
const PATIENCE: Duration = Duration::from_millis(700);

/// A text that would be lost now.
#[derive(Clone, Debug)]
struct Unsaved {
    /// The name of the file it belongs to.
    of: Option<PathBuf>,
    text: Arc<str>,
    /// The text of that file; `None` if it does not exist.
    on_disk: Option<Arc<str>>,
}

impl Unsaved {
    fn new(new: &UnsavedText) -> Unsaved {
        Unsaved { of: new.of.map(Path::to_path_buf), text: new.text.clone(), on_disk: new.on_disk.cloned() }
    }

    /// Compares texts by their addresses; equal texts at other addresses are written again.
    fn is(&self, new: &UnsavedText) -> bool {
        let address = |text: Option<&Arc<str>>| text.map(|text| Arc::as_ptr(text).cast::<u8>());
        Arc::ptr_eq(&self.text, new.text)
            && self.of.as_deref() == new.of
            && address(self.on_disk.as_ref()) == address(new.on_disk)
    }
}

#[derive(Debug, Default)]
struct JournalSlot {
    /// The unsaved text of each document, and the version that changed it last.
    unsaved: BTreeMap<u64, (Unsaved, u64)>,
    /// Incremented by each change.
    version: u64,
    closed: bool,
}

/// An entry on disk.
#[derive(Debug)]
struct Written {
    number: u32,
    /// The file it belongs to.
    of: Option<PathBuf>,
    /// The version that changed its text.
    version: u64,
}

#[derive(Default)]
struct JournalWriter {
    folder: Option<Folder>,
    /// The version that is on disk.
    done: u64,
    /// The entry that holds each document's text.
    current: BTreeMap<u64, Written>,
    /// The number of entries so far.
    numbers: u32,
    /// The reported reason why the newest texts are not on disk.
    trouble: Option<String>,
}

/// Reports why texts cannot be written, or `None` once they can be again.
type Tell = Box<dyn Fn(Option<String>) + Send + Sync>;

pub struct Journal {
    places: Vec<PathBuf>,
    slot: Mutex<JournalSlot>,
    wakeup: Condvar,
    writer: Mutex<JournalWriter>,
    tell: Tell,
}

impl Journal {
    /// Starts writing to the first folder in `places` that can be used. `tell` receives problems, and their
    /// end.
    pub fn start(
        places: Vec<PathBuf>,
        tell: impl Fn(Option<String>) + Send + Sync + 'static,
    ) -> io::Result<Arc<Journal>> {
        let journal = Arc::new(Journal {
            places,
            slot: Mutex::default(),
            wakeup: Condvar::new(),
            writer: Mutex::default(),
            tell: Box::new(tell),
        });
        let thread = journal.clone();
        std::thread::Builder::new().name("journal".into()).spawn(move || thread.work())?;
        Ok(journal)
    }

    /// Sets the texts that would be lost now.
    pub fn remember<'a>(&self, texts: impl IntoIterator<Item = UnsavedText<'a>>) {
        let mut slot = lock(&self.slot);
        let version = slot.version + 1;
        let mut before = std::mem::take(&mut slot.unsaved);
        let mut changed = false;
        for text in texts {
            let known = before.remove(&text.document).filter(|(known, _)| known.is(&text));
            changed |= known.is_none();
            slot.unsaved.insert(text.document, known.unwrap_or_else(|| (Unsaved::new(&text), version)));
        }
        if changed || !before.is_empty() {
            slot.version = version;
            self.wakeup.notify_all();
        }
    }

    /// Writes the unsaved texts immediately, from any thread. Returns their paths.
    ///
    /// # Errors
    /// If no folder can be used.
    pub fn flush(&self) -> io::Result<Vec<PathBuf>> {
        let end = Instant::now() + PATIENCE;
        loop {
            // Never blocks for long: a panic or a signal may have struck while the writer waits for a disk.
            match self.writer.try_lock() {
                Ok(mut writer) => return self.write(&mut writer),
                // A text is worth more than the state of a thread that has panicked.
                Err(TryLockError::Poisoned(writer)) => return self.write(&mut writer.into_inner()),
                Err(TryLockError::WouldBlock) if Instant::now() > end => {
                    return Err(io::Error::new(io::ErrorKind::TimedOut, "the disk does not answer"));
                }
                Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(2)),
            }
        }
    }

    /// Writes a copy of a text that exists until the returned guard is released, as a safeguard for an
    /// operation that may fail half way.
    ///
    /// # Errors
    /// If no folder can be used.
    pub fn net(&self, of: &Path, text: &str) -> io::Result<TemporaryEntry<'_>> {
        let mut writer = lock(&self.writer);
        writer.numbers += 1;
        let number = writer.numbers;
        self.folder(&mut writer)?.write(number, Some(&whole(of)), text, None)?;
        Ok(TemporaryEntry { journal: self, number })
    }

    /// Returns the name of this run, which is assigned now if necessary.
    ///
    /// # Errors
    /// If no journal folder can be used.
    pub fn name(&self) -> io::Result<String> {
        Ok(self.folder(&mut lock(&self.writer))?.run().to_string())
    }

    /// Ends the journal and removes its entries: everything is saved, or the user discarded it.
    pub fn finish(&self) {
        self.remember([]);
        lock(&self.slot).closed = true;
        self.wakeup.notify_all();
        let _ = self.flush();
        if let Ok(mut writer) = self.writer.try_lock()
            && let Some(folder) = writer.folder.take()
        {
            folder.close();
        }
    }

    fn work(&self) {
        loop {
            let done = lock(&self.writer).done;
            let slot = lock(&self.slot);
            let wait = self.wakeup.wait_while(slot, |slot| slot.version == done && !slot.closed);
            if wait.unwrap_or_else(PoisonError::into_inner).closed {
                return;
            }
            // Without the lock, so that a flush can write meanwhile.
            std::thread::sleep(GATHER);
            let written = self.write(&mut lock(&self.writer));
            std::thread::sleep(if written.is_ok() { PAUSE } else { AGAIN });
        }
    }

    fn write(&self, writer: &mut JournalWriter) -> io::Result<Vec<PathBuf>> {
        // Copied, so that the interface never waits for the disk with this lock.
        let (version, unsaved) = {
            let slot = lock(&self.slot);
            (slot.version, slot.unsaved.clone())
        };
        let written = self.put(writer, version, &unsaved);
        let trouble = written.as_ref().err().map(io::Error::to_string);
        if trouble != writer.trouble {
            writer.trouble.clone_from(&trouble);
            (self.tell)(trouble);
        }
        written
    }

    /// Writes the texts that have changed, then removes the entries of texts that are saved.
    fn put(
        &self,
        writer: &mut JournalWriter,
        version: u64,
        unsaved: &BTreeMap<u64, (Unsaved, u64)>,
    ) -> io::Result<Vec<PathBuf>> {
        // Writes come before removals: a program that is killed in between leaves a text twice, and loses none.
        for (document, (text, version)) in unsaved {
            self.put_one(writer, *document, text, *version)?;
        }
        let saved: Vec<u64> =
            writer.current.keys().filter(|known| !unsaved.contains_key(known)).copied().collect();
        for document in saved {
            if let (Some(written), Some(folder)) = (writer.current.get(&document), &writer.folder) {
                folder.remove(written.number)?;
            }
            writer.current.remove(&document);
        }
        writer.done = version;
        let Some(folder) = &writer.folder else { return Ok(Vec::new()) };
        Ok(writer.current.values().map(|written| folder.entry(written.number)).collect())
    }

    fn put_one(
        &self,
        writer: &mut JournalWriter,
        document: u64,
        text: &Unsaved,
        version: u64,
    ) -> io::Result<()> {
        let before = writer
            .current
            .get(&document)
            .map(|written| (written.number, written.version, written.of == text.of));
        let number = match before {
            Some((_, known, true)) if known == version => return Ok(()),
            Some((number, _, true)) => number,
            _ => writer.numbers + 1,
        };
        // A new number for another file: until the text is written under its new name, the earlier entry must
        // stay.
        let name = text.of.as_deref().map(whole);
        let base = name.is_some().then(|| Base::of(text.on_disk.as_deref()));
        if let Err(error) = self.folder(writer)?.write(number, name.as_deref(), &text.text, base) {
            if error.kind() == io::ErrorKind::NotFound {
                // The folder was removed; the next attempt creates it again.
                writer.folder = None;
                writer.current.clear();
            }
            return Err(error);
        }
        writer.numbers = writer.numbers.max(number);
        writer.current.insert(document, Written { number, of: text.of.clone(), version });
        // Remove the text under the file's earlier name only after this one is written.
        match before {
            Some((earlier, ..)) if earlier != number => self.folder(writer)?.remove(earlier),
            _ => Ok(()),
        }
    }

    /// Returns this run's part of the first usable folder.
    fn folder<'a>(&self, writer: &'a mut JournalWriter) -> io::Result<&'a Folder> {
        if writer.folder.is_none() {
            let mut why = io::Error::new(io::ErrorKind::NotFound, "no folder is available for it");
            for place in &self.places {
                match Folder::open(place) {
                    Ok(folder) => {
                        writer.folder = Some(folder);
                        break;
                    }
                    Err(error) => {
                        why = io::Error::new(
                            error.kind(),
                            format!("{}: {}", place.display(), files::message(&error)),
                        )
                    }
                }
            }
            if writer.folder.is_none() {
                return Err(why);
            }
        }
        writer.folder.as_ref().ok_or_else(|| io::Error::other("no folder is available for it"))
    }
}

/// A temporary copy of a text.
pub struct TemporaryEntry<'a> {
    journal: &'a Journal,
    number: u32,
}

impl TemporaryEntry<'_> {
    /// Removes the copy.
    pub fn release(self) {
        if let Some(folder) = &lock(&self.journal.writer).folder {
            let _ = folder.remove(self.number);
        }
    }
}

/// Returns the time since `written`.
fn since(written: SystemTime) -> Duration {
    written.elapsed().unwrap_or_default()
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn journal() -> (tempfile::TempDir, Vec<PathBuf>, Arc<Journal>) {
        let folder = tempfile::tempdir().expect("a folder");
        let places = vec![folder.path().join("a"), folder.path().join("b")];
        let journal = Journal::start(places.clone(), |_| {}).expect("started");
        (folder, places, journal)
    }
    /// Returns this run's texts on disk, as they would be after a kill.
    fn kept(journal: &Journal) -> Vec<String> {
        let mut texts: Vec<String> =
            folder::find(&journal.places, None).held.into_iter().map(|entry| entry.text).collect();
        texts.sort();
        texts
    }
    fn text(text: &str) -> Arc<str> {
        Arc::from(text)
    }
    fn of<'a>(document: u64, of: Option<&'a Path>, text: &'a Arc<str>) -> UnsavedText<'a> {
        UnsavedText { document, of, text, on_disk: None }
    }

    #[test]
    fn latest_unsaved_text_is_written_and_then_removed() {
        let (_folder, _, journal) = journal();
        let file = Path::new("a.myr");
        for n in 0..30 {
            journal.remember([of(1, Some(file), &text(&format!("text {n}")))]);
            std::thread::sleep(Duration::from_millis(10));
        }
        let end = Instant::now() + Duration::from_secs(10);
        while kept(&journal) != ["text 29"] {
            assert!(Instant::now() < end, "{:?}", kept(&journal));
            std::thread::sleep(Duration::from_millis(10));
        }
        journal.remember([]);
        while !kept(&journal).is_empty() {
            assert!(Instant::now() < end, "{:?}", kept(&journal));
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    #[test]
    fn flush_writes_at_once_and_returns_the_path() {
        let (_folder, _, journal) = journal();
        assert!(journal.flush().expect("nothing to write").is_empty());
        journal.remember([of(1, None, &text("one"))]);
        let entry = journal.flush().expect("written").pop().expect("something");
        assert!(entry.exists());
        assert_eq!(kept(&journal), ["one"]);
        // The text of another file: the previous entry is removed after this one is written.
        journal.remember([of(1, Some(Path::new("b.myr")), &text("two"))]);
        journal.flush().expect("written");
        assert_eq!(kept(&journal), ["two"]);
        let net = journal.net(Path::new("c.myr"), "three").expect("written");
        assert_eq!(kept(&journal), ["three", "two"]);
        net.release();
        journal.finish();
        assert!(kept(&journal).is_empty() && !entry.exists());
    }

    #[test]
    fn each_document_has_its_own_entry() {
        let (_folder, _, journal) = journal();
        let (one, two) = (text("one"), text("two"));
        let (a, b) = (Some(Path::new("a.myr")), Some(Path::new("b.myr")));
        journal.remember([of(1, a, &one), of(2, b, &two)]);
        assert_eq!(journal.flush().expect("written").len(), 2);
        assert_eq!(kept(&journal), ["one", "two"]);
        let more = text("two and more");
        journal.remember([of(1, a, &one), of(2, b, &more)]);
        journal.flush().expect("written");
        assert_eq!(kept(&journal), ["one", "two and more"]);
        journal.remember([of(2, b, &more)]);
        journal.flush().expect("written");
        assert_eq!(kept(&journal), ["two and more"], "the first is saved");
    }

    #[test]
    fn removed_journal_folder_is_created_again() {
        let (_folder, places, journal) = journal();
        journal.remember([of(1, None, &text("one"))]);
        journal.flush().expect("written");
        std::fs::remove_dir_all(&places[0]).expect("removed");
        journal.remember([of(1, None, &text("two"))]);
        assert!(journal.flush().is_err());
        journal.flush().expect("written");
        assert_eq!(kept(&journal), ["two"]);
    }

    #[test]
    fn unwritable_folder_is_skipped_for_the_next_one() {
        let (folder, places, _) = journal();
        std::fs::write(folder.path().join("file"), "").expect("written");
        let (send, told) = std::sync::mpsc::channel();
        let nowhere = vec![folder.path().join("file/a")];
        let all = [nowhere.clone(), places].concat();
        let journal = Journal::start(all, |_| {}).expect("started");
        journal.remember([of(1, None, &text("one"))]);
        assert!(journal.flush().expect("written")[0].starts_with(folder.path().join("a")));
        let journal = Journal::start(nowhere, move |why| drop(send.send(why))).expect("started");
        journal.remember([of(1, None, &text("one"))]);
        assert!(journal.flush().is_err());
        let why = told.recv().expect("told").expect("trouble");
        assert!(why.contains("file/a"), "{why}");
    }
}
