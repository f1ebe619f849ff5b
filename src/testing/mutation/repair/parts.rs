//! What mends some of what fails, and how it combines to what mends all.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::Candidate;
use super::catalogue::Catalogue;

/// Candidates that are kept of those that mend the same.
const ALIKE: usize = 6;
/// Combinations that are given, incomplete ones that are looked at for them, and what a rewrite costs at least.
const COMBINATIONS: usize = 400;
const TAKEN: usize = 4_000;
const LEAST: u32 = 2;

/// Candidates that mend some of what fails and break nothing: which, as bits, and by what.
#[derive(Default)]
pub struct Parts(Vec<(u64, Candidate)>);

impl Parts {
    pub fn as_slice(&self) -> &[(u64, Candidate)] {
        &self.0
    }

    /// Keeps one as long as there are few like it.
    pub fn keep(&mut self, set: u64, candidate: Candidate) {
        if self.0.iter().filter(|(known, _)| *known == set).count() < ALIKE {
            self.0.push((set, candidate));
        }
    }

    /// All that any of them mends.
    pub fn mended(&self) -> u64 {
        self.0.iter().fold(0, |all, (set, _)| all | set)
    }

    /// Parts that together mend all, the cheapest first: best first, so that many parts that mend little do not stand before few that
    /// mend much.
    pub fn combinations(&self, catalogue: &Catalogue, all: u64) -> Vec<Candidate> {
        let mut parts: Vec<&(u64, Candidate)> = self.0.iter().collect();
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
            // The first that is not mended yet.
            let missing = (!set).trailing_zeros();
            for (more, part) in parts.iter().filter(|(more, _)| more >> missing & 1 != 0) {
                if !catalogue.overlap(&candidate, part) {
                    let (set, candidate) = (set | more, [candidate.clone(), part.clone()].concat());
                    number += 1;
                    // What is not whole takes at least one rewrite more.
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
