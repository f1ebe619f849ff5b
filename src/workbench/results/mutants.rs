//! The verdicts on a program's mutants, and what is counted of them.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::engine::{MutantResult, Timings};
use crate::host::measure::numbers::{grouped, plural};
use crate::lang::NONE;
use crate::lang::verdict::{MutantStatus, Verdict};
use crate::report::mutants::Tally;
use crate::session::{Changes, Survivors};
use crate::testing::mutation::Answer;
use crate::workbench::marks::{self, Mark};
use crate::workbench::results::Shown;

/// The verdicts on the shown program's mutants, as far as they are in.
#[derive(Debug, Default)]
pub struct Mutants {
    pub verdicts: Vec<Verdict>,
    /// How many will be judged in all, and how many of those are of first order.
    pub total: u32,
    pub first_order: u32,
    /// What became of those that are judged: of single changes, and apart of pairs.
    pub tally: Tally,
    /// Ids of judged single changes by status, ascending.
    pub ids: [Vec<u32>; 8],
    /// Ids of single changes that survive: ascending until they are ranked, then the best question first.
    ranked: Vec<u32>,
    /// Ids of all judged single changes, ascending.
    pub judged: Vec<u32>,
    /// Ids of all other judged single changes, and of all judged pairs, ascending.
    others: Vec<u32>,
    pub pairs: Vec<u32>,
    /// Ids of single changes whose verdict the last edit changed, ascending.
    pub changed: Vec<u32>,
    /// Single changes that survive by line of the shown text, from 0.
    pub survivors: BTreeMap<usize, u32>,
    /// How many verdicts are those of a text before, for nothing that they depend on has changed.
    pub reused: u32,
    pub timings: Timings,
    pub done: Option<Duration>,
}

impl Mutants {
    /// How many single changes will be judged in all.
    pub fn singles_wanted(&self) -> u32 {
        self.first_order.min(self.total)
    }
    /// How many pairs will be judged in all.
    pub fn pairs_wanted(&self) -> u32 {
        self.total - self.singles_wanted()
    }
    /// How many single changes there are, and how many of them are judged while that is not all.
    pub fn singles_text(&self) -> String {
        part_of(self.tally.singles.judged(), self.singles_wanted(), "single")
    }
    /// The same of pairs, where any are to be judged.
    pub fn pairs_text(&self) -> Option<String> {
        let wanted = self.pairs_wanted();
        (wanted > 0).then(|| part_of(self.tally.pairs.judged(), wanted, "pair"))
    }

    /// How many verdicts are those of a text before, where any are.
    pub fn reused_text(&self) -> Option<String> {
        let (some, all) = (grouped(self.reused.into()), grouped(self.total.into()));
        (self.reused > 0).then(|| format!("reused {some} of {all}"))
    }

    /// What the last edit changed.
    pub(super) fn change(&mut self, changes: &Changes) {
        self.changed = changes.ids();
    }

    /// How the number of single changes that survive is marked in the gauge.
    pub fn mark(&self) -> &'static Mark {
        match self.tally.singles {
            counts if counts.survived > 0 => &marks::SOME_SURVIVED,
            counts if counts.judged() < self.singles_wanted() => &marks::UNDECIDED,
            _ if self.tally.score().is_none() => &marks::NONE_COUNTS,
            _ => &marks::NOTICED,
        }
    }

    /// All judged single changes: first those that survive, then the others.
    pub fn singles(&self) -> Listed<'_> {
        Listed { first: &self.ranked, rest: &self.others }
    }

    /// Puts the survivors in order: line by line, those lines first that a test is nearest to; behind each survivor those that behave
    /// like it.
    pub(super) fn rank(&mut self, shown: &Shown, found: &Survivors) {
        let first = |id: u32| found.like.get(&id).copied().unwrap_or(id);
        let rank = |id: u32| match found.answers.get(&id).map(|answer| &**answer) {
            // What no input tells from the program is hardly a question.
            Some(Answer::Alike { .. }) => u32::MAX,
            _ => found.why.get(&id).map_or(u32::MAX - 1, |why| why.rank()),
        };
        let line = |id: u32| {
            let site = shown.mutant(id).and_then(|mutant| mutant.edits.into_iter().next());
            site.map_or(0, |site| shown.place(site.lo).0)
        };
        let survivors: Vec<(u32, usize)> =
            self.ids[MutantStatus::Survived as usize].iter().map(|id| (*id, line(first(*id)))).collect();
        let mut nearest: BTreeMap<usize, u32> = BTreeMap::new();
        for (id, line) in &survivors {
            let best = nearest.entry(*line).or_insert(u32::MAX);
            *best = rank(*id).min(*best);
        }
        let key =
            |(id, line): &(u32, usize)| (nearest.get(line).copied(), *line, rank(first(*id)), first(*id), *id);
        let mut ranked = survivors;
        ranked.sort_by_cached_key(key);
        self.ranked = ranked.into_iter().map(|(id, _)| id).collect();
    }

    pub(super) fn add(&mut self, shown: &Shown, part: MutantResult) {
        let end = part.first as usize + part.verdicts.len();
        if self.verdicts.len() < end {
            let pending = Verdict { status: MutantStatus::Pending, killer: NONE, original: NONE };
            self.verdicts.resize(end, pending);
        }
        for (id, verdict) in (part.first..).zip(part.verdicts) {
            let slot = &mut self.verdicts[id as usize];
            if slot.status != MutantStatus::Pending || verdict.status == MutantStatus::Pending {
                continue;
            }
            *slot = verdict;
            self.tally.add(self.first_order, id, verdict.status);
            if id >= self.first_order {
                insert(&mut self.pairs, id);
                continue;
            }
            insert(&mut self.judged, id);
            insert(&mut self.ids[verdict.status as usize], id);
            let survives = verdict.status == MutantStatus::Survived;
            insert(if survives { &mut self.ranked } else { &mut self.others }, id);
            if verdict.status == MutantStatus::Survived
                && let Some(site) = shown.mutant(id).and_then(|m| m.edits.into_iter().next())
            {
                *self.survivors.entry(shown.place(site.lo).0 - 1).or_default() += 1;
            }
        }
        self.reused += part.reused;
        self.timings += &part.timings;
    }
}

