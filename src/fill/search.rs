//! The search: by size, first among the kept rows, then for roots whose operands are kept, then for operands that are
//! computed themselves; then expressions that share a part.

mod find;
mod shared;
mod ways;

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::fill::backward::Bits;
use crate::fill::blocks::{self, BLOCK, Known, Step};
use crate::fill::index::Index;
use crate::fill::operation::{Meaning, Operation, Word};
use crate::fill::pieces::{Piece, Searched, Walk};
use crate::fill::rows::{Grown, Rank, Rows};
use crate::fill::scanner::{Kept, Scanner};
use crate::fill::space::{MAX_INPUTS, Space};
use crate::fill::target::{Around, Target};
use crate::fill::tree::Tree;
use crate::lang::ty::Type;
pub use ways::Way;

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
    /// For each run, the ways of which a condition must have one.
    runs: Vec<Vec<Way>>,
    limits: SearchLimits,
    /// The largest size of expressions that share a part; 0 if none are searched.
    shared: usize,
    index: Option<Index>,
    pub progress: Arc<Progress>,
    /// The size that comes next.
    next: usize,
    /// The required input that is compared first.
    sharpest: usize,
    /// The device for sizes that are not kept, and whether it has the kept rows.
    scanner: Option<(Box<dyn Scanner>, bool)>,
    failure: Option<String>,
    /// The number of pieces of a stopped size, or of batches of shared parts, that are done, and the solutions in them.
    begun: (u64, Vec<Tree>),
}

/// The number of pairs of operands in a batch for the processor.
const BUDGET: u64 = 1 << 28;
/// The number of blocks of rows between two questions whether to stop.
const PATIENCE: usize = 32;
/// The maximum number of operations in a candidate: that of a piece, and those around it.
const STEPS: usize = 6;

impl Search {
    /// Starts a search for expressions whose values for the required inputs are `words`.
    pub fn new(space: Space, ty: Type, words: &[u32], limits: SearchLimits) -> Search {
        let target = Target::exact(ty, words);
        let rows = Rows::new(&space);
        let sharpest = target.sharpest();
        let progress = Arc::default();
        let (index, scanner, failure, begun) = (None, None, None, (0, Vec::new()));
        let limits = SearchLimits { depth: limits.depth.min(STEPS - 1), ..limits };
        let (runs, next) = (Vec::new(), 1);
        Search {
            space,
            rows,
            target,
            runs,
            limits,
            shared: 0,
            index,
            progress,
            next,
            sharpest,
            scanner,
            failure,
            begun,
        }
    }

    /// Searches the sizes that are not kept with a device. Without one, or after it has failed, the processor does.
    pub fn set_scanner(&mut self, scanner: Option<Box<dyn Scanner>>) {
        self.scanner = scanner.map(|scanner| (scanner, false));
    }

    pub fn has_scanner(&self) -> bool {
        self.scanner.is_some()
    }

    /// Returns the device, for another search.
    pub fn take_scanner(&mut self) -> Option<Box<dyn Scanner>> {
        self.scanner.take().map(|(scanner, _)| scanner)
    }

