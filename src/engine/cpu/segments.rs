//! What functions of a base become in its mutants: each different code once.
//!
//! A mutant is the base with other code for one or two functions. So two mutants have equal bytecode exactly where each
//! function has equal code in both, and a pair of edits in two functions needs no compiling where both edits have been compiled alone.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use crate::compiler::program::Compiled;
use crate::compiler::stage::judge;
use crate::compiler::stage::splice::{Segment, Splice};
use crate::engine::memory::words;
use crate::engine::reuse::Staying;
use crate::lang::NONE;
use crate::lang::verdict::Verdict;

/// Code that is kept from base to base: when there is more, all is forgotten.
const MOST: usize = 1 << 16;

/// What an edit of first order makes of its function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alone {
    NotCompiled,
    Invalid,
    /// The code with this number.
    Code(u32),
}

/// The different code of a base's functions, by numbers.
#[derive(Default)]
pub struct Segments {
    kept: Vec<Segment>,
    /// The first of those with this function and hash, and of each the next.
    by_hash: HashMap<(usize, [u32; 2]), u32>,
    next: Vec<u32>,
    /// Of each edit of first order.
    alone: Vec<Alone>,
    /// Of each function that which it has in the base.
    own: Vec<u32>,
    /// The lowest ids of the mutants that were compared, by their code.
    mutants: HashMap<[u32; 2], u32>,
    /// How mutants that were run ended, by their code.
    ended: HashMap<[u32; 2], Verdict>,
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

impl Segments {
    /// Of a base with so many edits of first order.
    pub fn new(base: &Compiled, splice: &Splice, edits: u32) -> Segments {
        Segments::default().of(base, splice, edits)
    }

    /// The same, with all code that has a number.
    fn of(mut self, base: &Compiled, splice: &Splice, edits: u32) -> Segments {
        let own = (0..base.facts.functions as usize).map(|function| {
            let own = splice.own(base, function);
            self.number(&own, judge::hash(&own.words))
        });
        self.own = own.collect();
        self.alone.clear();
        self.alone.resize(edits as usize, Alone::NotCompiled);
        self.mutants.clear();
        self
    }

    /// Those of the next base, with what stays of these.
    pub fn next(mut self, base: &Compiled, splice: &Splice, edits: u32, staying: &Staying) -> Segments {
        if self.kept.len() > MOST {
            return Segments::new(base, splice, edits);
        }
        let (kept, judged) = (&self.kept, &staying.judged);
        self.ended.retain(|codes, _| {
            let functions = codes.iter().filter_map(|code| Some(kept.get(*code as usize)?.function));
            { functions }.all(|function| judged[function])
        });
        let before = self.alone.clone();
        let mut next = self.of(base, splice, edits);
        for (from, to, count) in
            staying.same.iter().flatten().map(|(from, to, n)| (*from as usize, *to as usize, *n as usize))
        {
            next.alone[to..to + count].copy_from_slice(&before[from..from + count]);
        }
        next
    }

    /// Bytes that they take, as allocated.
    pub fn bytes(&self) -> u64 {
        let kept: u64 = self.kept.iter().map(|segment| words(&segment.words)).sum();
        let found = size_of::<((usize, [u32; 2]), u32)>() * self.by_hash.capacity();
        let mutants = size_of::<([u32; 2], u32)>() * self.mutants.capacity()
            + size_of::<([u32; 2], Verdict)>() * self.ended.capacity();
        let rest = self.kept.capacity() * size_of::<Segment>() + self.alone.capacity() * size_of::<Alone>();
        kept + (found + mutants + rest) as u64 + words(&self.next)
    }

    /// Whether they are of no base yet.
    pub fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    /// The code with this number.
    pub fn get(&self, number: u32) -> Option<&Segment> {
        self.kept.get(number as usize)
    }

    /// What an edit of first order makes of its function.
    pub fn alone(&self, edit: u32) -> Alone {
        self.alone.get(edit as usize).copied().unwrap_or(Alone::Invalid)
    }

