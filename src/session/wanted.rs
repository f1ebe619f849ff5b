//! Pending requests of a session: the latest request of each kind. There is no queue, so an older request cannot
//! be served after a newer one.

use std::sync::Arc;
use std::time::Instant;

use super::job::{Job, JobScope, SessionSubject, VisibleJobs};
use super::judged::Judged;
use super::messages::{Edit, Request};
use super::request::RunRequest;
use crate::engine::choose::Preference;
use crate::lang::level::LevelChoice;

/// The newest text and all requests about it.
#[derive(Debug)]
pub struct Wanted {
    pub text: Option<Edit>,
    /// The engine that the user requested.
    pub choice: Preference,
    /// Who chooses the level of the base.
    pub level: LevelChoice,
    /// Whether the budget is without effect.
    pub all: bool,
    pub looked: VisibleJobs,
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
    /// Starts with no text, the requested engine and level.
    pub fn new(choice: Preference, level: LevelChoice) -> Wanted {
        let since = Instant::now();
        Wanted {
            text: None,
            choice,
            level,
            all: false,
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
                // Threads send texts, so they may arrive in another order than they were typed.
                if self.text.as_ref().is_some_and(|newest| newest.revision > edit.revision) {
                    return;
                }
                self.text = Some(edit);
                self.epoch += 1;
            }
            Request::Use(choice) => self.choice = choice,
            Request::Optimize(level) => {
                // Verdicts of the same level stay valid.
                self.epoch += u64::from(self.level != level);
                self.level = level;
            }
            Request::JudgeAll(all) => {
                self.epoch += u64::from(self.all != all);
                self.all = all;
            }
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

    /// Returns the subject that the job should work on, or `None` if no panel shows its result or the
    /// program has errors that it cannot bear.
    pub fn subject(&self, job: &Job, judged: &Judged) -> Option<SessionSubject> {
        let mut subject = SessionSubject { epoch: judged.epoch, ..SessionSubject::default() };
        match job.occasion {
            JobScope::Run => subject.run = Some(self.run.as_ref()?.number),
            // A function that no longer exists belongs to an older text; the interface will send a new one.
            JobScope::Function | JobScope::Values => {
                let functions = judged.base.compiled.functions();
                subject.function = Some(self.looked.function.filter(|function| functions.contains(*function))?);
                subject.test = self.looked.test.filter(|_| job.occasion == JobScope::Values);
            }
            _ => {}
        }
        // Work for a panel that nobody looks at would delay the work for others.
        let wanted = job.occasion == JobScope::Text || self.looked.jobs.contains(&job);
        let can = !job.needs_correct() || judged.base.compiled.facts.compiles();
        (wanted && can).then_some(subject)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::job::NOISE;

    #[test]
    fn an_older_text_never_replaces_a_newer_one() {
        let mut wanted = Wanted::new(Preference::Auto, LevelChoice::default());
        let at = Instant::now();
        let edit = |revision: u64| {
            Request::Edit(Edit { revision, text: revision.to_string().into(), at, fires_in: None })
        };
        let looked = VisibleJobs { jobs: vec![&NOISE], function: None, ..VisibleJobs::default() };
        let requests = [edit(1), edit(3), Request::Look(looked.clone()), edit(2)];
        requests.into_iter().for_each(|request| wanted.take(request));
        assert_eq!(wanted.text.map(|edit| edit.text), Some("3".into()));
        assert_eq!((wanted.epoch, wanted.version, wanted.looked), (2, 3, looked));
    }
}
