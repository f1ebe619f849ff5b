//! Candidates that repair some failures, and their combination to candidates that repair all.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::RepairCandidate;
use super::catalogue::Catalogue;

/// The maximum number of candidates that are kept for the same set of failures.
/// Candidates for the same failures replace each other in combinations.
const ALIKE: usize = 6;
/// The maximum number of combinations returned and of partial ones examined, and the minimum cost of a rewrite.
const COMBINATIONS: usize = 400;
const TAKEN: usize = 4_000;
const LEAST: u32 = 2;
/// The maximum number of rewrites of one function. More of them fit the tests one by one and are hardly ever right.
const IN_A_FUNCTION: usize = 2;

/// Candidates that repair some failures, as bits, and break nothing.
#[derive(Default)]
pub struct Parts(Vec<(u64, RepairCandidate)>);

impl Parts {
    pub fn as_slice(&self) -> &[(u64, RepairCandidate)] {
        &self.0
    }

    /// Adds a candidate, unless enough candidates for the same set are kept.
    pub fn keep(&mut self, set: u64, candidate: RepairCandidate) {
        if self.0.iter().filter(|(known, _)| *known == set).count() < ALIKE {
            self.0.push((set, candidate));
        }
    }

    /// Returns the union of the failures that any candidate repairs.
    pub fn mended(&self) -> u64 {
        self.0.iter().fold(0, |all, (set, _)| all | set)
    }

    /// Returns combinations that repair all failures, cheapest first. The search is best-first, so that a few parts
    /// that repair much precede many that repair little.
    pub fn combinations(&self, catalogue: &Catalogue, all: u64) -> Vec<RepairCandidate> {
        let mut parts: Vec<&(u64, RepairCandidate)> = self.0.iter().collect();
        parts.sort_by_key(|(set, candidate)| (catalogue.cost(candidate), Reverse(set.count_ones())));
        let mut open = BinaryHeap::from([(Reverse(0), 0, Reverse(0), 0, Vec::new())]);
        let (mut whole, mut taken, mut number) = (Vec::new(), 0, 0);
        while let Some((_, _, _, set, candidate)) = open.pop() {
            taken += 1;
            if whole.len() >= COMBINATIONS || taken > TAKEN {
                break;
            }
            if set == all {
                whole.push(candidate);
                continue;
            }
            // The first failure that is not repaired yet.
            let missing = (!set).trailing_zeros();
            for (more, part) in parts.iter().filter(|(more, _)| more >> missing & 1 != 0) {
                let overlaps = catalogue.overlap(&candidate, part);
                let candidate = [candidate.clone(), part.clone()].concat();
                if !overlaps && catalogue.most_in_a_function(&candidate) <= IN_A_FUNCTION {
                    let set = set | more;
                    number += 1;
                    // An incomplete combination needs at least one more rewrite.
                    let rest = if set == all { 0 } else { LEAST };
                    let cost = Reverse(catalogue.cost(&candidate) + rest);
                    open.push((cost, set.count_ones(), Reverse(number), set, candidate));
                }
            }
        }
        whole.sort_by_key(|candidate| catalogue.cost(candidate));
        whole
    }
}
