//! judge: a verdict for each mutant.
//!
//! Mutants whose optimized bytecode equals the base's, or that of a mutant before them, need not run (trivial
//! compiler equivalence). Bytecode is found again by a hash whose sums can be taken in any order, and compared in
//! full where it is found.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::execute::mix;
use crate::program::Executable;

/// All that bytecode is, as one sequence of words: the code, then what calls and runs need of each routine.
pub fn sequence(executable: &Executable, out: &mut Vec<u32>) {
    let r = &executable.routines;
    out.clear();
    out.extend_from_slice(&executable.code.word);
    for i in 0..r.token.len() {
        let caps = [r.caps0[i], r.caps1[i], r.caps2[i], r.caps3[i]];
        out.extend([r.address[i], r.frame[i], r.params[i]]);
        out.extend(caps);
        out.push(r.result[i]);
    }
}

/// The hash of a sequence of words, in two lanes.
pub fn hash(words: &[u32]) -> [u32; 2] {
    let (mut a, mut b) = (0u32, 0u32);
    let (mut add, mut xor) = (0u32, 0u32);
    for &word in words {
        a = a.wrapping_add(mix(word.wrapping_add(add)));
        b = b.wrapping_add(mix((word ^ 0x85eb_ca6b).wrapping_add(xor)));
        add = add.wrapping_add(0x9e37_79b9);
        xor = xor.wrapping_add(0xc2b2_ae35);
    }
    let n = words.len() as u32;
    [mix(n.wrapping_add(a)), mix(n ^ b)]
}

/// What a mutant's bytecode is beside all before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Match {
    New,
    /// Equal to the base's.
    Base,
    /// Equal to that of the mutant with this id, the lowest.
    Mutant(u32),
}

/// Interns bytecode: keeps each different one of a base and its mutants once, and finds it again.
#[derive(Debug, Default)]
pub struct Interner {
    /// The sequences one behind another, the base's first.
    words: Vec<u32>,
    /// The place of each in `words`, and the mutant's id.
    kept: Vec<(std::ops::Range<usize>, u32)>,
    /// Of each hash the first that has it, by index in `kept`.
    by_hash: HashMap<[u32; 2], usize>,
    /// Further ones with a hash that another has.
    clashes: Vec<([u32; 2], usize)>,
}

impl Interner {
    /// Forgets all, and begins with a base.
    pub fn start(&mut self, sequence: &[u32]) {
        self.words.clear();
        self.kept.clear();
        self.by_hash.clear();
        self.clashes.clear();
        self.add(0, hash(sequence), sequence);
    }

    /// Bytes that it takes, as allocated.
    pub fn bytes(&self) -> u64 {
        let kept = size_of::<(std::ops::Range<usize>, u32)>();
        let found = size_of::<([u32; 2], usize)>();
        (self.words.capacity() * 4
            + self.kept.capacity() * kept
            + (self.by_hash.capacity() + self.clashes.capacity()) * found) as u64
    }

    /// What this mutant's bytecode is like. To be asked in ascending order of ids.
    pub fn add(&mut self, id: u32, hash: [u32; 2], sequence: &[u32]) -> Match {
        let like = |index: usize| {
            let (place, id) = &self.kept[index];
            let equal = self.words[place.clone()] == *sequence;
            equal.then_some(if index == 0 { Match::Base } else { Match::Mutant(*id) })
        };
        let next = self.kept.len();
        match self.by_hash.entry(hash) {
            Entry::Vacant(free) => {
                free.insert(next);
            }
            Entry::Occupied(first) => {
                let others = self.clashes.iter().filter(|(h, _)| *h == hash).map(|(_, index)| *index);
                if let Some(found) = std::iter::once(*first.get()).chain(others).find_map(like) {
                    return found;
                }
                self.clashes.push((hash, next));
            }
        }
        let from = self.words.len();
        self.words.extend_from_slice(sequence);
        self.kept.push((from..self.words.len(), id));
        Match::New
    }
}
