//! The search: by size, first among the kept rows, then for roots whose operands are kept, then for operands that are
//! computed themselves.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use rayon::prelude::*;

use crate::fill::backward::{self, Bits};
use crate::fill::blocks::{self, BLOCK, Known, Step};
use crate::fill::operation::{Meaning, Operation, Word};
use crate::fill::rows::{Index, Rank, Rows};
use crate::fill::space::{MAX_INPUTS, Space};
use crate::fill::target::{Around, Target};
use crate::fill::tree::Tree;
use crate::lang::ty::Type;

#[derive(Clone, Copy, Debug)]
pub struct SearchLimits {
    /// The maximum number of words of kept rows: a row is one word for each input.
    pub words: usize,
    /// The largest size that is tried.
    pub size: usize,
    /// The maximum number of solutions of a size; the first ones stay.
    pub solutions: usize,
    /// The number of operations that may lie around a computed operand.
    pub depth: usize,
}

impl Default for SearchLimits {
    fn default() -> Self {
        SearchLimits { words: 1 << 25, size: 11, solutions: 256, depth: 2 }
    }
}

/// The progress of a search.
#[derive(Debug, Default)]
pub struct Progress {
    /// The size that is being tried.
    pub size: AtomicU64,
    /// Triples of an operation and its operands that were evaluated for at least one input, or looked up.
    pub tried: AtomicU64,
}

/// The search for expressions of one space.
pub struct Search {
    pub space: Space,
    pub rows: Rows,
    target: Target,
    limits: SearchLimits,
    index: Option<Index>,
    pub progress: Progress,
    /// The size that comes next.
    next: usize,
    /// The required input that is compared first.
    sharpest: usize,
}

/// A pair of ranges of operands for one operation, as a piece of work.
struct Job {
    operation: u8,
    split: Split,
}

/// Which operands are kept.
enum Split {
    /// Both, or the only one. The first range is gone through; for each of its rows the second one is searched.
    Kept { side: Known, through: Range<Rank>, others: Range<Rank> },
    /// Only the known one; the other one has a size that is not kept.
    Computed { side: Known, through: Range<Rank>, size: usize },
}

impl Search {
    /// Starts a search for expressions whose values for the required inputs are `words`.
    pub fn new(space: Space, ty: Type, words: &[u32], limits: SearchLimits) -> Search {
        let target = Target::exact(ty, words);
        let rows = Rows::new(&space);
        let sharpest = target.sharpest();
        let progress = Progress::default();
        Search { space, rows, target, limits, index: None, progress, next: 1, sharpest }
    }

    /// The size that the next call of [`Search::step`] tries; `None` when all are done.
    pub fn next_size(&self) -> Option<usize> {
        (self.next <= self.limits.size).then_some(self.next)
    }

    /// The bytes of the kept rows and of what finds them.
    pub fn bytes(&self) -> usize {
        self.rows.bytes() + self.index.as_ref().map_or(0, Index::bytes)
    }

    /// Tries all expressions of the next size and returns the first solutions among them, in order; `None` if it was
    /// stopped, and then the same size is next.
    pub fn step(&mut self, stop: &(dyn Fn() -> bool + Sync)) -> Option<Vec<Tree>> {
        let size = self.next_size()?;
        self.progress.size.store(size as u64, Relaxed);
        if self.index.is_none() && size > self.rows.largest() {
            let limit = self.limits.words / self.space.inputs.max(1);
            let grown = self.rows.grow(&self.space, limit, stop);
            self.progress.tried.fetch_add(grown.tried, Relaxed);
            if stop() {
                return None;
            }
            if !grown.whole {
                self.index = Some(Index::new(&self.rows));
            }
        }
        if self.target.bits.is_empty() {
            // All that differ are solutions; those that are not kept are too many.
            let found = self.rows.of_size(size, self.target.ty).map(Tree::Kept).collect();
            self.next = if self.index.is_some() { self.limits.size + 1 } else { size + 1 };
            return Some(found);
        }
        let found = if size <= self.rows.largest() {
            let range = self.rows.of_size(size, self.target.ty);
            let mut found = Vec::new();
            self.scan(&self.target, &[], None, range, &mut |rank| found.push(Tree::Kept(rank)));
            found
        } else {
            self.roots(size, stop)?
        };
        self.next += 1;
        Some(found)
    }

    /// The solutions of a size that is not kept.
    fn roots(&self, size: usize, stop: &(dyn Fn() -> bool + Sync)) -> Option<Vec<Tree>> {
        let jobs = self.jobs(self.target.ty, size, self.limits.depth);
        let parts: Vec<Vec<Tree>> = jobs
            .par_iter()
            .with_max_len(1)
            .map(|job| {
                let mut found = Vec::new();
                if !stop() {
                    self.work(job, size, &self.target, &mut Vec::new(), stop, &mut found);
                    self.shorten(&mut found);
                }
                found
            })
            .collect();
        if stop() {
            return None;
        }
        let mut found: Vec<Tree> = parts.into_iter().flatten().collect();
        self.shorten(&mut found);
        Some(found)
    }

