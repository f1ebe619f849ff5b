//! Names for new files: of a save that is being written, and of texts that are put aside.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::{Builder, NamedTempFile};

use crate::host::files::{self, fresh_permissions};
use crate::workbench::edge::journal::Journal;
use crate::workbench::edge::save::{folder, sync_folder};

/// What a save that is being written is called: `.myriad-RUN-FILE-OLD-RANDOM.tmp`, where FILE stands for the name of the file, and OLD
/// for the bytes that are to be replaced.
const PREFIX: &str = ".myriad-";
const SUFFIX: &str = ".tmp";

/// The word in the name of another program's text that is put aside.
pub const THEIRS: &str = "theirs";
/// The same for one's own.
pub const MINE: &str = "mine";

/// A new file for a save, beside the file that it is for. Its mode is the user's usual one if it is to become a new file, else the owner's alone until
/// it gets that of the file that it replaces.
pub fn temporary(target: &Path, journal: &Journal, old: &[u8], fresh: bool) -> io::Result<NamedTempFile> {
    let run = journal.name().unwrap_or_else(|_| format!("{}-0", std::process::id()));
    let prefix = format!("{PREFIX}{run}-{:016x}-{:016x}-", name_mark(target), mark(old));
    let mut builder = Builder::new();
    builder.prefix(&prefix).suffix(SUFFIX);
    let permissions = fresh_permissions().filter(|_| fresh);
    if let Some(permissions) = permissions {
        builder.permissions(permissions);
    }
    // Nobody needs to know what it would have been called.
    builder.tempfile_in(folder(target)).map_err(|error| io::Error::new(error.kind(), files::message(&error)))
}

/// What the name of a save that was being written says.
#[derive(Debug, PartialEq, Eq)]
pub struct Named {
    /// The run that wrote it.
    pub run: String,
    /// The mark of the name of the file that it was for.
    pub file: u64,
    /// The mark of the bytes that it was to replace.
    pub old: u64,
}

/// Reads the name of a save that was being written.
pub fn parse(name: &str) -> Option<Named> {
    let mut parts = name.strip_prefix(PREFIX)?.strip_suffix(SUFFIX)?.rsplitn(4, '-');
    let mut next = || parts.next();
    let (_random, old, file, run) = (next()?, next()?, next()?, next()?);
    let number = |text| u64::from_str_radix(text, 16).ok();
    Some(Named { run: run.to_string(), file: number(file)?, old: number(old)? })
}

/// The mark of a file's name.
pub fn name_mark(path: &Path) -> u64 {
    mark(path.file_name().unwrap_or_default().as_encoded_bytes())
}

/// A mark of some bytes, to know them again: FNV-1a of 64 bits (Fowler, Noll, Vo).
pub fn mark(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3))
}

/// Writes bytes beside a file, under a name with this word that nothing has; says which. Whoever may read the file may read this.
/// On the disk when this returns.
pub fn aside(path: &Path, word: &str, bytes: &[u8], journal: &Journal) -> io::Result<PathBuf> {
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
    let aside = free(path, word, |aside| match file.take().map(|file| file.persist_noclobber(aside)) {
        Some(Err(error)) => {
            file = Some(error.file);
            Err(error.error)
        }
        _ => Ok(()),
    })?;
    // That the folder lists it is as good as done where this fails.
    let _ = sync_folder(&folder(path));
    Ok(aside)
}

/// The first name with this word beside a file that can be taken.
pub fn free(path: &Path, word: &str, mut take: impl FnMut(&Path) -> io::Result<()>) -> io::Result<PathBuf> {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let extension = path.extension().map_or(String::new(), |e| format!(".{}", e.to_string_lossy()));
    // A name may have 255 bytes, the word and a number among them.
    let room = 240usize.saturating_sub(word.len() + extension.len());
    let stem = &stem[..stem.floor_char_boundary(room)];
    for n in 1..10_000 {
        let number = if n == 1 { String::new() } else { n.to_string() };
        let aside = path.with_file_name(format!("{stem}.{word}{number}{extension}"));
        match take(&aside) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
            Ok(()) => return Ok(aside),
        }
    }
    Err(io::Error::other("no name is free to put a text aside"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_says_whose_it_is_and_what_it_replaces() {
        let (file, old) = (name_mark(Path::new("x/a.myr")), mark(b"old"));
        let name = format!("{PREFIX}12-ab-{file:016x}-{old:016x}-x1Y2{SUFFIX}");
        assert_eq!(parse(&name), Some(Named { run: "12-ab".to_string(), file, old }));
        for name in [".myriad-.tmp", ".myriad-a-b-c.tmp", "a.tmp", ".myriad-1-2-zz-0-x.tmp"] {
            assert_eq!(parse(name), None, "{name}");
        }
        assert_eq!(mark(b"a"), 0xaf63_dc4c_8601_ec8c, "as published");
    }

    #[test]
    fn what_is_put_aside_takes_a_name_that_is_free() {
        let folder = tempfile::tempdir().expect("a folder");
        let journal = Journal::start(vec![folder.path().join("journal")], |_| {}).expect("started");
        let path = folder.path().join("a.b.myr");
        let names: Vec<String> = ["one", "two"]
            .map(|text| aside(&path, "mine", text.as_bytes(), &journal).expect("written"))
            .iter()
            .map(|path| path.file_name().expect("a name").to_string_lossy().into_owned())
            .collect();
        assert_eq!(names, ["a.b.mine.myr", "a.b.mine2.myr"]);
        assert_eq!(std::fs::read_to_string(folder.path().join("a.b.mine2.myr")).expect("read"), "two");
        let long = folder.path().join(format!("{}.myr", "ä".repeat(125)));
        aside(&long, "theirs", b"x", &journal).expect("a shorter name");
    }
}
