//! The visits of one mutant, shared by the thread that judges it and by idle threads.
//!
//! The judging thread takes a few visits at a time from the front. A helping thread takes half of the
//! remaining visits from the back. The first failing visit in order decides, whichever thread finds it.
//! Visits after a failing one are therefore unnecessary, but visits before it are not.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::engine::oracles;
use crate::lang::verdict::Verdict;

/// Visits that the judging thread takes at a time. Fewer than twice this number do not justify another
/// thread, which has to mount the mutant first.
const STRIDE: usize = 16;

/// The indices of untaken visits, and the first failing visit found so far.
#[derive(Debug)]
pub struct VisitQueue {
    rest: Mutex<Range<usize>>,
    /// The index of the first failing visit, or `usize::MAX`.
    least: AtomicUsize,
    killer: Mutex<Option<(usize, Verdict)>>,
    /// Whether a run reaches a hole.
    reaches_hole: AtomicBool,
}

impl VisitQueue {
    /// Creates a share of `visits` visits.
    pub fn new(visits: usize) -> VisitQueue {
        VisitQueue {
            rest: Mutex::new(0..visits),
            least: AtomicUsize::new(usize::MAX),
            killer: Mutex::default(),
            reaches_hole: AtomicBool::new(false),
        }
    }

    /// Returns the next visits for the judging thread; empty at the end.
    pub fn next(&self) -> Range<usize> {
        let mut rest = lock(&self.rest);
        let taken = rest.start..rest.end.min(rest.start + STRIDE);
        rest.start = taken.end;
        taken
    }

    /// Returns visits for a helping thread; `None` if too few are left.
    pub fn half(&self) -> Option<Range<usize>> {
        let mut rest = lock(&self.rest);
        let middle = rest.start + rest.len().div_ceil(2);
        if rest.len() < 2 * STRIDE || self.is_superseded(middle) {
            return None;
        }
        let taken = middle..rest.end;
        rest.end = middle;
        Some(taken)
    }

    /// Whether an earlier visit already fails, so that the visit at `place` is unnecessary.
    pub fn is_superseded(&self, place: usize) -> bool {
        self.least.load(Ordering::Relaxed) < place
    }

    /// Records that the visit at this index fails.
    pub fn kill(&self, place: usize, verdict: Verdict) {
        let mut killer = lock(&self.killer);
        if killer.is_none_or(|(known, _)| place < known) {
            *killer = Some((place, verdict));
            self.least.store(place, Ordering::Relaxed);
        }
    }

    /// Records that the run of a visit reaches a hole, which decides nothing.
    pub fn note_hole(&self) {
        self.reaches_hole.store(true, Ordering::Relaxed);
    }

    /// Returns the verdict of the first failing visit, or what is left if none fails, after all visits have been taken
    /// and run.
    pub fn verdict(self) -> Verdict {
        let killer = self.killer.into_inner().unwrap_or_else(PoisonError::into_inner);
        killer.map_or(oracles::left(self.reaches_hole.into_inner()), |(_, verdict)| verdict)
    }
}

fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::index::{EntryId, Index};
    use crate::lang::verdict::MutantStatus;

    fn verdict(killer: u32) -> Verdict {
        Verdict { killer: Some(EntryId::new(killer)), ..Verdict::of(MutantStatus::Killed) }
    }

    #[test]
    fn every_visit_is_taken_once() {
        for visits in [0, 1, 15, 16, 17, 31, 32, 33, 100, 1_000] {
            let share = VisitQueue::new(visits);
            let mut taken = vec![0; visits];
            loop {
                let own = share.next();
                let helps = share.half();
                if own.is_empty() && helps.is_none() {
                    break;
                }
                own.chain(helps.into_iter().flatten()).for_each(|place| taken[place] += 1);
            }
            assert!(taken.iter().all(|times| *times == 1), "{visits}");
            assert_eq!(share.verdict(), oracles::left(false));
        }
    }

    #[test]
    fn first_failing_visit_is_the_killer_in_any_order() {
        let share = VisitQueue::new(100);
        share.kill(70, verdict(1));
        assert!(share.is_superseded(71) && !share.is_superseded(70) && !share.is_superseded(3));
        share.kill(20, verdict(2));
        share.kill(40, verdict(3));
        assert!(share.half().is_none(), "no visit after the killer is needed");
        assert_eq!(share.next(), 0..16);
        assert_eq!(share.verdict(), verdict(2));
    }
}
