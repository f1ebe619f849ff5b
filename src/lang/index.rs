//! Typed indices. A column of words stays a column of `u32`, because shaders read it; host code converts a word
//! to the type of the thing that it counts where it reads the column, and back where it writes one.
//!
//! An index is never [`NONE`], so `Option` of an index takes one word: naga's `Handle` and ruff's
//! `newtype_index` do the same.

use std::fmt::{Debug, Display, Formatter, Result};
use std::hash::Hash;
use std::iter::Map;
use std::marker::PhantomData;
use std::num::NonZeroU32;
use std::ops::{Add, Range, Sub};

use super::NONE;

/// A typed index: a number below [`NONE`]. Sums and differences with numbers saturate; the difference of two
/// indices is the number of indices from the second up to the first.
pub trait Index:
    Copy + Ord + Hash + Debug + Display + Add<u32, Output = Self> + Sub<Output = u32> + Send + 'static
{
    /// The index 0.
    const FIRST: Self;

    /// Returns the index with this number. [`NONE`] becomes the largest index.
    fn new(number: u32) -> Self;

    fn number(self) -> u32;

    /// Returns the index in a word of a column, if there is one.
    fn from_word(word: u32) -> Option<Self> {
        (word != NONE).then(|| Self::new(word))
    }

    /// Returns the word of a column.
    fn to_word(index: Option<Self>) -> u32 {
        index.map_or(NONE, Self::number)
    }

    /// Returns the index at a position of a slice, which has fewer than [`NONE`] elements.
    fn at(position: usize) -> Self {
        Self::new(u32::try_from(position).unwrap_or(NONE))
    }

    /// Returns the index in a word of a column, if the column has this row and an index in it.
    fn of(column: &[u32], row: impl Index) -> Option<Self> {
        column.get(row.position()).copied().and_then(Self::from_word)
    }

    /// The position in a slice.
    fn position(self) -> usize {
        self.number() as usize
    }

    /// Returns the index `by` places later; earlier if `by` is negative.
    fn shifted(self, by: i64) -> Self {
        Self::new((i64::from(self.number()) + by) as u32)
    }

    /// Returns the index after this one.
    fn next(self) -> Self {
        self + 1
    }

    fn before(self) -> Indices<Self> {
        Indices::numbered(0..self.number())
    }

    /// Returns the indices from this one up to, but not including, `end`.
    fn up_to(self, end: Self) -> Indices<Self> {
        Indices::new(self, end)
    }

    /// Returns all indices, in order.
    fn all() -> Map<Range<u32>, fn(u32) -> Self> {
        (0..NONE).map(Self::new)
    }

    /// Returns the index before this one, if there is one.
    fn previous(self) -> Option<Self> {
        self.number().checked_sub(1).map(Self::new)
    }
}

/// One type for each kind of index, so that the index of a token cannot be taken for that of an instruction.
macro_rules! index {
    ($($(#[$meta:meta])* $name:ident;)*) => {$(
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash)]
        #[repr(transparent)]
        pub struct $name(NonZeroU32);

        impl $crate::lang::index::Index for $name {
            const FIRST: Self = Self(NonZeroU32::MAX);

            fn new(number: u32) -> Self {
                // The complement of a number below NONE is not 0.
                Self(NonZeroU32::new(!number).unwrap_or(NonZeroU32::MIN))
            }

            fn number(self) -> u32 {
                !self.0.get()
            }
        }

        /// The first index.
        impl Default for $name {
            fn default() -> Self {
                $crate::lang::index::Index::new(0)
            }
        }

        impl std::ops::Add<u32> for $name {
            type Output = Self;

            fn add(self, count: u32) -> Self {
                $crate::lang::index::Index::new($crate::lang::index::Index::number(self).saturating_add(count))
            }
        }

        impl std::ops::Sub<u32> for $name {
            type Output = Self;

            fn sub(self, count: u32) -> Self {
                $crate::lang::index::Index::new($crate::lang::index::Index::number(self).saturating_sub(count))
            }
        }

        impl std::ops::Sub for $name {
            type Output = u32;

            fn sub(self, other: Self) -> u32 {
                $crate::lang::index::Index::number(self)
                    .saturating_sub($crate::lang::index::Index::number(other))
            }
        }

        impl Ord for $name {
            fn cmp(&self, other: &Self) -> std::cmp::Ordering {
                self.number().cmp(&other.number())
            }
        }

        impl PartialOrd for $name {
            fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
                Some(self.cmp(other))
            }
        }

        impl Debug for $name {
            fn fmt(&self, f: &mut Formatter) -> Result {
                write!(f, "{}({})", stringify!($name), self.number())
            }
        }

        impl Display for $name {
            fn fmt(&self, f: &mut Formatter) -> Result {
                Display::fmt(&self.number(), f)
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
                serializer.serialize_u32(self.number())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
                u32::deserialize(deserializer).map($crate::lang::index::Index::new)
            }
        }
    )*};
}

index! {
    /// A token of a program; also the node that it heads and the name that it declares.
    TokenId;
    /// A routine of a program: the functions in source order, then the tests and properties.
    RoutineId;
    /// An instruction of a program's IR.
    InstructionId;
    /// A word of a program's bytecode.
    Address;
    /// A variable's place in the frame of its routine.
    Slot;
    /// A position in a recorded run: the number of the next step.
    Position;
    /// A call of a recorded run, in the order of first steps.
    CallId;
    /// A test or property of a program, in source order.
    EntryId;
    /// An input of a property or of a function: the number of the sample.
    InputId;
    /// A program of a list to test.
    CandidateId;
    /// A repetition of an entry under noise.
    JobId;
    /// A single edit of a base, as the catalogue of mutations numbers them.
    EditId;
    /// A rewrite of a program to repair, in the order in which rewrites are tried.
    RewriteId;
    /// A mutant of a base. Those of first order come first and have the numbers of their edits; those of second
    /// order follow.
    MutantId;
}

