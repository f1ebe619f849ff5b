//! A temporary folder for a test with the real program: the working folder, a home folder next to it, and the
//! files that the workbench leaves in both.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Returns the home folder for a working folder: it is next to the folder, so that it is not among its files.
pub fn home_of(folder: &Path) -> PathBuf {
    folder.with_file_name("home")
}

/// Returns the folder of unsaved texts for a working folder.
pub fn journal_of(folder: &Path) -> PathBuf {
    home_of(folder).join("state/myriad/unsaved")
}

/// A working folder and a home folder, which are deleted on drop.
pub struct Place {
    root: tempfile::TempDir,
}

impl Place {
    pub fn new() -> Place {
        // The names of test files do not contain the marks of temporary file names.
        let root = tempfile::Builder::new().prefix("place-").tempdir().expect("a folder");
        fs::create_dir(root.path().join("work")).expect("a folder to work in");
        fs::create_dir(root.path().join("home")).expect("a home");
        Place { root }
    }

    /// Returns the working folder.
    pub fn path(&self) -> PathBuf {
        self.root.path().join("work")
    }

    /// Returns a folder on the same file system that is not watched.
    pub fn beside(&self) -> PathBuf {
        self.root.path().to_path_buf()
    }

    /// Returns the unsaved texts, by file name.
    pub fn journal(&self) -> Vec<Entry> {
        journal(&self.path())
    }

    /// Returns the names of incomplete files in the working folder.
    pub fn temporary(&self) -> Vec<String> {
        self.names().into_iter().filter(|name| is_temporary(name)).collect()
    }

    /// Returns all names in the working folder, sorted.
    pub fn names(&self) -> Vec<String> {
        names(&self.path())
    }

    /// Returns names and texts of the files next to `file` that have `word` before the extension:
    /// `NAME.mine.EXT`, `NAME.mine2.EXT`.
    pub fn asides(&self, file: &Path, word: &str) -> Vec<(String, String)> {
        let stem = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let begin = format!("{stem}.{word}");
        let texts = self.names().into_iter().filter(|name| name.starts_with(&begin));
        let texts = texts.filter_map(|name| {
            let text = read_lossy(&self.path().join(&name))?;
            Some((name, text))
        });
        texts.collect()
    }

    /// Describes the state after a failure: the files with their first lines, and the unsaved texts.
    pub fn describe(&self) -> String {
        let mut said = String::new();
        for folder in [self.path(), journal_of(&self.path())] {
            said.push_str(&format!("in {}:\n", folder.display()));
            for name in names(&folder) {
                let path = folder.join(&name);
                let mode = fs::symlink_metadata(&path).map_or(0, |meta| meta.permissions().mode() & 0o7777);
                let text = read_lossy(&path).unwrap_or_default();
                let head: String = text.chars().take(300).collect();
                said.push_str(&format!("  {name} ({mode:o}, {} bytes): {head:?}\n", text.len()));
            }
        }
        said
    }
}

/// Returns the unsaved texts for a working folder, by file name.
///
/// # Panics
/// If a file there does not have the format of the workbench.
pub fn journal(folder: &Path) -> Vec<Entry> {
    let kept = journal_of(folder);
    let names = names(&kept).into_iter().filter(|name| name.ends_with(".unsaved"));
    names.filter_map(|name| Entry::read(&kept.join(name))).collect()
}

/// Returns whether a name is that of an incomplete save.
pub fn is_temporary(name: &str) -> bool {
    name.starts_with(".myriad-") || name.ends_with(".tmp")
}

/// Returns the names in a folder, sorted; empty if the folder does not exist.
pub fn names(folder: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut names: Vec<String> =
        entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// Returns a file's text if it exists; invalid UTF-8 is replaced.
pub fn read_lossy(path: &Path) -> Option<String> {
    Some(String::from_utf8_lossy(&fs::read(path).ok()?).into_owned())
}

/// An unsaved text in the journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub name: String,
    /// The file that it belongs to.
    pub path: Option<PathBuf>,
    pub text: String,
    /// The permissions of its file.
    pub mode: u32,
}

impl Entry {
    /// Reads an entry; `None` if it has disappeared meanwhile.
    fn read(path: &Path) -> Option<Entry> {
        let bytes = fs::read(path).ok()?;
        let mode = fs::metadata(path).ok()?.permissions().mode() & 0o7777;
        let shown = || String::from_utf8_lossy(&bytes[..bytes.len().min(400)]).into_owned();
        let end = bytes.iter().position(|byte| *byte == b'\n');
        let end = end.unwrap_or_else(|| panic!("{}: no first line in {:?}", path.display(), shown()));
        let head: serde_json::Value = serde_json::from_slice(&bytes[..end])
            .unwrap_or_else(|error| panic!("{}: {error} in {:?}", path.display(), shown()));
        let text = String::from_utf8(bytes[end + 1..].to_vec())
            .unwrap_or_else(|error| panic!("{}: {error} in {:?}", path.display(), shown()));
        assert_eq!(head["bytes"].as_u64(), Some(text.len() as u64), "{}: torn: {:?}", path.display(), shown());
        assert!(head.get("text").is_none(), "{}: the text is in its head, too", path.display());
        let of = &head["path"];
        assert!(of.is_null() || of.is_string(), "{}: no path in {:?}", path.display(), shown());
        Some(Entry {
            name: path.file_name()?.to_string_lossy().into_owned(),
            path: of.as_str().map(PathBuf::from),
            text,
            mode,
        })
    }
}
