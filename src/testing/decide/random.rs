//! A deterministic stream of random words. Documents state how many inputs were tried within a number of steps, so the
//! stream does not change.

use crate::compiler::stage::execute::mix;

/// A counter-based generator: word `n` is a hash of the seed and `n`.
#[derive(Clone, Debug)]
pub struct Random {
    seed: u32,
    drawn: u32,
}

impl Random {
    pub fn new(seed: u32) -> Random {
        Random { seed: mix(seed), drawn: 0 }
    }

    pub fn word(&mut self) -> u32 {
        self.drawn = self.drawn.wrapping_add(1);
        mix(self.seed.wrapping_add(mix(self.drawn)))
    }

    /// Returns a number below `count`, or 0 if `count` is 0.
    pub fn below(&mut self, count: usize) -> usize {
        self.word() as usize % count.max(1)
    }

    /// Returns true with probability 1/`n`.
    pub fn once_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// Returns one of the items, or `None` if the slice is empty.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        items.get(self.below(items.len()))
    }
}
