//! Finds a smallest set of oracles that kills every mutant. This is the minimum hitting set of the mutants' rows, found
//! by branch and bound. (Lower bounds by disjoint rows, as in Fomin and Kratsch, "Exact exponential algorithms", 2010,
//! section 6.)

use crate::lang::index::EntryId;
use std::cmp::Reverse;

use crate::lang::set::Entries;

/// The maximum number of sets to try. If that is not enough, the best set found so far is returned.
const TRIED: u32 = 20_000;

/// Oracles that together kill all mutants.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Least {
    /// The indices of the oracles, ascending.
    pub entries: Vec<EntryId>,
    /// Whether no smaller set exists.
    pub proved: bool,
}

/// Returns the smallest set that contains an oracle of each row. Rows must not be empty.
pub fn least(rows: &[Entries]) -> Least {
    let mut search = CoverSearch { best: greedy(rows), chosen: Vec::new(), left: TRIED };
    search.branch(rows.to_vec());
    let CoverSearch { mut best, left, .. } = search;
    best.sort_unstable();
    Least { entries: best, proved: left > 0 }
}

/// Chooses the oracle that hits most rows, repeatedly.
fn greedy(rows: &[Entries]) -> Vec<EntryId> {
    let (mut rows, mut chosen) = (rows.to_vec(), Vec::new());
    while let Some(best) = by_hits(&rows, rows.iter().flat_map(|row| row.iter())).first().copied() {
        rows.retain(|row| !row.contains(best));
        chosen.push(best);
    }
    chosen
}

/// Returns the distinct oracles, sorted by the number of rows that they hit (most first), then by index.
fn by_hits(rows: &[Entries], entries: impl Iterator<Item = EntryId>) -> Vec<EntryId> {
    let entries: Entries = entries.collect();
    let mut entries: Vec<EntryId> = entries.iter().collect();
    entries.sort_by_cached_key(|entry| Reverse(rows.iter().filter(|row| row.contains(*entry)).count()));
    entries
}

struct CoverSearch {
    best: Vec<EntryId>,
    chosen: Vec<EntryId>,
    /// The number of sets that may still be tried.
    left: u32,
}

impl CoverSearch {
    /// Completes the chosen set so that it contains an oracle of each of these rows.
    fn branch(&mut self, rows: Vec<Entries>) {
        // Disjoint rows need one oracle each, which is a lower bound.
        let mut apart: Vec<&Entries> = Vec::new();
        for row in &rows {
            if apart.iter().all(|other| other.is_disjoint(row)) {
                apart.push(row);
            }
        }
        if self.left == 0 || self.chosen.len() + apart.len() >= self.best.len() {
            return;
        }
        let Some(narrowest) = rows.iter().min_by_key(|row| row.len()) else {
            self.best.clone_from(&self.chosen);
            return;
        };
        for entry in by_hits(&rows, narrowest.iter()) {
            self.left = self.left.saturating_sub(1);
            self.chosen.push(entry);
            self.branch(rows.iter().filter(|row| !row.contains(entry)).copied().collect());
            self.chosen.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::index::{Index, Indices};
    use crate::lang::random::Rng;

    /// Returns the size of a smallest set, by brute force.
    fn by_trying(rows: &[Entries], entries: u32) -> u32 {
        let hits = |set: &u32| rows.iter().all(|row| row.iter().any(|entry| set >> entry.number() & 1 != 0));
        (0..1 << entries).filter(hits).map(u32::count_ones).min().unwrap_or(0)
    }

    #[test]
    fn oracle_set_is_the_smallest_that_kills_every_mutant() {
        let mut rng = Rng::new(5, 0);
        for _ in 0..200 {
            let entries = 1 + rng.below(9) as u32;
            let row = |rng: &mut Rng| {
                let mut row: Entries = Indices::first(entries).iter().filter(|_| rng.below(3) == 0).collect();
                row.insert(EntryId::at(rng.below(entries as usize)));
                row
            };
            let rows: Vec<Entries> = (0..rng.below(12)).map(|_| row(&mut rng)).collect();
            let least = least(&rows);
            assert!(least.proved);
            assert_eq!(least.entries.len() as u32, by_trying(&rows, entries), "{rows:?}");
            assert!(rows.iter().all(|row| least.entries.iter().any(|entry| row.contains(*entry))));
        }
    }
}
