//! The verdicts on a program's mutants, and statistics of them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use crate::engine::{MutantResult, Timings};
use crate::host::measure::numbers::grouped;
use crate::lang::index::{Index, MutantId};
use crate::lang::verdict::{MutantStatus, Verdict};
use crate::report::mutants::Tally;
use crate::session::{Changes, Follow, Proofs, Proved, Survivors};
use crate::testing::mutation::QuestionAnswer;
use crate::workbench::marks::{self, Mark};
use crate::workbench::results::Shown;

/// The verdicts on the shown program's mutants that have arrived so far.
#[derive(Debug, Default)]
pub struct Mutants {
    pub verdicts: Vec<Verdict>,
    /// The number of mutants to judge in all, and how many of them are first-order.
    pub total: u32,
    pub first_order: u32,
    /// The numbers of judged mutants by status, for both orders.
    pub tally: Tally,
    /// Ids of judged first-order mutants by status, ascending.
    pub ids: [Vec<MutantId>; MutantStatus::ALL.len()],
    /// Ids of surviving first-order mutants: ascending at first, then ranked by how useful their question is.
    ranked: Vec<MutantId>,
    /// Ids of all judged first-order mutants, ascending.
    pub judged: Vec<MutantId>,
    /// Ids of the other judged first-order mutants, and of all judged second-order mutants, ascending.
    others: Vec<MutantId>,
    pub pairs: Vec<MutantId>,
    /// Ids of first-order mutants whose verdict the last edit changed, ascending.
    pub changed: Vec<MutantId>,
    /// The number of surviving first-order mutants by line of the shown text, from 0.
    pub survivors: BTreeMap<usize, u32>,
    /// The number of verdicts taken from an earlier text because nothing that they depend on changed.
    pub reused: u32,
    pub timings: Timings,
    /// Proofs that survivors equal the program or an earlier mutant.
    pub proved: Arc<Proved>,
    pub done: Option<Duration>,
    /// The last score that counted, in full and in brief, and the number of survivors then.
    pub last: Option<LastScore>,
    /// Findings about survivors: of this program, and until it is examined, of the one before.
    pub examined: Survivors,
    /// Whether some of that is of the one before.
    pub has_old_reasons: bool,
    /// Answers of the prover: of this program, and until it answers, those of the one before that hold.
    pub proofs: Proofs,
    /// The survivors of the last program whose tests all ended.
    settled: BTreeSet<MutantId>,
}

/// The last score that counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LastScore {
    /// In full and in brief.
    pub texts: [String; 2],
    pub survived: u32,
    /// Whether all tests passed.
    pub all_passed: bool,
}

impl Mutants {
    /// Returns those of the next program, of which only what is known of the same mutants in this one is known yet.
    pub(super) fn next(&self, before: Option<(&Shown, Follow)>) -> Mutants {
        let mut next = Mutants::default();
        if let Some((shown, follow)) = before {
            next.examined = self.examined.follow(&follow);
            next.has_old_reasons = !next.examined.why.is_empty();
            let survived = self.ids[MutantStatus::Survived as usize].iter().copied();
            next.proofs = self.proofs.follow(&follow);
            let settled = if shown.awaits_tests() { self.settled.clone() } else { survived.collect() };
            next.settled = settled.into_iter().filter_map(|id| follow.mutant(id)).collect();
        }
        next
    }

    /// Forgets what the next program would take over.
    pub(super) fn forget(&mut self) {
        (self.last, self.examined, self.settled, self.proofs) = Default::default();
    }

    /// Returns the number of first-order mutants to judge in all.
    pub fn first_order_wanted(&self) -> u32 {
        self.first_order.min(self.total)
    }
    /// Returns the number of second-order mutants to judge in all.
    pub fn second_order_wanted(&self) -> u32 {
        self.total - self.first_order_wanted()
    }
    /// Returns the number of first-order mutants, preceded by the number judged while that is lower.
    pub fn first_order_text(&self) -> String {
        part_of(self.tally.first_order.judged(), self.first_order_wanted())
    }
    /// Likewise for second-order mutants; `None` if none will be judged.
    pub fn second_order_text(&self) -> Option<String> {
        let wanted = self.second_order_wanted();
        (wanted > 0).then(|| format!("{} second-order", part_of(self.tally.second_order.judged(), wanted)))
    }

    /// Returns the score as text, in full and in brief: the one of `myriad mutate --prove`. `None` if no mutant counts.
    pub fn score_texts(&self) -> Option<[String; 2]> {
        let brief = self.tally.first_order.score_text(0)?;
        let full = match self.proved_while_idle() {
            0 => brief.clone(),
            proved => format!("{brief}, {} proved equivalent", grouped(proved.into())),
        };
        Some([full, brief])
    }

