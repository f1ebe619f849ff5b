//! The journal's folder, accessible only to its owner.
//!
//! A run has a name and holds a lock on `NAME.lock` while it lives; entries whose lock is free belong to
//! ended runs. An entry is `NAME-NUMBER.unsaved`, so no two runs write the same file.

use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use etcetera::BaseStrategy;

use crate::host::files;
use crate::workbench::edge::journal::entry::{self, JournalEntry};
use crate::workbench::unsaved::{Base, declined};

const ENTRY: &str = "unsaved";
const LOCK: &str = "lock";
const PART: &str = "part";

/// Larger entries are not read; a file of the maximum size makes a smaller entry.
const LARGEST: u64 = 64 << 20;

/// Returns the possible folders of a journal, the best first: those that survive a restart, then those that
/// at least outlive the program.
pub fn places() -> Vec<PathBuf> {
    let Ok(folders) = etcetera::choose_base_strategy() else { return Vec::new() };
    let all = [folders.state_dir(), Some(folders.cache_dir()), folders.runtime_dir()];
    all.into_iter().flatten().map(|folder| folder.join("myriad").join("unsaved")).collect()
}

/// A run's part of a journal folder.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    run: String,
    /// Locked until it is closed.
    _lock: File,
}

impl Folder {
    /// Creates the folder if necessary, and this run's lock in it.
    ///
    /// # Errors
    /// If it cannot be created, belongs to another user, or is a link.
    pub fn open(path: &Path) -> io::Result<Folder> {
        make(path)?;
        for attempt in 0..100 {
            let run = format!("{}-{:x}", std::process::id(), now_in_nanoseconds().wrapping_add(attempt));
            let lock = path.join(&run).with_extension(LOCK);
            let file = match create_private(&lock) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                file => file?,
            };
            // Before it was locked, another run may have removed the file as a leftover.
            if file.try_lock().is_ok() && lock.exists() {
                return Ok(Folder { path: path.to_path_buf(), run, _lock: file });
            }
        }
        Err(io::Error::other("no name is free"))
    }

    pub fn run(&self) -> &str {
        &self.run
    }

    pub fn entry(&self, number: u32) -> PathBuf {
        self.path.join(format!("{}-{number}.{ENTRY}", self.run))
    }

    /// Writes an entry atomically, replacing the one with its number. It is on disk when this returns. `base` is the
    /// content of the file that the text is based on, if it is known.
    pub fn write(&self, number: u32, path: Option<&Path>, text: &str, base: Option<Base>) -> io::Result<()> {
        put(&self.entry(number), path, text, base)
    }

    pub fn remove(&self, number: u32) -> io::Result<()> {
        remove_entry(&self.entry(number))
    }

    /// Removes the run's lock.
    pub fn close(self) {
        let _ = fs::remove_file(self.path.join(&self.run).with_extension(LOCK));
    }
}

/// Writes a text as if an ended run had left it.
pub fn leave(places: &[PathBuf], path: Option<&Path>, text: &str) -> io::Result<PathBuf> {
    let mut why = io::Error::other("no folder is available for it");
    for place in places {
        let done = make(place).and_then(|()| {
            let name = format!("{}-{:x}-left.{ENTRY}", std::process::id(), now_in_nanoseconds());
            let entry = place.join(name);
            put(&entry, path, text, None).map(|()| entry)
        });
        match done {
            Ok(entry) => return Ok(entry),
            Err(error) => why = error,
        }
    }
    Err(why)
}

#[derive(Debug, Default)]
pub struct FoundJournal {
    /// Entries of ended runs.
    pub left: Vec<(PathBuf, JournalEntry)>,
    /// Entries of other runs that are alive.
    pub held: Vec<JournalEntry>,
}

