//! Saving: atomic and durable, and never over what someone else wrote. The text goes to a new file in the same folder, which then
//! changes places with the old one ([`replace`]): what comes out is looked at, so that nothing that was written at the very last moment
//! is lost. Links are followed; mode, owner, group and attributes are kept. Where a new file could not have them, or the
//! folder does not take one, the old one is written to ([`in_place`]), with the journal as the net.

mod attributes;
mod in_place;
pub mod leftovers;
mod name;
mod replace;

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::host::files::{self, sync_folder};
pub use crate::host::files::{folder, follow, room_for};
use crate::workbench::edge::disk;
use crate::workbench::edge::journal::Journal;
use crate::workbench::event::{Disk, Event};
pub use name::{MINE, THEIRS, aside};
pub use replace::Replaced;

/// What to write and what to expect there.
#[derive(Debug)]
pub struct Job {
    pub path: PathBuf,
    pub text: Arc<str>,
    pub bom: bool,
    /// What the file held when it was last seen; `None` where there was none.
    pub expect: Option<Arc<str>>,
    /// Write it whatever the file holds, as a person has decided.
    pub overwrite: bool,
}

/// How a save went, and what is to be looked at once more after it.
pub struct Saved {
    pub event: Event,
    pub old: Option<Replaced>,
}

impl From<Event> for Saved {
    fn from(event: Event) -> Saved {
        Saved { event, old: None }
    }
}

/// What became of an attempt to write.
enum Written {
    /// The text is in the file. With what is to be said of it, and what it replaced.
    Done { note: Option<String>, old: Option<Replaced> },
    /// The file holds something else now than when it was looked at.
    Changed,
}

/// Times that a save begins anew because the file changed under it.
const ATTEMPTS: usize = 8;

/// Writes the text; the event says how it went. `ours` are texts that this run wrote to the file and nobody has changed since.
pub fn save(job: &Job, ours: &[Arc<str>], journal: &Journal) -> Saved {
    let name = job.path.display();
    let failed = |why: String| Event::SaveFailed(format!("{name} not saved: {why}")).into();
    let done = |note| Event::Saved { path: job.path.clone(), text: job.text.clone(), note };
    let target = match follow(&job.path) {
        Ok(target) => target,
        Err(error) => return failed(plain(&error)),
    };
    let bytes = disk::encode(&job.text, job.bom);
    // The file is as this job expects it, or as this run's last save left it.
    let fits = |text: &Arc<str>| {
        let known = job.expect.as_ref() == Some(text);
        let last = ours.last().is_some_and(|last| last == text);
        job.overwrite || known || (last && job.expect.as_ref().is_some_and(|expected| ours.contains(expected)))
    };
    for _ in 0..ATTEMPTS {
        let written = match disk::read(&target) {
            Disk::Gone => create(&target, &bytes, journal),
            Disk::Text { text, bom } if fits(&text) => {
                let expected = disk::encode(&text, bom);
                if expected == bytes {
                    return done(None).into();
                }
                replace::replace(&target, &bytes, &expected, journal).and_then(|written| match written {
                    Some(written) => Ok(written),
                    None => in_place::write(&target, &job.text, &bytes, &expected, journal),
                })
            }
            Disk::Text { text, .. } if text == job.text => return done(None).into(),
            Disk::Text { text, bom } if job.expect.is_some() => {
                return Event::SaveConflict { theirs: text, bom }.into();
            }
            Disk::Text { .. } => return Event::SaveExists(job.path.clone()).into(),
            Disk::Unreadable(why) => return failed(why),
        };
        match written {
            Ok(Written::Done { note, old }) => return Saved { event: done(note), old },
            Ok(Written::Changed) => {}
            Err(error) => return failed(plain(&error)),
        }
    }
    failed("another program writes it all the time".to_string())
}

/// Writes a file that is not there. One that appears meanwhile is left as it is.
fn create(target: &Path, bytes: &[u8], journal: &Journal) -> io::Result<Written> {
    let mut file = name::temporary(target, journal, &[], true)?;
    file.as_file_mut().write_all(bytes)?;
    file.as_file().sync_all()?;
    let done = match file.persist_noclobber(target).map_err(|error| error.error) {
        Ok(_) => Ok(()),
        // Not every file system can give a name only where nothing has it.
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => create_as_it_is(target, bytes),
        Err(error) => Err(error),
    };
    match done {
        Ok(()) => Ok(Written::Done { note: unsure(&folder(target)), old: None }),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(Written::Changed),
        Err(error) => Err(error),
    }
}

/// Writes a new file under its own name; nothing of it stays where that fails.
fn create_as_it_is(target: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = fs::OpenOptions::new().write(true).create_new(true).open(target)?;
    let written = file.write_all(bytes).and_then(|()| file.sync_all());
    if written.is_err() {
        let _ = fs::remove_file(target);
    }
    written
}

/// Makes sure that what a folder lists is on the disk; else says so: the text is in the file, and a power failure may take it away.
fn unsure(folder: &Path) -> Option<String> {
    let error = sync_folder(folder).err()?;
    Some(format!("not yet safe from a power failure: {}", plain_new(&error)))
}

/// An error in words that say what to do.
fn plain(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::PermissionDenied => {
            format!("{} (alt-s saves under another name)", plain_new(error))
        }
        _ => plain_new(error),
    }
}

/// An error in words, where nothing is open yet.
pub fn plain_new(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::PermissionDenied => "no permission to write there".to_string(),
        io::ErrorKind::NotFound => "its folder does not exist".to_string(),
        _ => files::message(error),
    }
}

#[cfg(test)]
mod tests;
