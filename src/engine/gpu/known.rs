//! Verdicts on a base's mutants that are known without running them: those that it has found, and those that were found of the base before it and
//! hold for both.
//!
//! A mutant is the same in both where its edits are the same edits of functions that stay. So verdicts go from base to base by the numbers of edits,
//! and a mutant that is known need not even be compiled; it is, as those behind it may have its bytecode.

use crate::compiler::stage::mutate::{pair, paired};
use crate::engine::reuse::Staying;
use crate::lang::NONE;
use crate::lang::verdict::{MutantStatus, Verdict};

const PENDING: Verdict = Verdict { status: MutantStatus::Pending, killer: NONE, original: NONE };

/// What is known of the mutants of one base.
#[derive(Default)]
pub struct Known {
    /// By id; pending where nothing was found.
    verdicts: Vec<Verdict>,
    /// So many of them, from the first on, were judged in order.
    whole: u32,
    /// What was found of the base before, until it has been brought over.
    earlier: Option<Earlier>,
    /// The end of the ids that were asked for.
    asked: u32,
}

/// What was found of one base, as the next one numbers its mutants.
struct Earlier {
    verdicts: Vec<Verdict>,
    staying: Staying,
    /// Edits of first order: before, and now.
    before: u32,
    now: u32,
}

impl Known {
    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        self.verdicts.is_empty() && self.earlier.is_none()
    }

    /// Bytes that it takes, as allocated.
    pub fn bytes(&self) -> u64 {
        let earlier = self.earlier.as_ref().map_or(0, |earlier| earlier.verdicts.capacity());
        ((self.verdicts.capacity() + earlier) * size_of::<Verdict>()) as u64
    }

    /// What stays of it for the next base: edits of first order `before`, and `now`.
    pub fn next(mut self, staying: Staying, before: u32, now: u32) -> Known {
        self.bring_over();
        let earlier = Some(Earlier { verdicts: self.verdicts, staying, before, now });
        Known { earlier, ..Known::default() }
    }

    /// Notes that mutants up to an id are asked for.
    pub fn ask(&mut self, end: u32) {
        self.asked = self.asked.max(end);
    }

    /// The verdicts on the mutants from the first on that were judged in order.
    pub fn whole(&self) -> &[Verdict] {
        &self.verdicts[..self.whole as usize]
    }

    /// How a mutant ends that is new among those before it, where that is known.
    pub fn ended(&self, id: u32) -> Option<Verdict> {
        ended(&self.verdicts, id).or_else(|| self.earlier.as_ref()?.ended(id))
    }

    /// Notes verdicts from an id on; whether in order, after all before them. What was judged in order stays: of another order there may be other
    /// duplicates.
    pub fn note(&mut self, first: u32, verdicts: &[Verdict], in_order: bool) {
        let (first, end) = (first as usize, first as usize + verdicts.len());
        if self.verdicts.len() < end {
            self.verdicts.resize(end, PENDING);
        }
        let new = (self.whole as usize).clamp(first, end);
        self.verdicts[new..end].copy_from_slice(&verdicts[new - first..]);
        if in_order && first == self.whole as usize {
            self.whole = end as u32;
        }
    }

    /// Makes what was found of the base before this one's own, as far as anybody asked.
    fn bring_over(&mut self) {
        let Some(earlier) = self.earlier.take() else { return };
        self.verdicts.resize(self.verdicts.len().max(self.asked as usize), PENDING);
        for (id, verdict) in (0..).zip(&mut self.verdicts) {
            if verdict.status == MutantStatus::Pending {
                *verdict = earlier.ended(id).unwrap_or(PENDING);
            }
        }
    }
}

impl Earlier {
    /// How a mutant of the next base ended in this one.
    fn ended(&self, id: u32) -> Option<Verdict> {
        let before = match pair(self.now, id) {
            None => self.edit(id)?,
            Some((i, j)) => paired(self.before, self.edit(i)?, self.edit(j)?)?,
        };
        ended(&self.verdicts, before)
    }

