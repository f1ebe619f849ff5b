//! Reports of an engine to the person who uses it.

use std::fmt;
use std::sync::Arc;

/// A report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Report<'a> {
    /// Something that the user must know, once.
    Notice(&'a str),
    /// The name of what is being prepared; empty when that is over.
    Progress(&'a str),
}

/// Where an engine reports to. It may be called on any thread, and must not take long.
#[derive(Clone)]
pub struct News(Arc<dyn Fn(Report) + Send + Sync>);

impl News {
    pub fn new(report: impl Fn(Report) + Send + Sync + 'static) -> News {
        News(Arc::new(report))
    }

    /// Reports that nobody reads.
    pub fn none() -> News {
        News::new(|_| {})
    }

    pub fn notice(&self, text: &str) {
        self.0(Report::Notice(text));
    }

    pub fn progress(&self, text: &str) {
        self.0(Report::Progress(text));
    }
}

impl fmt::Debug for News {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("News")
    }
}