    /// Notes what an edit of first order makes of its function.
    pub fn note(&mut self, edit: u32, alone: Alone) {
        if let Some(place) = self.alone.get_mut(edit as usize) {
            *place = alone;
        }
    }

    /// The number of a function's code, whose words have this hash.
    pub fn number(&mut self, segment: &Segment, hash: [u32; 2]) -> u32 {
        let new = self.kept.len() as u32;
        let first = match self.by_hash.entry((segment.function, hash)) {
            Entry::Vacant(free) => *free.insert(new),
            Entry::Occupied(first) => *first.get(),
        };
        let mut at = first;
        while at != new {
            if self.kept[at as usize] == *segment {
                return at;
            }
            let next = &mut self.next[at as usize];
            if *next == NONE {
                *next = new;
            }
            at = *next;
        }
        self.kept.push(segment.clone());
        self.next.push(NONE);
        new
    }

    /// Forgets which mutants were compared.
    pub fn forget(&mut self) {
        self.mutants.clear();
    }

    /// What a mutant with these codes differs by from the base.
    pub fn key(&self, codes: impl Iterator<Item = u32>) -> [u32; 2] {
        let mut key = [NONE; 2];
        for (place, code) in key.iter_mut().zip(codes.filter(|code| !self.is_own(*code))) {
            *place = code;
        }
        key.sort_unstable();
        key
    }

    fn is_own(&self, code: u32) -> bool {
        let function = self.get(code).map(|segment| segment.function);
        function.is_some_and(|function| self.own.get(function) == Some(&code))
    }

    /// How a mutant that differs so ended, where that is known.
    pub fn ended(&self, key: [u32; 2]) -> Option<Verdict> {
        self.ended.get(&key).copied()
    }

    /// Notes how it ended.
    pub fn note_end(&mut self, key: [u32; 2], verdict: Verdict) {
        self.ended.insert(key, verdict);
    }

    /// What the mutant that differs so is like. To be asked in ascending order of ids.
    pub fn compare(&mut self, id: u32, key: [u32; 2]) -> Match {
        if key == [NONE; 2] {
            return Match::Base;
        }
        match self.mutants.entry(key) {
            Entry::Vacant(free) => {
                free.insert(id);
                Match::New
            }
            Entry::Occupied(first) => Match::Mutant(*first.get()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn segment(function: usize, words: &[u32], frame: u32) -> Segment {
        Segment { function, words: words.to_vec(), frame }
    }

    #[test]
    fn code_has_one_number_whatever_its_hash() {
        let mut segments = Segments::default();
        // All with one hash, as if all hashes clashed.
        let all = [segment(0, &[1, 2], 3), segment(0, &[1], 3), segment(0, &[1, 2], 4), segment(1, &[1, 2], 3)];
        for _ in 0..2 {
            for (number, segment) in (0..).zip(&all) {
                assert_eq!(segments.number(segment, [7, 7]), number);
            }
        }
        assert_eq!(segments.get(2), Some(&all[2]));
    }

    #[test]
    fn mutants_are_equal_where_their_codes_are() {
        let mut segments = Segments::default();
        for (number, words) in (0..7).map(|number| (number, [number])) {
            assert_eq!(segments.number(&segment(number as usize % 2, &words, 0), [0, number]), number);
        }
        segments.own = vec![0, 1];
        let mut compare = |id, codes: &[u32]| {
            let key = segments.key(codes.iter().copied());
            segments.compare(id, key)
        };
        assert_eq!(compare(0, &[0]), Match::Base);
        assert_eq!(compare(1, &[5]), Match::New);
        assert_eq!(compare(2, &[5, 1]), Match::Mutant(1));
        assert_eq!(compare(3, &[5, 6]), Match::New);
        assert_eq!(compare(4, &[6, 5]), Match::Mutant(3));
        assert_eq!(compare(5, &[0, 1]), Match::Base);
        segments.forget();
        assert_eq!(segments.compare(6, [5, NONE]), Match::New);
    }
}