/// Consecutive indices.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Indices<I> {
    start: u32,
    end: u32,
    of: PhantomData<I>,
}

impl<I: Index> Indices<I> {
    /// Returns the indices from `start` up to, but not including, `end`.
    pub fn new(start: I, end: I) -> Self {
        Self::numbered(start.number()..end.number())
    }

    /// Returns the indices with these numbers.
    pub fn numbered(numbers: Range<u32>) -> Self {
        Self { start: numbers.start, end: numbers.end, of: PhantomData }
    }

    pub fn one(index: I) -> Self {
        Self::new(index, index.next())
    }

    /// Returns the first `count` indices.
    pub fn first(count: u32) -> Self {
        Self::numbered(0..count)
    }

    /// Returns the `count` indices from `start` on.
    pub fn starting(start: I, count: u32) -> Self {
        Self::numbered(start.number()..start.number().saturating_add(count))
    }

    /// Returns the first `count` indices, or all if there are fewer, and the others.
    pub fn split_at(self, count: u32) -> (Self, Self) {
        let middle = self.start + count.min(self.len());
        (Self::numbered(self.start..middle), Self::numbered(middle..self.end))
    }

    pub fn before(self, end: I) -> Self {
        Self::numbered(self.start..self.end.min(end.number()))
    }

    pub fn after(self, start: I) -> Self {
        Self::numbered(self.start.max(start.number())..self.end)
    }

    /// The first index, also of an empty range.
    pub fn start(self) -> I {
        I::new(self.start)
    }

    /// The index after the last.
    pub fn end(self) -> I {
        I::new(self.end)
    }

    pub fn len(self) -> u32 {
        self.end.saturating_sub(self.start)
    }

    pub fn is_empty(self) -> bool {
        self.start >= self.end
    }

    pub fn contains(self, index: I) -> bool {
        self.numbers().contains(&index.number())
    }

    /// The positions in a slice.
    pub fn positions(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    pub fn numbers(self) -> Range<u32> {
        self.start..self.end
    }

    /// Returns the indices `by` places later; earlier if `by` is negative.
    pub fn shifted(self, by: i64) -> Self {
        Self::new(self.start().shifted(by), self.end().shifted(by))
    }

    pub fn iter(self) -> Map<Range<u32>, fn(u32) -> I> {
        self.numbers().map(I::new)
    }
}

impl<I: Index> IntoIterator for Indices<I> {
    type Item = I;
    type IntoIter = Map<Range<u32>, fn(u32) -> I>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<I: Index> From<I> for Indices<I> {
    fn from(index: I) -> Self {
        Self::one(index)
    }
}

impl<I: Index> From<Range<I>> for Indices<I> {
    fn from(indices: Range<I>) -> Self {
        Self::new(indices.start, indices.end)
    }
}

impl<I> Debug for Indices<I> {
    fn fmt(&self, f: &mut Formatter) -> Result {
        Debug::fmt(&(self.start..self.end), f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn index_converts_to_a_word_and_back() {
        for number in [0, 1, 77, NONE - 1] {
            assert_eq!(TokenId::new(number).number(), number);
            assert_eq!(TokenId::from_word(number).map(TokenId::number), Some(number));
        }
        assert_eq!((TokenId::from_word(NONE), TokenId::to_word(None)), (None, NONE));
        assert_eq!(TokenId::new(NONE).number(), NONE - 1);
        assert_eq!(TokenId::FIRST.number(), 0);
        assert_eq!(size_of::<Option<TokenId>>(), size_of::<u32>());
    }

    #[test]
    fn sums_and_differences_saturate() {
        let [first, third] = [0, 2].map(TokenId::new);
        assert_eq!((third - first, first - third), (2, 0));
        assert_eq!((first + 2, third - 1, third - 3), (third, TokenId::new(1), first));
        assert_eq!((first.shifted(2), third.shifted(-2)), (third, first));
        assert_eq!(TokenId::new(NONE - 1).next().number(), NONE - 1);
        assert_eq!((first.up_to(third), Indices::from(first)), (third.before(), Indices::one(first)));
        let column = [7, NONE];
        let read = |row| TokenId::of(&column, TokenId::new(row)).map(TokenId::number);
        assert_eq!([0, 1, 2].map(read), [Some(7), None, None]);
    }

    #[test]
    fn indices_are_ordered_by_number() {
        assert!(TokenId::new(2) < TokenId::new(3));
        assert_eq!(TokenId::new(0).previous(), None);
        let some = Indices::<TokenId>::numbered(2..5);
        assert_eq!(some.iter().rev().map(TokenId::number).collect::<Vec<_>>(), [4, 3, 2]);
        assert!(some.contains(TokenId::new(4)) && !some.contains(some.end()));
        assert_eq!((some.len(), some.positions()), (3, 2..5));
        assert_eq!(Indices::new(TokenId::new(5), TokenId::new(2)).len(), 0);
        assert_eq!(some.split_at(1), (Indices::starting(some.start(), 1), Indices::numbered(3..5)));
        assert_eq!(some.split_at(7), (some, Indices::numbered(5..5)));
        assert_eq!(Indices::<TokenId>::first(1).start(), TokenId::FIRST);
    }
}