/// Reads all entries, and removes locks and incomplete entries of ended runs.
pub fn find(places: &[PathBuf], own: Option<&str>) -> FoundJournal {
    let mut found = FoundJournal::default();
    for place in places {
        let Ok(listed) = fs::read_dir(place) else { continue };
        let names: Vec<PathBuf> = listed.flatten().map(|file| file.path()).collect();
        let runs: Vec<String> = names.iter().filter_map(|path| run_of(path)).collect();
        let alive: Vec<&String> = runs.iter().filter(|run| is_alive(place, run)).collect();
        for path in &names {
            let Some(run) = run_of(path) else { continue };
            let lives = alive.contains(&&run);
            match path.extension().and_then(OsStr::to_str) {
                Some(ENTRY) => match read(path) {
                    Some(entry) if !lives => found.left.push((path.clone(), entry)),
                    Some(entry) if own != Some(&run) => found.held.push(entry),
                    _ => {}
                },
                Some(PART | LOCK) if !lives => drop(fs::remove_file(path)),
                _ => {}
            }
        }
    }
    found.left.sort_by_key(|(_, entry)| std::cmp::Reverse(entry.written));
    found
}

/// Returns whether a run is alive, according to the journal folders.
pub fn lives(places: &[PathBuf], run: &str) -> bool {
    places.iter().any(|place| is_alive(place, run))
}

pub fn remove_entry(entry: &Path) -> io::Result<()> {
    match fs::remove_file(entry) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        done => done,
    }
}

/// Renames an entry, so that its text is offered but not opened automatically.
pub fn decline_entry(entry: &Path) -> io::Result<()> {
    fs::rename(entry, declined(entry))
}

/// Returns the name of the run that a file in the folder belongs to.
fn run_of(path: &Path) -> Option<String> {
    let stem = path.file_stem()?.to_str()?;
    let extension = path.extension()?.to_str()?;
    match extension {
        LOCK => Some(stem.to_string()),
        // The stem of an incomplete file still has the entry's extension.
        ENTRY | PART => {
            let stem = stem.strip_suffix(".unsaved").unwrap_or(stem);
            Some(stem.rsplit_once('-')?.0.to_string())
        }
        _ => None,
    }
}

fn is_alive(place: &Path, run: &str) -> bool {
    let Ok(lock) = files::open_no_link(&place.join(run).with_extension(LOCK)) else { return false };
    // A shared lock, so that two checks at the same time do not see each other.
    matches!(lock.try_lock_shared(), Err(TryLockError::WouldBlock))
}

fn read(path: &Path) -> Option<JournalEntry> {
    let file = files::open_no_link(path).ok()?;
    entry::decode(&files::read_stream(file, LARGEST).ok()?)
}

/// Writes an entry to a file atomically.
fn put(entry: &Path, path: Option<&Path>, text: &str, base: Option<Base>) -> io::Result<()> {
    let mut part = entry.as_os_str().to_os_string();
    part.push(".");
    part.push(PART);
    let part = PathBuf::from(part);
    // A leftover of a failed attempt belongs to this run.
    remove_entry(&part)?;
    let written = create_private(&part).and_then(|mut file| {
        entry::encode(&mut file, path, text, base, SystemTime::now())?;
        file.sync_all()
    });
    let done = written.and_then(|()| fs::rename(&part, entry));
    if done.is_err() {
        let _ = fs::remove_file(&part);
        return done;
    }
    files::sync_folder(&files::folder(entry))
}

/// Creates the folder with access for its owner only.
fn make(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)?;
    let meta = fs::symlink_metadata(path)?;
    if !meta.is_dir() {
        return Err(io::Error::new(io::ErrorKind::NotADirectory, "it is not a folder"));
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt, PermissionsExt};
        if meta.uid() != rustix::process::geteuid().as_raw() {
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, "it is another user's"));
        }
        if meta.permissions().mode() & 0o077 != 0 {
            fs::set_permissions(path, fs::Permissions::from_mode(0o700))?;
        }
    }
    Ok(())
}

