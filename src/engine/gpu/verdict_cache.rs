//! Known verdicts on a base's mutants: those found for this base, and those found for the previous base that
//! hold for both.
//!
//! A mutant is the same in both bases if its edits are the same edits of unchanged functions. Verdicts are
//! therefore carried over by edit number. A mutant with a known verdict need not run. It is compiled all the
//! same, because later mutants may have equal bytecode.

use crate::compiler::stage::mutate::{rank_pair, unrank_pair};
use crate::engine::reuse::UnchangedFunctions;
use crate::lang::index::{EditId, Index, MutantId};
use crate::lang::verdict::{MutantStatus, Verdict};

const PENDING: Verdict = Verdict::of(MutantStatus::Pending);

/// The known verdicts on the mutants of one base.
#[derive(Default)]
pub struct VerdictCache {
    /// By id; pending if unknown.
    verdicts: Vec<Verdict>,
    /// The number of first mutants that were judged in order.
    whole: u32,
    /// Verdicts of the previous base, until they are carried over.
    earlier: Option<Earlier>,
    /// The number of mutants up to the last that was requested.
    asked: u32,
}

/// The verdicts of one base, with the mapping to the mutants of the next.
struct Earlier {
    verdicts: Vec<Verdict>,
    unchanged_functions: UnchangedFunctions,
    /// The numbers of first-order edits: before and now.
    before: u32,
    now: u32,
}

impl VerdictCache {
    /// Whether no verdict is known.
    pub fn is_empty(&self) -> bool {
        self.verdicts.is_empty() && self.earlier.is_none()
    }

    /// Returns the allocated size in bytes.
    pub fn bytes(&self) -> u64 {
        let earlier = self.earlier.as_ref().map_or(0, |earlier| earlier.verdicts.capacity());
        ((self.verdicts.capacity() + earlier) * size_of::<Verdict>()) as u64
    }

    /// Converts the verdicts for the next base, given the numbers of first-order edits `before` and `now`.
    pub fn next(mut self, unchanged_functions: UnchangedFunctions, before: u32, now: u32) -> VerdictCache {
        self.bring_over();
        let earlier = Some(Earlier { verdicts: self.verdicts, unchanged_functions, before, now });
        VerdictCache { earlier, ..VerdictCache::default() }
    }

    /// Records that the first `count` mutants were requested.
    pub fn ask(&mut self, count: u32) {
        self.asked = self.asked.max(count);
    }

    /// Returns the verdicts on the first mutants that were judged in order.
    pub fn whole(&self) -> &[Verdict] {
        &self.verdicts[..self.whole as usize]
    }

    /// Returns the known verdict on a mutant if it has no equal before it.
    pub fn ended(&self, id: MutantId) -> Option<Verdict> {
        ended(&self.verdicts, id).or_else(|| self.earlier.as_ref()?.ended(id))
    }

    /// Records verdicts from an id on. `in_order` states whether all earlier mutants had been judged before.
    /// Verdicts in order are not overwritten, because another order may yield other duplicates.
    pub fn note(&mut self, first: MutantId, verdicts: &[Verdict], in_order: bool) {
        let (first, end) = (first.position(), first.position() + verdicts.len());
        if self.verdicts.len() < end {
            self.verdicts.resize(end, PENDING);
        }
        let new = (self.whole as usize).clamp(first, end);
        self.verdicts[new..end].copy_from_slice(&verdicts[new - first..]);
        if in_order && first == self.whole as usize {
            self.whole = end as u32;
        }
    }

    /// Copies verdicts from the previous base, for the ids that were requested.
    fn bring_over(&mut self) {
        let Some(earlier) = self.earlier.take() else { return };
        self.verdicts.resize(self.verdicts.len().max(self.asked as usize), PENDING);
        for (id, verdict) in MutantId::all().zip(&mut self.verdicts) {
            if verdict.status == MutantStatus::Pending {
                *verdict = earlier.ended(id).unwrap_or(PENDING);
            }
        }
    }
}

impl Earlier {
    /// Returns the verdict on a mutant of the next base, if this base has it.
    fn ended(&self, id: MutantId) -> Option<Verdict> {
        let before = match unrank_pair(self.now, id) {
            None => MutantId::new(self.edit(EditId::new(id.number()))?.number()),
            Some((i, j)) => rank_pair(self.before, self.edit(i)?, self.edit(j)?)?,
        };
        self.unchanged_functions.verdict(ended(&self.verdicts, before)?)
    }

