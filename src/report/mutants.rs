//! Counts and scores of mutants.
//!
//! First-order and second-order mutants are counted separately, and only first-order ones have a score.
//! Second-order mutants are nearly always noticed, so with them a score would mostly depend on how many were
//! judged.

use serde::Serialize;

use crate::host::measure::numbers::{grouped, plural};
use crate::host::measure::share::{Percent, Share};
use crate::lang::index::{Index, MutantId};
use crate::lang::verdict::MutantStatus;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    pub killed: u32,
    pub timeout: u32,
    pub survived: u32,
    pub equivalent: u32,
    pub duplicate: u32,
    pub invalid: u32,
    /// Mutants that comments exclude from the count.
    #[serde(skip_serializing_if = "is_none")]
    pub ignored: u32,
    /// Mutants that reach a hole of their base, and that no oracle kills.
    #[serde(skip_serializing_if = "is_none")]
    pub unfinished: u32,
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
            MutantStatus::Unfinished => self.unfinished += 1,
        }
    }

    /// Returns the sum of both.
    pub fn plus(self, other: Counts) -> Counts {
        Counts {
            killed: self.killed + other.killed,
            timeout: self.timeout + other.timeout,
            survived: self.survived + other.survived,
            equivalent: self.equivalent + other.equivalent,
            duplicate: self.duplicate + other.duplicate,
            invalid: self.invalid + other.invalid,
            ignored: self.ignored + other.ignored,
            unfinished: self.unfinished + other.unfinished,
        }
    }

    /// Returns the number of judged mutants, whatever the verdict.
    pub fn judged(&self) -> u32 {
        let Counts { killed, timeout, survived, equivalent, duplicate, invalid, ignored, unfinished } = *self;
        killed + timeout + survived + equivalent + duplicate + invalid + ignored + unfinished
    }

    /// Returns the exact mutation score: the share of (killed + timeout) in (killed + timeout + survived).
    /// `None` if no mutant counts.
    pub fn score(&self) -> Option<Share> {
        let noticed = u64::from(self.killed) + u64::from(self.timeout);
        Share::new(noticed, noticed + u64::from(self.survived))
    }

    /// Formats the score. If a longer search has `proved` survivors equivalent, the text has two scores: one with these
    /// survivors, as a call without this search has it, and one without them.
    pub fn score_text(&self, proved: u32) -> Option<String> {
        let noticed = u64::from(self.killed) + u64::from(self.timeout);
        let first = Share::new(noticed, noticed + u64::from(self.survived) + u64::from(proved))?;
        if proved == 0 {
            return Some(first.to_string());
        }
        let then = self.score().map_or("none".to_string(), |score| score.to_string());
        Some(format!("{first}, {then} without {} proved equivalent", grouped(proved.into())))
    }

    /// Formats the counts on one line.
    pub fn text(&self) -> String {
        let [killed, survived, equivalent, duplicate, invalid] =
            [self.killed, self.survived, self.equivalent, self.duplicate, self.invalid]
                .map(|n| grouped(n.into()));
        let timeouts = plural(self.timeout.into(), "timeout");
        let more = |count: u32, name| match count {
            0 => String::new(),
            count => format!(", {} {name}", grouped(count.into())),
        };
        let (ignored, unfinished) = (more(self.ignored, "ignored"), more(self.unfinished, "unfinished"));
        format!(
            "{killed} killed, {timeouts}, {survived} survived; {equivalent} equivalent, {duplicate} duplicate, \
             {invalid} invalid{ignored}{unfinished}"
        )
    }
}

/// The advice for a score that is too low.
pub const LOW_SCORE: &str = "add tests that notice the surviving mutants";

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    pub first_order: Counts,
    pub second_order: Counts,
}

impl Tally {
    /// Counts the mutants with these ids; ids below `first_order` are first-order mutants.
    pub fn of(first_order: u32, statuses: impl IntoIterator<Item = (MutantId, MutantStatus)>) -> Tally {
        let mut tally = Tally::default();
        statuses.into_iter().for_each(|(id, status)| tally.add(first_order, id, status));
        tally
    }

