//! //! Processor budget for idle work: a burst, then a small fraction of the time (a token bucket).

use std::time::{Duration, Instant};

/// Processor time available as a burst, and the share of one core that refills it.
const BURST: Duration = Duration::from_millis(1_250);
const RATE: f64 = 1.0 / 60.0;

/// An allowance of processor time.
#[derive(Clone, Copy, Debug)]
pub struct Allowance {
    /// Seconds left; negative after a piece of work that overran the budget.
    balance: f64,
    at: Instant,
}

impl Allowance {
    pub fn new(now: Instant) -> Allowance {
        Allowance { balance: BURST.as_secs_f64(), at: now }
    }

    /// Records `time` as spent and refills the balance up to `now`.
    pub fn spend(&mut self, time: Duration, now: Instant) {
        let gained = now.saturating_duration_since(self.at).as_secs_f64() * RATE;
        self.balance = (self.balance + gained).min(BURST.as_secs_f64()) - time.as_secs_f64();
        self.at = now;
    }

    /// Returns the time at which the balance is no longer negative.
    pub fn ready(&self) -> Instant {
        let missing = (-self.balance).max(0.0) / RATE;
        self.at + Duration::try_from_secs_f64(missing).unwrap_or(Duration::from_secs(3600))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn idle_work_spends_about_two_seconds_a_minute() {
        let begin = Instant::now();
        let mut allowance = Allowance::new(begin);
        let (mut now, mut spent) = (begin, Duration::ZERO);
        let piece = Duration::from_millis(300);
        while allowance.ready() < begin + Duration::from_secs(60) {
            now = now.max(allowance.ready()) + piece;
            allowance.spend(piece, now);
            spent += piece;
        }
        assert!(spent >= Duration::from_millis(1_900) && spent <= Duration::from_millis(2_600), "{spent:?}");
    }

    #[test]
    fn unused_allowance_does_not_accumulate() {
        let begin = Instant::now();
        let mut allowance = Allowance::new(begin);
        let later = begin + Duration::from_secs(3600);
        allowance.spend(Duration::from_secs(2), later);
        assert_eq!(allowance.ready().saturating_duration_since(later).as_secs(), 45);
    }
}
