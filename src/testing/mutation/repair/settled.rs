//! When a search may end, and what it leaves unmended.

use super::{Phase, RepairCandidate, Search, Unmended};
use crate::compiler::program::Compiled;
use crate::lang::index::{Index, RewriteId, RoutineId, TokenId};

/// The cost by which a rewrite must exceed a repair for the search to be settled before it.
const MARGIN: u32 = 3;

impl Search {
    /// Returns whether the rewrites that are left would be ranked far behind the repairs that were found. Going on finds
    /// more repairs, but hardly better ones.
    pub fn is_settled(&self) -> bool {
        match self.phase {
            Phase::Fill | Phase::Combine | Phase::Done => self.is_done(),
            _ => self.only_costly_left() && !self.waits_for_full_fuel(),
        }
    }

    /// Returns whether candidates that ran out of estimated fuel are to be judged once more.
    pub(super) fn waits_for_full_fuel(&self) -> bool {
        self.out_of_fuel.iter().any(|candidate| self.deserves_full_fuel(candidate))
    }

    /// Returns whether a candidate could be ranked before the repairs that were found. Most candidates that run out of
    /// estimated fuel never end, so the others are not judged again.
    pub(super) fn deserves_full_fuel(&self, candidate: &RepairCandidate) -> bool {
        self.least_cost().is_none_or(|best| self.catalogue.cost(candidate) <= best)
    }

    /// Returns whether there is a repair, and the single rewrites that are left cost clearly more.
    pub(super) fn only_costly_left(&self) -> bool {
        let next = match self.phase {
            Phase::First(from) => (from < self.catalogue.len()).then(|| RewriteId::at(from)),
            Phase::Rest(from) => self.rest.get(from).copied(),
            _ => None,
        };
        // Deferred rewrites ascend by cost, too.
        let deferred = self.rest.first().copied().filter(|_| !matches!(self.phase, Phase::Rest(_)));
        let cost = |id: RewriteId| self.catalogue.at(id).rule.cost();
        let is_costly = |best: u32| next.into_iter().chain(deferred).all(|id| cost(id) > best + MARGIN);
        self.least_cost().is_some_and(is_costly)
    }

    pub(super) fn least_cost(&self) -> Option<u32> {
        self.found.iter().map(|candidate| self.catalogue.cost(candidate)).min()
    }

    /// Returns what is left to mend, and where to look.
    pub fn unmended(&self) -> Unmended {
        let (base, open) = (&self.ground.base, self.judge.all() & !self.parts.mended());
        let line = |t: TokenId| base.tokens.line.get(t.position()).map(|line| line + 1);
        let routines: Vec<RoutineId> = self.judge.failing_routines().collect();
        let left = (0..).zip(&routines).filter(|(bit, _)| open >> bit & 1 != 0);
        let heads = left.filter_map(|(_, routine)| Some(base.executable.routine(*routine)?.head()));
        let mut lines: Vec<u32> = heads.filter_map(line).collect();
        lines.dedup();
        Unmended { failing: routines.len(), lines, suspect: self.suspect.and_then(line) }
    }
}

/// Returns the first of the most suspicious tokens of the functions.
pub(super) fn suspect(base: &Compiled, suspicion: &[f64]) -> Option<TokenId> {
    let heads = base.functions().iter().filter_map(|function| base.executable.routine(function));
    let tokens = heads.flat_map(|routine| base.view().extent(routine.head()).iter());
    let likely = tokens.filter_map(|t| suspicion.get(t.position()).map(|own| (*own, t)));
    likely
        .filter(|(own, _)| *own > 0.0)
        .reduce(|best, next| if next.0 > best.0 { next } else { best })
        .map(|best| best.1)
}
