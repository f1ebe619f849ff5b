//! Sets of tests and properties.

use crate::lang::limits;

/// A set of a program's tests and properties, by their indices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Entries([u64; limits::TESTS / 64]);

impl Entries {
    pub fn insert(&mut self, entry: u32) {
        if let Some(word) = self.0.get_mut(entry as usize / 64) {
            *word |= 1 << (entry % 64);
        }
    }

    pub fn contains(&self, entry: u32) -> bool {
        self.0.get(entry as usize / 64).is_some_and(|word| word >> (entry % 64) & 1 != 0)
    }

    pub fn len(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns whether all of them are in `others`.
    pub fn is_subset(&self, others: &Entries) -> bool {
        self.0.iter().zip(&others.0).all(|(own, other)| own & !other == 0)
    }

    /// Returns whether none of them is in `others`.
    pub fn is_disjoint(&self, others: &Entries) -> bool {
        self.0.iter().zip(&others.0).all(|(own, other)| own & other == 0)
    }

    /// Returns their indices, ascending.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        (0..limits::TESTS as u32).filter(|entry| self.contains(*entry))
    }
}

impl FromIterator<u32> for Entries {
    fn from_iter<I: IntoIterator<Item = u32>>(entries: I) -> Entries {
        let mut all = Entries::default();
        entries.into_iter().for_each(|entry| all.insert(entry));
        all
    }
}
