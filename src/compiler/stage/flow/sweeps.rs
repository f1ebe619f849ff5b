//! Solves forward analyses by sweeps over the blocks of a routine, in order of the code.
//!
//! An edge leads *back* if it enters a block that is not after the one that it leaves; that block is a *head*. In a
//! sweep, facts travel along all other edges. Those that travel back arrive in the next sweep. So a sweep is a
//! function of the one before it, and the result does not depend on how it is computed.

use super::Flow;

/// A forward analysis. Facts are those at the beginning of a block, in a row of fixed width.
pub trait Analysis {
    type Fact: Copy + PartialEq;

    /// Number of sweeps that follow the last one that widens.
    const NARROWING: u32 = 0;

    /// The facts where the routine begins.
    fn entry(&self) -> Vec<Self::Fact>;

    /// Reduces `facts` to those that hold on both of two paths.
    fn meet(&self, facts: &mut [Self::Fact], other: &[Self::Fact]);

    /// Reduces the facts of a head so that sweeps come to an end. `old` are those of the previous sweep.
    fn widen(&self, _sweep: u32, _old: &[Self::Fact], _facts: &mut [Self::Fact]) {}

    /// Whether facts of a head are reduced only for what travels back. What arrives from before the loop comes to an end
    /// on its own.
    fn spares_arrivals(&self) -> bool {
        false
    }

    /// Returns the edges on which control may leave a block, each with the block that it enters and the facts there.
    fn leave(&mut self, block: usize, facts: &[Self::Fact]) -> Vec<(usize, Vec<Self::Fact>)>;
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct SweepRows<F> {
    /// Facts of a block.
    width: usize,
    facts: Vec<F>,
    /// By block: whether control may arrive there.
    reached: Vec<bool>,
}

impl<F: Copy + PartialEq> SweepRows<F> {
    fn new(blocks: usize, entry: &[F]) -> SweepRows<F> {
        SweepRows { width: entry.len(), facts: entry.repeat(blocks), reached: vec![false; blocks] }
    }

    /// The facts of a block, counted from the routine's first one; `None` if control cannot arrive there.
    pub fn get(&self, block: usize) -> Option<&[F]> {
        self.reached[block].then(|| &self.facts[block * self.width..][..self.width])
    }

    fn row(&mut self, block: usize) -> &mut [F] {
        &mut self.facts[block * self.width..][..self.width]
    }

    /// Adds a path on which `facts` hold.
    fn join<A: Analysis<Fact = F>>(&mut self, block: usize, facts: &[F], analysis: &A) {
        match std::mem::replace(&mut self.reached[block], true) {
            true => analysis.meet(self.row(block), facts),
            false => self.row(block).copy_from_slice(facts),
        }
    }
}

/// Returns the facts at the beginning of each block of a routine.
pub fn solve<A: Analysis>(flow: &Flow, routine: usize, analysis: &mut A) -> SweepRows<A::Fact> {
    let span = flow.spans.blocks(routine);
    let entry = analysis.entry();
    let unreached = SweepRows::new(span.len(), &entry);
    let (mut old, mut back) = (unreached.clone(), unreached.clone());
    let (mut sweep, mut narrowing) = (0, None);
    let is_head = |block: usize| flow.predecessors(span.start + block).any(|from| from >= span.start + block);
    let heads: Vec<bool> = (0..span.len()).map(is_head).collect();
    loop {
        let (mut new, mut later) = (unreached.clone(), unreached.clone());
        new.join(0, &entry, analysis);
        for (block, is_head) in heads.iter().enumerate() {
            let before = old.get(block).filter(|_| *is_head && narrowing.is_none());
            let spared = before.filter(|_| analysis.spares_arrivals()).map(|before| {
                new.join(block, before, analysis);
                new.row(block).to_vec()
            });
            if let Some(facts) = back.get(block) {
                new.join(block, facts, analysis);
            }
            if let Some(before) = spared.as_deref().or(before) {
                new.join(block, before, analysis);
                analysis.widen(sweep, before, new.row(block));
            }
            let Some(facts) = new.get(block) else { continue };
            for (to, facts) in analysis.leave(span.start + block, facts) {
                let to = to - span.start;
                let rows = if to > block { &mut new } else { &mut later };
                rows.join(to, &facts, analysis);
            }
        }
        // Without a way back, the first sweep is exact.
        if !heads.contains(&true) {
            return new;
        }
        let settled = new == old;
        (old, back) = (new, later);
        sweep += 1;
        narrowing = match narrowing {
            None => settled.then_some(A::NARROWING),
            Some(left) => Some(left - 1),
        };
        if narrowing == Some(0) {
            return old;
        }
    }
}
