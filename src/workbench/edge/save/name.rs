//! Names of new files: temporary files of saves, and texts saved under another name.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::{Builder, NamedTempFile};

use crate::host::files::{self, fresh_permissions};
use crate::lang::hash::fnv64;
use crate::workbench::edge::journal::Journal;
use crate::workbench::edge::save::{folder, sync_folder};

/// A save's temporary file is `.myriad-RUN-FILE-OLD-RANDOM.tmp`. FILE is a hash of the file's name, OLD a
/// hash of the bytes to replace.
const PREFIX: &str = ".myriad-";
const SUFFIX: &str = ".tmp";

/// The word in the name of another program's text that is put aside.
pub const THEIRS: &str = "theirs";
/// Likewise for one's own text.
pub const MINE: &str = "mine";

/// Creates a temporary file next to its target. A `fresh` file has the user's usual mode; otherwise only the
/// owner has access until the mode of the replaced file is copied.
pub fn temporary(target: &Path, journal: &Journal, old: &[u8], fresh: bool) -> io::Result<NamedTempFile> {
    let run = journal.name().unwrap_or_else(|_| format!("{}-0", std::process::id()));
    let prefix = format!("{PREFIX}{run}-{:016x}-{:016x}-", name_hash(target), content_hash(old));
    let mut builder = Builder::new();
    builder.prefix(&prefix).suffix(SUFFIX);
    let permissions = fresh_permissions().filter(|_| fresh);
    if let Some(permissions) = permissions {
        builder.permissions(permissions);
    }
    // Omit the temporary name from errors.
    builder.tempfile_in(folder(target)).map_err(|error| io::Error::new(error.kind(), files::message(&error)))
}

#[derive(Debug, PartialEq, Eq)]
pub struct TemporaryName {
    pub run: String,
    /// The hash of the target's name.
    pub file: u64,
    /// The hash of the bytes to replace.
    pub old: u64,
}

pub fn parse(name: &str) -> Option<TemporaryName> {
    let mut parts = name.strip_prefix(PREFIX)?.strip_suffix(SUFFIX)?.rsplitn(4, '-');
    let mut next = || parts.next();
    let (_random, old, file, run) = (next()?, next()?, next()?, next()?);
    let number = |text| u64::from_str_radix(text, 16).ok();
    Some(TemporaryName { run: run.to_string(), file: number(file)?, old: number(old)? })
}

/// Returns the hash of a file's name.
pub fn name_hash(path: &Path) -> u64 {
    content_hash(path.file_name().unwrap_or_default().as_encoded_bytes())
}

pub fn content_hash(bytes: &[u8]) -> u64 {
    fnv64(bytes.iter().copied())
}

/// Writes bytes next to a file, under an unused name that contains `word`, and returns that path. The new
/// file has the same read and write permissions. It is on disk when this returns.
pub fn save_copy(path: &Path, word: &str, bytes: &[u8], journal: &Journal) -> io::Result<PathBuf> {
    let mut file = temporary(path, journal, &[], false)?;
    file.as_file_mut().write_all(bytes)?;
    #[cfg(unix)]
    if let Ok(meta) = std::fs::metadata(path) {
        use std::os::unix::fs::PermissionsExt;
        let mode = meta.permissions().mode() & 0o666;
        let _ = file.as_file().set_permissions(std::fs::Permissions::from_mode(mode));
    }
    file.as_file().sync_all()?;
    let mut file = Some(file);
    let copy =
        with_unused_name(path, word, |copy| match file.take().map(|file| file.persist_noclobber(copy)) {
            Some(Err(error)) => {
                file = Some(error.file);
                Err(error.error)
            }
            _ => Ok(()),
        })?;
    // A failure to sync the folder is ignored.
    let _ = sync_folder(&folder(path));
    Ok(copy)
}

/// Returns the first unused name next to a file that contains `word` and that `take` accepts.
pub fn with_unused_name(
    path: &Path,
    word: &str,
    mut take: impl FnMut(&Path) -> io::Result<()>,
) -> io::Result<PathBuf> {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let extension = path.extension().map_or(String::new(), |e| format!(".{}", e.to_string_lossy()));
    // A name may have 255 bytes, including the word and a number.
    let room = 240usize.saturating_sub(word.len() + extension.len());
    let stem = &stem[..stem.floor_char_boundary(room)];
    for n in 1..10_000 {
        let number = if n == 1 { String::new() } else { n.to_string() };
        let copy = path.with_file_name(format!("{stem}.{word}{number}{extension}"));
        match take(&copy) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
            Ok(()) => return Ok(copy),
        }
    }
    Err(io::Error::other("no name is free to put a text aside"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn temporary_name_encodes_its_run_file_and_replaced_content() {
        let (file, old) = (name_hash(Path::new("x/a.myr")), content_hash(b"old"));
        let name = format!("{PREFIX}12-ab-{file:016x}-{old:016x}-x1Y2{SUFFIX}");
        assert_eq!(parse(&name), Some(TemporaryName { run: "12-ab".to_string(), file, old }));
        for name in [".myriad-.tmp", ".myriad-a-b-c.tmp", "a.tmp", ".myriad-1-2-zz-0-x.tmp"] {
            assert_eq!(parse(name), None, "{name}");
        }
        assert_eq!(content_hash(b"a"), 0xaf63_dc4c_8601_ec8c, "as published");
    }

    #[test]
    fn text_put_aside_takes_an_unused_name() {
        let folder = tempfile::tempdir().expect("a folder");
        let journal = Journal::start(vec![folder.path().join("journal")], |_| {}).expect("started");
        let path = folder.path().join("a.b.myr");
        let names: Vec<String> = ["one", "two"]
            .map(|text| save_copy(&path, "mine", text.as_bytes(), &journal).expect("written"))
            .iter()
            .map(|path| path.file_name().expect("a name").to_string_lossy().into_owned())
            .collect();
        assert_eq!(names, ["a.b.mine.myr", "a.b.mine2.myr"]);
        assert_eq!(std::fs::read_to_string(folder.path().join("a.b.mine2.myr")).expect("read"), "two");
        let long = folder.path().join(format!("{}.myr", "ä".repeat(125)));
        save_copy(&long, "theirs", b"x", &journal).expect("a shorter name");
    }
}
