//! What became of mutants, in names and numbers.

use crate::engine::MutantStatus;

/// The name of a status in documents and on screen.
pub fn status_name(status: MutantStatus) -> &'static str {
    match status {
        MutantStatus::Pending => "pending",
        MutantStatus::Killed => "killed",
        MutantStatus::Timeout => "timeout",
        MutantStatus::Survived => "survived",
        MutantStatus::Equivalent => "equivalent",
        MutantStatus::Duplicate => "duplicate",
        MutantStatus::Invalid => "invalid",
    }
}

/// How many mutants have each status.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub killed: u32,
    pub timeout: u32,
    pub survived: u32,
    pub equivalent: u32,
    pub duplicate: u32,
    pub invalid: u32,
}

impl Counts {
    pub fn add(&mut self, status: MutantStatus) {
        match status {
            MutantStatus::Pending => {}
            MutantStatus::Killed => self.killed += 1,
            MutantStatus::Timeout => self.timeout += 1,
            MutantStatus::Survived => self.survived += 1,
            MutantStatus::Equivalent => self.equivalent += 1,
            MutantStatus::Duplicate => self.duplicate += 1,
            MutantStatus::Invalid => self.invalid += 1,
        }
    }

    /// The mutation score in tenths of a percent, rounded half up; none where no mutant counts.
    pub fn score(&self) -> Option<u32> {
        let noticed = u64::from(self.killed) + u64::from(self.timeout);
        let counted = noticed + u64::from(self.survived);
        (counted > 0).then(|| ((2000 * noticed + counted) / (2 * counted)) as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_rounded_to_a_tenth() {
        let score =
            |killed, timeout, survived| Counts { killed, timeout, survived, ..Counts::default() }.score();
        assert_eq!(score(0, 0, 0), None);
        assert_eq!(score(1, 1, 1), Some(667));
        assert_eq!(score(1, 0, 2), Some(333));
        assert_eq!(score(0, 0, 7), Some(0));
        assert_eq!(score(3, 0, 0), Some(1000));
        assert_eq!(score(1999, 0, 1), Some(1000));
    }
}
