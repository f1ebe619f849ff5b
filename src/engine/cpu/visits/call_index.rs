//! Finds recorded calls by the hash of their arguments.

use crate::lang::NONE;
use crate::lang::hash::QuickMap;

/// The maximum number of calls with one hash that are compared. Treating a known call as new costs only time.
const CHAIN: usize = 8;

/// Call numbers, counted from 0, by the hashes of their arguments.
#[derive(Default)]
pub struct CallIndex {
    /// The last call of each hash, and for each call the previous one with its hash.
    last: QuickMap<u64, u32>,
    before: Vec<u32>,
}

impl CallIndex {
    pub fn find(&self, hash: u64, same: impl Fn(u32) -> bool) -> Option<u32> {
        let mut next = self.last.get(&hash).copied();
        for _ in 0..=CHAIN {
            let call = next.filter(|call| *call != NONE)?;
            if same(call) {
                return Some(call);
            }
            next = self.before.get(call as usize).copied();
        }
        None
    }

    pub fn add(&mut self, hash: u64) -> u32 {
        let number = self.before.len() as u32;
        self.before.push(self.last.insert(hash, number).unwrap_or(NONE));
        number
    }

    /// Removes the last call, which must have this hash.
    pub fn take_back(&mut self, hash: u64) {
        match self.before.pop() {
            Some(NONE) | None => drop(self.last.remove(&hash)),
            Some(before) => drop(self.last.insert(hash, before)),
        }
    }
}

/// Hashes a call's arguments: two words at a time, multiplied and folded.
pub fn hash(words: &[u32]) -> u64 {
    const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
    let fold = |hash: u64, pair: u64| {
        let product = u128::from(hash ^ pair) * u128::from(ODD);
        product as u64 ^ (product >> 64) as u64
    };
    let (pairs, rest) = words.as_chunks::<2>();
    let hash = pairs
        .iter()
        .fold(ODD ^ words.len() as u64, |hash, [a, b]| fold(hash, u64::from(*a) | u64::from(*b) << 32));
    rest.iter().fold(fold(hash, ODD), |hash, word| fold(hash, u64::from(*word)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_with_equal_hashes_are_found_and_removed_separately() {
        let mut known = CallIndex::default();
        for number in 0..4 {
            assert_eq!(known.add(7), number);
        }
        for number in 0..4 {
            assert_eq!(known.find(7, |call| call == number), Some(number));
        }
        assert_eq!((known.find(7, |_| false), known.find(8, |_| true)), (None, None));
        known.take_back(7);
        assert_eq!(known.find(7, |call| call == 3), None);
        assert_eq!(known.find(7, |_| true), Some(2));
        (0..3).for_each(|_| known.take_back(7));
        assert_eq!(known.find(7, |_| true), None);
    }

    #[test]
    fn hash_depends_on_order_and_length() {
        let all: [&[u32]; 7] = [&[], &[0], &[0, 0], &[0, 0, 0], &[1, 2], &[2, 1], &[1, 2, 0]];
        for (i, a) in all.iter().enumerate() {
            assert!(all[..i].iter().all(|b| hash(a) != hash(b)));
        }
    }
}
