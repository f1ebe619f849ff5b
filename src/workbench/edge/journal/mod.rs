//! The journal: unsaved text is on the disk within a second of typing, in the user's state folder, whatever ends the program.
//!
//! The interface says after each edit what would be lost now ([`Journal::remember`]), which takes no time; a thread writes the
//! newest such text, and removes it once there is nothing to lose. Panics and signals [`Journal::flush`] it. What is left by
//! a run that has ended is [`offered`] when its file is opened, and goes by a person's choice alone, or once the file holds it.

mod entry;
pub mod folder;
mod offer;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant, SystemTime};

use crate::host::files::{self, whole};
use folder::Folder;
pub use offer::offered;

/// So long after the first letter a text is written, with what was typed meanwhile.
const GATHER: Duration = Duration::from_millis(100);
/// So long after a text the next one may be written.
const PAUSE: Duration = Duration::from_millis(400);
/// So long after one that could not be written.
const AGAIN: Duration = Duration::from_secs(2);
/// What is waited for a thread that writes, where the program is about to end.
const PATIENCE: Duration = Duration::from_millis(700);

/// What would be lost now.
#[derive(Clone, Debug)]
struct Unsaved {
    /// The file that it is a text of, as it is called.
    of: Option<PathBuf>,
    text: Arc<str>,
}

#[derive(Debug, Default)]
struct Slot {
    unsaved: Option<Unsaved>,
    /// Raised by each change.
    version: u64,
    closed: bool,
}

#[derive(Default)]
struct Writer {
    folder: Option<Folder>,
    /// The version that is on the disk.
    done: u64,
    /// The entry that holds the text, and what file it is of.
    current: Option<(u32, Option<PathBuf>)>,
    /// Entries that there have been.
    numbers: u32,
    /// Why the newest text is not on the disk, as it was told.
    trouble: Option<String>,
}

/// Says that texts cannot be kept and why, and that they can again.
type Tell = Box<dyn Fn(Option<String>) + Send + Sync>;

/// What of this run is not saved, on the disk.
pub struct Journal {
    places: Vec<PathBuf>,
    slot: Mutex<Slot>,
    bell: Condvar,
    writer: Mutex<Writer>,
    tell: Tell,
}

impl Journal {
    /// Begins to write what is remembered, to the first of the places that takes it. `tell` hears of trouble, and of its end.
    pub fn start(
        places: Vec<PathBuf>,
        tell: impl Fn(Option<String>) + Send + Sync + 'static,
    ) -> io::Result<Arc<Journal>> {
        let journal = Arc::new(Journal {
            places,
            slot: Mutex::default(),
            bell: Condvar::new(),
            writer: Mutex::default(),
            tell: Box::new(tell),
        });
        let thread = journal.clone();
        std::thread::Builder::new().name("journal".into()).spawn(move || thread.work())?;
        Ok(journal)
    }

    /// What would be lost now: a text of a file; `None` where everything is saved.
    pub fn remember(&self, of: Option<&Path>, text: Option<&Arc<str>>) {
        let mut slot = lock(&self.slot);
        let same = match (&slot.unsaved, text) {
            (Some(before), Some(text)) => Arc::ptr_eq(&before.text, text) && before.of.as_deref() == of,
            (before, text) => before.is_none() && text.is_none(),
        };
        if !same {
            slot.unsaved = text.map(|text| Unsaved { of: of.map(Path::to_path_buf), text: text.clone() });
            slot.version += 1;
            self.bell.notify_all();
        }
    }

    /// Writes what would be lost now, at once, from any thread; says where it is.
    ///
    /// # Errors
    /// If no folder takes it.
    pub fn flush(&self) -> io::Result<Option<PathBuf>> {
        let end = Instant::now() + PATIENCE;
        loop {
            match self.writer.try_lock() {
                Ok(mut writer) => return self.write(&mut writer),
                Err(TryLockError::Poisoned(writer)) => return self.write(&mut writer.into_inner()),
                Err(TryLockError::WouldBlock) if Instant::now() > end => {
                    return Err(io::Error::new(io::ErrorKind::TimedOut, "the disk does not answer"));
                }
                Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(2)),
            }
        }
    }

    /// Keeps a text until what is returned is released, beside what is remembered: the net under something that may fail half way.
    ///
    /// # Errors
    /// If no folder takes it.
    pub fn net(&self, of: &Path, text: &str) -> io::Result<Net<'_>> {
        let mut writer = lock(&self.writer);
        writer.numbers += 1;
        let number = writer.numbers;
        self.folder(&mut writer)?.write(number, Some(&whole(of)), text)?;
        Ok(Net { journal: self, number })
    }

    /// The name of this run, which it gets now if it has none yet.
    ///
    /// # Errors
    /// If there is no folder for a journal.
    pub fn name(&self) -> io::Result<String> {
        Ok(self.folder(&mut lock(&self.writer))?.run().to_string())
    }

    /// Nothing is to be kept any more: a person decided so, or everything is saved.
    pub fn finish(&self) {
        self.remember(None, None);
        lock(&self.slot).closed = true;
        self.bell.notify_all();
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
            let wait = self.bell.wait_while(slot, |slot| slot.version == done && !slot.closed);
            if wait.unwrap_or_else(PoisonError::into_inner).closed {
                return;
            }
            std::thread::sleep(GATHER);
            let written = self.write(&mut lock(&self.writer));
            std::thread::sleep(if written.is_ok() { PAUSE } else { AGAIN });
        }
    }

    fn write(&self, writer: &mut Writer) -> io::Result<Option<PathBuf>> {
        let (version, unsaved) = {
            let slot = lock(&self.slot);
            (slot.version, slot.unsaved.clone())
        };
        let written = self.put(writer, version, unsaved.as_ref());
        let trouble = written.as_ref().err().map(io::Error::to_string);
        if trouble != writer.trouble {
            writer.trouble.clone_from(&trouble);
            (self.tell)(trouble);
        }
        written
    }

    fn put(&self, writer: &mut Writer, version: u64, unsaved: Option<&Unsaved>) -> io::Result<Option<PathBuf>> {
        let Some(Unsaved { of, text }) = unsaved else {
            if let (Some((number, _)), Some(folder)) = (&writer.current, &writer.folder) {
                folder.remove(*number)?;
            }
            (writer.current, writer.done) = (None, version);
            return Ok(None);
        };
        let before = writer.current.clone();
        let number = match &before {
            Some((number, file)) if file == of => *number,
            _ => writer.numbers + 1,
        };
        if writer.done != version {
            let name = of.as_deref().map(whole);
            if let Err(error) = self.folder(writer)?.write(number, name.as_deref(), text) {
                if error.kind() == io::ErrorKind::NotFound {
                    // Somebody removed the folder: the next attempt makes it again.
                    (writer.folder, writer.current) = (None, None);
                }
                return Err(error);
            }
            // The text of the file before goes once this one is written.
            if let Some((before, _)) = before.filter(|(before, _)| *before != number) {
                self.folder(writer)?.remove(before)?;
            }
        }
        let entry = self.folder(writer)?.entry(number);
        writer.numbers = writer.numbers.max(number);
        (writer.current, writer.done) = (Some((number, of.clone())), version);
        Ok(Some(entry))
    }

    /// This run's share of the first folder that can be had.
    fn folder<'a>(&self, writer: &'a mut Writer) -> io::Result<&'a Folder> {
        if writer.folder.is_none() {
            let mut why = io::Error::new(io::ErrorKind::NotFound, "there is no folder for it");
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
        writer.folder.as_ref().ok_or_else(|| io::Error::other("there is no folder for it"))
    }
}

