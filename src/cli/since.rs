//! `myriad mutate --since OLD`: selects the mutants of lines that an older text does not have.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::Command;

use similar::{ChangeTag, TextDiff};

use super::exit::Failure;
use super::input::{self, InputSource};
use crate::report::visible::visible;

/// The older texts to compare with.
pub enum Since {
    /// One text for all files.
    Text(String),
    /// A revision that git knows. Each file is compared with its text there.
    Revision(OsString),
}

impl Since {
    /// Reads a file; a name without a file is a revision.
    pub fn read(word: &OsString) -> Result<Since, Failure> {
        // `-` and descriptors of the shell are read, too. An option is no revision.
        let is_file = word == "-" || Path::new(word).exists() || word.to_string_lossy().starts_with('-');
        if is_file {
            Ok(Since::Text(input::read(word)?.text.to_string()))
        } else {
            Ok(Since::Revision(word.clone()))
        }
    }

    /// Returns the numbers of new or changed lines of a file, from 1. A line that differs only in its line ending has
    /// not changed. All lines of a file that the revision does not have are new.
    ///
    /// # Errors
    /// If git cannot be run or does not know the revision.
    pub fn lines(&self, source: &InputSource) -> Result<BTreeSet<u32>, Failure> {
        match self {
            Since::Text(old) => Ok(added(old, &source.text)),
            Since::Revision(revision) => Ok(added(&at_revision(revision, source)?, &source.text)),
        }
    }
}

fn added(old: &str, new: &str) -> BTreeSet<u32> {
    let [old, new] = [old, new].map(|text| text.lines().collect::<Vec<&str>>());
    let diff = TextDiff::from_slices(&old, &new);
    let new = diff.iter_all_changes().filter(|change| change.tag() == ChangeTag::Insert);
    new.filter_map(|change| change.new_index()).map(|line| line as u32 + 1).collect()
}

/// Returns the text of a file at a revision; an empty text if the revision does not have the file.
fn at_revision(revision: &OsStr, source: &InputSource) -> Result<String, Failure> {
    let path = source.path();
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let name = path.file_name().unwrap_or_default();
    let git = |arguments: &[&OsStr]| -> Result<Vec<u8>, Failure> {
        let said = Command::new("git").arg("-C").arg(folder).args(arguments).output();
        let why = match said {
            Ok(said) if said.status.success() => return Ok(said.stdout),
            Ok(said) => {
                let said = String::from_utf8_lossy(&said.stderr);
                visible(said.lines().next().unwrap_or("it says nothing").trim_start_matches("fatal: "))
            }
            Err(error) => error.to_string(),
        };
        let what = visible(&revision.to_string_lossy());
        Err(Failure::call(
            format!("there is no file {what}, and git has no such revision of {}: {why}", source.shown()),
            "--since takes an older text of the program, or a revision such as `main`",
        ))
    };
    // Both take the path relative to the folder.
    if git(&["ls-tree".as_ref(), revision, "--".as_ref(), name])?.is_empty() {
        return Ok(String::new());
    }
    let mut object = revision.to_owned();
    object.push(":./");
    object.push(name);
    Ok(String::from_utf8_lossy(&git(&["show".as_ref(), &object])?).into_owned())
}
