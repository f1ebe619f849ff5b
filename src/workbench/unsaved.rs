//! Unsaved texts of earlier runs, as the workbench offers them.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use similar::{ChangeTag, TextDiff};

use crate::host::measure::numbers::plural;

/// The maximum number of changed lines kept for display.
const LINES: usize = 200;

/// An unsaved text of an earlier run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsaved {
    /// The journal file that holds it.
    pub entry: PathBuf,
    /// The file it belongs to; `None` if it had no name yet.
    pub of: Option<PathBuf>,
    pub text: Arc<str>,
    /// The time since it was written, in words.
    pub age: String,
    /// Whether the entry's bytes are corrupted on disk.
    pub damaged: bool,
    /// The difference from the file's current text.
    pub difference: Difference,
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
