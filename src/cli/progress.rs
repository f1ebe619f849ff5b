//! How far long work is, on standard error where that is a terminal.

use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

use super::output::print_error;
use super::painter;
use crate::host::measure::numbers::grouped;

/// Quick work shows nothing, slow work this often.
const INTERVAL: Duration = Duration::from_millis(150);
/// Where standard error is no terminal either, a line says this often how far work of minutes is.
const PACE: Duration = Duration::from_secs(5);

/// A line that is written anew as work goes on, and taken away when it is done.
pub struct Progress {
    what: &'static str,
    wanted: bool,
    last: Instant,
    shown: bool,
}

impl Progress {
    /// `what` names the things counted, as in `mutants judged`.
    pub fn new(what: &'static str) -> Progress {
        Progress { what, wanted: io::stderr().is_terminal(), last: Instant::now(), shown: false }
    }

    /// What is being done, where nothing is counted.
    pub fn say(&mut self, what: &str) {
        if self.wanted {
            painter::paint(what);
            self.shown = true;
        }
    }

    /// The same for what changes often: now and then.
    pub fn follow(&mut self, what: &str) {
        if self.last.elapsed() >= INTERVAL {
            self.last = Instant::now();
            self.say(what);
        }
    }

    pub fn update(&mut self, done: usize, total: usize) {
        if self.wanted && self.last.elapsed() >= INTERVAL {
            let [done, total] = [done, total].map(|n| grouped(n as u64));
            painter::paint(&format!("{done} of {total} {}", self.what));
            self.last = Instant::now();
            self.shown = true;
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.shown {
            painter::clear();
        }
    }
}

/// Says now and then how far work of minutes is, where standard error is no terminal either.
pub struct Pace {
    what: &'static str,
    started: Instant,
    last: Instant,
}

impl Pace {
    pub fn new(what: &'static str) -> Pace {
        Pace { what, started: Instant::now(), last: Instant::now() }
    }

    pub fn update(&mut self, done: usize, total: usize) {
        if self.last.elapsed() >= PACE {
            self.last = Instant::now();
            let seconds = self.started.elapsed().as_secs();
            print_error(&format!("{done} of {total} {}, {seconds} s\n", self.what));
        }
    }
}
