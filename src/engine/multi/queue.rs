//! A queue of indices (mutants, candidates, jobs), taken in stretches by idle members.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::lang::index::{Index, Indices};

/// The minimum length of a stretch while enough indices are left: less is not worth sharing.
const LEAST: u32 = 8;

/// A queue shared by the threads of the members.
#[derive(Clone)]
pub struct Queue<I>(Arc<Mutex<Stretches<I>>>);

impl<I: Index> Queue<I> {
    pub fn new(indices: Indices<I>) -> Queue<I> {
        Queue(Arc::new(Mutex::new(Stretches::new(indices))))
    }

    /// Locks the queue. It is a list of ranges, which is valid even after a panic elsewhere.
    pub fn lock(&self) -> MutexGuard<'_, Stretches<I>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The indices that are not done. Each is either left or taken by exactly one member.
pub struct Stretches<I> {
    /// The lowest last.
    left: Vec<Indices<I>>,
    /// The taken stretches, with the places of their members.
    taken: Vec<(usize, Indices<I>)>,
    /// The places of all members that have taken a stretch.
    members: BTreeSet<usize>,
}

impl<I: Index> Stretches<I> {
    fn new(indices: Indices<I>) -> Stretches<I> {
        Stretches { left: vec![indices], taken: Vec::new(), members: BTreeSet::new() }
    }

    pub fn is_done(&self) -> bool {
        self.left.is_empty() && self.taken.is_empty()
    }

    /// Takes the lowest indices: `wanted` of them, but fewer towards the end, so that all members end together.
    /// If none are left, takes over the lowest stretch of another member.
    pub fn take(&mut self, member: usize, wanted: u32) -> Option<Indices<I>> {
        self.members.insert(member);
        let all: u32 = self.left.iter().map(|stretch| stretch.len()).sum();
        let fair = match self.members.len() as u32 {
            1 => all,
            members => all / (2 * members),
        };
        let taken = match self.left.pop() {
            Some(stretch) => {
                let (taken, rest) = stretch.split_at(wanted.clamp(1, fair.max(LEAST)));
                self.put_back(rest);
                taken
            }
            // The slower member may never finish, and its indices are the lowest, which the caller needs first.
            None => {
                let others = self.taken.iter().filter(|(other, _)| *other != member);
                let lowest = others.map(|(_, stretch)| *stretch).min_by_key(|stretch| stretch.start())?;
                let (taken, _) = lowest.split_at(wanted.max(1));
                self.finish(taken);
                taken
            }
        };
        self.taken.push((member, taken));
        Some(taken)
    }

    /// Records that these indices are done, whichever member had taken them.
    /// A stretch that was taken over is done as soon as the first of both members is ready.
    pub fn finish(&mut self, done: Indices<I>) {
        for (member, stretch) in std::mem::take(&mut self.taken) {
            for part in [stretch.before(done.start()), stretch.after(done.end())] {
                if !part.is_empty() {
                    self.taken.push((member, part));
                }
            }
        }
    }

    /// Returns those of these indices that the member still has.
    pub fn give_back(&mut self, member: usize, indices: Indices<I>) {
        let own = self.taken.iter().filter(|(other, _)| *other == member);
        let own = own.map(|(_, stretch)| stretch.after(indices.start()).before(indices.end()));
        for stretch in own.filter(|stretch| !stretch.is_empty()).collect::<Vec<_>>() {
            self.finish(stretch);
            self.put_back(stretch);
        }
    }

    fn put_back(&mut self, stretch: Indices<I>) {
        if !stretch.is_empty() {
            self.left.push(stretch);
            self.left.sort_unstable_by_key(|stretch| std::cmp::Reverse(stretch.start()));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::ops::Range;

    use super::*;
    use crate::lang::index::MutantId;

    fn ids(numbers: Range<u32>) -> Indices<MutantId> {
        Indices::numbered(numbers)
    }

    #[test]
    fn every_number_is_taken_once_lowest_first() {
        let mut queue = Stretches::new(ids(10..1000));
        assert_eq!(queue.take(0, 50), Some(ids(10..60)));
        assert_eq!(queue.take(1, 30), Some(ids(60..90)));
        queue.give_back(0, ids(20..60));
        assert_eq!(queue.take(0, 10), Some(ids(20..30)));
        let mut taken = vec![ids(10..20), ids(60..90), ids(20..30)];
        while !queue.left.is_empty() {
            taken.extend(queue.take(0, 100));
        }
        let lengths: Vec<u32> = taken.iter().map(|stretch| stretch.len()).collect();
        assert!(lengths[lengths.len() - 6..].is_sorted_by(|a, b| a >= b), "members end together: {lengths:?}");
        assert!(lengths[lengths.len() - 1] <= LEAST, "{lengths:?}");
        taken.sort_by_key(|stretch| stretch.start());
        assert!(taken.windows(2).all(|pair| pair[0].end() == pair[1].start()), "{taken:?}");
        assert_eq!(Indices::new(taken[0].start(), taken[taken.len() - 1].end()), ids(10..1000));
    }

    #[test]
    fn single_member_takes_as_much_as_it_asks_for() {
        let mut queue = Stretches::new(ids(0..100));
        assert_eq!(queue.take(0, 90), Some(ids(0..90)));
        assert_eq!(queue.take(0, 90), Some(ids(90..100)));
    }

    #[test]
    fn idle_member_takes_over_unfinished_work_of_another() {
        let mut queue = Stretches::new(ids(0..40));
        assert_eq!(queue.take(0, 20), Some(ids(0..20)));
        assert_eq!(queue.take(1, 40), Some(ids(20..28)), "its fair part");
        queue.finish(ids(20..28));
        while !queue.left.is_empty() {
            let stretch = queue.take(1, 40).expect("some are left");
            queue.finish(stretch);
        }
        assert_eq!(queue.take(0, 8), None, "a member takes nothing over from itself");
        assert_eq!(queue.take(1, 8), Some(ids(0..8)));
        // The first member gives up what is still its own.
        queue.give_back(0, ids(0..20));
        assert_eq!(queue.take(1, 40), Some(ids(8..16)));
        queue.finish(ids(0..16));
        assert_eq!(queue.take(1, 40), Some(ids(16..20)));
        queue.finish(ids(16..20));
        assert!(queue.is_done() && queue.take(0, 1).is_none());
    }
}