    /// The number that an edit had, if mutants of its function end as they did.
    fn edit(&self, now: u32) -> Option<u32> {
        let functions = self.staying.same.iter().zip(&self.staying.judged);
        let mut staying = functions.filter(|(_, judged)| **judged).filter_map(|(same, _)| *same);
        staying.find_map(|(from, to, count)| {
            let place = now.checked_sub(to).filter(|place| *place < count)?;
            Some(from + place)
        })
    }
}

/// How a mutant ended that has been run, or whose equal has.
fn ended(verdicts: &[Verdict], id: u32) -> Option<Verdict> {
    let mut verdict = verdicts.get(id as usize)?;
    if verdict.status == MutantStatus::Duplicate {
        verdict = verdicts.get(verdict.original as usize)?;
    }
    let ran = [MutantStatus::Killed, MutantStatus::Timeout, MutantStatus::Survived].contains(&verdict.status);
    ran.then_some(*verdict)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn killed(killer: u32) -> Verdict {
        Verdict { status: MutantStatus::Killed, killer, original: NONE }
    }

    /// Three functions of two edits each; the second one has become one of three, and the first one's mutants end in another way.
    fn staying() -> Staying {
        Staying { same: vec![Some((0, 0, 2)), None, Some((4, 5, 2))], judged: vec![false, false, true] }
    }

    #[test]
    fn verdicts_go_by_the_numbers_of_edits() {
        let mut known = Known::default();
        let verdicts: Vec<Verdict> = (0..21).map(killed).collect();
        known.note(0, &verdicts, true);
        assert_eq!((known.whole().len(), known.ended(20), known.ended(21)), (21, Some(killed(20)), None));
        let next = known.next(staying(), 6, 7);
        assert!(next.whole().is_empty() && !next.is_empty());
        let found: Vec<Option<Verdict>> = (0..7).map(|id| next.ended(id)).collect();
        let nothing = [None; 5];
        assert_eq!(found, [&nothing[..], &[Some(killed(4)), Some(killed(5))]].concat());
        // The one pair within the function that stays.
        let pairs: Vec<Verdict> = (7..28).filter_map(|id| next.ended(id)).collect();
        assert_eq!(pairs, [killed(paired(6, 4, 5).expect("a pair"))]);
    }

    #[test]
    fn what_was_never_run_says_nothing() {
        let mut known = Known::default();
        let of = |status, original| Verdict { status, killer: NONE, original };
        known.note(0, &[killed(0), of(MutantStatus::Duplicate, 0), of(MutantStatus::Invalid, NONE)], true);
        known.note(4, &[of(MutantStatus::Equivalent, NONE), of(MutantStatus::Duplicate, 3)], false);
        let found: Vec<Option<Verdict>> = (0..7).map(|id| known.ended(id)).collect();
        assert_eq!(found, [Some(killed(0)), Some(killed(0)), None, None, None, None, None]);
        assert_eq!(known.whole().len(), 3);
        // Judged by itself, the second is no duplicate.
        let whole = known.whole().to_vec();
        known.note(1, &[killed(0); 4], false);
        assert_eq!((known.whole(), known.ended(3)), (&whole[..], Some(killed(0))));
    }

    #[test]
    fn what_was_asked_for_lasts_beyond_a_base_that_judged_nothing() {
        let stays = || Staying { same: vec![Some((0, 0, 3))], judged: vec![true] };
        let mut known = Known::default();
        known.note(0, &[killed(0), killed(1), killed(2)], true);
        let mut next = known.next(stays(), 3, 3);
        next.ask(2);
        let after = next.next(stays(), 3, 3);
        let found: Vec<Option<Verdict>> = (0..3).map(|id| after.ended(id)).collect();
        assert_eq!(found, [Some(killed(0)), Some(killed(1)), None]);
    }
}
