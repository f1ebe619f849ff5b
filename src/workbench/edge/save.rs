//! Saving: atomic and durable. The text goes to a new file in the same folder, which then takes the old one's name;
//! both are on the disk before anybody is told so. Links are followed, the mode is kept, and a file that someone else
//! changed meanwhile is not touched.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::super::event::{Disk, Event};
use super::disk;

/// What to write and what to expect there.
pub struct Job {
    pub path: PathBuf,
    pub text: Arc<str>,
    pub bom: bool,
    /// What the file held when it was last seen; `None` where there was none.
    pub expect: Option<Arc<str>>,
    pub overwrite: bool,
}

/// Writes the text; the event says how it went.
pub fn save(job: Job) -> Event {
    let name = job.path.display().to_string();
    if !job.overwrite {
        match (disk::read(&job.path), &job.expect) {
            (Disk::Text { text, .. }, Some(expected)) if text == *expected => {}
            (Disk::Text { text, .. }, _) if text == job.text => {}
            (Disk::Text { text, bom }, Some(_)) => return Event::SaveConflict { theirs: text, bom },
            (Disk::Text { .. }, None) => return Event::SaveExists(job.path),
            (Disk::Gone, _) => {}
            (Disk::Unreadable(why), _) => return Event::SaveFailed(format!("{name} not saved: {why}")),
        }
    }
    match write(&job.path, &disk::encode(&job.text, job.bom)) {
        Ok(()) => Event::Saved { path: job.path, text: job.text },
        Err(error) => Event::SaveFailed(format!("{name} not saved: {}", plain(&error))),
    }
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
        io::ErrorKind::NotADirectory => "what should be its folder is none".to_string(),
        io::ErrorKind::StorageFull => "the disk is full".to_string(),
        io::ErrorKind::ReadOnlyFilesystem => "the file system is read-only".to_string(),
        _ => error.to_string(),
    }
}

/// Whether a new file could be written at a path. Nothing is left there.
pub fn room_for(path: &Path) -> io::Result<()> {
    if path.file_name().is_none() || path.as_os_str().as_encoded_bytes().ends_with(b"/") {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no name of a file"));
    }
    tempfile::tempfile_in(folder(&follow(path)?)).map(drop)
}

/// The folder that a file is in.
pub fn folder(path: &Path) -> PathBuf {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_path_buf(),
        _ => PathBuf::from("."),
    }
}

/// Replaces the file at a path, or what it links to, by these bytes, all of them or none.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let target = follow(path)?;
    let folder = folder(&target);
    let kept = match fs::metadata(&target) {
        Ok(meta) if !meta.is_file() => {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no regular file"));
        }
        Ok(meta) => {
            // A file that may not be written is not to be replaced either.
            OpenOptions::new().append(true).open(&target)?;
            Some(meta.permissions())
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    let mut builder = tempfile::Builder::new();
    builder.prefix(".myriad-").suffix(".tmp");
    let fresh = fresh_permissions();
    if let (None, Some(permissions)) = (&kept, fresh) {
        builder.permissions(permissions);
    }
    let mut file = builder.tempfile_in(&folder)?;
    file.write_all(bytes)?;
    if let Some(permissions) = kept {
        file.as_file().set_permissions(permissions)?;
    }
    file.as_file().sync_all()?;
    file.persist(&target).map_err(|e| e.error)?;
    sync_folder(&folder)
}

/// A new file's mode before the user's mask; temporary files would be private.
#[cfg(unix)]
fn fresh_permissions() -> Option<Permissions> {
    use std::os::unix::fs::PermissionsExt;
    Some(Permissions::from_mode(0o666))
}
#[cfg(not(unix))]
fn fresh_permissions() -> Option<Permissions> {
    None
}

#[cfg(unix)]
fn sync_folder(folder: &Path) -> io::Result<()> {
    // Some file systems cannot sync a folder; the file itself is safe then.
    match File::open(folder)?.sync_all() {
        Err(error) if error.kind() == io::ErrorKind::InvalidInput => Ok(()),
        done => done,
    }
}
#[cfg(not(unix))]
fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

/// The path that a chain of links ends at, which need not exist.
pub fn follow(path: &Path) -> io::Result<PathBuf> {
    let mut at = path.to_path_buf();
    for _ in 0..40 {
        match fs::symlink_metadata(&at) {
            Ok(meta) if meta.file_type().is_symlink() => {
                let to = fs::read_link(&at)?;
                at = match at.parent() {
                    Some(parent) => parent.join(to),
                    None => to,
                };
            }
            _ => return Ok(at),
        }
    }
    Err(io::Error::other("too many links"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(path: &Path, text: &str, expect: Option<&str>) -> Job {
        Job {
            path: path.to_path_buf(),
            text: Arc::from(text),
            bom: false,
            expect: expect.map(Arc::from),
            overwrite: false,
        }
    }

    #[test]
    fn what_someone_else_wrote_is_not_overwritten() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.myr");
        assert!(matches!(save(job(&path, "one", None)), Event::Saved { .. }));
        fs::write(&path, "theirs").expect("written");
        assert!(matches!(save(job(&path, "two", Some("one"))), Event::SaveConflict { .. }));
        assert!(matches!(save(job(&path, "two", None)), Event::SaveExists(_)));
        assert_eq!(fs::read_to_string(&path).expect("read"), "theirs");
        let forced = Job { overwrite: true, ..job(&path, "two", None) };
        assert!(matches!(save(forced), Event::Saved { .. }));
        assert_eq!(fs::read_to_string(&path).expect("read"), "two");
        assert_eq!(fs::read_dir(folder.path()).expect("listed").count(), 1, "no temporary file is left");
    }

    #[test]
    fn a_new_file_needs_a_folder_that_takes_it() {
        let folder = tempfile::tempdir().expect("a folder");
        assert!(room_for(&folder.path().join("new.myr")).is_ok());
        assert_eq!(fs::read_dir(folder.path()).expect("listed").count(), 0, "nothing is left there");
        let nowhere = room_for(&folder.path().join("none/new.myr")).expect_err("no folder");
        assert_eq!(plain_new(&nowhere), "its folder does not exist");
        let file = folder.path().join("file");
        fs::write(&file, "").expect("written");
        let within = room_for(&file.join("new.myr")).expect_err("a file is no folder");
        assert_eq!(plain_new(&within), "what should be its folder is none");
        assert!(room_for(Path::new("new.myr/")).is_err() && room_for(Path::new("..")).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn mode_and_links_stay() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = tempfile::tempdir().expect("a folder");
        let real = folder.path().join("real.myr");
        let link = folder.path().join("link.myr");
        fs::write(&real, "one").expect("written");
        fs::set_permissions(&real, Permissions::from_mode(0o640)).expect("mode set");
        symlink("real.myr", &link).expect("linked");
        write(&link, b"two").expect("saved");
        assert!(fs::symlink_metadata(&link).expect("there").file_type().is_symlink());
        assert_eq!(fs::read(&real).expect("read"), b"two");
        assert_eq!(fs::metadata(&real).expect("there").permissions().mode() & 0o777, 0o640);
    }
}
