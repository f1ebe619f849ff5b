//! `myriad mutate --since FILE`: selects the mutants of lines that an older text does not have.

use std::collections::BTreeSet;
use std::ffi::OsString;

use similar::{ChangeTag, TextDiff};

use super::exit::Failure;
use super::input;

/// The older text to compare with.
pub struct Since {
    old: String,
}

impl Since {
    pub fn read(path: &OsString) -> Result<Since, Failure> {
        Ok(Since { old: input::read(path)?.text.to_string() })
    }

    /// Returns the numbers of new or changed lines, from 1. A line that differs only in its line ending has not
    /// changed.
    pub fn lines(&self, text: &str) -> BTreeSet<u32> {
        let [old, new] = [self.old.as_str(), text].map(|text| text.lines().collect::<Vec<&str>>());
        let diff = TextDiff::from_slices(&old, &new);
        let new = diff.iter_all_changes().filter(|change| change.tag() == ChangeTag::Insert);
        new.filter_map(|change| change.new_index()).map(|line| line as u32 + 1).collect()
    }
}
