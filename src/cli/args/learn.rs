//! What is asked of lessons.

use std::ffi::OsString;

#[derive(Debug, clap::Args)]
pub struct LearnArgs {
    /// A lesson by its name or number, or a file; nothing lists all
    #[arg(value_name = "LESSON")]
    pub lessons: Vec<OsString>,
    /// Begin anew; what was written is put aside, as NAME.before.myr
    #[arg(long, conflicts_with = "check")]
    pub again: bool,
    /// See whether files are lessons, do not begin with all goals reached, and can be done
    #[arg(long, requires = "lessons")]
    pub check: bool,
    /// A program that reaches all goals; else it is NAME.solution.myr beside the lesson, if there is such a file
    #[arg(long, value_name = "FILE", requires = "check")]
    pub solution: Option<OsString>,
}

impl LearnArgs {
    /// Whether the workbench is to be opened.
    pub fn opens(&self) -> bool {
        !self.check && !self.lessons.is_empty()
    }
}
