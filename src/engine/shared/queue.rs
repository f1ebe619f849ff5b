//! A queue of ids to judge, taken in stretches by idle members.

use std::ops::Range;

/// The minimum length of a stretch while enough ids are left: less is not worth sharing.
const LEAST: u32 = 8;

/// The remaining ranges, lowest ids last.
pub struct Queue {
    left: Vec<Range<u32>>,
    members: u32,
}

impl Queue {
    /// Creates a queue for `members` members.
    pub fn new(ids: Range<u32>, members: usize) -> Queue {
        Queue { left: vec![ids], members: members.max(1) as u32 }
    }

    /// Takes the lowest ids: `wanted` of them, but fewer towards the end, so that all members end together.
    pub fn take(&mut self, wanted: u32) -> Option<Range<u32>> {
        let all: u32 = self.left.iter().map(|ids| ids.end - ids.start).sum();
        let fair = (all / (2 * self.members)).max(LEAST);
        let ids = self.left.pop()?;
        let middle = ids.start + wanted.clamp(1, fair).min(ids.end - ids.start);
        self.give_back(middle..ids.end);
        Some(ids.start..middle)
    }

    /// Returns ids that were taken but not judged.
    pub fn give_back(&mut self, ids: Range<u32>) {
        if !ids.is_empty() {
            self.left.push(ids);
            self.left.sort_unstable_by_key(|ids| std::cmp::Reverse(ids.start));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_id_is_taken_once_lowest_first() {
        let mut queue = Queue::new(10..1000, 2);
        assert_eq!(queue.take(50), Some(10..60));
        assert_eq!(queue.take(30), Some(60..90));
        queue.give_back(20..60);
        assert_eq!(queue.take(10), Some(20..30));
        let mut taken = vec![10..20, 60..90, 20..30];
        while let Some(ids) = queue.take(100) {
            taken.push(ids);
        }
        let lengths: Vec<usize> = taken.iter().map(|ids| ids.len()).collect();
        assert!(lengths[lengths.len() - 6..].is_sorted_by(|a, b| a >= b), "members end together: {lengths:?}");
        assert!(lengths[lengths.len() - 1] <= LEAST as usize, "{lengths:?}");
        taken.sort_by_key(|ids| ids.start);
        assert!(taken.windows(2).all(|pair| pair[0].end == pair[1].start), "{taken:?}");
        assert_eq!((taken[0].start, taken[taken.len() - 1].end), (10, 1000));
    }
}