/// Creates a file with access for its owner only. An existing file or link is an error.
fn create_private(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

fn now_in_nanoseconds() -> u128 {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_nanos()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().expect("a folder");
        let place = folder.path().join("state/unsaved");
        (folder, place)
    }
    fn names(place: &Path) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(place)
            .expect("listed")
            .map(|file| file.expect("there").file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }
    fn texts(found: &FoundJournal) -> Vec<&str> {
        found.left.iter().map(|(_, entry)| entry.text.as_str()).collect()
    }

    #[test]
    fn entries_of_a_run_are_found_only_after_it_ends() {
        let (_folder, place) = place();
        let places = [place.clone()];
        let run = Folder::open(&place).expect("opened");
        run.write(1, Some(Path::new("/a.myr")), "one", None).expect("written");
        run.write(1, Some(Path::new("/a.myr")), "two", None).expect("written");
        run.write(2, None, "other", None).expect("written");
        let found = find(&places, Some(run.run()));
        assert!(found.left.is_empty() && found.held.is_empty(), "its own: {found:?}");
        let found = find(&places, None);
        assert!(found.left.is_empty() && found.held.len() == 2, "of a run that goes on: {found:?}");
        run.remove(2).expect("removed");
        // Like a kill.
        let name = run.run().to_string();
        drop(run);
        let found = find(&places, None);
        assert_eq!(texts(&found), ["two"]);
        assert_eq!(found.left[0].1.path.as_deref(), Some(Path::new("/a.myr")));
        assert_eq!(names(&place), [format!("{name}-1.unsaved")], "its lock is gone, the text is not");
        assert_eq!(texts(&find(&places, None)), ["two"], "looking takes nothing");
        remove_entry(&found.left[0].0).expect("removed");
        assert!(find(&places, None).left.is_empty());
    }

    #[test]
    fn closed_run_leaves_no_files() {
        let (_folder, place) = place();
        let run = Folder::open(&place).expect("opened");
        run.write(1, None, "text", None).expect("written");
        run.remove(1).expect("removed");
        run.remove(1).expect("nothing there is nothing to remove");
        run.close();
        assert!(names(&place).is_empty());
    }

    #[cfg(unix)]
    #[test]
    fn journal_folder_and_entries_are_accessible_only_to_the_owner() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let (folder, place) = place();
        let run = Folder::open(&place).expect("opened");
        run.write(1, None, "text", None).expect("written");
        let mode = |path: &Path| fs::metadata(path).expect("there").permissions().mode() & 0o777;
        assert_eq!((mode(&place), mode(&run.entry(1))), (0o700, 0o600));
        fs::set_permissions(&place, fs::Permissions::from_mode(0o755)).expect("mode set");
        Folder::open(&place).expect("opened");
        assert_eq!(mode(&place), 0o700);
        // A link at the temporary name must not be followed.
        let elsewhere = folder.path().join("elsewhere");
        fs::write(&elsewhere, "theirs").expect("written");
        symlink(&elsewhere, run.entry(1).with_extension("unsaved.part")).expect("linked");
        run.write(1, None, "new", None).expect("written");
        assert_eq!(fs::read_to_string(&elsewhere).expect("read"), "theirs");
        // Nor may the folder be a link.
        let link = folder.path().join("link");
        symlink(folder.path(), &link).expect("linked");
        assert!(Folder::open(&link).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn files_that_are_not_entries_are_skipped() {
        let (_folder, place) = place();
        make(&place).expect("made");
        fs::write(place.join("1-2-3.unsaved"), b"{}\nx").expect("written");
        fs::write(place.join("1-2-3.unsaved.part"), b"half").expect("written");
        fs::write(place.join("notes.txt"), b"of somebody").expect("written");
        rustix::fs::mknodat(
            rustix::fs::CWD,
            place.join("1-2-4.unsaved"),
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::from_raw_mode(0o600),
            0,
        )
        .expect("a FIFO");
        assert!(find(std::slice::from_ref(&place), None).left.is_empty());
        assert_eq!(names(&place), ["1-2-3.unsaved", "1-2-4.unsaved", "notes.txt"]);
    }
}
