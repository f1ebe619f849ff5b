//! Finds duplicates among mutants judged by different engines.
//!
//! A member knows only the bytecode that it has compiled. All other duplicates follow from the reported
//! hashes, in the order of ids. If a lower mutant has the same hash, both are compiled again here and
//! compared, so the result is exact even if hashes collide.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use crate::compiler::program::{Compiled, Watch};
use crate::compiler::stage::judge;
use crate::engine::cpu::spliced::Spliced;
use crate::engine::{Chunk, EngineError};
use crate::lang::index::{Index, MutantId};
use crate::lang::verdict::{MutantStatus, Verdict};

pub struct Duplicates {
    base: Arc<Compiled>,
    /// Created when two hashes are equal.
    spliced: Option<Spliced>,
    /// For each hash, the mutants that are the first with their bytecode.
    firsts: HashMap<[u32; 2], Vec<MutantId>>,
    /// For each duplicate, the lowest mutant with its bytecode.
    original: BTreeMap<MutantId, MutantId>,
    /// One past the last settled id.
    seen: MutantId,
}

impl Duplicates {
    pub fn new(base: &Arc<Compiled>) -> Duplicates {
        Duplicates {
            base: base.clone(),
            spliced: None,
            firsts: HashMap::new(),
            original: BTreeMap::new(),
            seen: MutantId::FIRST,
        }
    }

    /// Advances to `first`, compiling skipped mutants. Starts again if `first` has been passed.
    ///
    /// # Errors
    /// If it is cancelled.
    pub fn advance_to(&mut self, first: MutantId, watch: &dyn Watch) -> Result<(), EngineError> {
        if first < self.seen {
            *self = Duplicates::new(&self.base);
        }
        let mut base = Vec::new();
        judge::sequence(&self.base.executable, &mut base);
        while self.seen < first {
            if self.seen.number().is_multiple_of(64) && watch.cancelled() {
                return Err(EngineError::Cancelled);
            }
            let sequence = self.sequence(self.seen).filter(|sequence| *sequence != base);
            if let Some(sequence) = sequence {
                self.find_original(self.seen, judge::hash(&sequence));
            }
            self.seen = self.seen.next();
        }
        Ok(())
    }

    /// Returns one past the last settled id.
    pub fn seen(&self) -> MutantId {
        self.seen
    }

    /// Settles the verdicts of a part that begins with the next id.
    pub fn settle(&mut self, part: &mut Chunk) {
        for (verdict, hash) in part.result.verdicts.iter_mut().zip(&part.hashes) {
            let id = self.seen;
            self.seen = self.seen.next();
            let original = match verdict.status {
                MutantStatus::Invalid | MutantStatus::Equivalent => None,
                MutantStatus::Duplicate => verdict.original.map(|found| {
                    let original = self.original.get(&found).copied().unwrap_or(found);
                    self.original.insert(id, original);
                    original
                }),
                _ => self.find_original(id, *hash),
            };
            if let Some(original) = original {
                *verdict = Verdict::duplicate_of(original);
            }
        }
    }

    /// Finds the lowest mutant with the bytecode of the next mutant, whose hash is given, and records the
    /// next mutant.
    fn find_original(&mut self, id: MutantId, hash: [u32; 2]) -> Option<MutantId> {
        let alike = self.firsts.get(&hash).cloned().unwrap_or_default();
        let original = alike.into_iter().find(|other| self.sequence(*other) == self.sequence(id));
        match original {
            Some(original) => _ = self.original.insert(id, original),
            None => self.firsts.entry(hash).or_default().push(id),
        }
        original
    }

    fn sequence(&mut self, id: MutantId) -> Option<Vec<u32>> {
        self.spliced.get_or_insert_with(|| Spliced::new(&self.base)).sequence(id)
    }
}
