//! Progress of long work, on standard error if it is a terminal.

use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

use super::output::print_error;
use super::progress_line;
use crate::host::measure::numbers::grouped;

/// Minimum time between updates; shorter work shows nothing.
const INTERVAL: Duration = Duration::from_millis(150);
/// Interval of progress lines for work of minutes if standard error is not a terminal.
const PACE: Duration = Duration::from_secs(5);

/// A progress line that is updated during the work and erased at its end.
pub struct CliProgress {
    what: &'static str,
    wanted: bool,
    last: Instant,
    shown: bool,
}

impl CliProgress {
    /// `what` names the things counted, as in `mutants judged`.
    pub fn new(what: &'static str) -> CliProgress {
        CliProgress { what, wanted: io::stderr().is_terminal(), last: Instant::now(), shown: false }
    }

    /// Shows a description of work without a count.
    pub fn say(&mut self, what: &str) {
        if self.wanted {
            progress_line::paint(what);
            self.shown = true;
        }
    }

    /// Like [`Self::say`], for text that changes often; updates are rate-limited.
    pub fn follow(&mut self, what: &str) {
        if self.last.elapsed() >= INTERVAL {
            self.last = Instant::now();
            self.say(what);
        }
    }

    /// Whether standard error is a terminal, so that the line is shown.
    pub fn is_shown(&self) -> bool {
        self.wanted
    }

    pub fn update(&mut self, done: usize, total: usize) {
        if self.wanted && self.last.elapsed() >= INTERVAL {
            let [done, total] = [done, total].map(|n| grouped(n as u64));
            progress_line::paint(&format!("{done} of {total} {}", self.what));
            self.last = Instant::now();
            self.shown = true;
        }
    }
}

impl Drop for CliProgress {
    fn drop(&mut self) {
        if self.shown {
            progress_line::clear();
        }
    }
}

/// Progress lines at intervals, for work of minutes if standard error is not a terminal.
pub struct PeriodicLines {
    what: &'static str,
    pace: Duration,
    started: Instant,
    last: Instant,
}

impl PeriodicLines {
    pub fn new(what: &'static str) -> PeriodicLines {
        PeriodicLines::with_pace(what, PACE)
    }

    pub fn with_pace(what: &'static str, pace: Duration) -> PeriodicLines {
        PeriodicLines { what, pace, started: Instant::now(), last: Instant::now() }
    }

    /// Prints a text, unless the previous one is recent.
    pub fn say(&mut self, text: &str) {
        if self.last.elapsed() >= self.pace {
            self.last = Instant::now();
            print_error(&format!("{text}\n"));
        }
    }

    pub fn update(&mut self, done: usize, total: usize) {
        let seconds = self.started.elapsed().as_secs();
        self.say(&format!("{done} of {total} {}, {seconds} s", self.what));
    }
}
