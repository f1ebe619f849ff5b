//! Which lessons are done, and since when: a small JSON document in the user's state folder.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};
use std::{fs, io};

use serde::{Deserialize, Serialize};

use crate::host::files;

pub const NAME: &str = "lessons.json";
const VERSION: u32 = 1;
/// Size limit of the file, in bytes.
const LARGEST: u64 = 1 << 20;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LearnProgress {
    version: u32,
    /// Lesson keys, with the completion time in seconds since 1970.
    done: BTreeMap<String, u64>,
}

impl Default for LearnProgress {
    fn default() -> LearnProgress {
        LearnProgress { version: VERSION, done: BTreeMap::new() }
    }
}

impl LearnProgress {
    /// Loads the progress file; a missing file is empty. Also returns an error message if the file is not
    /// valid.
    pub fn load(path: &Path) -> (LearnProgress, Option<String>) {
        let broken = |why: String| {
            let said = format!("{} is not understood, so no lesson counts as done: {why}", path.display());
            (LearnProgress::default(), Some(said))
        };
        let text = match files::read_text(path, LARGEST) {
            Ok(text) => text,
            Err(why) if why.is_missing() => return Default::default(),
            Err(why) => return broken(why.to_string()),
        };
        match serde_json::from_str::<LearnProgress>(&text) {
            Ok(progress) if progress.version == VERSION => (progress, None),
            Ok(progress) => broken(format!("its version is {}, not {VERSION}", progress.version)),
            Err(error) => broken(error.to_string()),
        }
    }

    /// Returns when a lesson was first done.
    pub fn when(&self, key: &str) -> Option<u64> {
        self.done.get(key).copied()
    }

    /// Returns the keys of all lessons that are done.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.done.keys().map(String::as_str)
    }
}

/// Adds a lesson to the file. A file that is not valid is first renamed to `lessons.broken.json`.
///
/// # Errors
/// If the file cannot be written.
pub fn record(path: &Path, key: &str, now: SystemTime) -> io::Result<()> {
    fs::create_dir_all(files::folder(path))?;
    let (mut progress, trouble) = LearnProgress::load(path);
    if progress.done.contains_key(key) {
        return Ok(());
    }
    if trouble.is_some() {
        fs::rename(path, path.with_extension("broken.json"))?;
    }
    let seconds = now.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    progress.done.insert(key.to_string(), seconds);
    let text = serde_json::to_string_pretty(&progress).map_err(io::Error::other)?;
    files::write(path, (text + "\n").as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn first_completion_time_of_a_lesson_is_kept() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("new/lessons.json");
        assert_eq!(LearnProgress::load(&path), (LearnProgress::default(), None));
        let at = |seconds| UNIX_EPOCH + Duration::from_secs(seconds);
        record(&path, "tree", at(7)).expect("written");
        record(&path, "tokens", at(8)).expect("written");
        record(&path, "tree", at(9)).expect("known");
        let (progress, trouble) = LearnProgress::load(&path);
        assert_eq!((progress.when("tree"), progress.when("tokens"), trouble), (Some(7), Some(8), None));
        assert_eq!(progress.keys().collect::<Vec<_>>(), ["tokens", "tree"]);
    }

    #[test]
    fn broken_progress_file_is_reported_and_put_aside() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join(NAME);
        for broken in ["{", "[]", "{\"version\":9,\"done\":{}}", "\u{0}"] {
            fs::write(&path, broken).expect("written");
            let (progress, trouble) = LearnProgress::load(&path);
            assert_eq!(progress, LearnProgress::default());
            assert!(trouble.is_some_and(|why| why.contains("not understood")), "{broken}");
        }
        record(&path, "tree", SystemTime::now()).expect("written");
        assert!(LearnProgress::load(&path).0.when("tree").is_some());
        assert_eq!(fs::read(folder.path().join("lessons.broken.json")).expect("there"), b"\0");
    }
}
