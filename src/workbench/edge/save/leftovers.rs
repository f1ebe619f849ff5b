//! Files that saves left which were killed: found when the file is opened, and removed. What they hold that is nowhere
//! else goes to the journal first, where it is offered.

use std::fs::{self, OpenOptions};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::super::disk;
use super::super::journal::{folder, whole};
use super::{folder as folder_of, follow, name};
use crate::workbench::event::Disk;

/// Removes what killed saves left beside a file.
pub fn clear(path: &Path) {
    clear_with(path, &folder::places());
}

/// The same, with journals in these places.
pub(super) fn clear_with(path: &Path, places: &[PathBuf]) {
    let target = follow(path).unwrap_or_else(|_| path.to_path_buf());
    let Ok(listed) = fs::read_dir(folder_of(&target)) else { return };
    let left: Vec<_> = listed
        .flatten()
        .filter_map(|file| Some((file.path(), name::parse(file.file_name().to_str()?)?)))
        .filter(|(_, named)| named.file == name::name_mark(&target) && !folder::lives(places, &named.run))
        .collect();
    if left.is_empty() {
        return;
    }
    let mut known: Vec<Arc<str>> =
        folder::find(places, None).left.into_iter().map(|(_, entry)| Arc::from(entry.text)).collect();
    if let Disk::Text { text, .. } = disk::read(&target) {
        known.push(text);
    }
    for (file, named) in left {
        let Some(bytes) = read(&file) else { continue };
        let is_known = bytes.is_empty()
            || name::mark(&bytes) == named.old
            || known.iter().any(|text| {
                // One that was cut short has the beginning of what is kept whole elsewhere.
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

/// What a file of one's own holds; links and what is no file are let be.
fn read(path: &Path) -> Option<Vec<u8>> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
        std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, flags.bits() as i32);
    }
    let file = options.open(path).ok()?;
    let meta = file.metadata().ok()?;
    #[cfg(unix)]
    if std::os::unix::fs::MetadataExt::uid(&meta) != rustix::process::geteuid().as_raw() {
        return None;
    }
    if !meta.is_file() || meta.len() > disk::LARGEST {
        return None;
    }
    let mut bytes = Vec::new();
    file.take(disk::LARGEST).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}
