//! The progress of a batch: candidates, share, rate, passes and time left.

use std::time::{Duration, Instant};

use crate::cli::progress::{CliProgress, PeriodicLines};
use crate::host::measure::numbers::grouped;

/// The interval of lines if standard error is not a terminal.
const PACE: Duration = Duration::from_secs(30);

pub struct BatchProgress {
    line: CliProgress,
    lines: PeriodicLines,
    started: Instant,
    /// The size of the input in bytes, if known, and the bytes of all lines and of those judged so far.
    size: Option<u64>,
    bytes: u64,
    judged_bytes: u64,
    /// The lines judged by this call.
    judged: u64,
}

impl BatchProgress {
    pub fn new(size: Option<u64>) -> BatchProgress {
        BatchProgress {
            line: CliProgress::new("candidates judged"),
            lines: PeriodicLines::with_pace("candidates judged", PACE),
            started: Instant::now(),
            size,
            bytes: 0,
            judged_bytes: 0,
            judged: 0,
        }
    }

    /// Adds lines with a size in bytes, of which this call judged `judged`. `candidates` and `passes` count all lines
    /// so far.
    pub fn update(&mut self, bytes: u64, judged: u64, candidates: u64, passes: u64) {
        self.bytes += bytes;
        self.judged += judged;
        self.judged_bytes += if judged > 0 { bytes } else { 0 };
        let text = self.text(self.started.elapsed(), candidates, passes);
        self.line.follow(&text);
        if !self.line.is_shown() {
            self.lines.say(&text);
        }
    }

    fn text(&self, elapsed: Duration, candidates: u64, passes: u64) -> String {
        let seconds = elapsed.as_secs_f64().max(1e-3);
        let mut text = format!("{} candidates judged", grouped(candidates));
        let left = self.size.map(|size| size.saturating_sub(self.bytes));
        if let (Some(size), Some(left)) = (self.size, left) {
            text += &format!(" ({} %)", (size - left) * 100 / size.max(1));
        }
        text += &format!(", {} a second", grouped((self.judged as f64 / seconds) as u64));
        if let Some(share) = (passes * 100).checked_div(candidates) {
            text += &format!(", {share} % pass");
        }
        if let Some(left) = left.filter(|_| self.judged_bytes > 0) {
            let left = left as f64 * seconds / self.judged_bytes as f64;
            text += &format!(", {} s left", grouped(left.ceil() as u64));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_has_share_rate_passes_and_time_left() {
        let mut progress = BatchProgress::new(Some(1_000));
        progress.update(400, 0, 20, 5);
        progress.update(100, 10, 30, 6);
        let text = |progress: &BatchProgress| progress.text(Duration::from_secs(2), 30, 6);
        assert_eq!(text(&progress), "30 candidates judged (50 %), 5 a second, 20 % pass, 10 s left");
        progress.size = None;
        assert_eq!(text(&progress), "30 candidates judged, 5 a second, 20 % pass");
        progress.size = Some(0);
        assert!(progress.text(Duration::ZERO, 0, 0).starts_with("0 candidates judged (0 %)"));
    }
}
