//! A folder of its own for a test with the real program: the folder to work in, a home folder beside it, and what the
//! workbench left in both.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// The home folder of whoever works in `folder`: beside it, so that it is not among its files.
pub fn home_of(folder: &Path) -> PathBuf {
    folder.with_file_name("home")
}

/// Where texts that are not saved are kept, for who works in `folder`.
pub fn journal_of(folder: &Path) -> PathBuf {
    home_of(folder).join("state/myriad/unsaved")
}

/// Two folders, to work in and as a home, that go when this does.
pub struct Place {
    root: tempfile::TempDir,
}

impl Place {
    pub fn new() -> Place {
        // No name of ours contains what names of temporary files do.
        let root = tempfile::Builder::new().prefix("place-").tempdir().expect("a folder");
        fs::create_dir(root.path().join("work")).expect("a folder to work in");
        fs::create_dir(root.path().join("home")).expect("a home");
        Place { root }
    }

    /// The folder to work in.
    pub fn path(&self) -> PathBuf {
        self.root.path().join("work")
    }

    /// A folder on the same file system that nobody watches.
    pub fn beside(&self) -> PathBuf {
        self.root.path().to_path_buf()
    }

    /// What is kept unsaved, by the name of its file.
    pub fn journal(&self) -> Vec<Entry> {
        journal(&self.path())
    }

    /// The names in the folder to work in that are of files not yet complete.
    pub fn temporary(&self) -> Vec<String> {
        self.names().into_iter().filter(|name| is_temporary(name)).collect()
    }

    /// All names in the folder to work in, in order.
    pub fn names(&self) -> Vec<String> {
        names(&self.path())
    }

    /// Texts of the files beside `file` whose names have `word` before the extension: `NAME.mine.EXT`, `NAME.mine2.EXT`.
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

    /// Everything to know where something went wrong: the files and their heads, and what is kept unsaved.
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

/// What is kept unsaved for who works in `folder`, by the name of its file.
///
/// # Panics
/// If a file there is not as the workbench is to write it.
pub fn journal(folder: &Path) -> Vec<Entry> {
    let kept = journal_of(folder);
    let names = names(&kept).into_iter().filter(|name| name.ends_with(".unsaved"));
    names.filter_map(|name| Entry::read(&kept.join(name))).collect()
}

/// Whether a name is one of a file that a save has not completed.
pub fn is_temporary(name: &str) -> bool {
    name.starts_with(".myriad-") || name.ends_with(".tmp")
}

/// The names in a folder, in order; none where there is no folder.
pub fn names(folder: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut names: Vec<String> =
        entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// A file's text, if it is there; what is no UTF-8 is shown as such.
pub fn read_lossy(path: &Path) -> Option<String> {
    Some(String::from_utf8_lossy(&fs::read(path).ok()?).into_owned())
}

/// A text that is kept because it is not saved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub name: String,
    /// The file that it is of.
    pub path: Option<PathBuf>,
    pub text: String,
    /// The permissions of its file.
    pub mode: u32,
}

impl Entry {
    /// `None` where it has gone meanwhile.
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
