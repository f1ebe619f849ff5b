//! Watches a file for changes by other programs. All folders and links on the way to it are watched, too: any of them may be
//! moved away and made again, or lead to another place.

use std::ffi::OsString;
use std::fs;
use std::io::ErrorKind::PermissionDenied;
use std::path::{Component, Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use notify::{Error, ErrorKind, Event, RecommendedWatcher, RecursiveMode, Result, Watcher};

/// Changes are reported after this much time without further changes.
/// A save by another program is several changes, of which only the last one leaves the whole text.
const QUIET: Duration = Duration::from_millis(80);
/// Changes that do not end are reported this often.
const LONGEST: Duration = Duration::from_secs(1);
/// The maximum number of links on the way; more may be a circle.
const LINKS: usize = 40;
/// The maximum number of attempts while the way changes.
const ATTEMPTS: usize = 16;

/// Watches until it is dropped.
pub struct Watch {
    notes: Sender<Note>,
}

impl Drop for Watch {
    fn drop(&mut self) {
        let _ = self.notes.send(Note::End);
    }
}

/// A message to the thread of a watch.
enum Note {
    Changed,
    /// A folder or a link on the way was replaced, or events were lost.
    Moved,
    End,
}

/// Watches a file, which need not exist. Calls `tell` after each change; once with an error if the file can no longer be watched.
pub fn watch(path: &Path, tell: impl Fn(Result<()>) + Send + 'static) -> Result<Watch> {
    let path = std::path::absolute(path).map_err(Error::io)?;
    let (notes, queue) = channel();
    let mut way = Way::watch(&path, &notes)?;
    let own = notes.clone();
    let work = move || {
        while let Some(is_moved) = next_change(&queue) {
            if is_moved || places(&path) != way.places {
                match Way::watch(&path, &own) {
                    Ok(new) => way = new,
                    Err(error) => return tell(Err(error)),
                }
            }
            tell(Ok(()));
        }
    };
    std::thread::Builder::new().name("watch".into()).spawn(work).map_err(Error::io)?;
    Ok(Watch { notes })
}

/// Waits for a change, and for quiet after it. Returns whether the way has changed; `None` at the end.
fn next_change(queue: &Receiver<Note>) -> Option<bool> {
    let mut note = queue.recv().ok()?;
    let begun = Instant::now();
    let mut is_moved = false;
    loop {
        match note {
            Note::Changed => {}
            Note::Moved => is_moved = true,
            Note::End => return None,
        }
        if begun.elapsed() > LONGEST {
            return Some(is_moved);
        }
        note = match queue.recv_timeout(QUIET) {
            Ok(note) => note,
            Err(RecvTimeoutError::Timeout) => return Some(is_moved),
            Err(RecvTimeoutError::Disconnected) => return None,
        };
    }
}

/// A name in a folder that was reached without links.
#[derive(Clone, PartialEq, Eq)]
struct WatchPlace {
    folder: PathBuf,
    name: OsString,
    is_link: bool,
}

/// The places on the way to a file, and the watcher of their folders.
struct Way {
    places: Vec<WatchPlace>,
    _watcher: RecommendedWatcher,
}

impl Way {
    fn watch(path: &Path, notes: &Sender<Note>) -> Result<Way> {
        let mut attempts = 1..=ATTEMPTS;
        loop {
            let places = places(path);
            let watcher = start(&places, notes.clone());
            let is_last = attempts.next().is_none();
            match watcher {
                // The way may have changed before it was watched.
                Ok(watcher) if is_last || places == self::places(path) => {
                    return Ok(Way { places, _watcher: watcher });
                }
                Err(error) if is_last || !is_gone(&error) => return Err(error),
                _ => {}
            }
        }
    }
}

/// Returns the places on the way to a file from the root. The last one is the file, or the first that does not exist.
fn places(path: &Path) -> Vec<WatchPlace> {
    let mut places = Vec::new();
    let (mut folder, mut rest) = (PathBuf::new(), path.to_path_buf());
    let mut links = 0;
    loop {
        let mut parts = rest.components();
        let name = match parts.next() {
            None => return places,
            Some(Component::Normal(name)) => name.to_os_string(),
            Some(other) => {
                match other {
                    Component::ParentDir => drop(folder.pop()),
                    other => folder.push(other),
                }
                rest = parts.as_path().to_path_buf();
                continue;
            }
        };
        let after = parts.as_path().to_path_buf();
        let at = folder.join(&name);
        let kind = fs::symlink_metadata(&at).ok().map(|meta| meta.file_type());
        let is_link = kind.is_some_and(|kind| kind.is_symlink());
        places.push(WatchPlace { folder: folder.clone(), name, is_link });
        if is_link && links < LINKS {
            let Ok(target) = fs::read_link(&at) else { return places };
            rest = target.join(after);
            links += 1;
        } else if kind.is_some_and(|kind| kind.is_dir()) {
            (folder, rest) = (at, after);
        } else {
            return places;
        }
    }
}

/// Starts to watch the folders of some places, from the root on: what is replaced after its folder is watched is reported.
fn start(places: &[WatchPlace], notes: Sender<Note>) -> Result<RecommendedWatcher> {
    let paths: Vec<PathBuf> = places.iter().map(|place| place.folder.join(&place.name)).collect();
    let on_event = move |event: Result<Event>| {
        let note = match event {
            Ok(event) if !event.need_rescan() => {
                // Reading a file does not change it, and this program reads it after each report.
                if event.kind.is_access() {
                    return;
                }
                match paths.iter().position(|path| event.paths.contains(path)) {
                    None => return,
                    Some(number) if number + 1 == paths.len() => Note::Changed,
                    Some(_) => Note::Moved,
                }
            }
            _ => Note::Moved,
        };
        let _ = notes.send(note);
    };
    let mut watcher = notify::recommended_watcher(on_event)?;
    let mut watched: Vec<&Path> = Vec::new();
    for (number, place) in places.iter().enumerate() {
        let is_last = number + 1 == places.len();
        // macOS watches paths, not folders, and whatever is below them: a parent is dear there, and not needed.
        if watched.contains(&&*place.folder) || (cfg!(target_os = "macos") && !is_last && !place.is_link) {
            continue;
        }
        match watcher.watch(&place.folder, RecursiveMode::NonRecursive) {
            Ok(()) => watched.push(&place.folder),
            // Of some folders only the names of their contents are secret.
            Err(error) if !is_last && is_refused(&error) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(watcher)
}

fn is_refused(error: &Error) -> bool {
    matches!(&error.kind, ErrorKind::Io(error) if error.kind() == PermissionDenied)
}

/// Returns whether a folder was missing.
fn is_gone(error: &Error) -> bool {
    match &error.kind {
        ErrorKind::PathNotFound => true,
        ErrorKind::Io(error) => {
            matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory)
        }
        _ => false,
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    /// A scene: the file's path, its preparation, what another program does, and where it then writes.
    type Scene = (&'static str, fn(&Path), fn(&Path), &'static str);

    fn write(path: PathBuf, text: &str) {
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(path, text).expect("written");
    }
    fn rename(folder: &Path, from: &str, to: &str) {
        fs::rename(folder.join(from), folder.join(to)).expect("renamed");
    }
    /// Lets a link lead to another place, at once.
    fn switch(folder: &Path, link: &str, target: &str) {
        symlink(target, folder.join("new link")).expect("linked");
        rename(folder, "new link", link);
    }

    #[test]
    fn watch_follows_the_way_to_its_file() {
        let scenes: &[Scene] = &[
            (
                "a.myr",
                |at| write(at.join("a.myr"), "1"),
                |at| fs::remove_file(at.join("a.myr")).expect("removed"),
                "a.myr",
            ),
            ("a.myr", |_| {}, |at| write(at.join("a.myr"), "1"), "a.myr"),
            (
                "p/q/a.myr",
                |at| write(at.join("p/q/a.myr"), "1"),
                |at| {
                    rename(at, "p/q", "p/old");
                    write(at.join("p/q/a.myr"), "2");
                },
                "p/q/a.myr",
            ),
            (
                "p/q/a.myr",
                |at| write(at.join("p/q/a.myr"), "1"),
                |at| {
                    rename(at, "p", "old");
                    write(at.join("p/q/a.myr"), "2");
                },
                "p/q/a.myr",
            ),
            (
                "p/q/a.myr",
                |at| write(at.join("p/q/a.myr"), "1"),
                |at| fs::remove_dir_all(at.join("p")).expect("removed"),
                "p/q/a.myr",
            ),
            (
                "p/a.myr",
                |at| write(at.join("p/a.myr"), "1"),
                |at| {
                    rename(at, "p", "old");
                    rename(at, "old", "p");
                },
                "p/a.myr",
            ),
            (
                "p/a.myr",
                |at| {
                    write(at.join("v1/a.myr"), "1");
                    write(at.join("v2/a.myr"), "2");
                    symlink("v1", at.join("p")).expect("linked");
                },
                |at| switch(at, "p", "v2"),
                "v2/a.myr",
            ),
            (
                "p/a.myr",
                |at| {
                    write(at.join("v1/b.myr"), "1");
                    write(at.join("v2/c.myr"), "2");
                    write(at.join("p/other"), "");
                    symlink("../v1/b.myr", at.join("p/a.myr")).expect("linked");
                },
                |at| switch(at, "p/a.myr", "../v2/c.myr"),
                "v2/c.myr",
            ),
            (
                "p/a.myr",
                |at| {
                    write(at.join("v1/b.myr"), "1");
                    write(at.join("p/other"), "");
                    symlink("../v1/b.myr", at.join("p/a.myr")).expect("linked");
                },
                |at| {
                    rename(at, "v1", "old");
                    write(at.join("v1/b.myr"), "2");
                },
                "v1/b.myr",
            ),
        ];
        for (number, (file, prepare, act, target)) in scenes.iter().enumerate() {
            let folder = tempfile::tempdir().expect("a folder");
            let at = folder.path();
            prepare(at);
            let (sender, told) = channel();
            let tell = move |result: Result<()>| drop(sender.send(result.map_err(|error| error.to_string())));
            let _watch = watch(&at.join(file), tell).expect("watched");
            let wait = |what: &str| {
                let result = told.recv_timeout(Duration::from_secs(60));
                result.unwrap_or_else(|_| panic!("scene {number}: {what} is not noticed")).expect("watched");
                // An event directly after it is the same change.
                while told.recv_timeout(4 * QUIET).is_ok() {}
            };
            act(at);
            wait("the change");
            for round in ["first", "second"] {
                write(at.join(target), round);
                wait(round);
            }
        }
    }

    #[test]
    fn other_files_on_the_way_are_not_reported() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = folder.path();
        write(at.join("p/a.myr"), "1");
        let (sender, told) = channel();
        let _watch = watch(&at.join("p/a.myr"), move |result| sender.send(result.is_ok()).expect("heard"))
            .expect("watched");
        write(at.join("p/b.myr"), "1");
        write(at.join("q/a.myr"), "1");
        assert!(told.recv_timeout(10 * QUIET).is_err());
    }

    #[test]
    fn missing_folder_is_an_error_that_is_tried_again() {
        let folder = tempfile::tempdir().expect("a folder");
        let (notes, queue) = channel();
        let place =
            |name: &str| WatchPlace { folder: folder.path().join(name), name: "a".into(), is_link: false };
        let error = start(&[place("missing")], notes).map(drop).expect_err("it is missing");
        assert!(is_gone(&error) && !is_refused(&error), "{error}");
        drop(queue);
    }
}
