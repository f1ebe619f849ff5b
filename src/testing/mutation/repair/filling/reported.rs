//! The progress of a search for what fills a hole, and its costs.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use super::examples::Needs;
use super::{FillSearch, FillStep};
use crate::engine::explain::Value;
use crate::fill::search::{Progress, Way};
use crate::lang::index::EntryId;
use crate::lang::ty::Type;

/// Counts the candidates while a search goes on.
#[derive(Clone, Debug, Default)]
pub struct FillCounter {
    progress: Arc<Progress>,
    /// Those of searches that have ended.
    before: u64,
}

impl FillCounter {
    pub fn tried(&self) -> u64 {
        self.before + self.progress.tried.load(Relaxed)
    }

    /// The size that is being tried.
    pub fn size(&self) -> u64 {
        self.progress.size.load(Relaxed)
    }
}

/// The value at the only visit of a run, if it is known.
fn sole(ways: &[Way]) -> Option<u32> {
    match ways {
        [way] if way.inputs.count_ones() == 1 => Some(u32::from(way.values != 0)),
        _ => None,
    }
}

impl FillSearch {
    /// The number of candidates tried.
    pub fn tried(&self) -> u64 {
        self.counter().tried()
    }

    /// Returns the counter of the search until it begins again.
    pub fn counter(&self) -> FillCounter {
        let progress = match (&self.search, &self.ended) {
            (Some(search), _) => search.progress.clone(),
            (None, Some(ended)) => ended.progress.clone(),
            (None, None) => Arc::default(),
        };
        FillCounter { progress, before: self.pairs.0 + self.tried_before }
    }

    /// Returns the value that each run needs, for tests and properties whose runs all need the same.
    pub fn needed(&self) -> Vec<(EntryId, Value)> {
        let value = |word: u32| {
            if self.hole.ty == Type::BOOL { Value::Bool(word != 0) } else { Value::Int(word as i32) }
        };
        let all: Vec<(EntryId, Option<Value>)> = match &self.needs {
            Needs::Values(words) => {
                { self.examples.iter().zip(words) }.map(|(own, word)| (own.entry, Some(value(*word)))).collect()
            }
            Needs::Ways(ways) => { ways.entries.iter().zip(&ways.runs) }
                .map(|(entry, own)| (*entry, sole(own).map(value)))
                .collect(),
            _ => Vec::new(),
        };
        let agrees = |(entry, value): &(EntryId, Option<Value>)| {
            all.iter().all(|own| own.0 != *entry || own.1 == *value)
        };
        let mut needed: Vec<(EntryId, Value)> = all
            .iter()
            .filter(|own| agrees(own))
            .filter_map(|(entry, value)| Some((*entry, value.clone()?)))
            .collect();
        needed.dedup();
        needed
    }

    pub(super) fn count_pairs(&mut self, number: u64, size: usize) {
        self.pairs = (self.pairs.0 + number, size);
    }

    /// The cost of each size that was tried; sizes that were tried again are listed again.
    pub fn steps(&self) -> &[FillStep] {
        &self.steps
    }

    /// The number of kept rows, and their bytes.
    pub fn kept(&self) -> (usize, usize) {
        let ended = self.ended.as_ref().map_or((0, 0), |ended| ended.kept);
        self.search.as_ref().map_or(ended, |search| (search.rows.len(), search.bytes()))
    }

    /// The size that was tried last; of two holes, of both expressions together.
    pub fn size(&self) -> usize {
        if self.pairs.1 > 0 { self.pairs.1 } else { self.own_size() }
    }

    pub(super) fn own_size(&self) -> usize {
        let ended = self.ended.as_ref().map_or(0, |ended| ended.size);
        self.search.as_ref().map_or(ended, |search| search.next_size().unwrap_or(search.last() + 1) - 1)
    }

    /// The token of the hole.
    pub fn token(&self) -> crate::lang::index::TokenId {
        self.hole.token
    }

    pub fn function(&self) -> crate::lang::index::RoutineId {
        self.hole.function
    }
}