    fn shorten(&self, found: &mut Vec<Tree>) {
        found.sort_by(|own, other| own.order(other, &self.rows));
        found.truncate(self.limits.solutions);
    }

    /// The pieces of work for all expressions of a size, of operations with a result of type `ty`.
    fn jobs(&self, ty: Type, size: usize, depth: usize) -> Vec<Job> {
        const PIECE: usize = 1024;
        let kept = self.rows.largest();
        let mut jobs = Vec::new();
        for (at, operation) in self.space.operations.iter().enumerate().filter(|(_, own)| own.result == ty) {
            let mut push = |split| jobs.push(Job { operation: at as u8, split });
            let of = |size| self.rows.of_size(size, operation.operand);
            if operation.is_unary() {
                if size - 1 <= kept {
                    push(Split::Kept { side: Known::Left, through: 0..1, others: of(size - 1) });
                } else if depth > 0 {
                    push(Split::Computed { side: Known::Left, through: 0..1, size: size - 1 });
                }
                continue;
            }
            let last = if operation.commutes() { (size - 1) / 2 } else { size.saturating_sub(2) };
            for left in 1..=last {
                let right = size - 1 - left;
                let known = if left <= right { left } else { right };
                let side = if left <= right { Known::Left } else { Known::Right };
                if known > kept {
                    continue;
                }
                let through = of(known);
                if left.max(right) <= kept {
                    for begin in through.clone().step_by(PIECE) {
                        let through = begin..through.end.min(begin + PIECE as Rank);
                        push(Split::Kept { side, through, others: of(left.max(right)) });
                    }
                } else if depth > 0 {
                    for begin in through.clone().step_by(4) {
                        let through = begin..through.end.min(begin + 4);
                        push(Split::Computed { side, through, size: left.max(right) });
                    }
                }
            }
        }
        jobs
    }

    /// Finds the solutions of a piece of work. `around` are the operations around the expression, the outermost first,
    /// and `target` is what they require of it.
    fn work(
        &self,
        job: &Job,
        size: usize,
        target: &Target,
        around: &mut Vec<Around>,
        stop: &(dyn Fn() -> bool + Sync),
        found: &mut Vec<Tree>,
    ) {
        let operation = self.space.operations[job.operation as usize];
        let same_size = |others: &Range<Rank>, through: &Range<Rank>| {
            operation.commutes() && (others.start..others.end.max(others.start + 1)).contains(&through.start)
        };
        let (Split::Kept { side, .. } | Split::Computed { side, .. }) = &job.split;
        let own = |known: Rank| Around { operation: job.operation, side: *side, known };
        match &job.split {
            Split::Kept { side, through, others } => {
                let is_symmetric = same_size(others, through);
                let rest = |known: Rank| if is_symmetric { known..others.end } else { others.clone() };
                if target.is_exact()
                    && let Some(inverse) = backward::inverse(operation, *side)
                {
                    self.look_up(inverse, through.clone(), target, &mut |known, other| {
                        if rest(known).contains(&other) {
                            self.accept(own(known), Tree::Kept(other), size, around, found);
                        }
                    });
                    return;
                }
                for known in through.clone() {
                    let Some(operand) = target.operand(operation, *side, known, &self.rows) else { continue };
                    let mut hits = Vec::new();
                    self.scan(&operand, around, Some(own(known)), rest(known), &mut |rank| hits.push(rank));
                    for rank in hits {
                        self.accept(own(known), Tree::Kept(rank), size, around, found);
                    }
                }
            }
            Split::Computed { through, size: other, .. } => {
                for known in through.clone() {
                    let Some(operand) = target.operand(operation, *side, known, &self.rows) else { continue };
                    around.push(own(known));
                    let depth = self.limits.depth - around.len();
                    let mut inner = Vec::new();
                    for inside in self.jobs(operand.ty, *other, depth) {
                        if stop() {
                            break;
                        }
                        self.work(&inside, *other, &operand, around, stop, &mut inner);
                    }
                    around.pop();
                    found.extend(inner.into_iter().map(|tree| self.applied(own(known), tree, size)));
                }
            }
        }
        if found.len() > 4 * self.limits.solutions {
            self.shorten(found);
        }
    }

    fn applied(&self, own: Around, other: Tree, size: usize) -> Tree {
        let known = Tree::Kept(own.known);
        let operands = Box::new(if own.side == Known::Left { [known, other] } else { [other, known] });
        Tree::Apply { operation: own.operation, size, operands }
    }