    /// Returns the number of first-order mutants that only the search of idle time has proved equivalent.
    fn proved_while_idle(&self) -> u32 {
        let counts = |id: &&MutantId| {
            let status = self.verdicts.get(id.position()).map(|verdict| verdict.status);
            id.number() < self.first_order && status == Some(MutantStatus::Equivalent)
        };
        self.proved.by_prover.iter().filter(counts).count() as u32
    }

    /// Returns whether all first-order mutants that are wanted are judged, and what is proved of survivors at once is known.
    pub fn is_judged(&self) -> bool {
        self.done.is_some() && self.tally.first_order.judged() >= self.first_order_wanted()
    }

    /// Returns the number of reused verdicts as text, if any.
    pub fn reused_text(&self) -> Option<String> {
        let (some, all) = (grouped(self.reused.into()), grouped(self.total.into()));
        (self.reused > 0).then(|| format!("reused {some} of {all}"))
    }

    /// Stores the ids of verdicts that the last edit changed.
    pub(super) fn change(&mut self, changes: &Changes) {
        self.changed = changes.ids();
    }

    /// Returns the gauge's mark for the number of surviving first-order mutants.
    pub fn mark(&self) -> &'static Mark {
        match self.tally.first_order {
            counts if counts.survived > 0 => &marks::SOME_SURVIVED,
            _ if !self.is_judged() => &marks::UNDECIDED,
            _ if self.tally.score().is_none() => &marks::NONE_COUNTS,
            _ => &marks::NOTICED,
        }
    }

    /// Returns all judged first-order mutants: survivors first.
    pub fn singles(&self) -> Listed<'_> {
        Listed { first: &self.ranked, rest: &self.others }
    }

    /// Stores what was found about survivors.
    pub(super) fn examine(&mut self, shown: &Shown, found: &Survivors) {
        self.examined.take(found, shown.awaits_tests());
        self.has_old_reasons &= !self.examined.done;
        self.rank(shown);
    }

    /// Stores answers of the prover.
    pub(super) fn take_proofs(&mut self, found: &Proofs) {
        self.proofs.found.extend(found.found.iter().map(|(id, proof)| (*id, proof.clone())));
    }

    /// Ranks the survivors by line. Lines that a test comes nearest to are first; each survivor is followed
    /// by those that behave like it.
    fn rank(&mut self, shown: &Shown) {
        let found = &self.examined;
        let first = |id: MutantId| found.like.get(&id).copied().unwrap_or(id);
        let rank = |id: MutantId| match found.answers.get(&id).map(|answer| &**answer) {
            // If no input distinguishes a mutant from the program, it raises no question.
            Some(QuestionAnswer::Alike { .. }) => u32::MAX,
            _ => found.why.get(&id).map_or(u32::MAX - 1, |why| why.rank()),
        };
        let line = |id: MutantId| {
            let site = shown.mutant(id).and_then(|mutant| mutant.edits.into_iter().next());
            site.map_or(0, |site| shown.place(site.lo).0)
        };
        let survivors: Vec<(MutantId, usize)> =
            self.ids[MutantStatus::Survived as usize].iter().map(|id| (*id, line(first(*id)))).collect();
        let mut nearest: BTreeMap<usize, u32> = BTreeMap::new();
        for (id, line) in &survivors {
            let best = nearest.entry(*line).or_insert(u32::MAX);
            *best = rank(*id).min(*best);
        }
        // Survivors that a known test would notice are first, and those for which none was found are last.
        let class = |id: MutantId| match found.answers.get(&id).map(|answer| &**answer) {
            Some(QuestionAnswer::Found(_)) => 0,
            None => 1,
            Some(QuestionAnswer::Alike { .. }) => 2,
        };
        let key = |(id, line): &(MutantId, usize)| {
            let first = first(*id);
            (class(first), nearest.get(line).copied(), *line, rank(first), first, *id)
        };
        let mut ranked = survivors;
        ranked.sort_by_cached_key(key);
        self.ranked = ranked.into_iter().map(|(id, _)| id).collect();
    }

    /// Replaces the verdicts on survivors that are proved equal to the program or to an earlier mutant.
    pub(super) fn prove(&mut self, shown: &Shown, proved: Arc<Proved>) {
        let mut all = std::mem::take(&mut self.verdicts);
        for (id, verdict) in &proved.verdicts {
            if let Some(slot) = all.get_mut(id.position()) {
                *slot = *verdict;
            }
        }
        let (reused, timings) = (self.reused, std::mem::take(&mut self.timings));
        *self = Mutants {
            total: self.total,
            first_order: self.first_order,
            changed: std::mem::take(&mut self.changed),
            done: self.done,
            proved,
            last: self.last.take(),
            examined: std::mem::take(&mut self.examined),
            has_old_reasons: self.has_old_reasons,
            settled: std::mem::take(&mut self.settled),
            proofs: std::mem::take(&mut self.proofs),
            ..Mutants::default()
        };
        self.add(shown, MutantResult { first: MutantId::FIRST, verdicts: all, reused, timings });
    }

    pub(super) fn add(&mut self, shown: &Shown, part: MutantResult) {
        let (end, before) = (part.ids().end().position(), self.ranked.len());
        if self.verdicts.len() < end {
            let pending = Verdict::of(MutantStatus::Pending);
            self.verdicts.resize(end, pending);
        }
        for (id, verdict) in part.ids().iter().zip(part.verdicts) {
            let slot = &mut self.verdicts[id.position()];
            if slot.status != MutantStatus::Pending || verdict.status == MutantStatus::Pending {
                continue;
            }
            // A mutant that an unfinished test may notice survives only if it did before.
            let awaits = verdict.status == MutantStatus::Survived
                && !self.settled.contains(&id)
                && shown.awaits_tests_of(id);
            let verdict = if awaits { Verdict::of(MutantStatus::Unfinished) } else { verdict };
            *slot = verdict;
            self.tally.add(self.first_order, id, verdict.status);
            if id.number() >= self.first_order {
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
        if self.has_old_reasons && self.ranked.len() != before {
            self.rank(shown);
        }
    }
}

/// Ids in the order in which a panel lists them.
#[derive(Clone, Copy, Debug)]
pub struct Listed<'a> {
    first: &'a [MutantId],
    /// Ascending.
    rest: &'a [MutantId],
}

