//! Saving: atomic and durable. The text goes to a new file in the same folder, which then takes the old one's name;
//! both are on the disk before anybody is told so. Links are followed, the mode is kept, and a file that someone else
//! changed meanwhile is not touched.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use super::super::event::{Disk, Event};
use super::disk;
pub use crate::files::{folder, follow, room_for, write};

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

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

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
}
