//! Counts the failures of candidates by kind.

use std::collections::BTreeMap;

use crate::lang::index::EntryId;
use crate::network::sampling::{Candidate, Status};

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
            shares: vec![],
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
}