    /// Why the device was given up.
    pub fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }

    /// Whether the next size is not kept, so that a device may take part.
    pub fn is_wide(&self) -> bool {
        self.index.is_some() && self.next > self.rows.largest()
    }

    /// The size that the next call of [`Search::step`] tries; `None` when all are done.
    pub fn next_size(&self) -> Option<usize> {
        (self.next <= self.last()).then_some(self.next)
    }

    /// The last size.
    pub fn last(&self) -> usize {
        self.limits.size.max(self.shared)
    }

    /// The bytes of the kept rows and of what finds them.
    pub fn bytes(&self) -> usize {
        self.rows.bytes() + self.index.as_ref().map_or(0, Index::bytes)
    }

    /// Makes the rows of the next size, if they are kept; `None` if it was stopped. [`Search::step`] does so, too.
    pub fn keep_next(&mut self, stop: &(dyn Fn() -> bool + Sync)) -> Option<()> {
        // Inside the pool, a batch does not wait for its threads to wake this one.
        rayon::scope(|_| self.keep(stop))
    }

    fn keep(&mut self, stop: &(dyn Fn() -> bool + Sync)) -> Option<()> {
        let next = self.next_size()?;
        if !self.rows.is_full() && next > self.rows.largest() && next <= self.limits.size {
            let limit = self.limits.words / self.space.inputs.max(1);
            let (tried, grown) = self.rows.grow(&self.space, limit, stop);
            self.progress.tried.fetch_add(tried, Relaxed);
            if grown == Grown::Stopped {
                return None;
            }
        }
        if self.rows.is_full() && self.index.is_none() {
            self.index = Some(Index::new(&self.rows, stop)?);
        }
        Some(())
    }

    /// Tries all expressions of the next size and returns the first solutions among them, in order; `None` if it was
    /// stopped, and then the same size is next.
    pub fn step(&mut self, stop: &(dyn Fn() -> bool + Sync)) -> Option<Vec<Tree>> {
        rayon::scope(|_| self.step_inside(stop))
    }

    fn step_inside(&mut self, stop: &(dyn Fn() -> bool + Sync)) -> Option<Vec<Tree>> {
        let size = self.next_size()?;
        self.progress.size.store(size as u64, Relaxed);
        self.keep(stop)?;
        if self.target.bits.is_empty() {
            // All that differ are solutions; those that are not kept are too many.
            let evaluated = (1u64.unbounded_shl(self.space.evaluated as u32)).wrapping_sub(1);
            let is_possible = |rank: &Rank| self.rows.traps[*rank as usize] & evaluated == 0;
            let own = self.rows.of_size(size, self.target.ty).filter(is_possible);
            let found = own.map(Tree::Kept).collect();
            let is_last = self.index.is_some() || size == self.limits.size;
            self.next = if is_last { self.last() + 1 } else { size + 1 };
            return Some(found);
        }
        let found = if size > self.limits.size {
            self.shared(size, stop)?
        } else if size <= self.rows.largest() {
            let range = self.rows.of_size(size, self.target.ty);
            let (count, mut found) = (range.len() as u64, Vec::new());
            self.scan(&self.target, None, range, stop, &mut |rank| {
                let tree = Tree::Kept(rank);
                found.extend(self.follows(|input| tree.value(&self.space, &self.rows, input)).then_some(tree));
            })?;
            self.progress.tried.fetch_add(count, Relaxed);
            found
        } else if self.is_vague() {
            self.next = self.last();
            Vec::new()
        } else {
            self.roots(size, stop)?
        };
        self.next += 1;
        Some(found)
    }

    /// The solutions of a size that is not kept. After a stop it goes on with the batch that was stopped.
    fn roots(&mut self, size: usize, stop: &(dyn Fn() -> bool + Sync)) -> Option<Vec<Tree>> {
        let mut scanner = self.scanner.take();
        let mut failure = None;
        let (skip, mut found) = std::mem::take(&mut self.begun);
        let mut done = skip;
        let budget = |scanner: &Option<(Box<dyn Scanner>, bool)>| {
            scanner.as_ref().map_or(BUDGET, |(scanner, _)| scanner.budget())
        };
        let first = budget(&scanner);
        let Search { space, rows, target, .. } = &*self;
        let searched = Searched { space, rows, target, depth: self.limits.depth };
        let mut work = |pieces: &[Piece]| {
            if stop() {
                return None;
            }
            let pieces: Vec<&Piece> = pieces.iter().collect();
            let by_device = scanner.as_mut().map(|(scanner, has_rows)| {
                if !std::mem::replace(has_rows, true) {
                    scanner.keep(&Kept { space, rows, target, sharpest: self.sharpest })?;
                }
                self.find_all_on(&mut **scanner, &pieces, stop)
            });
            let (tried, new) = match by_device {
                Some(Ok(found)) => found,
                None => self.find_all(&pieces, stop),
                Some(Err(why)) => {
                    (scanner, failure) = (None, Some(why));
                    self.find_all(&pieces, stop)
                }
            }?;
            self.progress.tried.fetch_add(tried, Relaxed);
            done += pieces.len() as u64;
            found.extend(new);
            self.shorten(&mut found);
            Some(budget(&scanner))
        };
        let whole = Walk::new(searched, (skip, first), stop, &mut work).all(size);
        self.scanner = scanner;
        self.failure = failure.or(self.failure.take());
        if !whole {
            self.begun = (done, found);
            return None;
        }
        Some(found)
    }

    /// Keeps the first solutions, in order.
    fn shorten(&self, found: &mut Vec<Tree>) {
        found.sort_by(|own, other| own.order(other, &self.rows));
        found.truncate(self.limits.solutions);
    }

    /// Returns a candidate as a whole expression if it has the required values.
    fn accept(&self, piece: &Piece, known: Rank, other: Rank) -> Option<Tree> {
        let own = Around { operation: piece.operation, side: piece.side, known };
        let around = &piece.context.around;
        let value = |input: usize| {
            let word = Tree::Kept(other).value(&self.space, &self.rows, input);
            std::iter::once(&own)
                .chain(around.iter().rev().map(|(around, _)| around))
                .fold(word, |word, around| self.around(*around, word, input))
        };
        let fits = |input: usize| {
            let bits = self.target.bits[input];
            bits.mask == 0 || value(input).is_some_and(|word| bits.fit(word))
        };
        if !((0..self.space.required).all(fits) && self.follows(value)) {
            return None;
        }
        let tree = applied(own, Tree::Kept(other), piece.size);
        Some(around.iter().rev().fold(tree, |tree, (around, size)| applied(*around, tree, *size)))
    }

    /// The value of an operation around a value.
    fn around(&self, around: Around, word: Word, input: usize) -> Word {
        let operation = self.space.operations[around.operation as usize];
        let known = Tree::Kept(around.known).value(&self.space, &self.rows, input);
        match around.side {
            Known::Left => self.space.value(operation, known, word, input),
            Known::Right => self.space.value(operation, word, known, input),
        }
    }

    /// For each of some known operands, computes the other one from the result and looks it up; `None` if it was stopped.
    fn look_up(
        &self,
        (inverse, side): (crate::lang::opcode::Op, Known),
        through: Range<Rank>,
        target: &Target,
        stop: &dyn Fn() -> bool,
        then: &mut dyn FnMut(Rank, Rank),
    ) -> Option<()> {
        let Some(index) = &self.index else { return Some(()) };
        let operation = Operation { meaning: Meaning::Binary(inverse), operand: Type::INT, result: Type::INT };
        for begin in through.clone().step_by(BLOCK) {
            if stop() {
                return None;
            }
            let own = begin..through.end.min(begin + BLOCK as Rank);
            let mut hashes = Rows::required_seed();
            for (column, bits) in self.rows.columns.iter().zip(&target.bits) {
                let others = &column[own.start as usize..own.end as usize];
                let step = Step { operation, side, known: bits.value, ..Step::NONE };
                blocks::mix_values(step, others, &mut hashes);
            }
            for (at, known) in own.enumerate() {
                index.find(Rows::required_hash(hashes.at(at))).for_each(|other| then(known, other));
            }
        }
        Some(())
    }

    /// Finds the rows of a range that fit a target. Where little is known of an operand for any input, the value of the
    /// whole expression is compared: that of a piece with a known operand. `None` if it was stopped.
    fn scan(
        &self,
        target: &Target,
        own: Option<(&Piece, Rank)>,
        range: Range<Rank>,
        stop: &dyn Fn() -> bool,
        then: &mut dyn FnMut(Rank),
    ) -> Option<()> {
        let sharpest = target.sharpest();
        let known = target.bits[sharpest];
        let mut steps = [Step::NONE; STEPS];
        // Few bits exclude few candidates; so does a bool.
        let is_weak = known.mask == 0 || target.ty != Type::BOOL && known.mask.count_ones() < 6;
        let (input, steps, wanted) = match own {
            Some((piece, known)) if is_weak => {
                let own = Around { operation: piece.operation, side: piece.side, known };
                let around = piece.context.around.iter().rev().map(|(around, _)| *around);
                let mut count = 0;
                for (step, around) in steps.iter_mut().zip(std::iter::once(own).chain(around)) {
                    *step = around.step(&self.space, &self.rows, self.sharpest);
                    count += 1;
                }
                (self.sharpest, &steps[..count], self.target.bits[self.sharpest])
            }
            _ => (sharpest, &steps[..0], known),
        };
        let column = &self.rows.columns[input];
        let mut hits = [0; BLOCK / 64];
        for (number, begin) in (1..).zip(range.clone().step_by(BLOCK)) {
            if number % PATIENCE == 0 && stop() {
                return None;
            }
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
        Some(())
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
        if found.iter().all(|tree| matches!(tree, Tree::Kept(_))) {
            return found.to_vec();
        }
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

fn applied(own: Around, other: Tree, size: usize) -> Tree {
    let known = Tree::Kept(own.known);
    let operands = Box::new(if own.side == Known::Left { [known, other] } else { [other, known] });
    Tree::Apply { operation: own.operation, size, operands }
}
