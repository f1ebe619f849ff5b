//! Sets of tests and properties.

use crate::lang::index::{EntryId, Index};
use crate::lang::limits;

/// A set of a program's tests and properties, by their indices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Entries([u64; limits::TESTS / 64]);

impl Entries {
    pub fn insert(&mut self, entry: EntryId) {
        let place = entry.position();
        if let Some(word) = self.0.get_mut(place / 64) {
            *word |= 1 << (place % 64);
        }
    }

    pub fn contains(&self, entry: EntryId) -> bool {
        let place = entry.position();
        self.0.get(place / 64).is_some_and(|word| word >> (place % 64) & 1 != 0)
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
    pub fn iter(&self) -> impl Iterator<Item = EntryId> + '_ {
        EntryId::all().take(limits::TESTS).filter(|entry| self.contains(*entry))
    }
}

impl Extend<EntryId> for Entries {
    fn extend<I: IntoIterator<Item = EntryId>>(&mut self, entries: I) {
        entries.into_iter().for_each(|entry| self.insert(entry));
    }
}

impl FromIterator<EntryId> for Entries {
    fn from_iter<I: IntoIterator<Item = EntryId>>(entries: I) -> Entries {
        let mut all = Entries::default();
        all.extend(entries);
        all
    }
}
