//! Replaces a file by exchanging it with a new one atomically (`renameat2` with `RENAME_EXCHANGE`,
//! `renamex_np` with `RENAME_SWAP`). The old file is then compared with the expected contents, and kept under
//! another name if it differs.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::host::files;
use crate::workbench::edge::disk;
use crate::workbench::edge::journal::Journal;
use crate::workbench::edge::save::{Written, attributes, folder, name, sync_note};

/// A replaced file without a name, and its contents at that time. A program that has it open may still write
/// to it.
#[derive(Debug)]
pub struct Replaced {
    file: File,
    held: Vec<u8>,
    target: PathBuf,
}

impl Replaced {
    /// Checks the file again. If a program has written to it meanwhile, the contents are saved to a new file,
    /// whose path is returned.
    pub fn look_again(mut self, journal: &Journal) -> io::Result<Option<PathBuf>> {
        let now = content(&mut self.file)?;
        if now == self.held || now.is_empty() {
            return Ok(None);
        }
        name::save_copy(&self.target, name::THEIRS, &now, journal).map(Some)
    }
}

/// Replaces a file whose contents equal `expected` by one with these bytes. `None` if the file must be
/// overwritten in place.
pub fn replace(target: &Path, bytes: &[u8], expected: &[u8], journal: &Journal) -> io::Result<Option<Written>> {
    // A file without write permission must not be replaced.
    let old = files::open_read_write(target)?;
    if attributes::has_other_names(&old)? {
        return Ok(None);
    }
    let mut new = match name::temporary(target, journal, expected, false) {
        Ok(new) => new,
        Err(error) if is_refused(&error) => return Ok(None),
        Err(error) => return Err(error),
    };
    new.as_file_mut().write_all(bytes)?;
    if !attributes::copy(&old, new.as_file())? {
        return Ok(None);
    }
    new.as_file().sync_all()?;
    match exchange(new.path(), target) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Some(Written::Changed)),
        Err(error) if is_refused(&error) => return Ok(None),
        Err(_) => return rename(old, new, target, expected),
    }
    // From here on the text is in the file, and the old file has the temporary name.
    let path = new.into_temp_path();
    let came_out = look(&path, old);
    let Ok((held, file)) = came_out else {
        let place = keep_theirs(path, target);
        let note = format!("the replaced file cannot be read: it is in {}", place.display());
        return Ok(Some(Written::Done { note: Some(note), old: None }));
    };
    if held != expected {
        let place = keep_theirs(path, target);
        let note = format!("another program wrote it at the same moment: its text is in {}", place.display());
        return Ok(Some(Written::Done { note: Some(note), old: None }));
    }
    drop(path);
    let old = Replaced { file, held, target: target.to_path_buf() };
    Ok(Some(Written::Done { note: sync_note(&folder(target)), old: Some(old) }))
}

/// Reads the replaced file. If it cannot be opened, the file opened before may be the same one.
fn look(path: &Path, before: File) -> io::Result<(Vec<u8>, File)> {
    let mut file = match File::open(path) {
        Ok(file) => file,
        Err(_) if attributes::is_named(&before, path) => before,
        Err(error) => return Err(error),
    };
    Ok((content(&mut file)?, file))
}

/// Renames the replaced file to a permanent name; if that fails, it keeps its temporary name.
fn keep_theirs(path: tempfile::TempPath, target: &Path) -> PathBuf {
    let mut path = Some(path);
    let named = name::with_unused_name(target, name::THEIRS, |aside| {
        let Some(named) = path.take() else { return Err(io::Error::other("it has no name")) };
        named.persist_noclobber(aside).map_err(|error| {
            path = Some(error.path);
            error.error
        })
    });
    let kept = |path: tempfile::TempPath| path.keep().unwrap_or_else(|error| error.path.to_path_buf());
    named.unwrap_or_else(|_| path.take().map_or_else(|| target.to_path_buf(), kept))
}

/// Replaces the file by a rename, on systems that cannot exchange files. The old file is compared once more
/// right before.
fn rename(
    old: File,
    new: tempfile::NamedTempFile,
    target: &Path,
    expected: &[u8],
) -> io::Result<Option<Written>> {
    let same = File::open(target).and_then(|mut file| content(&mut file)).is_ok_and(|now| now == expected);
    if !same {
        return Ok(Some(Written::Changed));
    }
    if let Err(error) = new.persist(target) {
        return if is_refused(&error.error) { Ok(None) } else { Err(error.error) };
    }
    let old = Replaced { file: old, held: expected.to_vec(), target: target.to_path_buf() };
    Ok(Some(Written::Done { note: sync_note(&folder(target)), old: Some(old) }))
}

/// Returns whether a new file was refused, although the old one may still be writable.
fn is_refused(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::PermissionDenied)
}

fn content(file: &mut File) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    file.take(disk::LARGEST + 4).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
fn exchange(one: &Path, other: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    Ok(renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE)?)
}
#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
fn exchange(_: &Path, _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
