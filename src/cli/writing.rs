//! Writes the files that a call names.

use std::io;
use std::path::Path;

use super::exit::Failure;
use super::input::InputSource;
use crate::host::files;
use crate::report::visible::visible;

/// The failure of a file that cannot be written.
pub fn unwritable(path: &Path, error: &io::Error) -> Failure {
    Failure::call(
        format!("cannot write {}: {}", visible(&path.to_string_lossy()), files::message(error)),
        "name a file that can be written, in a folder that exists and has space",
    )
}

pub fn write(path: &Path, text: &str) -> Result<(), Failure> {
    files::write(path, text.as_bytes()).map_err(|error| unwritable(path, &error))
}

/// Writes a new text of a program to its file.
pub fn rewrite(source: &InputSource, text: &str) -> Result<(), Failure> {
    write(source.path(), text).map_err(|failure| Failure {
        help: "check that the file is writable and that there is space; it has not been changed".into(),
        ..failure
    })
}

/// The ends of the names of files that people write: a typo must not overwrite one.
const WRITTEN: [&str; 3] = ["myr", "rules", "tape"];

/// Files that a call writes when its long work is done.
pub struct Outputs<'a> {
    /// The file that the call reads, and what it is.
    pub read: Option<(&'a InputSource, &'static str)>,
    /// Names to use instead.
    pub better: &'static str,
}

impl Outputs<'_> {
    /// Checks that a file can be written.
    pub fn check(&self, path: &Path) -> Result<(), Failure> {
        self.refuse(path)?;
        files::check_writable(path).map_err(|error| unwritable(path, &error))
    }

    pub fn write(&self, path: &Path, text: &str) -> Result<(), Failure> {
        self.refuse(path)?;
        write(path, text)
    }

    /// Refuses to overwrite what the call reads, by whatever path, and files with names of what people write.
    fn refuse(&self, path: &Path) -> Result<(), Failure> {
        let end = files::follow(path).map_err(|error| unwritable(path, &error))?;
        let is_refused = |path: &Path| {
            path.extension().is_some_and(|end| WRITTEN.iter().any(|one| end.eq_ignore_ascii_case(one)))
        };
        let what = match self.read {
            Some((source, what)) if files::is_same(path, source.path()) => format!("it is {what}"),
            _ if is_refused(path) || is_refused(&end) => {
                "its name is that of a program, of rules or of a tape".to_string()
            }
            _ => return Ok(()),
        };
        let message = format!("{} is not overwritten: {what}", visible(&path.to_string_lossy()));
        Err(Failure::call(message, format!("name another file, such as {}", self.better)))
    }
}