/// Ids as a panel lists them.
#[derive(Clone, Copy, Debug)]
pub struct Listed<'a> {
    first: &'a [u32],
    /// Ascending.
    rest: &'a [u32],
}

impl<'a> Listed<'a> {
    /// Ids that ascend.
    pub fn ascending(rest: &'a [u32]) -> Listed<'a> {
        Listed { first: &[], rest }
    }

    pub fn len(&self) -> usize {
        self.first.len() + self.rest.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Rows of ids in an order of their own; behind them ids ascend.
    pub fn ranked(&self) -> usize {
        self.first.len()
    }

    pub fn get(&self, row: usize) -> Option<u32> {
        self.first.get(row).or_else(|| self.rest.get(row.checked_sub(self.first.len())?)).copied()
    }

    pub fn iter(&self) -> impl Iterator<Item = u32> + use<'a> {
        self.first.iter().chain(self.rest).copied()
    }

    /// The row of an id.
    pub fn row(&self, id: u32) -> Option<usize> {
        let first = self.first.iter().position(|one| *one == id);
        first.or_else(|| Some(self.first.len() + self.rest.binary_search(&id).ok()?))
    }
}

/// `1,024 pairs`, or `7/1,024 pairs` before all are there.
fn part_of(some: u32, all: u32, one: &str) -> String {
    let all_of_them = plural(all.into(), one);
    if some < all { format!("{}/{all_of_them}", grouped(some.into())) } else { all_of_them }
}

/// Keeps a list ascending; parts nearly always come in order.
fn insert(ids: &mut Vec<u32>, id: u32) {
    if ids.last().is_none_or(|last| *last < id) {
        ids.push(id);
    } else if let Err(at) = ids.binary_search(&id) {
        ids.insert(at, id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_perfect_result_has_no_cross() {
        use MutantStatus::*;
        use marks::{NONE_COUNTS, NOTICED, SOME_SURVIVED, UNDECIDED};
        let of = |total: u32, statuses: &[MutantStatus]| {
            let tally = Tally::of(3, (0..).zip(statuses.iter().copied()));
            Mutants { total, first_order: 3, tally, ..Mutants::default() }.mark()
        };
        assert_eq!(of(3, &[Killed, Timeout, Invalid]), &NOTICED);
        assert_eq!(of(3, &[Killed, Survived, Invalid]), &SOME_SURVIVED);
        // Before all verdicts are in nothing is perfect, but what survives does so at once.
        assert_eq!(of(3, &[Killed, Timeout]), &UNDECIDED);
        assert_eq!(of(3, &[Survived]), &SOME_SURVIVED);
        // Where nothing counts there is nothing to be proud of.
        assert_eq!(of(3, &[Equivalent, Duplicate, Invalid]), &NONE_COUNTS);
        // Pairs are neither waited for nor counted.
        assert_eq!(of(6, &[Killed, Timeout, Invalid, Survived]), &NOTICED);
    }
}
