//! What became of mutants, in names and numbers.
//!
//! Single changes and pairs of them are counted apart, and only single changes have a score: a pair is noticed nearly
//! always, so with pairs in it a score would say how many of them there was time for.

use serde::Serialize;

use crate::lang::verdict::MutantStatus;
use crate::measure::numbers::{grouped, plural};

/// How many mutants have each status.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    pub killed: u32,
    pub timeout: u32,
    pub survived: u32,
    pub equivalent: u32,
    pub duplicate: u32,
    pub invalid: u32,
    /// Taken out of the count by comments.
    #[serde(skip_serializing_if = "is_none")]
    pub ignored: u32,
}

fn is_none(count: &u32) -> bool {
    *count == 0
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
            MutantStatus::Ignored => self.ignored += 1,
        }
    }

    /// Both together.
    pub fn plus(self, other: Counts) -> Counts {
        Counts {
            killed: self.killed + other.killed,
            timeout: self.timeout + other.timeout,
            survived: self.survived + other.survived,
            equivalent: self.equivalent + other.equivalent,
            duplicate: self.duplicate + other.duplicate,
            invalid: self.invalid + other.invalid,
            ignored: self.ignored + other.ignored,
        }
    }

    /// How many are judged, whatever the verdict.
    pub fn judged(&self) -> u32 {
        let Counts { killed, timeout, survived, equivalent, duplicate, invalid, ignored } = *self;
        killed + timeout + survived + equivalent + duplicate + invalid + ignored
    }

    /// The mutation score in tenths of a percent, rounded half up; none where no mutant counts.
    pub fn score(&self) -> Option<u32> {
        let noticed = u64::from(self.killed) + u64::from(self.timeout);
        let counted = noticed + u64::from(self.survived);
        (counted > 0).then(|| ((2000 * noticed + counted) / (2 * counted)) as u32)
    }

    /// All of them in a line for people.
    pub fn text(&self) -> String {
        let [killed, survived, equivalent, duplicate, invalid] =
            [self.killed, self.survived, self.equivalent, self.duplicate, self.invalid]
                .map(|n| grouped(n.into()));
        let timeouts = plural(self.timeout.into(), "timeout");
        let ignored = if self.ignored > 0 {
            format!(", {} ignored", grouped(self.ignored.into()))
        } else {
            String::new()
        };
        format!(
            "{killed} killed, {timeouts}, {survived} survived; {equivalent} equivalent, {duplicate} duplicate, \
             {invalid} invalid{ignored}"
        )
    }
}

/// Mutants by their order: those with one change, and those with two.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    pub singles: Counts,
    pub pairs: Counts,
}

impl Tally {
    /// What became of the mutants with these ids, of which those below `first_order` are single changes.
    pub fn of(first_order: u32, statuses: impl IntoIterator<Item = (u32, MutantStatus)>) -> Tally {
        let mut tally = Tally::default();
        statuses.into_iter().for_each(|(id, status)| tally.add(first_order, id, status));
        tally
    }

    pub fn add(&mut self, first_order: u32, id: u32, status: MutantStatus) {
        let counts = if id < first_order { &mut self.singles } else { &mut self.pairs };
        counts.add(status);
    }

    /// Both orders together.
    pub fn all(&self) -> Counts {
        self.singles.plus(self.pairs)
    }

    /// The score: of single changes, 100 × (killed + timeout) / (killed + timeout + survived), in tenths of a percent and
    /// rounded half up; none where no single change counts.
    pub fn score(&self) -> Option<u32> {
        self.singles.score()
    }
}

/// A score as documents have it, in percent.
pub fn decimal(tenths: u32) -> f64 {
    f64::from(tenths) / 10.0
}

/// A score as people read it: `87.5 %`.
pub fn percent(tenths: u32) -> String {
    format!("{}.{} %", tenths / 10, tenths % 10)
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
        assert_eq!((percent(667), decimal(667)), ("66.7 %".to_string(), 66.7));
        assert_eq!(percent(1000), "100.0 %");
    }

    #[test]
    fn only_single_changes_have_a_score() {
        use MutantStatus::*;
        let statuses = [Killed, Survived, Invalid, Timeout, Pending, Killed, Duplicate, Killed, Survived];
        let tally = Tally::of(4, (0..).zip(statuses));
        assert_eq!(
            tally.singles,
            Counts { killed: 1, survived: 1, invalid: 1, timeout: 1, ..Counts::default() }
        );
        assert_eq!(tally.pairs, Counts { killed: 2, duplicate: 1, survived: 1, ..Counts::default() });
        assert_eq!(tally.score(), Some(667));
        assert_eq!((tally.singles.judged(), tally.pairs.judged(), tally.all().judged()), (4, 4, 8));
        // Of pairs alone there is none.
        assert_eq!(Tally::of(0, [(0, Killed)]).score(), None);
    }

    #[test]
    fn counts_read_as_a_line() {
        let counts = Counts {
            killed: 1024,
            timeout: 1,
            survived: 2,
            equivalent: 0,
            duplicate: 3,
            invalid: 4,
            ignored: 0,
        };
        assert_eq!(counts.text(), "1,024 killed, 1 timeout, 2 survived; 0 equivalent, 3 duplicate, 4 invalid");
    }
}
