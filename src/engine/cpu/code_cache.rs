//! Distinct code of the functions of a base and of its mutants.
//!
//! A mutant is the base with other code for one or two functions. Two mutants therefore have equal bytecode
//! exactly if each function has equal code in both. A pair of edits in two functions needs no compiling if
//! both edits have been compiled separately.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use crate::compiler::program::Compiled;
use crate::compiler::stage::judge;
use crate::compiler::stage::splice::{Segment, Splice};
use crate::engine::memory::words;
use crate::engine::reuse::{UnchangedFunctions, renumbered};
use crate::lang::NONE;
use crate::lang::index::{EditId, Index, MutantId, RoutineId};
use crate::lang::verdict::Verdict;

/// The number of codes kept from base to base; beyond it, all are dropped.
const MOST: usize = 1 << 16;

/// The result of compiling a first-order edit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SingleEdit {
    NotCompiled,
    Invalid,
    Code(u32),
}

/// The distinct codes of a base's functions, by number.
#[derive(Default)]
pub struct CodeCache {
    kept: Vec<Segment>,
    /// Hash chains: the first code with this function and hash, and for each code the next.
    by_hash: HashMap<(RoutineId, [u32; 2]), u32>,
    next: Vec<u32>,
    /// The result of each first-order edit.
    alone: Vec<SingleEdit>,
    /// The code number of each function in the base.
    own: Vec<u32>,
    /// The lowest id of the compared mutants, by their codes.
    mutants: HashMap<[u32; 2], MutantId>,
    /// The verdicts on mutants that have run, by their codes.
    ended: HashMap<[u32; 2], Verdict>,
}

/// How a mutant's bytecode compares with all earlier ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Match {
    New,
    /// Equal to the base's.
    Base,
    /// Equal to the mutant with this id, the lowest.
    Mutant(MutantId),
}

impl CodeCache {
    /// Creates the table of a base with `edits` first-order edits.
    pub fn new(base: &Compiled, splice: &Splice, edits: u32) -> CodeCache {
        CodeCache::default().of(base, splice, edits)
    }

    /// Resets the table for a base, keeping all numbered code.
    fn of(mut self, base: &Compiled, splice: &Splice, edits: u32) -> CodeCache {
        let own = base.functions().iter().map(|function| {
            let own = splice.own(base, function);
            self.number(&own, judge::hash(&own.words))
        });
        self.own = own.collect();
        self.alone.clear();
        self.alone.resize(edits as usize, SingleEdit::NotCompiled);
        self.mutants.clear();
        self
    }

    /// Returns the table of the next base, with the results that `unchanged_functions` marks as valid.
    pub fn next(
        mut self,
        base: &Compiled,
        splice: &Splice,
        edits: u32,
        unchanged_functions: &UnchangedFunctions,
    ) -> CodeCache {
        if self.kept.len() > MOST {
            return CodeCache::new(base, splice, edits);
        }
        let kept = &self.kept;
        self.ended.retain(|codes, _| {
            let mut functions = codes.iter().filter_map(|code| Some(kept.get(*code as usize)?.function));
            functions.all(|function| unchanged_functions.holds(function))
        });
        let ended = std::mem::take(&mut self.ended).into_iter();
        self.ended =
            { ended }.filter_map(|(codes, end)| Some((codes, unchanged_functions.verdict(end)?))).collect();
        self.renumber(&unchanged_functions.functions);
        let before = self.alone.clone();
        let mut next = self.of(base, splice, edits);
        for (from, to, count) in unchanged_functions
            .same
            .iter()
            .flatten()
            .map(|(from, to, n)| (*from as usize, *to as usize, *n as usize))
        {
            next.alone[to..to + count].copy_from_slice(&before[from..from + count]);
        }
        next
    }

    /// Replaces the numbers of functions in all codes. Codes of functions that are gone match no others.
    fn renumber(&mut self, functions: &[Option<RoutineId>]) {
        if functions.iter().enumerate().all(|(was, is)| *is == Some(RoutineId::at(was))) {
            return;
        }
        (self.by_hash, self.next) = Default::default();
        for segment in std::mem::take(&mut self.kept) {
            match renumbered(&segment, functions).filter(|segment| !segment.words.is_empty()) {
                Some(segment) => drop(self.number(&segment, judge::hash(&segment.words))),
                None => {
                    self.kept.push(Segment { words: Vec::new(), ..segment });
                    self.next.push(NONE);
                }
            }
        }
    }

