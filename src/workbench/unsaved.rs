//! Unsaved texts of earlier runs, as the workbench offers them.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use similar::{ChangeTag, TextDiff};

use crate::host::measure::numbers::plural;
use crate::lang::hash::fnv64;

/// The maximum number of changed lines kept for display.
const LINES: usize = 200;

/// A text that would be lost now.
#[derive(Clone, Copy, Debug)]
pub struct UnsavedText<'a> {
    pub document: u64,
    /// The name of its file.
    pub of: Option<&'a Path>,
    pub text: &'a Arc<str>,
    /// The file's text when it was last read or written; `None` if the file does not exist.
    pub on_disk: Option<&'a Arc<str>>,
}

/// An unsaved text of an earlier run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsaved {
    /// The journal file that holds it.
    pub entry: PathBuf,
    /// The file it belongs to; `None` if it had no name yet.
    pub of: Option<PathBuf>,
    pub text: Arc<str>,
    /// The content of the file that it was based on; `None` if that is unknown.
    pub base: Option<Base>,
    /// The time since it was written, in words.
    pub age: String,
    /// Whether the entry's bytes are corrupted on disk.
    pub damaged: bool,
    /// The difference from the file's current text.
    pub difference: Difference,
}

/// The content of a file at some time, as a digest. Different contents may have equal digests, so nothing is lost where
/// they are equal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Base(String);

impl Base {
    /// Returns the digest of a file's text; `None` is a file that does not exist.
    pub fn of(text: Option<&str>) -> Base {
        Base(text.map_or("absent".to_string(), |text| format!("{}-{:016x}", text.len(), fnv64(text.bytes()))))
    }
}

/// The end of the names of declined entries.
const DECLINED: &str = "-declined";

/// Returns whether the user has declined the text of an entry: it is offered, but not opened automatically.
pub fn is_declined(entry: &Path) -> bool {
    entry.file_stem().is_some_and(|stem| stem.to_string_lossy().ends_with(DECLINED))
}

/// Returns the name of an entry once its text is declined.
pub fn declined(entry: &Path) -> PathBuf {
    if is_declined(entry) {
        return entry.to_path_buf();
    }
    let mut name = entry.file_stem().unwrap_or_default().to_os_string();
    name.push(DECLINED);
    entry.with_file_name(name).with_extension(entry.extension().unwrap_or_default())
}

/// The line difference between two texts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Difference {
    pub added: usize,
    pub removed: usize,
    /// The first changed lines; true marks lines that only the unsaved text has.
    pub lines: Vec<(bool, String)>,
}

impl Difference {
    /// Compares two texts line by line.
    pub fn between(saved: &str, unsaved: &str) -> Difference {
        let mut difference = Difference::default();
        // A missing line end does not make the last line differ.
        let (old, new): (Vec<&str>, Vec<&str>) = (saved.lines().collect(), unsaved.lines().collect());
        let diff = TextDiff::configure().timeout(Duration::from_millis(200)).diff_slices(&old, &new);
        for change in diff.iter_all_changes() {
            let added = match change.tag() {
                ChangeTag::Equal => continue,
                ChangeTag::Insert => true,
                ChangeTag::Delete => false,
            };
            *(if added { &mut difference.added } else { &mut difference.removed }) += 1;
            if difference.lines.len() < LINES {
                difference.lines.push((added, change.value().to_string()));
            }
        }
        difference
    }

    /// Returns the numbers of added and removed lines.
    pub fn counts(&self) -> String {
        format!(
            "+{} −{} {}",
            self.added,
            self.removed,
            if self.added + self.removed == 1 { "line" } else { "lines" }
        )
    }
}

/// Returns a duration in the largest unit that it fills.
pub fn age(passed: Duration) -> String {
    let seconds = passed.as_secs();
    let units = [(86_400, "day"), (3_600, "hour"), (60, "minute")];
    match units.into_iter().find(|(length, _)| seconds >= *length) {
        Some((length, unit)) => format!("{} ago", plural(seconds / length, unit)),
        None => "just now".to_string(),
    }
}

/// The state of the list of unsaved texts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UnsavedView {
    pub chosen: usize,
    /// Whether `delete` was pressed on the chosen text: pressing it again discards the text.
    pub discarding: bool,
}
