//! Saving is atomic and durable, and never overwrites another program's changes. The text is written to a new
//! file in the same folder, which is exchanged with the old one ([`replace`]). The old file is checked
//! afterwards, so changes made at the last moment are not lost. Links are followed; mode, owner, group and
//! attributes are kept. If a new file could not have them, or the folder accepts no new file, the old one is
//! overwritten ([`in_place`]) with a copy in the journal.

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
pub use crate::host::files::{check_writable, folder, follow};
use crate::workbench::edge::disk;
use crate::workbench::edge::journal::Journal;
use crate::workbench::event::{Event, FileContents};
pub use name::{MINE, THEIRS, save_copy};
pub use replace::Replaced;

/// A text to write, and the expected contents of the file.
#[derive(Debug)]
pub struct SaveJob {
    pub path: PathBuf,
    pub text: Arc<str>,
    pub bom: bool,
    /// The file's contents when it was last seen; `None` if it did not exist.
    pub expect: Option<Arc<str>>,
    /// Write whatever the file holds, at the user's request.
    pub overwrite: bool,
}

/// The result of a save, and the replaced file to check again later.
pub struct Saved {
    pub event: Event,
    pub old: Option<Replaced>,
}

impl From<Event> for Saved {
    fn from(event: Event) -> Saved {
        Saved { event, old: None }
    }
}

/// The result of an attempt to write.
enum Written {
    /// The text is in the file. Includes a note for the user, and the replaced file.
    Done { note: Option<String>, old: Option<Replaced> },
    /// The file's contents have changed since they were read.
    Changed,
}

/// The number of attempts if the file changes during a save.
/// A bound, because another program may write to the file without end.
const ATTEMPTS: usize = 8;

/// Writes the text. The event in the result describes the outcome. `ours` are texts that this run wrote to
/// the file and that nobody has changed since.
pub fn save(job: &SaveJob, ours: &[Arc<str>], journal: &Journal) -> Saved {
    let name = job.path.display();
    let failed = |why: String| Event::SaveFailed(format!("{name} not saved: {why}")).into();
    let done = |note| Event::Saved { path: job.path.clone(), text: job.text.clone(), note };
    let target = match follow(&job.path) {
        Ok(target) => target,
        Err(error) => return failed(describe_save_error(&error)),
    };
    let bytes = disk::encode(&job.text, job.bom);
    // The file holds the expected text, or the one that this run saved last.
    let fits = |text: &Arc<str>| {
        let known = job.expect.as_ref() == Some(text);
        // A save that follows another one before the first is reported still expects the text before it.
        let last = ours.last().is_some_and(|last| last == text);
        job.overwrite || known || (last && job.expect.as_ref().is_some_and(|expected| ours.contains(expected)))
    };
    for _ in 0..ATTEMPTS {
        let written = match disk::read(&target) {
            FileContents::Gone => create(&target, &bytes, journal),
            FileContents::Text { text, bom } if fits(&text) => {
                let expected = disk::encode(&text, bom);
                // An equal file is not written, so its time and its watchers stay as they are.
                if expected == bytes {
                    return done(None).into();
                }
                replace::replace(&target, &bytes, &expected, journal).and_then(|written| match written {
                    Some(written) => Ok(written),
                    None => in_place::write(&target, &job.text, &bytes, &expected, journal),
                })
            }
            // Whoever wrote it, the file has the text.
            FileContents::Text { text, .. } if text == job.text => return done(None).into(),
            FileContents::Text { text, bom } if job.expect.is_some() => {
                return Event::SaveConflict { theirs: text, bom }.into();
            }
            FileContents::Text { .. } => return Event::SaveExists(job.path.clone()).into(),
            FileContents::ReadError(why) => return failed(why),
        };
        match written {
            Ok(Written::Done { note, old }) => return Saved { event: done(note), old },
            Ok(Written::Changed) => {}
            Err(error) => return failed(describe_save_error(&error)),
        }
    }
    failed("another program keeps writing to it".to_string())
}

/// Writes a new file. If a file appears meanwhile, it is left unchanged.
fn create(target: &Path, bytes: &[u8], journal: &Journal) -> io::Result<Written> {
    let mut file = name::temporary(target, journal, &[], true)?;
    file.as_file_mut().write_all(bytes)?;
    // Before the rename: after a power failure the name would else lead to an empty file.
    file.as_file().sync_all()?;
    let done = match file.persist_noclobber(target).map_err(|error| error.error) {
        Ok(_) => Ok(()),
        // Some file systems cannot rename without overwriting.
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => create_as_it_is(target, bytes),
        Err(error) => Err(error),
    };
    match done {
        Ok(()) => Ok(Written::Done { note: sync_note(&folder(target)), old: None }),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(Written::Changed),
        Err(error) => Err(error),
    }
}

/// Writes a new file directly under its own name, and removes it if that fails.
fn create_as_it_is(target: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = fs::OpenOptions::new().write(true).create_new(true).open(target)?;
    let written = file.write_all(bytes).and_then(|()| file.sync_all());
    if written.is_err() {
        let _ = fs::remove_file(target);
    }
    written
}

/// Syncs a folder. If that fails, returns a note: the text is in the file, but a power failure may undo the
/// save.
fn sync_note(folder: &Path) -> Option<String> {
    let error = sync_folder(folder).err()?;
    Some(format!("not yet safe from a power failure: {}", describe_error(&error)))
}

/// Describes an error, with advice.
fn describe_save_error(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::PermissionDenied => {
            format!("{} (alt-s saves under another name)", describe_error(error))
        }
        _ => describe_error(error),
    }
}

pub fn describe_error(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::PermissionDenied => "no permission to write there".to_string(),
        io::ErrorKind::NotFound => "its folder does not exist".to_string(),
        _ => files::message(error),
    }
}

#[cfg(test)]
mod tests;