    /// Returns the earlier number of an edit, if the verdicts on its function's mutants are unchanged.
    fn edit(&self, now: EditId) -> Option<EditId> {
        let functions = self.unchanged_functions.same.iter().zip(&self.unchanged_functions.judged);
        let mut unchanged_functions = functions.filter(|(_, judged)| **judged).filter_map(|(same, _)| *same);
        unchanged_functions.find_map(|(from, to, count)| {
            let place = now.number().checked_sub(to).filter(|place| *place < count)?;
            Some(EditId::new(from + place))
        })
    }
}

/// Returns the verdict on a mutant that has run, or whose equal has.
fn ended(verdicts: &[Verdict], id: MutantId) -> Option<Verdict> {
    let mut verdict = verdicts.get(id.position())?;
    if verdict.status == MutantStatus::Duplicate {
        verdict = verdicts.get(verdict.original?.position())?;
    }
    use MutantStatus::{Killed, Survived, Timeout, Unfinished};
    [Killed, Timeout, Survived, Unfinished].contains(&verdict.status).then_some(*verdict)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::index::{EntryId, Indices, RoutineId};

    fn found(known: &VerdictCache, ids: std::ops::Range<u32>) -> Vec<Option<Verdict>> {
        Indices::numbered(ids).iter().map(|id| known.ended(id)).collect()
    }

    fn killed(killer: u32) -> Verdict {
        Verdict { killer: Some(EntryId::new(killer)), ..Verdict::of(MutantStatus::Killed) }
    }

    /// Neither functions nor entries have new numbers.
    fn of(same: Vec<Option<(u32, u32, u32)>>, judged: Vec<bool>) -> UnchangedFunctions {
        let functions = RoutineId::all().take(same.len()).map(Some).collect();
        let entries = EntryId::all().take(21).map(Some).collect();
        UnchangedFunctions { same, judged, functions, entries }
    }

    /// Three functions with two edits each. The second now has three, and the verdicts on the first one's
    /// mutants are invalid.
    fn unchanged_functions() -> UnchangedFunctions {
        of(vec![Some((0, 0, 2)), None, Some((4, 5, 2))], vec![false, false, true])
    }

    #[test]
    fn cached_verdicts_follow_renumbered_edits() {
        let mut known = VerdictCache::default();
        let verdicts: Vec<Verdict> = (0..21).map(killed).collect();
        known.note(MutantId::FIRST, &verdicts, true);
        assert_eq!((known.whole().len(), found(&known, 20..22)), (21, vec![Some(killed(20)), None]));
        let next = known.next(unchanged_functions(), 6, 7);
        assert!(next.whole().is_empty() && !next.is_empty());
        let nothing = [None; 5];
        assert_eq!(found(&next, 0..7), [&nothing[..], &[Some(killed(4)), Some(killed(5))]].concat());
        // The only pair within the unchanged function.
        let pairs: Vec<Verdict> = found(&next, 7..28).into_iter().flatten().collect();
        assert_eq!(pairs, [killed(rank_pair(6, EditId::new(4), EditId::new(5)).expect("a pair").number())]);
    }

    #[test]
    fn mutants_that_did_not_run_leave_no_cached_verdict() {
        let mut known = VerdictCache::default();
        let copy = |original| Verdict::duplicate_of(MutantId::new(original));
        known.note(MutantId::FIRST, &[killed(0), copy(0), Verdict::of(MutantStatus::Invalid)], true);
        known.note(MutantId::new(4), &[Verdict::of(MutantStatus::Equivalent), copy(3)], false);
        assert_eq!(found(&known, 0..7), [Some(killed(0)), Some(killed(0)), None, None, None, None, None]);
        assert_eq!(known.whole().len(), 3);
        // Judged alone, the second is not a duplicate.
        let whole = known.whole().to_vec();
        known.note(MutantId::new(1), &[killed(0); 4], false);
        assert_eq!((known.whole(), known.ended(MutantId::new(3))), (&whole[..], Some(killed(0))));
    }

    #[test]
    fn cached_verdicts_survive_a_base_without_judged_mutants() {
        let stays = || of(vec![Some((0, 0, 3))], vec![true]);
        let mut known = VerdictCache::default();
        known.note(MutantId::FIRST, &[killed(0), killed(1), killed(2)], true);
        let mut next = known.next(stays(), 3, 3);
        next.ask(2);
        let after = next.next(stays(), 3, 3);
        assert_eq!(found(&after, 0..3), [Some(killed(0)), Some(killed(1)), None]);
    }
}
