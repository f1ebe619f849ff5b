//! Sets of a program's functions, and of its tests and properties.

use std::marker::PhantomData;

use super::index::{EntryId, Index, RoutineId};
use super::limits;

/// A set of indices below `64 * WORDS`. Greater ones are not added.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct IndexSet<I, const WORDS: usize>([u64; WORDS], PhantomData<I>);

/// A set of tests and properties, by their indices among both.
pub type Entries = IndexSet<EntryId, { limits::TESTS / 64 }>;

pub type FunctionSet = IndexSet<RoutineId, { limits::FUNCTIONS / 64 }>;

impl<I, const WORDS: usize> Default for IndexSet<I, WORDS> {
    fn default() -> Self {
        IndexSet([0; WORDS], PhantomData)
    }
}

impl<I: Index, const WORDS: usize> IndexSet<I, WORDS> {
    #[inline]
    pub fn insert(&mut self, index: I) {
        let place = index.position();
        if let Some(word) = self.0.get_mut(place / 64) {
            *word |= 1 << (place % 64);
        }
    }

    /// Adds all of `others`.
    pub fn join(&mut self, others: &Self) {
        self.0.iter_mut().zip(&others.0).for_each(|(word, more)| *word |= more);
    }

    #[inline]
    pub fn contains(&self, index: I) -> bool {
        let place = index.position();
        self.0.get(place / 64).is_some_and(|word| word >> (place % 64) & 1 != 0)
    }

    pub fn len(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns whether all of them are in `others`.
    pub fn is_subset(&self, others: &Self) -> bool {
        self.0.iter().zip(&others.0).all(|(own, other)| own & !other == 0)
    }

    /// Returns whether none of them is in `others`.
    pub fn is_disjoint(&self, others: &Self) -> bool {
        self.0.iter().zip(&others.0).all(|(own, other)| own & other == 0)
    }

    /// Returns the indices, ascending.
    pub fn iter(&self) -> impl Iterator<Item = I> + '_ {
        (0..64 * WORDS).map(I::at).filter(|index| self.contains(*index))
    }
}

impl<I: Index, const WORDS: usize> Extend<I> for IndexSet<I, WORDS> {
    fn extend<T: IntoIterator<Item = I>>(&mut self, indices: T) {
        indices.into_iter().for_each(|index| self.insert(index));
    }
}

impl<I: Index, const WORDS: usize> FromIterator<I> for IndexSet<I, WORDS> {
    fn from_iter<T: IntoIterator<Item = I>>(indices: T) -> Self {
        let mut all = Self::default();
        all.extend(indices);
        all
    }
}
