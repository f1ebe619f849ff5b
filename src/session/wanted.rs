//! Pending requests of a session: the latest request of each kind. There is no queue, so an older request cannot
//! be served after a newer one.

use std::sync::Arc;
use std::time::Instant;

use super::idle::VisibleJobs;
use super::runs::RunRequest;
use super::{Edit, Request};
use crate::engine::choose::Preference;

/// The newest text and all requests about it.
#[derive(Debug)]
pub struct Wanted {
    /// The newest text.
    pub text: Option<Edit>,
    /// The engine that the user requested.
    pub choice: Preference,
    pub looked: VisibleJobs,
    /// The run to record.
    pub run: Option<Arc<RunRequest>>,
    pub quit: bool,
    /// Incremented by everything that makes verdicts stale: a new text, another engine, the end.
    pub epoch: u64,
    /// Incremented by every request; it interrupts idle jobs.
    pub version: u64,
    /// When the last request arrived.
    pub since: Instant,
}

impl Wanted {
    /// Starts with no text and the requested engine.
    pub fn new(choice: Preference) -> Wanted {
        let since = Instant::now();
        Wanted {
            text: None,
            choice,
            looked: VisibleJobs::default(),
            run: None,
            quit: false,
            epoch: 0,
            version: 0,
            since,
        }
    }

    /// Applies a request. A text older than the newest one is ignored.
    pub fn take(&mut self, request: Request) {
        match request {
            Request::Edit(edit) => {
                if self.text.as_ref().is_some_and(|newest| newest.revision > edit.revision) {
                    return;
                }
                self.text = Some(edit);
                self.epoch += 1;
            }
            Request::Use(choice) => self.choice = choice,
            Request::Look(looked) => self.looked = looked,
            Request::Run(wish) => self.run = Some(wish),
            Request::Quit => {
                self.quit = true;
                self.epoch += 1;
            }
        }
        self.version += 1;
        self.since = Instant::now();
    }

    /// Makes the current verdicts stale, so that another engine judges the text.
    pub fn renew(&mut self) {
        self.epoch += 1;
        self.version += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::idle::NOISE;

    #[test]
    fn an_older_text_never_replaces_a_newer_one() {
        let mut wanted = Wanted::new(Preference::Auto);
        let at = Instant::now();
        let edit = |revision: u64| Request::Edit(Edit { revision, text: revision.to_string().into(), at });
        let looked = VisibleJobs { jobs: vec![&NOISE], function: None };
        let requests = [edit(1), edit(3), Request::Look(looked.clone()), edit(2)];
        requests.into_iter().for_each(|request| wanted.take(request));
        assert_eq!(wanted.text.map(|edit| edit.text), Some("3".into()));
        assert_eq!((wanted.epoch, wanted.version, wanted.looked), (2, 3, looked));
    }
}
