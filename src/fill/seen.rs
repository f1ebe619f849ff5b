//! Which rows of values were seen, by their hashes.

use crate::fill::blocks::BLOCK;

/// Hashes of kept rows, in a table with open addressing.
#[derive(Default)]
pub struct Seen {
    slots: Vec<u64>,
    used: usize,
}

impl Seen {
    /// Creates an empty table; the number of slots is a power of two, or 0 if nothing will be inserted.
    pub fn of_slots(count: usize) -> Seen {
        Seen { slots: vec![0; count], used: 0 }
    }

    /// Makes room for a number of hashes.
    pub fn reserve(&mut self, count: usize) {
        let slots = (2 * count).next_power_of_two();
        if slots > self.slots.len() {
            let old = std::mem::replace(&mut self.slots, vec![0; slots]);
            for hash in old.into_iter().filter(|hash| *hash != 0) {
                let (at, _) = self.place(hash);
                self.slots[at] = hash;
            }
        }
    }

    pub fn bytes(&self) -> usize {
        size_of_val(&self.slots[..])
    }

    // A hash of 0 is an empty slot.
    fn place(&self, hash: u64) -> (usize, bool) {
        let last = self.slots.len() - 1;
        let mut at = (hash >> 20) as usize & last;
        loop {
            match self.slots[at] {
                0 => return (at, false),
                own if own == hash => return (at, true),
                _ => at = (at + 1) & last,
            }
        }
    }

    /// Replaces the hashes that are there, at most [`BLOCK`], with 0.
    pub fn mark(&self, hashes: &mut [u64]) {
        let last = self.slots.len() - 1;
        let mut first = [0; BLOCK];
        // The reads wait for memory together, as long as nothing depends on them.
        for (first, hash) in first.iter_mut().zip(&*hashes) {
            *first = self.slots[(*hash >> 20) as usize & last];
        }
        for (hash, first) in hashes.iter_mut().zip(first) {
            let is_there = first == *hash || first != 0 && self.place(*hash).1;
            *hash = if is_there { 0 } else { *hash };
        }
    }

    pub fn insert(&mut self, hash: u64) -> bool {
        let (at, found) = self.place(hash);
        if found {
            return false;
        }
        self.slots[at] = hash;
        self.used += 1;
        self.reserve(self.used);
        true
    }
}