impl<'a> Listed<'a> {
    /// Creates a list of ascending ids.
    pub fn ascending(rest: &'a [MutantId]) -> Listed<'a> {
        Listed { first: &[], rest }
    }

    pub fn len(&self) -> usize {
        self.first.len() + self.rest.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of rows with ranked ids; later ids ascend.
    pub fn ranked(&self) -> usize {
        self.first.len()
    }

    pub fn get(&self, row: usize) -> Option<MutantId> {
        self.first.get(row).or_else(|| self.rest.get(row.checked_sub(self.first.len())?)).copied()
    }

    pub fn iter(&self) -> impl Iterator<Item = MutantId> + use<'a> {
        self.first.iter().chain(self.rest).copied()
    }

    pub fn row(&self, id: MutantId) -> Option<usize> {
        let first = self.first.iter().position(|one| *one == id);
        first.or_else(|| Some(self.first.len() + self.rest.binary_search(&id).ok()?))
    }
}

/// Formats `1,024`, or `7/1,024` while some are missing.
fn part_of(some: u32, all: u32) -> String {
    let (some_of_them, all_of_them) = (grouped(some.into()), grouped(all.into()));
    if some < all { format!("{some_of_them}/{all_of_them}") } else { all_of_them }
}

/// Inserts an id into an ascending list; ids nearly always arrive in order.
fn insert(ids: &mut Vec<MutantId>, id: MutantId) {
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
    fn mutation_mark_follows_the_first_order_verdicts() {
        use MutantStatus::*;
        use marks::{NONE_COUNTS, NOTICED, SOME_SURVIVED, UNDECIDED};
        let of = |total: u32, statuses: &[MutantStatus]| {
            let tally = Tally::of(3, MutantId::all().zip(statuses.iter().copied()));
            Mutants { total, first_order: 3, tally, done: Some(Duration::ZERO), ..Mutants::default() }.mark()
        };
        assert_eq!(of(3, &[Killed, Timeout, Invalid]), &NOTICED);
        assert_eq!(of(3, &[Killed, Survived, Invalid]), &SOME_SURVIVED);
        // A perfect score needs all verdicts; survivors are marked at once.
        assert_eq!(of(3, &[Killed, Timeout]), &UNDECIDED);
        assert_eq!(of(3, &[Survived]), &SOME_SURVIVED);
        // If no mutant counts, there is no score.
        assert_eq!(of(3, &[Equivalent, Duplicate, Invalid]), &NONE_COUNTS);
        // Second-order mutants are neither awaited nor counted.
        assert_eq!(of(6, &[Killed, Timeout, Invalid, Survived]), &NOTICED);
    }
}
