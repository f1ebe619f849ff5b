//! A race on one time axis: all contestants start at once, and the fastest takes a second and a half.
//!
//! Contestants are measured one after the other, so that each has the machine to itself. The replay shows their measured
//! rates at the same time, up to the moment when the fastest has judged all variants.

use std::time::Duration;

use super::{Race, Score};

/// The number of frames after the first, and the time of each on the screen.
pub const FRAMES: u32 = 30;
pub const FRAME: Duration = Duration::from_millis(50);

/// Returns the time in which the fastest contestant judges all variants. Returns `None` if none judged any.
pub fn finish(race: &Race) -> Option<Duration> {
    let fastest = race.scores.iter().filter_map(Score::per_second).fold(0.0, f64::max);
    (fastest > 0.0).then(|| Duration::from_secs_f64(f64::from(race.k) / fastest))
}

/// Returns the time since the start that a frame shows.
pub fn time(race: &Race, frame: u32) -> Duration {
    finish(race).unwrap_or_default() * frame.min(FRAMES) / FRAMES
}

/// Returns the number of variants that a contestant has judged at a frame.
pub fn judged(race: &Race, score: &Score, frame: u32) -> u32 {
    let rate = score.per_second().unwrap_or(0.0);
    // The tolerance covers the rounding to nanoseconds, so that the fastest arrives.
    let judged = rate * time(race, frame).as_secs_f64() + 1e-3;
    (judged as u32).min(score.done)
}