    /// Returns the allocated size in bytes.
    pub fn bytes(&self) -> u64 {
        let kept: u64 = self.kept.iter().map(|segment| words(&segment.words)).sum();
        let found = size_of::<((RoutineId, [u32; 2]), u32)>() * self.by_hash.capacity();
        let mutants = size_of::<([u32; 2], u32)>() * self.mutants.capacity()
            + size_of::<([u32; 2], Verdict)>() * self.ended.capacity();
        let rest =
            self.kept.capacity() * size_of::<Segment>() + self.alone.capacity() * size_of::<SingleEdit>();
        kept + (found + mutants + rest) as u64 + words(&self.next)
    }

    /// Whether the table is unused.
    pub fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    pub fn get(&self, number: u32) -> Option<&Segment> {
        self.kept.get(number as usize)
    }

    /// Returns the result of a first-order edit.
    pub fn alone(&self, edit: EditId) -> SingleEdit {
        self.alone.get(edit.position()).copied().unwrap_or(SingleEdit::Invalid)
    }

    /// Records the result of a first-order edit.
    pub fn note(&mut self, edit: EditId, alone: SingleEdit) {
        if let Some(place) = self.alone.get_mut(edit.position()) {
            *place = alone;
        }
    }

    /// Returns the number of a function's code, adding it if it is new. `hash` is the hash of its words.
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

    /// Forgets the compared mutants.
    pub fn forget(&mut self) {
        self.mutants.clear();
    }

    /// Returns the sorted codes that differ from the base's, padded with `NONE`.
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
        function.is_some_and(|function| self.own.get(function.position()) == Some(&code))
    }

    /// Returns the known verdict on mutants with this key.
    pub fn ended(&self, key: [u32; 2]) -> Option<Verdict> {
        self.ended.get(&key).copied()
    }

    /// Records the verdict on mutants with this key.
    pub fn note_end(&mut self, key: [u32; 2], verdict: Verdict) {
        self.ended.insert(key, verdict);
    }

    /// Compares a mutant with the base and with earlier mutants. Calls must be in ascending order of ids.
    pub fn compare(&mut self, id: MutantId, key: [u32; 2]) -> Match {
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

    fn segment(function: u32, words: &[u32], frame: u32) -> Segment {
        Segment { function: RoutineId::new(function), words: words.to_vec(), frame }
    }

    #[test]
    fn segments_with_equal_hashes_keep_distinct_numbers() {
        let mut segments = CodeCache::default();
        // All hashes are equal, to simulate collisions.
        let all = [segment(0, &[1, 2], 3), segment(0, &[1], 3), segment(0, &[1, 2], 4), segment(1, &[1, 2], 3)];
        for _ in 0..2 {
            for (number, segment) in (0..).zip(&all) {
                assert_eq!(segments.number(segment, [7, 7]), number);
            }
        }
        assert_eq!(segments.get(2), Some(&all[2]));
    }

    #[test]
    fn mutants_match_if_all_their_segments_match() {
        let mut segments = CodeCache::default();
        for (number, words) in (0..7).map(|number| (number, [number])) {
            assert_eq!(segments.number(&segment(number % 2, &words, 0), [0, number]), number);
        }
        segments.own = vec![0, 1];
        let id = MutantId::new;
        let mut compare = |number, codes: &[u32]| {
            let key = segments.key(codes.iter().copied());
            segments.compare(id(number), key)
        };
        assert_eq!(compare(0, &[0]), Match::Base);
        assert_eq!(compare(1, &[5]), Match::New);
        assert_eq!(compare(2, &[5, 1]), Match::Mutant(id(1)));
        assert_eq!(compare(3, &[5, 6]), Match::New);
        assert_eq!(compare(4, &[6, 5]), Match::Mutant(id(3)));
        assert_eq!(compare(5, &[0, 1]), Match::Base);
        segments.forget();
        assert_eq!(segments.compare(id(6), [5, NONE]), Match::New);
    }
}