/// A text that is kept for now.
pub struct Net<'a> {
    journal: &'a Journal,
    number: u32,
}

impl Net<'_> {
    /// It is no longer needed.
    pub fn release(self) {
        if let Some(folder) = &lock(&self.journal.writer).folder {
            let _ = folder.remove(self.number);
        }
    }
}

/// How long ago something was.
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
    /// The texts of this run on the disk, as a kill would leave them.
    fn kept(journal: &Journal) -> Vec<String> {
        let mut texts: Vec<String> =
            folder::find(&journal.places, None).held.into_iter().map(|entry| entry.text).collect();
        texts.sort();
        texts
    }
    fn text(text: &str) -> Arc<str> {
        Arc::from(text)
    }

    #[test]
    fn what_is_typed_is_on_the_disk_within_a_second() {
        let (_folder, _, journal) = journal();
        let file = Path::new("a.myr");
        for n in 0..30 {
            journal.remember(Some(file), Some(&text(&format!("text {n}"))));
            std::thread::sleep(Duration::from_millis(10));
        }
        let end = Instant::now() + Duration::from_secs(10);
        while kept(&journal) != ["text 29"] {
            assert!(Instant::now() < end, "{:?}", kept(&journal));
            std::thread::sleep(Duration::from_millis(10));
        }
        journal.remember(Some(file), None);
        while !kept(&journal).is_empty() {
            assert!(Instant::now() < end, "{:?}", kept(&journal));
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    #[test]
    fn a_flush_writes_at_once_and_says_where() {
        let (_folder, _, journal) = journal();
        assert_eq!(journal.flush().expect("nothing to write"), None);
        journal.remember(None, Some(&text("one")));
        let entry = journal.flush().expect("written").expect("something");
        assert!(entry.exists());
        assert_eq!(kept(&journal), ["one"]);
        // Another file's text: the one before goes once this one is there.
        journal.remember(Some(Path::new("b.myr")), Some(&text("two")));
        journal.flush().expect("written");
        assert_eq!(kept(&journal), ["two"]);
        let net = journal.net(Path::new("c.myr"), "three").expect("written");
        assert_eq!(kept(&journal), ["three", "two"]);
        net.release();
        journal.finish();
        assert!(kept(&journal).is_empty() && !entry.exists());
    }

    #[test]
    fn a_folder_that_is_removed_is_made_again() {
        let (_folder, places, journal) = journal();
        journal.remember(None, Some(&text("one")));
        journal.flush().expect("written");
        std::fs::remove_dir_all(&places[0]).expect("removed");
        journal.remember(None, Some(&text("two")));
        assert!(journal.flush().is_err());
        journal.flush().expect("written");
        assert_eq!(kept(&journal), ["two"]);
    }

    #[test]
    fn where_one_place_does_not_take_it_the_next_one_does() {
        let (folder, places, _) = journal();
        std::fs::write(folder.path().join("file"), "").expect("written");
        let (send, told) = std::sync::mpsc::channel();
        let nowhere = vec![folder.path().join("file/a")];
        let all = [nowhere.clone(), places].concat();
        let journal = Journal::start(all, |_| {}).expect("started");
        journal.remember(None, Some(&text("one")));
        assert!(journal.flush().expect("written").expect("something").starts_with(folder.path().join("a")));
        let journal = Journal::start(nowhere, move |why| drop(send.send(why))).expect("started");
        journal.remember(None, Some(&text("one")));
        assert!(journal.flush().is_err());
        let why = told.recv().expect("told").expect("trouble");
        assert!(why.contains("file/a"), "{why}");
    }
}
