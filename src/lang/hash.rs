//! Hashes. Those of Fowler, Noll and Vo are written to files or compared across runs, so their values never change; quick
//! ones stay within a run.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Returns the 64-bit FNV-1a hash of bytes (Fowler, Noll and Vo, draft-eastlake-fnv). It detects damage, not forgery.
pub fn fnv64(bytes: impl IntoIterator<Item = u8>) -> u64 {
    bytes
        .into_iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
}

/// Like [`fnv64`], with 128 bits.
pub fn fnv128(bytes: impl IntoIterator<Item = u8>) -> u128 {
    bytes.into_iter().fold(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d, |hash, byte| {
        (hash ^ u128::from(byte)).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b)
    })
}

/// Returns the hash of what was hashed before and a word (as in Firefox: "FxHash").
#[inline]
pub fn quick(hash: u64, word: u64) -> u64 {
    (hash.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95)
}

/// A map whose keys nobody outside of the program can choose to collide.
pub type QuickMap<K, V> = HashMap<K, V, BuildHasherDefault<QuickHasher>>;

#[derive(Default)]
pub struct QuickHasher(u64);

impl Hasher for QuickHasher {
    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u64((*byte).into()));
    }

    #[inline]
    fn write_u32(&mut self, word: u32) {
        self.write_u64(word.into());
    }

    #[inline]
    fn write_u64(&mut self, word: u64) {
        self.0 = quick(self.0, word);
    }

    #[inline]
    fn write_usize(&mut self, word: usize) {
        self.write_u64(word as u64);
    }

    #[inline]
    fn finish(&self) -> u64 {
        // The highest bits depend on all others, and maps use the lowest ones.
        self.0.rotate_left(26)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values of the draft's appendix.
    #[test]
    fn hashes_equal_the_published_values() {
        assert_eq!(fnv64([]), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv64(*b"a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(fnv64(*b"foobar"), 0x8594_4171_f739_67e8);
        assert_eq!(fnv128(*b"a"), 0xd228_cb69_6f1a_8caf_7891_2b70_4e4a_8964);
    }
}
