//! Removes temporary files of killed saves when the file is opened. Contents that exist nowhere else are
//! first moved to the journal, which offers them.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::host::files::{self, whole};
use crate::workbench::edge::disk;
use crate::workbench::edge::journal::folder;
use crate::workbench::edge::save::{folder as folder_of, follow, name};
use crate::workbench::event::FileContents;

/// Removes the temporary files that killed saves left next to a file.
pub fn clear(path: &Path) {
    clear_with(path, &folder::places());
}

/// Likewise, with journals in these places.
pub(super) fn clear_with(path: &Path, places: &[PathBuf]) {
    let target = follow(path).unwrap_or_else(|_| path.to_path_buf());
    let Ok(listed) = fs::read_dir(folder_of(&target)) else { return };
    let left: Vec<_> = listed
        .flatten()
        .filter_map(|file| Some((file.path(), name::parse(file.file_name().to_str()?)?)))
        .filter(|(_, named)| named.file == name::name_hash(&target) && !folder::lives(places, &named.run))
        .collect();
    if left.is_empty() {
        return;
    }
    let mut known: Vec<Arc<str>> =
        folder::find(places, None).left.into_iter().map(|(_, entry)| Arc::from(entry.text)).collect();
    if let FileContents::Text { text, .. } = disk::read(&target) {
        known.push(text);
    }
    for (file, named) in left {
        let Some(bytes) = read(&file, &named.run) else { continue };
        let is_known = bytes.is_empty()
            || name::content_hash(&bytes) == named.old
            || known.iter().any(|text| {
                // A truncated temporary file is a prefix of a text that is stored elsewhere.
                disk::encode(text, false).starts_with(&bytes) || disk::encode(text, true).starts_with(&bytes)
            });
        if !is_known {
            let text = String::from_utf8_lossy(&bytes);
            if folder::leave(places, Some(&whole(&target)), &text).is_err() {
                continue;
            }
            known.push(Arc::from(&*text));
        }
        let _ = fs::remove_file(&file);
    }
}

/// Reads a file that belongs to this user; links and other kinds of files are ignored.
fn read(path: &Path, run: &str) -> Option<Vec<u8>> {
    let file = files::open_no_link(path).ok()?;
    let meta = file.metadata().ok()?;
    #[cfg(unix)]
    if std::os::unix::fs::MetadataExt::uid(&meta) != rustix::process::geteuid().as_raw() && !is_orphan(run) {
        return None;
    }
    files::read_stream(file, disk::LARGEST).ok()
}

/// Returns whether root may claim a file of another user. Root gives the temporary file the owner of the file
/// to be replaced. The locks of other users' runs are not visible, so the process itself must have ended.
#[cfg(unix)]
fn is_orphan(run: &str) -> bool {
    use rustix::process::{Pid, geteuid, test_kill_process};
    let process = run.split('-').next().and_then(|pid| pid.parse().ok()).and_then(Pid::from_raw);
    geteuid().is_root() && process.is_some_and(|pid| test_kill_process(pid) == Err(rustix::io::Errno::SRCH))
}
