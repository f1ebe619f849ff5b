//! Signals when a contestant must end.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Signals when a contestant must end.
#[derive(Clone, Copy)]
pub struct Flag<'a> {
    stop: &'a AtomicBool,
    deadline: Instant,
}

impl<'a> Flag<'a> {
    /// Creates a flag that goes up when the race is stopped, or when `share` has elapsed.
    pub fn new(stop: &'a AtomicBool, share: Duration) -> Flag<'a> {
        Flag::until(stop, Instant::now() + share)
    }

    /// Creates a flag that goes up when the race is stopped, or at the deadline.
    pub fn until(stop: &'a AtomicBool, deadline: Instant) -> Flag<'a> {
        Flag { stop, deadline }
    }

    pub fn is_up(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || Instant::now() >= self.deadline
    }
}