    pub fn add(&mut self, first_order: u32, id: MutantId, status: MutantStatus) {
        let counts = if id.number() < first_order { &mut self.first_order } else { &mut self.second_order };
        counts.add(status);
    }

    /// Returns the sum of both tallies.
    pub fn plus(self, other: Tally) -> Tally {
        Tally {
            first_order: self.first_order.plus(other.first_order),
            second_order: self.second_order.plus(other.second_order),
        }
    }

    /// Returns the counts of both orders together.
    pub fn all(&self) -> Counts {
        self.first_order.plus(self.second_order)
    }

    /// Returns the score of the first-order mutants.
    pub fn score(&self) -> Option<Share> {
        self.first_order.score()
    }

    /// Returns a message if the score is below the required minimum; `None` if it is not, or if there is no
    /// score.
    pub fn missed_score(&self, least: Option<Percent>) -> Option<String> {
        let least = least?;
        let score = self.score().filter(|score| score.is_below(least))?;
        let Counts { killed, timeout, survived, .. } = self.first_order;
        let noticed = killed + timeout;
        Some(format!(
            "the score {} % ({} of {}) is below {least} %",
            score.percent_below(least),
            grouped(noticed.into()),
            grouped((noticed + survived).into())
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn minimum_score_is_compared_with_the_exact_ratio() {
        let tally = |killed, timeout, survived| Tally {
            first_order: Counts { killed, timeout, survived, ..Counts::default() },
            ..Tally::default()
        };
        let missed = |tally: Tally, least: &str| tally.missed_score(least.parse().ok());
        assert_eq!(tally(0, 0, 0).score(), None);
        assert_eq!(tally(1, 1, 1).score(), Share::new(2, 3));
        let text = |proved| tally(70, 0, 8).first_order.score_text(proved).expect("a score");
        assert_eq!(text(0), "89.7 %");
        assert_eq!(text(1), "88.6 %, 89.7 % without 1 proved equivalent");
        assert_eq!(text(2), "87.5 %, 89.7 % without 2 proved equivalent");
        assert_eq!(
            missed(tally(1, 1, 1), "66.7").as_deref(),
            Some("the score 66.67 % (2 of 3) is below 66.7 %")
        );
        assert_eq!(missed(tally(1, 1, 1), "66.66"), None);
        assert_eq!(
            missed(tally(2763, 0, 1), "100").as_deref(),
            Some("the score 99.9 % (2,763 of 2,764) is below 100 %")
        );
        assert_eq!(missed(tally(0, 0, 0), "100"), None);
        assert_eq!(tally(1, 0, 1).missed_score(None), None);
    }

    #[test]
    fn only_first_order_mutants_have_a_score() {
        use MutantStatus::*;
        let statuses = [Killed, Survived, Invalid, Timeout, Pending, Killed, Duplicate, Killed, Survived];
        let tally = Tally::of(4, MutantId::all().zip(statuses));
        assert_eq!(
            tally.first_order,
            Counts { killed: 1, survived: 1, invalid: 1, timeout: 1, ..Counts::default() }
        );
        assert_eq!(tally.second_order, Counts { killed: 2, duplicate: 1, survived: 1, ..Counts::default() });
        assert_eq!(tally.score(), Share::new(2, 3));
        assert_eq!((tally.first_order.judged(), tally.second_order.judged(), tally.all().judged()), (4, 4, 8));
        // Second-order mutants alone have no score.
        assert_eq!(Tally::of(0, [(MutantId::FIRST, Killed)]).score(), None);
    }

    #[test]
    fn counts_are_printed_on_one_line() {
        let counts = Counts {
            killed: 1024,
            timeout: 1,
            survived: 2,
            equivalent: 0,
            duplicate: 3,
            invalid: 4,
            ignored: 0,
            unfinished: 0,
        };
        let text = "1,024 killed, 1 timeout, 2 survived; 0 equivalent, 3 duplicate, 4 invalid";
        assert_eq!(counts.text(), text);
        let more = Counts { ignored: 5, unfinished: 6, ..counts };
        assert_eq!(more.text(), format!("{text}, 5 ignored, 6 unfinished"));
        assert_eq!((more.judged(), more.score()), (counts.judged() + 11, counts.score()));
    }
}
