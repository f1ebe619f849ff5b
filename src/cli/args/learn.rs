//! Options of `learn`.

use std::ffi::OsString;
use std::path::PathBuf;

use super::values::seconds;

#[derive(Debug, clap::Args)]
pub struct LearnArgs {
    /// A lesson by name or number, or a file; without it, lessons are listed. With `--grade`, pupils' files or folders
    /// follow
    #[arg(value_name = "LESSON")]
    pub lessons: Vec<OsString>,
    /// Start again; your previous text is kept as NAME.before.myr
    #[arg(long, conflicts_with = "check")]
    pub again: bool,
    /// Check that files are valid lessons and can be completed
    #[arg(long, requires = "lessons")]
    pub check: bool,
    /// A program that reaches all goals; by default NAME.solution.myr in the lesson's folder
    #[arg(long, value_name = "FILE", requires = "lessons")]
    pub solution: Option<OsString>,
    /// Grade pupils' files: which goals of the lesson each reaches
    #[arg(long, requires = "lessons", conflicts_with_all = ["check", "again"])]
    pub grade: bool,
    /// With `--grade`: print a table of comma-separated values
    #[arg(long, requires = "grade")]
    pub csv: bool,
    /// With `--grade`: write index.html and a page for each file to this folder
    #[arg(long, value_name = "FOLDER", requires = "grade")]
    pub pages: Option<PathBuf>,
    /// With `--grade`: time limit in seconds for each file
    #[arg(long, value_name = "LIMIT", value_parser = seconds, default_value_t = 5.0, requires = "grade")]
    pub seconds: f64,
}

impl LearnArgs {
    /// Returns whether the call opens the workbench.
    pub fn opens(&self) -> bool {
        !self.check && !self.grade && !self.lessons.is_empty()
    }
}