    /// Keeps a candidate if the whole expression has the required values.
    fn accept(&self, own: Around, other: Tree, size: usize, around: &[Around], found: &mut Vec<Tree>) {
        let tree = self.applied(own, other, size);
        let fits = |input: usize| {
            let word = around.iter().rev().fold(tree.value(&self.space, &self.rows, input), |word, around| {
                self.around(*around, word, input)
            });
            word.is_some_and(|word| self.target.bits[input].fit(word))
        };
        if (0..self.space.required).all(fits) {
            found.push(tree);
        }
    }

    /// The value of an operation around a value.
    fn around(&self, around: Around, word: Word, input: usize) -> Word {
        let operation = self.space.operations[around.operation as usize];
        let known = Tree::Kept(around.known).value(&self.space, &self.rows, input);
        match around.side {
            Known::Left => operation.value(known, word),
            Known::Right => operation.value(word, known),
        }
    }

    /// For each of some known operands, computes the other one from the result and looks it up.
    fn look_up(
        &self,
        (inverse, side): (crate::lang::opcode::Op, Known),
        through: Range<Rank>,
        target: &Target,
        then: &mut dyn FnMut(Rank, Rank),
    ) {
        let Some(index) = &self.index else { return };
        let inverse = Operation { meaning: Meaning::Binary(inverse), operand: Type::INT, result: Type::INT };
        for begin in through.clone().step_by(BLOCK) {
            let own = begin..through.end.min(begin + BLOCK as Rank);
            let mut hashes = Rows::required_seed();
            for (column, bits) in self.rows.columns.iter().zip(&target.bits) {
                let others = &column[own.start as usize..own.end as usize];
                blocks::mix_values(inverse, side, bits.value, others, &mut hashes);
            }
            for (at, known) in own.enumerate() {
                index.find(Rows::required_hash(hashes.at(at))).for_each(|other| then(known, other));
            }
        }
        self.progress.tried.fetch_add(through.len() as u64, Relaxed);
    }

    /// Finds the rows of a range that fit a target. Where nothing is known of an operand for any input, its value within
    /// the operations around it, the last one being `own`, is compared with what is required of the whole.
    fn scan(
        &self,
        target: &Target,
        around: &[Around],
        own: Option<Around>,
        range: Range<Rank>,
        then: &mut dyn FnMut(Rank),
    ) {
        self.progress.tried.fetch_add(range.len() as u64, Relaxed);
        let sharpest = target.sharpest();
        let known = target.bits[sharpest];
        let mut steps = [Step::NONE; 4];
        // Few bits exclude few candidates; so does a bool.
        let enough = target.ty == Type::BOOL || known.mask.count_ones() >= 6 || own.is_none();
        let (input, steps, wanted) = if known.mask != 0 && enough {
            (sharpest, &steps[..0], known)
        } else {
            let own = own.iter().chain(around.iter().rev());
            let mut count = 0;
            for (step, around) in steps.iter_mut().zip(own) {
                *step = around.step(&self.space, &self.rows, self.sharpest);
                count += 1;
            }
            (self.sharpest, &steps[..count], self.target.bits[self.sharpest])
        };
        let column = &self.rows.columns[input];
        let mut hits = [0; BLOCK / 64];
        for begin in range.clone().step_by(BLOCK) {
            let end = range.end.min(begin + BLOCK as Rank);
            blocks::find(steps, &column[begin as usize..end as usize], wanted.mask, wanted.value, &mut hits);
            for (word, hits) in hits.iter().enumerate() {
                let mut left = *hits;
                while left != 0 {
                    let rank = begin + (word * 64) as Rank + left.trailing_zeros();
                    left &= left - 1;
                    if self.fits(target, rank) {
                        then(rank);
                    }
                }
            }
        }
    }

    /// Whether a row has all bits of a target. Where it traps, only that nothing is required of it.
    fn fits(&self, target: &Target, rank: Rank) -> bool {
        let traps = self.rows.traps[rank as usize];
        let fits = |(input, bits): (usize, &Bits)| {
            if traps >> input & 1 == 1 {
                return bits.mask == 0;
            }
            bits.fit(self.rows.columns[input][rank as usize])
        };
        target.bits.iter().enumerate().all(fits)
    }

    /// Groups solutions by their values for all inputs, also those without a required result; the first of each group
    /// stays.
    pub fn different(&self, found: &[Tree]) -> Vec<Tree> {
        let mut seen = std::collections::HashSet::new();
        let mut kept = Vec::new();
        for tree in found {
            let mut row = [None; MAX_INPUTS];
            for (input, word) in row.iter_mut().enumerate().take(self.space.inputs) {
                *word = tree.value(&self.space, &self.rows, input);
            }
            if seen.insert(row) {
                kept.push(tree.clone());
            }
        }
        kept
    }
}
