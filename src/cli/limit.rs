//! How long a call may work: each file until its limit, all of them until an interrupt. Work that is cut short keeps what it has, and
//! what is printed of it is marked as partial.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde::Serialize;

use super::stopping;
use crate::compiler::program::Watch;

/// The limits of a call.
pub struct Limits {
    seconds: Option<f64>,
    stop: Arc<AtomicBool>,
}

/// The limit of one file, counted from its beginning.
pub struct Limit<'a> {
    of: &'a Limits,
    started: Instant,
}

/// Why a result is partial, as documents have it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Partial {
    reason: Reason,
    /// The limit of the call, where that was over.
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
    /// From now on an interrupt ends work early; a second one ends the program.
    pub fn new(seconds: Option<f64>) -> Limits {
        Limits { seconds, stop: stopping::flag() }
    }

    /// For a file that is begun now.
    pub fn start(&self) -> Limit<'_> {
        Limit { of: self, started: Instant::now() }
    }

    /// The flag that an interrupt sets.
    pub fn stop(&self) -> &AtomicBool {
        &self.stop
    }
}

impl Limit<'_> {
    /// Why work was cut short, where it is to be.
    pub fn reached(&self) -> Option<Partial> {
        if self.of.stop.load(Ordering::Relaxed) {
            return Some(Partial { reason: Reason::Interrupt, seconds: None });
        }
        let limit = self.of.seconds.map(Duration::from_secs_f64)?;
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
    /// After an interrupt of a race, which has a limit of its own.
    pub fn interrupted() -> Partial {
        Partial { reason: Reason::Interrupt, seconds: None }
    }

    /// After a limit of `seconds`.
    pub fn over(seconds: f64) -> Partial {
        Partial { reason: Reason::Seconds, seconds: Some(seconds) }
    }

    /// For people, such as "the limit of 5 s is over".
    pub fn text(&self) -> String {
        match self.seconds {
            Some(seconds) => format!("the limit of {seconds} s is over"),
            None => "interrupted".to_string(),
        }
    }
}
