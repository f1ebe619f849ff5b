//! Messages of an engine to the user.

use std::fmt;
use std::sync::Arc;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Report<'a> {
    /// A message that the user must see once.
    Notice(&'a str),
    /// The name of the work in progress; empty when it ends.
    Progress(&'a str),
}

/// The receiver of an engine's reports. It may be called on any thread and must return quickly.
#[derive(Clone)]
pub struct Reporter(Arc<dyn Fn(Report) + Send + Sync>);

impl Reporter {
    pub fn new(report: impl Fn(Report) + Send + Sync + 'static) -> Reporter {
        Reporter(Arc::new(report))
    }

    /// Discards all reports.
    pub fn none() -> Reporter {
        Reporter::new(|_| {})
    }

    pub fn notice(&self, text: &str) {
        self.0(Report::Notice(text));
    }

    pub fn progress(&self, text: &str) {
        self.0(Report::Progress(text));
    }
}

impl fmt::Debug for Reporter {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("News")
    }
}
