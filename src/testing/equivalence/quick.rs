//! A fast hash for keys that come from within the program (as in Firefox: "FxHash").

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A map whose keys nobody outside of the program can choose to collide.
pub type QuickMap<K, V> = HashMap<K, V, BuildHasherDefault<QuickHasher>>;

const FACTOR: u64 = 0x517c_c1b7_2722_0a95;

#[derive(Default)]
pub struct QuickHasher(u64);

impl QuickHasher {
    fn add(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(FACTOR);
    }
}

impl Hasher for QuickHasher {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.add((*byte).into()));
    }

    fn write_u32(&mut self, word: u32) {
        self.add(word.into());
    }

    fn write_usize(&mut self, word: usize) {
        self.add(word as u64);
    }

    fn write_isize(&mut self, word: isize) {
        self.add(word as u64);
    }

    fn write_i32(&mut self, word: i32) {
        self.add(word as u64);
    }

    fn finish(&self) -> u64 {
        // The highest bits depend on all others, and maps use the lowest ones.
        self.0.rotate_left(26)
    }
}
