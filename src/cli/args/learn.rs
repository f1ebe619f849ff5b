//! Options of `learn`.

use std::ffi::OsString;

#[derive(Debug, clap::Args)]
pub struct LearnArgs {
    /// A lesson by name or number, or a file; without it all lessons are listed
    #[arg(value_name = "LESSON")]
    pub lessons: Vec<OsString>,
    /// Start again; your previous text is kept as NAME.before.myr
    #[arg(long, conflicts_with = "check")]
    pub again: bool,
    /// Check that files are valid lessons, do not start with all goals reached, and can be completed
    #[arg(long, requires = "lessons")]
    pub check: bool,
    /// A program that reaches all goals; by default NAME.solution.myr in the lesson's folder, if it exists
    #[arg(long, value_name = "FILE", requires = "check")]
    pub solution: Option<OsString>,
}

impl LearnArgs {
    /// Returns whether the call opens the workbench.
    pub fn opens(&self) -> bool {
        !self.check && !self.lessons.is_empty()
    }
}
