//! Which rows of values were seen, by their hashes.

use crate::fill::blocks::BLOCK;

/// Hashes of kept rows, in a table with open addressing. A larger table takes over the hashes little by little, since to move all at
/// once would take too long without a stop.
#[derive(Default)]
pub struct Seen {
    slots: Vec<u64>,
    used: usize,
    /// The table before, and the number of its slots that were taken over.
    old: Vec<u64>,
    moved: usize,
}

/// How many times as large the next table is, and the number of slots that each new hash moves.
const LARGER: usize = 4;
const MOVED: usize = 4;

/// The place of a hash in a table, and whether it is there. A hash of 0 is an empty slot.
fn place(slots: &[u64], hash: u64) -> (usize, bool) {
    let last = slots.len() - 1;
    let mut at = (hash >> 20) as usize & last;
    loop {
        match slots[at] {
            0 => return (at, false),
            own if own == hash => return (at, true),
            _ => at = (at + 1) & last,
        }
    }
}

impl Seen {
    /// Creates an empty table; the number of slots is a power of two, or 0 if nothing will be inserted.
    pub fn of_slots(count: usize) -> Seen {
        Seen { slots: vec![0; count], ..Seen::default() }
    }

    pub fn bytes(&self) -> usize {
        size_of_val(&self.slots[..]) + size_of_val(&self.old[..])
    }

    fn is_old(&self, hash: u64) -> bool {
        !self.old.is_empty() && place(&self.old, hash).1
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
            let is_there = first == *hash || first != 0 && place(&self.slots, *hash).1 || self.is_old(*hash);
            *hash = if is_there { 0 } else { *hash };
        }
    }

    pub fn insert(&mut self, hash: u64) -> bool {
        let (at, found) = place(&self.slots, hash);
        if found || self.is_old(hash) {
            return false;
        }
        self.slots[at] = hash;
        self.used += 1;
        if self.used * 2 > self.slots.len() {
            // All of the table before have moved by now.
            let larger = vec![0; self.slots.len() * LARGER];
            (self.old, self.moved) = (std::mem::replace(&mut self.slots, larger), 0);
        }
        self.take_over();
        true
    }

    /// Moves the hashes of the next slots of the table before.
    fn take_over(&mut self) {
        let end = self.old.len().min(self.moved + MOVED);
        for at in self.moved..end {
            if self.old[at] != 0 {
                let (to, _) = place(&self.slots, self.old[at]);
                self.slots[to] = self.old[at];
            }
        }
        self.moved = end;
        if end == self.old.len() {
            self.old = Vec::new();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::random::Rng;
    use std::collections::HashSet;

    #[test]
    fn tables_know_what_was_inserted() {
        let mut random = Rng::new(46, 0);
        let (mut seen, mut known) = (Seen::of_slots(4), HashSet::new());
        for _ in 0..200_000 {
            // Some come again.
            let hash = 1 + (u64::from(random.word() >> 16) << 20);
            assert_eq!(seen.insert(hash), known.insert(hash));
            let mut both = [hash, hash ^ 2];
            seen.mark(&mut both);
            assert_eq!(both, [0, hash ^ 2]);
        }
        assert!(known.len() > 60_000);
    }
}
