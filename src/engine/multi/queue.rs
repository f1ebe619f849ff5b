//! A queue of numbers (ids, candidates, jobs), taken in stretches by idle members.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The minimum length of a stretch while enough numbers are left: less is not worth sharing.
const LEAST: u32 = 8;

/// A queue shared by the threads of the members.
#[derive(Clone)]
pub struct Queue(Arc<Mutex<Stretches>>);

impl Queue {
    pub fn new(numbers: Range<u32>) -> Queue {
        Queue(Arc::new(Mutex::new(Stretches::new(numbers))))
    }

    /// Locks the queue. It is a list of ranges, which is valid even after a panic elsewhere.
    pub fn lock(&self) -> MutexGuard<'_, Stretches> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The numbers that are not done. Each is either left or taken by exactly one member.
pub struct Stretches {
    /// The lowest last.
    left: Vec<Range<u32>>,
    /// The taken stretches, with the places of their members.
    taken: Vec<(usize, Range<u32>)>,
    /// The places of all members that have taken a stretch.
    members: BTreeSet<usize>,
}

impl Stretches {
    fn new(numbers: Range<u32>) -> Stretches {
        Stretches { left: vec![numbers], taken: Vec::new(), members: BTreeSet::new() }
    }

    pub fn is_done(&self) -> bool {
        self.left.is_empty() && self.taken.is_empty()
    }

    /// Takes the lowest numbers: `wanted` of them, but fewer towards the end, so that all members end together.
    /// If none are left, takes over the lowest stretch of another member.
    pub fn take(&mut self, member: usize, wanted: u32) -> Option<Range<u32>> {
        self.members.insert(member);
        let all: u32 = self.left.iter().map(|stretch| stretch.end - stretch.start).sum();
        let fair = match self.members.len() as u32 {
            1 => all,
            members => all / (2 * members),
        };
        let taken = match self.left.pop() {
            Some(stretch) => {
                let (taken, rest) = split(stretch, wanted.clamp(1, fair.max(LEAST)));
                self.put_back(rest);
                taken
            }
            None => {
                let others = self.taken.iter().filter(|(other, _)| *other != member);
                let lowest = others.map(|(_, stretch)| stretch.clone()).min_by_key(|stretch| stretch.start)?;
                let (taken, _) = split(lowest, wanted.max(1));
                self.finish(taken.clone());
                taken
            }
        };
        self.taken.push((member, taken.clone()));
        Some(taken)
    }

    /// Records that these numbers are done, whichever member had taken them.
    pub fn finish(&mut self, done: Range<u32>) {
        for (member, stretch) in std::mem::take(&mut self.taken) {
            for part in [stretch.start..stretch.end.min(done.start), stretch.start.max(done.end)..stretch.end] {
                if !part.is_empty() {
                    self.taken.push((member, part));
                }
            }
        }
    }

    /// Returns those of these numbers that the member still has.
    pub fn give_back(&mut self, member: usize, numbers: Range<u32>) {
        let own = self.taken.iter().filter(|(other, _)| *other == member);
        let own = own.map(|(_, stretch)| stretch.start.max(numbers.start)..stretch.end.min(numbers.end));
        for stretch in own.filter(|stretch| !stretch.is_empty()).collect::<Vec<_>>() {
            self.finish(stretch.clone());
            self.put_back(stretch);
        }
    }

    fn put_back(&mut self, stretch: Range<u32>) {
        if !stretch.is_empty() {
            self.left.push(stretch);
            self.left.sort_unstable_by_key(|stretch| std::cmp::Reverse(stretch.start));
        }
    }
}

/// Splits off the first `count` numbers.
fn split(stretch: Range<u32>, count: u32) -> (Range<u32>, Range<u32>) {
    let middle = stretch.start + count.min(stretch.end - stretch.start);
    (stretch.start..middle, middle..stretch.end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_is_taken_once_lowest_first() {
        let mut queue = Stretches::new(10..1000);
        assert_eq!(queue.take(0, 50), Some(10..60));
        assert_eq!(queue.take(1, 30), Some(60..90));
        queue.give_back(0, 20..60);
        assert_eq!(queue.take(0, 10), Some(20..30));
        let mut taken = vec![10..20, 60..90, 20..30];
        while !queue.left.is_empty() {
            taken.extend(queue.take(0, 100));
        }
        let lengths: Vec<usize> = taken.iter().map(|stretch| stretch.len()).collect();
        assert!(lengths[lengths.len() - 6..].is_sorted_by(|a, b| a >= b), "members end together: {lengths:?}");
        assert!(lengths[lengths.len() - 1] <= LEAST as usize, "{lengths:?}");
        taken.sort_by_key(|stretch| stretch.start);
        assert!(taken.windows(2).all(|pair| pair[0].end == pair[1].start), "{taken:?}");
        assert_eq!((taken[0].start, taken[taken.len() - 1].end), (10, 1000));
    }

    #[test]
    fn single_member_takes_as_much_as_it_asks_for() {
        let mut queue = Stretches::new(0..100);
        assert_eq!(queue.take(0, 90), Some(0..90));
        assert_eq!(queue.take(0, 90), Some(90..100));
    }

    #[test]
    fn idle_member_takes_over_unfinished_work_of_another() {
        let mut queue = Stretches::new(0..40);
        assert_eq!(queue.take(0, 20), Some(0..20));
        assert_eq!(queue.take(1, 40), Some(20..28), "its fair part");
        queue.finish(20..28);
        while !queue.left.is_empty() {
            let stretch = queue.take(1, 40).expect("some are left");
            queue.finish(stretch);
        }
        assert_eq!(queue.take(0, 8), None, "a member takes nothing over from itself");
        assert_eq!(queue.take(1, 8), Some(0..8));
        // The first member gives up what is still its own.
        queue.give_back(0, 0..20);
        assert_eq!(queue.take(1, 40), Some(8..16));
        queue.finish(0..16);
        assert_eq!(queue.take(1, 40), Some(16..20));
        queue.finish(16..20);
        assert!(queue.is_done() && queue.take(0, 1).is_none());
    }
}
