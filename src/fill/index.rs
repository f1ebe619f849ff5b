//! The kept rows, ordered by the hashes of their values.

use rayon::prelude::*;

use crate::fill::blocks::BLOCK;
use crate::fill::rows::{FEW, Rank, Rows, free};

/// Number of rows that an [`Index`] takes in between two questions whether to stop.
const INDEXED: usize = 1 << 14;

/// The rows by their values for the required inputs. Rows that trap on one of these are not in it.
pub struct Index {
    /// For each value of the upper bits, the place in `entries` where its hashes end.
    ends: Vec<u32>,
    entries: Vec<(u64, Rank)>,
    shift: u32,
}

impl Index {
    /// Orders the rows; `None` if it was stopped.
    pub fn new(rows: &Rows, stop: &dyn Fn() -> bool) -> Option<Index> {
        let bits = (rows.len().max(2) as u32).ilog2();
        let shift = 64 - bits;
        // 0 for a row that is not in it.
        let mut hashes = vec![0; rows.len()];
        let mut ends = vec![0; 1 << bits];
        for (part, own) in hashes.chunks_mut(INDEXED).enumerate() {
            if stop() {
                return None;
            }
            let blocks = own.par_chunks_mut(BLOCK).enumerate();
            blocks.for_each(|(block, own)| rows.required_hashes(part * INDEXED + block * BLOCK, own));
            for hash in own.iter().filter(|hash| **hash != 0) {
                ends[(*hash >> shift) as usize] += 1;
            }
        }
        // Each place is that of the next row with these bits, and so in the end that after the last one.
        let mut count = 0;
        for end in &mut ends {
            count += std::mem::replace(end, count);
        }
        let mut entries = vec![(0, 0); count as usize];
        for (part, own) in hashes.chunks(INDEXED).enumerate() {
            if stop() {
                return None;
            }
            for (rank, hash) in ((part * INDEXED) as Rank..).zip(own).filter(|(_, hash)| **hash != 0) {
                let place = &mut ends[(*hash >> shift) as usize];
                entries[*place as usize] = (*hash, rank);
                *place += 1;
            }
        }
        Some(Index { ends, entries, shift })
    }

    pub fn bytes(&self) -> usize {
        size_of_val(&self.entries[..]) + size_of_val(&self.ends[..])
    }

    /// The rows with a hash, in order.
    pub fn find(&self, hash: u64) -> impl Iterator<Item = Rank> + '_ {
        let bucket = (hash >> self.shift) as usize;
        let begin = bucket.checked_sub(1).map_or(0, |before| self.ends[before]);
        let own = &self.entries[begin as usize..self.ends[bucket] as usize];
        own.iter().filter(move |(other, _)| *other == hash).map(|(_, rank)| *rank)
    }
}

impl Drop for Index {
    fn drop(&mut self) {
        if self.entries.len() >= FEW {
            free((std::mem::take(&mut self.entries), std::mem::take(&mut self.ends)));
        }
    }
}
