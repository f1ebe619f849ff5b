//! Limits of a call: a deadline, counted from its start, and an interrupt. Work that is cut short keeps its results,
//! which are marked as partial.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde::Serialize;

use super::stopping;
use crate::compiler::program::Watch;

pub struct Limits {
    seconds: Option<f64>,
    started: Instant,
    stop: Arc<AtomicBool>,
}

/// The limit of some work, counted from `started`.
pub struct Limit<'a> {
    of: &'a Limits,
    started: Instant,
    /// The part of the seconds.
    share: f64,
}

/// The reason why a result is partial, as in JSON documents.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Partial {
    reason: Reason,
    /// The limit of the call, if it was exceeded.
    #[serde(skip_serializing_if = "Option::is_none")]
    seconds: Option<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Reason {
    Seconds,
    Interrupt,
}

impl Limits {
    /// Starts the clock of a command, and listens for interrupts: the first ends work early, the second ends the
    /// program. A command calls this first, so that opening an engine counts.
    pub fn new(seconds: Option<f64>) -> Limits {
        Limits { seconds, started: Instant::now(), stop: stopping::flag() }
    }

    /// Returns the limit of the whole command.
    pub fn whole(&self) -> Limit<'_> {
        Limit { of: self, started: self.started, share: 1.0 }
    }

    /// Starts a clock of its own for one file of many, which no other file may shorten.
    pub fn of_one_file(&self) -> Limit<'_> {
        Limit { of: self, started: Instant::now(), share: 1.0 }
    }

    /// Returns what is left of the limit, if there is one.
    pub fn left(&self) -> Option<Duration> {
        Some(Duration::from_secs_f64(self.seconds?).saturating_sub(self.started.elapsed()))
    }

    /// Returns the flag that an interrupt sets.
    pub fn stop(&self) -> &AtomicBool {
        &self.stop
    }
}

impl Limit<'_> {
    /// Returns the limit of a first part of the work, which leaves time for the rest.
    pub fn part(&self, share: f64) -> Limit<'_> {
        Limit { share: self.share * share, ..*self }
    }

    /// Returns the reason for stopping, once there is one.
    pub fn reached(&self) -> Option<Partial> {
        if self.of.stop.load(Ordering::Relaxed) {
            return Some(Partial { reason: Reason::Interrupt, seconds: None });
        }
        let limit = Duration::from_secs_f64(self.of.seconds? * self.share);
        let partial = Partial { reason: Reason::Seconds, seconds: self.of.seconds };
        (self.started.elapsed() >= limit).then_some(partial)
    }
}

impl Watch for Limit<'_> {
    fn cancelled(&self) -> bool {
        self.reached().is_some()
    }
}

impl Partial {
    /// Returns the reason for an interrupted race, which has its own time limit.
    pub fn interrupted() -> Partial {
        Partial { reason: Reason::Interrupt, seconds: None }
    }

    /// Returns the reason after a limit of `seconds`.
    pub fn over(seconds: f64) -> Partial {
        Partial { reason: Reason::Seconds, seconds: Some(seconds) }
    }

    /// Returns the limit of the call, if it was exceeded.
    pub fn seconds(&self) -> Option<f64> {
        self.seconds
    }

    /// Returns the reason as text, such as "the limit of 5 s is over".
    pub fn text(&self) -> String {
        match self.seconds {
            Some(seconds) => format!("the limit of {seconds} s is over"),
            None => "interrupted".to_string(),
        }
    }
}
