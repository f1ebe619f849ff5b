//! Duplicates among mutants that different engines have judged.
//!
//! A member knows the bytecode of what it has judged itself. All else follows from the hashes that it reports, taken in
//! the order of ids: a mutant whose hash a lower one has is compiled again here, as that one is, and where the two are
//! equal it is a duplicate. So the result is exact, whatever the hash.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use crate::compiler::program::{Compiled, Watch};
use crate::compiler::stage::judge;
use crate::engine::cpu::spliced::Spliced;
use crate::engine::{Chunk, EngineError};
use crate::lang::NONE;
use crate::lang::verdict::{MutantStatus, Verdict};

/// What is known of the mutants of one base up to some id.
pub struct Duplicates {
    base: Arc<Compiled>,
    /// Made when two hashes are equal.
    spliced: Option<Spliced>,
    /// Of each hash the mutants that are the first with their bytecode.
    firsts: HashMap<[u32; 2], Vec<u32>>,
    /// Of each duplicate the lowest mutant with its bytecode.
    original: BTreeMap<u32, u32>,
    /// All ids below this one are known.
    seen: u32,
}

impl Duplicates {
    pub fn new(base: &Arc<Compiled>) -> Duplicates {
        Duplicates {
            base: base.clone(),
            spliced: None,
            firsts: HashMap::new(),
            original: BTreeMap::new(),
            seen: 0,
        }
    }

    /// Makes `first` the next id, if by compiling those before it.
    ///
    /// # Errors
    /// If cancelled meanwhile.
    pub fn come_to(&mut self, first: u32, watch: &dyn Watch) -> Result<(), EngineError> {
        if first < self.seen {
            *self = Duplicates::new(&self.base);
        }
        let mut base = Vec::new();
        judge::sequence(&self.base.executable, &mut base);
        while self.seen < first {
            if self.seen.is_multiple_of(64) && watch.cancelled() {
                return Err(EngineError::Cancelled);
            }
            let sequence = self.sequence(self.seen).filter(|sequence| *sequence != base);
            if let Some(sequence) = sequence {
                self.twin_of(self.seen, judge::hash(&sequence));
            }
            self.seen += 1;
        }
        Ok(())
    }

    /// The id behind the last one that is known.
    pub fn seen(&self) -> u32 {
        self.seen
    }

    /// Settles the verdicts of a part that begins with the next id.
    pub fn settle(&mut self, part: &mut Chunk) {
        for (verdict, hash) in part.result.verdicts.iter_mut().zip(&part.hashes) {
            let id = self.seen;
            self.seen += 1;
            let original = match verdict.status {
                MutantStatus::Invalid | MutantStatus::Equivalent => None,
                MutantStatus::Duplicate => {
                    let original = self.original.get(&verdict.original).copied().unwrap_or(verdict.original);
                    self.original.insert(id, original);
                    Some(original)
                }
                _ => self.twin_of(id, *hash),
            };
            if let Some(original) = original {
                *verdict = Verdict { status: MutantStatus::Duplicate, killer: NONE, original };
            }
        }
    }

    /// The lowest mutant with the same bytecode as the next one, whose hash this is; it is known from then on.
    fn twin_of(&mut self, id: u32, hash: [u32; 2]) -> Option<u32> {
        let alike = self.firsts.get(&hash).cloned().unwrap_or_default();
        let original = alike.into_iter().find(|other| self.sequence(*other) == self.sequence(id));
        match original {
            Some(original) => _ = self.original.insert(id, original),
            None => self.firsts.entry(hash).or_default().push(id),
        }
        original
    }

    fn sequence(&mut self, id: u32) -> Option<Vec<u32>> {
        self.spliced.get_or_insert_with(|| Spliced::new(&self.base)).sequence(id)
    }
}
