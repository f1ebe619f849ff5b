//! The interface of engines that go through the pieces of a search in place of the processor.

use crate::fill::pieces::Piece;
use crate::fill::rows::{Rank, Rows};
use crate::fill::space::Space;
use crate::fill::target::Target;

/// The maximum number of operations around a piece that a scanner takes.
pub const AROUND: usize = 3;

/// Another engine, which finds the candidates of pieces that may be solutions. The search decides that they are, so both
/// engines return the same.
pub trait Scanner: Send + Sync {
    /// Takes the rows that are kept.
    ///
    /// # Errors
    /// If they do not fit, or the device fails.
    fn keep(&mut self, kept: &Kept) -> Result<(), String>;

    /// The number of pairs of operands in the next batch, so that it takes some ten milliseconds.
    fn budget(&self) -> u64;

    /// Goes through pieces, and calls `meanwhile` while the device works.
    ///
    /// # Errors
    /// If the device fails.
    fn scan(&mut self, pieces: &[&Piece], meanwhile: &mut dyn FnMut()) -> Result<Scanned, String>;
}

/// The kept rows, and what is required of a solution.
pub struct Kept<'a> {
    pub space: &'a Space,
    pub rows: &'a Rows,
    pub target: &'a Target,
    /// The input at which whole expressions are compared.
    pub sharpest: usize,
}

/// The solutions that a scanner found in a batch of pieces.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scanned {
    /// The candidates of all pieces, as [`crate::fill::search::Progress`] counts them.
    pub tried: u64,
    /// Among them are all solutions, in any order.
    pub hits: Vec<Hit>,
    /// Pieces with more hits than the scanner can hold, by their indices; none of their hits are in `hits`.
    pub overflowed: Vec<u32>,
}

/// A candidate: the index of its piece, and its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hit {
    pub piece: u32,
    pub known: Rank,
    pub other: Rank,
}
