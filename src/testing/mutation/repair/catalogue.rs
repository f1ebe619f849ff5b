//! The rewrites of a program, in the order in which they are tried.

use super::RepairCandidate;
use super::candidates::{Collector, MOST};
use super::rewrite::Rewrite;
use super::rules::Rule;
use crate::compiler::program::{Compiled, Watch};
use crate::compiler::stage::mutate::{Piece, Plan};
use crate::engine::Patch;
use crate::lang::index::{Index, RewriteId, RoutineId, TokenId};
use crate::lang::mutation::Group;

/// The extra cost of a second rewrite of the same function.
const AGAIN: u32 = 3;

/// An expression for a hole.
#[derive(Clone, Debug)]
pub struct Written {
    pub pieces: Vec<Piece>,
    /// Lighter ones are shown first: those of smaller size, with fewer rare operators, with fewer constants, and with more
    /// of the parameters.
    pub weight: u32,
}

impl Written {
    /// The weight of one more leaf or operation.
    pub const SIZE: u32 = 1 << 18;
}

/// The rewrites of the functions that failing entries enter. Ascending by cost, then descending by suspicion.
pub struct Catalogue {
    rewrites: Vec<Rewrite>,
    /// For each rewrite, its function and the suspicion of its tokens.
    places: Vec<(RoutineId, f64)>,
    /// For each rewrite of a hole, its weight among these; for others, 0.
    weights: Vec<u32>,
}

impl Catalogue {
    /// Collects the rewrites of a program, given the suspicion of each token. Returns `None` if the work was cancelled.
    pub fn new(base: &Compiled, suspicion: &[f64], watch: &dyn Watch) -> Option<Catalogue> {
        let of = |rewrite: &Rewrite| {
            let tokens = rewrite.lo.up_to(rewrite.end());
            suspicion.get(tokens.positions()).unwrap_or_default().iter().copied().fold(0.0, f64::max)
        };
        let (children, mut plan) = (base.view().children(), Plan::default());
        plan.build(base.view(), Group::Repair);
        let mut all: Vec<(Rewrite, RoutineId, f64)> = Vec::new();
        for function in base.functions() {
            let extent = base.executable.routine(function).map(|routine| base.view().extent(routine.head()));
            let entered = { extent.iter() }.copied().flatten().any(|t| suspicion[t.position()] > 0.0);
            if watch.cancelled() {
                return None;
            }
            let room = MOST.saturating_sub(all.len());
            let collector = Collector::new(base, &children, function, room).filter(|_| entered);
            let own = extent.into_iter().flat_map(|extent| plan.of(extent));
            let edits = own.filter_map(|number| Some((number, plan.edit(base.view(), number)?)));
            for rewrite in collector.map_or(Vec::new(), |collector| collector.collect(edits)) {
                let suspicion = of(&rewrite);
                all.push((rewrite, function, suspicion));
            }
        }
        let order = |(rewrite, _, suspicion): &(Rewrite, RoutineId, f64)| (rewrite.rule.cost(), -suspicion);
        all.sort_by(|a, b| order(a).partial_cmp(&order(b)).unwrap_or(std::cmp::Ordering::Equal));
        let places = all.iter().map(|(_, function, suspicion)| (*function, *suspicion)).collect();
        let weights = vec![0; all.len()];
        Some(Catalogue { rewrites: all.into_iter().map(|(rewrite, ..)| rewrite).collect(), places, weights })
    }

    /// A catalogue that is filled later.
    pub fn empty() -> Catalogue {
        Catalogue { rewrites: Vec::new(), places: Vec::new(), weights: Vec::new() }
    }

    /// Adds what to write in the place of a hole in a function. Returns the new rewrites.
    pub fn add(&mut self, function: RoutineId, hole: TokenId, written: Vec<Written>) -> Vec<RewriteId> {
        let begin = self.rewrites.len();
        for Written { pieces, weight } in written {
            self.weights.push(weight);
            self.rewrites.push(Rewrite { rule: Rule::Hole, number: None, lo: hole, hi: hole + 1, pieces });
            self.places.push((function, 1.0));
        }
        (begin..self.rewrites.len()).map(RewriteId::at).collect()
    }

    pub fn len(&self) -> usize {
        self.rewrites.len()
    }

    pub fn at(&self, id: RewriteId) -> &Rewrite {
        &self.rewrites[id.position()]
    }

    pub fn function(&self, id: RewriteId) -> RoutineId {
        self.places[id.position()].0
    }

    /// Returns the rewrites of a function, ascending.
    pub fn of_function(&self, function: RoutineId) -> impl Iterator<Item = RewriteId> {
        RewriteId::all().zip(&self.places).filter(move |(_, (own, _))| *own == function).map(|(id, _)| id)
    }

    pub fn rewrites(&self, candidate: &[RewriteId]) -> Vec<&Rewrite> {
        candidate.iter().map(|id| self.at(*id)).collect()
    }

    /// Returns a candidate as a patch for an engine to validate.
    pub fn patch(&self, candidate: &[RewriteId]) -> Patch<'_> {
        let mut patch: Patch = candidate.iter().map(|id| self.at(*id).hunk()).collect();
        patch.sort_by_key(|hunk| hunk.lo);
        patch
    }

    /// Returns whether two candidates change the same tokens.
    pub fn overlap(&self, one: &[RewriteId], other: &[RewriteId]) -> bool {
        one.iter().any(|a| other.iter().any(|b| self.at(*a).overlaps(self.at(*b))))
    }

    /// Returns the cost of a candidate. Several rewrites of one function are less likely to be right than one rewrite
    /// of the same cost, so they cost more.
    pub fn cost(&self, candidate: &RepairCandidate) -> u32 {
        let rewrites: u32 = candidate.iter().map(|id| self.at(*id).rule.cost()).sum();
        let mut functions: Vec<RoutineId> = candidate.iter().map(|id| self.function(*id)).collect();
        functions.sort_unstable();
        functions.dedup();
        rewrites + AGAIN * (candidate.len() - functions.len()) as u32
    }

    /// Returns the largest number of a candidate's rewrites in one function.
    pub fn most_in_a_function(&self, candidate: &RepairCandidate) -> usize {
        let in_function_of = |id: &RewriteId| {
            candidate.iter().filter(|other| self.function(**other) == self.function(*id)).count()
        };
        candidate.iter().map(in_function_of).max().unwrap_or(0)
    }

    /// Returns the weight of what a candidate writes in the place of holes.
    pub fn weight(&self, candidate: &RepairCandidate) -> u32 {
        candidate.iter().map(|id| self.weights[id.position()]).sum()
    }

    /// Returns the suspicion of a candidate's least suspicious rewrite.
    pub fn suspicion(&self, candidate: &RepairCandidate) -> f64 {
        candidate.iter().map(|id| self.places[id.position()].1).fold(1.0, f64::min)
    }
}
