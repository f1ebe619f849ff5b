//! All rewrites of a program, in the order in which they are tried.

use super::Candidate;
use super::candidates::{Collector, MOST};
use super::rewrite::Rewrite;
use crate::compiler::program::{Compiled, Watch};
use crate::compiler::stage::mutate::Plan;
use crate::engine::Patch;
use crate::lang::mutation::Group;

/// What a second rewrite of the same function costs more.
const AGAIN: u32 = 3;

/// The rewrites of the functions that failing entries enter, the cheapest and most suspicious first.
pub struct Catalogue {
    rewrites: Vec<Rewrite>,
    /// Of each the function that it is in, and how suspicious its place is.
    places: Vec<(u32, f64)>,
}

impl Catalogue {
    /// Of a program whose tokens are so suspicious. `None` if it was stopped.
    pub fn new(base: &Compiled, suspicion: &[f64], watch: &dyn Watch) -> Option<Catalogue> {
        let of = |rewrite: &Rewrite| {
            let tokens = rewrite.lo as usize..rewrite.end() as usize;
            suspicion.get(tokens).unwrap_or_default().iter().copied().fold(0.0, f64::max)
        };
        let (children, mut plan) = (base.view().children(), Plan::default());
        plan.build(base.view(), Group::Repair);
        let mut all: Vec<(Rewrite, u32, f64)> = Vec::new();
        for function in 0..base.facts.functions {
            let extent = base.executable.routine(function).map(|routine| base.view().extent(routine.head()));
            let entered = { extent.iter() }.flat_map(Clone::clone).any(|t| suspicion[t as usize] > 0.0);
            if watch.cancelled() {
                return None;
            }
            let room = MOST.saturating_sub(all.len());
            let collector = Collector::new(base, &children, function, room).filter(|_| entered);
            let own = extent.map_or(0..0, |extent| plan.of(extent));
            let edits = own.filter_map(|number| Some((number, plan.edit(base.view(), number)?)));
            for rewrite in collector.map_or(Vec::new(), |collector| collector.collect(edits)) {
                let suspicion = of(&rewrite);
                all.push((rewrite, function, suspicion));
            }
        }
        let order = |(rewrite, _, suspicion): &(Rewrite, u32, f64)| (rewrite.rule.cost(), -suspicion);
        all.sort_by(|a, b| order(a).partial_cmp(&order(b)).unwrap_or(std::cmp::Ordering::Equal));
        let places = all.iter().map(|(_, function, suspicion)| (*function, *suspicion)).collect();
        Some(Catalogue { rewrites: all.into_iter().map(|(rewrite, ..)| rewrite).collect(), places })
    }

    pub fn len(&self) -> usize {
        self.rewrites.len()
    }

    /// The rewrite at a place of the list.
    pub fn at(&self, place: u32) -> &Rewrite {
        &self.rewrites[place as usize]
    }

    /// The function that a rewrite is in.
    pub fn function(&self, place: u32) -> u32 {
        self.places[place as usize].0
    }

    /// The places of the rewrites of a function, in their order.
    pub fn of_function(&self, function: u32) -> impl Iterator<Item = u32> {
        (0..).zip(&self.places).filter(move |(_, (own, _))| *own == function).map(|(place, _)| place)
    }

    pub fn rewrites(&self, candidate: &[u32]) -> Vec<&Rewrite> {
        candidate.iter().map(|place| self.at(*place)).collect()
    }

    /// A candidate as engines validate it.
    pub fn patch(&self, candidate: &[u32]) -> Patch<'_> {
        let mut patch: Patch = candidate.iter().map(|place| self.at(*place).hunk()).collect();
        patch.sort_by_key(|hunk| hunk.lo);
        patch
    }

    /// Whether two candidates change the same tokens.
    pub fn overlap(&self, one: &[u32], other: &[u32]) -> bool {
        one.iter().any(|a| other.iter().any(|b| self.at(*a).overlaps(self.at(*b))))
    }

    /// How much a candidate changes: several rewrites of one function are less likely than one that costs as much.
    pub fn cost(&self, candidate: &Candidate) -> u32 {
        let rewrites: u32 = candidate.iter().map(|place| self.at(*place).rule.cost()).sum();
        let mut functions: Vec<u32> = candidate.iter().map(|place| self.function(*place)).collect();
        functions.sort_unstable();
        functions.dedup();
        rewrites + AGAIN * (candidate.len() - functions.len()) as u32
    }

    /// How suspicious the least suspicious place of a candidate is.
    pub fn suspicion(&self, candidate: &Candidate) -> f64 {
        candidate.iter().map(|place| self.places[*place as usize].1).fold(1.0, f64::min)
    }
}
