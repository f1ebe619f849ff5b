//! Pairs of rewrites: one that moves a failure, and a second one in the same function.

use rayon::prelude::*;

use super::RepairCandidate;
use super::catalogue::Catalogue;
use super::compile::{JudgeBuffers, RepairBase};
use super::judge::Judge;
use super::rewrite::base_token;
use crate::compiler::program::{View, Watch};
use crate::lang::index::{Indices, RewriteId, TokenId};
use crate::lang::role::Role;

/// The maximum number of first rewrites, and of those that are examined to choose them.
/// Pairs are the product of both numbers, so the first one must be small.
const FIRSTS: usize = 48;
const LOOKED_AT: usize = 4 * FIRSTS;

/// A rewrite that moves failures, with the second rewrites to try with it, in order.
struct First {
    /// The failures that the rewrite moves, as bits.
    set: u64,
    rewrite: RewriteId,
    /// Rewrites of the same function that do not overlap this one. Those that change the statement where its run now
    /// traps come first.
    seconds: Vec<RewriteId>,
}

/// The pairs of a program, numbered.
#[derive(Default)]
pub struct Pairs {
    firsts: Vec<First>,
    /// The maximum number of second rewrites of any first one.
    longest: usize,
}

impl Pairs {
    /// Builds the pairs from rewrites that move failures. Those that break no passing entry come first. Returns `None`
    /// if the work was cancelled.
    pub fn new(
        moved: &[(u64, RewriteId)],
        (judge, ground, catalogue): (&Judge, &RepairBase, &Catalogue),
        watch: &(dyn Watch + Sync),
    ) -> Option<Pairs> {
        let breaks = |bench: &mut JudgeBuffers, (set, id): &(u64, RewriteId)| {
            (judge.breaks(bench, ground, &[catalogue.at(*id)], watch), *set, *id)
        };
        let looked_at = &moved[..moved.len().min(LOOKED_AT)];
        let mut order: Vec<(bool, u64, RewriteId)> =
            looked_at.par_iter().map_init(JudgeBuffers::default, breaks).collect();
        // The sort is stable, so each group stays ordered by cost.
        order.sort_by_key(|(breaks, ..)| *breaks);
        order.truncate(FIRSTS);
        let first = |bench: &mut JudgeBuffers, (_, set, id): (bool, u64, RewriteId)| {
            let rewrite = catalogue.at(id);
            let trapped = judge.traps_at(bench, ground, rewrite, set.trailing_zeros() as usize);
            let statement = trapped
                .and_then(|t| statement(ground.base.view(), base_token(rewrite, t)))
                .unwrap_or(Indices::first(0));
            let is_near = |id: &RewriteId| {
                let second = catalogue.at(*id);
                second.lo < statement.end() && statement.start() < second.end()
            };
            let others = catalogue.of_function(catalogue.function(id));
            let others = others.filter(|other| !catalogue.at(*other).overlaps(rewrite));
            // The second mistake is most likely where the run now traps.
            let (near, far): (Vec<RewriteId>, Vec<RewriteId>) = others.partition(is_near);
            First { set, rewrite: id, seconds: [near, far].concat() }
        };
        let firsts: Vec<First> = order.into_par_iter().map_init(JudgeBuffers::default, first).collect();
        let longest = firsts.iter().map(|first| first.seconds.len()).max().unwrap_or(0);
        (!watch.cancelled()).then_some(Pairs { firsts, longest })
    }

    pub fn len(&self) -> usize {
        self.firsts.iter().map(|first| first.seconds.len()).sum()
    }

    /// Returns up to `most` pairs that move some of the `open` failures, beginning at number `from`, and the number to
    /// continue with. Pairs are ordered by the rank of the second rewrite, then by the first rewrite.
    pub fn some(&self, from: usize, open: u64, most: usize) -> (Vec<RepairCandidate>, usize) {
        let (mut some, mut at) = (Vec::new(), from);
        while some.len() < most && at < self.firsts.len() * self.longest {
            // Rank before first rewrite, so that the best second ones of all are tried early.
            let (rank, first) = (at / self.firsts.len(), &self.firsts[at % self.firsts.len()]);
            at += 1;
            if let Some(second) = first.seconds.get(rank).filter(|_| first.set & open != 0) {
                some.push(vec![first.rewrite, *second]);
            }
        }
        (some, at)
    }
}

/// Returns the tokens of the innermost statement that contains a token.
fn statement(view: View, t: TokenId) -> Option<Indices<TokenId>> {
    let mut node = t;
    loop {
        let parent = view.parent(node)?;
        if view.is(parent, Role::Block) {
            return Some(view.extent(node));
        }
        node = parent;
    }
}
