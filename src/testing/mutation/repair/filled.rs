//! The candidates that fill holes: where they come from, and when there are enough.

use super::compile::JudgeBuffers;
use super::filling::{FillSearch, TwoHoles, counterexample};
use super::{RepairCandidate, Search};
use crate::compiler::program::Watch;

/// Candidates that fill the holes, of one size.
pub(super) struct Filled {
    pub new: Vec<RepairCandidate>,
    /// The number of those that are judged.
    pub judged: usize,
    /// Whether smaller ones were found.
    pub had_some: bool,
}

impl Search {
    /// Returns the next candidates that fill the holes; `None` if the work was cancelled.
    pub(super) fn next_filled(&mut self, watch: &(dyn Watch + Sync)) -> Option<Vec<RepairCandidate>> {
        if let Some(two) = &mut self.two {
            return two.step(&mut self.catalogue, watch);
        }
        let Some(fill) = &mut self.fill else { return Some(Vec::new()) };
        let written = fill.step(watch)?;
        let new = self.catalogue.add(fill.function(), fill.token(), written);
        Some(new.into_iter().map(|one| vec![one]).collect())
    }

    /// Returns whether enough was found, or nothing is left to try; `had_some` if smaller ones were found before the last size.
    pub(super) fn is_filled(&self, had_some: bool) -> bool {
        if let Some(two) = &self.two {
            return had_some || two.is_done();
        }
        let Some(fill) = &self.fill else { return true };
        // The solutions of two sizes are compared; a sole one with those of further sizes while these take little time.
        let is_sole = self.found.len() == 1 && !fill.is_done() && fill.is_brief();
        had_some && !is_sole || fill.is_done()
    }

    /// Frees the memory of the search for what fills the holes.
    pub fn end_filling(&mut self) {
        self.fill.iter_mut().for_each(FillSearch::end);
        self.two.iter_mut().for_each(TwoHoles::end);
    }

    /// Returns whether the search for what fills the hole begins again, since a run refutes the first new candidate, which
    /// has the values that all known runs need.
    pub(super) fn refute(&mut self, new: &[RepairCandidate], watch: &dyn Watch) -> bool {
        let (Some(first), Some(fill)) = (new.first(), &mut self.fill) else { return false };
        if !fill.knows_values() {
            return false;
        }
        let mut bench = JudgeBuffers::default();
        let Some(program) = bench.compile(&self.ground, &self.catalogue.rewrites(first)) else { return false };
        counterexample(program, &self.ground.base, watch).is_some_and(|at| fill.refute(at))
    }
}
