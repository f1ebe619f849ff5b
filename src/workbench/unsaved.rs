//! Unsaved texts that earlier runs left, as the workbench offers them.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use similar::{ChangeTag, TextDiff};

use crate::host::measure::numbers::plural;

/// Changed lines that are kept to be shown.
const LINES: usize = 200;

/// A text that an earlier run left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsaved {
    /// The journal's file that holds it.
    pub entry: PathBuf,
    /// The file that it is a text of; `None` where it had no name yet.
    pub of: Option<PathBuf>,
    pub text: Arc<str>,
    /// How long ago it was written, in words.
    pub age: String,
    /// Whether the disk has changed bytes of it since it was written.
    pub damaged: bool,
    /// What differs from the file as it is.
    pub difference: Difference,
}

/// What one text has that the other has not, in lines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Difference {
    pub added: usize,
    pub removed: usize,
    /// The first of these lines; true where the line is only in the unsaved text.
    pub lines: Vec<(bool, String)>,
}

impl Difference {
    /// What `unsaved` has that `saved` has not, and the other way round.
    pub fn between(saved: &str, unsaved: &str) -> Difference {
        let mut difference = Difference::default();
        // Whether the last line has an end makes it no other line.
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

    /// How many lines come and go.
    pub fn counts(&self) -> String {
        format!(
            "+{} −{} {}",
            self.added,
            self.removed,
            if self.added + self.removed == 1 { "line" } else { "lines" }
        )
    }
}

/// A time that has passed, in the largest unit that it fills.
pub fn age(passed: Duration) -> String {
    let seconds = passed.as_secs();
    let units = [(86_400, "day"), (3_600, "hour"), (60, "minute")];
    match units.into_iter().find(|(length, _)| seconds >= *length) {
        Some((length, unit)) => format!("{} ago", plural(seconds / length, unit)),
        None => "just now".to_string(),
    }
}

/// The list of unsaved texts as it is looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UnsavedView {
    pub chosen: usize,
    /// Whether `delete` was pressed for the one that is chosen: once more discards it.
    pub discarding: bool,
}
