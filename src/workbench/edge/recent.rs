//! The files opened last: a text file in the user's state folder, one absolute path a line, the newest first. It is read
//! and written on separate threads.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::{fs, io};

use etcetera::BaseStrategy;

use crate::host::files;
use crate::workbench::edge::background::spawn_detached;
use crate::workbench::edge::events::Events;
use crate::workbench::event::Event;

/// The maximum number of paths kept.
const MOST: usize = 50;
/// Longer files are not read.
const LARGEST: u64 = 1 << 20;

/// Serializes changes of the file.
static CHANGE: Mutex<()> = Mutex::new(());

fn place() -> Option<PathBuf> {
    let folders = etcetera::choose_base_strategy().ok()?;
    Some(folders.state_dir().unwrap_or_else(|| folders.data_dir()).join("myriad").join("recent"))
}

/// Sends the list, unless the user has no home folder.
pub fn list(events: Events) {
    spawn_detached("recent", move || {
        let Some(place) = place() else { return };
        let paths = read(&place).unwrap_or_default();
        drop(events.send(Event::Recent(paths.into_iter().filter(|path| path.is_file()).collect())));
    });
}

/// Puts a file at the front of the list, and sends the list. A list that cannot be written is no reason to disturb the user.
pub fn note(path: PathBuf, events: Events) {
    spawn_detached("recent", move || {
        let Some(place) = place() else { return };
        let _changes = CHANGE.lock().unwrap_or_else(PoisonError::into_inner);
        let files = with(read(&place).unwrap_or_default(), &files::whole(&path));
        if write(&place, &files).is_ok() {
            drop(events.send(Event::Recent(files)));
        }
    });
}

/// Returns the list with a path at its front.
fn with(paths: Vec<PathBuf>, path: &Path) -> Vec<PathBuf> {
    let others = paths.into_iter().filter(|other| other != path);
    std::iter::once(path.to_path_buf()).chain(others).take(MOST).collect()
}

fn read(place: &Path) -> Option<Vec<PathBuf>> {
    let text = files::read_text(place, LARGEST).ok()?;
    Some(text.lines().filter(|line| !line.is_empty()).map(PathBuf::from).take(MOST).collect())
}

/// Writes the paths that a line can hold.
fn write(place: &Path, paths: &[PathBuf]) -> io::Result<()> {
    fs::create_dir_all(files::folder(place))?;
    let lines = paths.iter().filter_map(|path| path.to_str()).filter(|path| !path.contains(['\n', '\r']));
    let text: String = lines.map(|line| format!("{line}\n")).collect();
    files::write(place, text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn newest_file_is_first_and_listed_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let place = folder.path().join("state/recent");
        assert_eq!(read(&place), None, "no file was opened yet");
        let mut paths = Vec::new();
        for name in ["/a.myr", "/b.myr", "/a.myr", "/odd\nname.myr"] {
            paths = with(paths, Path::new(name));
            write(&place, &paths).expect("written");
        }
        assert_eq!(read(&place), Some(vec!["/a.myr".into(), "/b.myr".into()]));
        for n in 0..2 * MOST {
            paths = with(paths, Path::new(&format!("/{n}.myr")));
        }
        assert_eq!(paths.len(), MOST);
    }
}
