//! The visits of one mutant, shared by the thread that judges it and by threads that have nothing else to do.
//!
//! Its own thread takes a few of them at a time, from the front. A thread that helps takes half of the rest, from the back. The killer is the
//! first in order whoever finds it: visits behind a failing one are vain, those before it are not.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::lang::verdict::Verdict;

/// Visits that a mutant's own thread takes at a time. Fewer than twice as many are not worth another thread, which has to mount the mutant first.
const STRIDE: usize = 16;

/// Places of visits that nobody has taken, and the first known that kills.
#[derive(Debug)]
pub struct Share {
    rest: Mutex<Range<usize>>,
    /// The place of the killer, or `usize::MAX`.
    least: AtomicUsize,
    killer: Mutex<Option<(usize, Verdict)>>,
}

impl Share {
    /// Of so many visits.
    pub fn new(visits: usize) -> Share {
        Share { rest: Mutex::new(0..visits), least: AtomicUsize::new(usize::MAX), killer: Mutex::default() }
    }

    /// The next visits for the mutant's own thread; none at the end.
    pub fn next(&self) -> Range<usize> {
        let mut rest = lock(&self.rest);
        let taken = rest.start..rest.end.min(rest.start + STRIDE);
        rest.start = taken.end;
        taken
    }

    /// The visits for a thread that helps; none where there are few.
    pub fn half(&self) -> Option<Range<usize>> {
        let mut rest = lock(&self.rest);
        let middle = rest.start + rest.len().div_ceil(2);
        if rest.len() < 2 * STRIDE || self.is_vain(middle) {
            return None;
        }
        let taken = middle..rest.end;
        rest.end = middle;
        Some(taken)
    }

    /// Whether a visit before this place kills.
    pub fn is_vain(&self, place: usize) -> bool {
        self.least.load(Ordering::Relaxed) < place
    }

    /// Notes that the visit at this place kills.
    pub fn kill(&self, place: usize, verdict: Verdict) {
        let mut killer = lock(&self.killer);
        if killer.is_none_or(|(known, _)| place < known) {
            *killer = Some((place, verdict));
            self.least.store(place, Ordering::Relaxed);
        }
    }

    /// The verdict of the first that kills, once all visits have been taken and run.
    pub fn killer(self) -> Option<Verdict> {
        Some(self.killer.into_inner().unwrap_or_else(PoisonError::into_inner)?.1)
    }
}

fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::NONE;
    use crate::lang::verdict::MutantStatus;

    fn verdict(killer: u32) -> Verdict {
        Verdict { status: MutantStatus::Killed, killer, original: NONE }
    }

    #[test]
    fn every_visit_is_taken_once() {
        for visits in [0, 1, 15, 16, 17, 31, 32, 33, 100, 1_000] {
            let share = Share::new(visits);
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
            assert_eq!(share.killer(), None);
        }
    }

    #[test]
    fn the_first_kills_whoever_finds_it() {
        let share = Share::new(100);
        share.kill(70, verdict(1));
        assert!(share.is_vain(71) && !share.is_vain(70) && !share.is_vain(3));
        share.kill(20, verdict(2));
        share.kill(40, verdict(3));
        assert!(share.half().is_none(), "behind the killer there is nothing to do");
        assert_eq!(share.next(), 0..16);
        assert_eq!(share.killer(), Some(verdict(2)));
    }
}
