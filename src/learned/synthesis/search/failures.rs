//! Analyses the failures of candidates, and adapts the sampling for another try.

use std::collections::BTreeMap;

use crate::lang::index::EntryId;
use crate::network::sampling::{Candidate, Sampling, Status};

/// The failures of a round. The sum of all counts is the number of samples that are not correct.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Failures {
    /// Samples that are not programs.
    pub invalid: u32,
    /// Samples that trap in a test.
    pub trap: u32,
    /// Samples that return a wrong value in a test.
    pub wrong: u32,
    /// Samples that run out of fuel in a test.
    pub timeout: u32,
    /// Samples that pass all tests but disagree with the deterministic compiler's code on a random input.
    pub refuted: u32,
    /// For each test or property, by its index, the number of samples that failed it first.
    pub rejected_by: BTreeMap<EntryId, u32>,
    /// The number of samples of the most frequent wrong program, not counting invalid ones.
    pub commonest: u32,
}

impl Failures {
    /// Counts a candidate that is not correct.
    pub fn add(&mut self, candidate: &Candidate) {
        let samples = candidate.samples;
        match candidate.status {
            Status::Invalid => self.invalid += samples,
            Status::Trap => self.trap += samples,
            Status::Wrong => self.wrong += samples,
            Status::Timeout => self.timeout += samples,
            Status::Passed => self.refuted += samples,
        }
        if candidate.status != Status::Invalid {
            self.commonest = self.commonest.max(samples);
        }
        if let Some(entry) = candidate.differing {
            *self.rejected_by.entry(entry).or_default() += samples;
        }
    }

    pub fn total(&self) -> u32 {
        self.invalid + self.trap + self.wrong + self.timeout + self.refuted
    }

    /// Returns the test or property that rejected most samples, and their number.
    pub fn sharpest(&self) -> Option<(EntryId, u32)> {
        // Among equals, the first is chosen.
        self.rejected_by
            .iter()
            .map(|(&test, &samples)| (test, samples))
            .rev()
            .max_by_key(|&(_, samples)| samples)
    }

    /// Returns the sampling of the next round after a round without a correct candidate. The temperature rises, since
    /// the likely programs are wrong. It rises most if one wrong program dominates. If more than half of the samples
    /// are not programs, it rises little and the tail is cut, because heat causes such samples.
    pub fn feedback(&self, last: &Sampling) -> Sampling {
        let total = self.total().max(1);
        let (raise, top_p) = if 2 * self.invalid > total {
            (1.1, last.top_p.min(0.95))
        } else if 2 * self.commonest > total {
            (1.6, last.top_p)
        } else {
            (1.3, last.top_p)
        };
        const HOTTEST: f32 = 4.0;
        let temperature = (last.temperature * raise).min(HOTTEST).max(last.temperature);
        Sampling { first: last.first.saturating_add(last.k), temperature, top_p, ..*last }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::index::Index;

    fn failed(status: Status, samples: u32, differing: Option<u32>) -> Candidate {
        Candidate {
            number: 0,
            samples,
            words: vec![],
            code: vec![],
            log_p: -1.0,
            status,
            differing: differing.map(EntryId::new),
            passed: 0,
            steps: 0,
        }
    }

    fn of(list: &[Candidate]) -> Failures {
        let mut failures = Failures::default();
        list.iter().for_each(|candidate| failures.add(candidate));
        failures
    }

    #[test]
    fn failures_are_counted_and_the_sharpest_test_found() {
        let failures = of(&[
            failed(Status::Invalid, 3, None),
            failed(Status::Wrong, 4, Some(2)),
            failed(Status::Trap, 1, Some(0)),
            failed(Status::Timeout, 2, Some(2)),
            failed(Status::Passed, 5, None),
        ]);
        assert_eq!([failures.invalid, failures.trap, failures.wrong, failures.timeout], [3, 1, 4, 2]);
        assert_eq!((failures.refuted, failures.total(), failures.commonest), (5, 15, 5));
        assert_eq!(failures.sharpest(), Some((EntryId::new(2), 6)));
        assert_eq!(Failures::default().sharpest(), None);
    }

    #[test]
    fn next_round_samples_hotter_after_the_last_draw() {
        let last = Sampling { k: 10, ..Sampling::default() };
        let scattered = of(&[
            failed(Status::Wrong, 4, Some(0)),
            failed(Status::Wrong, 3, Some(0)),
            failed(Status::Trap, 3, Some(0)),
        ]);
        let stubborn = of(&[failed(Status::Wrong, 9, Some(0)), failed(Status::Trap, 1, Some(0))]);
        let broken = of(&[failed(Status::Invalid, 9, None), failed(Status::Trap, 1, Some(0))]);
        let [a, b, c] = [scattered, stubborn, broken].map(|failures| failures.feedback(&last));
        assert!(b.temperature > a.temperature && a.temperature > c.temperature && c.temperature > 1.0);
        assert_eq!((a.top_p, b.top_p), (1.0, 1.0));
        assert!(c.top_p < 1.0);
        assert_eq!((a.first, a.k, a.seed), (10, 10, last.seed));
        let hot = Sampling { temperature: 9.0, ..last };
        assert_eq!(b.temperature.max(9.0), of(&[]).feedback(&hot).temperature);
    }
}
