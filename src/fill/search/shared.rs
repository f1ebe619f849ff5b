//! Expressions that share a part: a kept expression that occurs twice. One of its occurrences is an operand of the whole,
//! and around the other one lie a few operations, one inside of the other.

use std::ops::Range;
use std::sync::atomic::Ordering::Relaxed;

use rayon::prelude::*;

use super::find::Found;
use super::{Search, applied};
use crate::fill::backward::Bits;
use crate::fill::blocks::{self, BLOCK, Known, Step};
use crate::fill::operation::{Operation, Word};
use crate::fill::rows::Rank;
use crate::fill::target::{Around, Target};
use crate::fill::tree::Tree;
use crate::lang::ty::Type;

/// The largest size of a shared part.
const PART: usize = 7;
/// The number of operations with leaves between the second occurrence and the last operation around it, and the largest size of the
/// kept operand of the last one.
const BETWEEN: usize = 2;
const OPERAND: usize = 4;
/// The maximum number of leaves and operations for which more than one operation lies between.
const STEPS: usize = 1 << 9;
/// The maximum number of candidates of a size. Larger sizes are not searched.
const CANDIDATES: u64 = 1 << 30;
/// The number of bits that must be known for an input, so that most candidates are excluded by it.
const SHARP: u32 = 16;
/// The number of parts that are worked on between two points at which a stopped search goes on.
const BATCH: usize = 64;

/// Operations around a part, the innermost first, and the number of nodes that they add.
#[derive(Clone, Default)]
struct Chain {
    around: Vec<Around>,
    size: usize,
    /// Whether the outermost is unary.
    is_unary: bool,
}

impl Chain {
    fn then(&self, search: &Search, around: Around) -> Chain {
        let is_unary = search.space.operations[around.operation as usize].is_unary();
        let around = self.around.iter().copied().chain([around]).collect();
        Chain { around, size: self.size + if is_unary { 1 } else { 2 }, is_unary }
    }
}

/// The operations of a search on ints, with the side of their known operand. If they commute, that is the left one.
struct Sides {
    unary: Vec<u8>,
    binary: Vec<(u8, Known)>,
}

impl Sides {
    fn of(operations: &[Operation]) -> Sides {
        let own = (0..).zip(operations);
        let own = own.filter(|(_, own)| {
            own.operand == Type::INT && own.result == Type::INT && !own.meaning.needs_space()
        });
        let (unary, binary): (Vec<_>, Vec<_>) = own.partition(|(_, own)| own.is_unary());
        let sides = |(at, own): (u8, &Operation)| {
            let sides = [Known::Left, Known::Right];
            sides.into_iter().take(if own.commutes() { 1 } else { 2 }).map(move |side| (at, side))
        };
        Sides {
            unary: unary.into_iter().map(|(at, _)| at).collect(),
            binary: binary.into_iter().flat_map(sides).collect(),
        }
    }
}

impl Search {
    /// Also searches expressions that share a part, after all others and up to a size. The shared part counts once, and each
    /// place where it is used once more.
    pub fn share(&mut self, size: usize) {
        self.shared = size;
    }

    /// Whether the required values are known ints.
    fn can_share(&self) -> bool {
        self.target.ty == Type::INT && self.target.is_exact() && self.runs.is_empty()
    }

    /// The solutions of a size, or those of all sizes up to the first one; `None` if it was stopped. After a stop it goes on
    /// with the parts that were not done.
    pub(super) fn shared(&mut self, size: usize, stop: &(dyn Fn() -> bool + Sync)) -> Option<Vec<Tree>> {
        let sides = Sides::of(&self.space.operations);
        let chains = if self.can_share() { self.chains(&sides) } else { Vec::new() };
        let sizes = if size == self.limits.size + 1 { 1..=size } else { size..=size };
        let parts: Vec<(usize, Range<Rank>)> = sizes.flat_map(|size| self.parts(size)).collect();
        let count =
            |(rest, parts): &(usize, Range<Rank>)| parts.len() as u64 * self.count(&sides, &chains, *rest);
        if chains.is_empty() || parts.iter().map(count).sum::<u64>() > CANDIDATES {
            self.shared = 0;
            return Some(Vec::new());
        }
        let work = parts.into_iter().flat_map(|(rest, parts)| parts.map(move |part| (rest, part)));
        let work: Vec<(usize, Rank)> = work.filter(|(_, part)| !self.traps_where_required(*part)).collect();
        let (mut done, mut found) = std::mem::take(&mut self.begun);
        for batch in work.chunks(BATCH).skip(done as usize) {
            let own = |(rest, part): &(usize, Rank)| self.around_part(&sides, &chains, *rest, *part, stop);
            let new: Option<Vec<Found>> = batch.par_iter().with_max_len(1).map(own).collect();
            let Some(new) = new else {
                self.begun = (done, found);
                return None;
            };
            done += 1;
            for (tried, trees) in new {
                self.progress.tried.fetch_add(tried, Relaxed);
                found.extend(trees);
            }
            found.truncate(self.limits.solutions);
        }
        if !found.is_empty() {
            // The next size takes longer than all before it together.
            self.shared = size;
        }
        Some(found)
    }

    /// For a size: the parts of each size, with the size of the operations around their second occurrence and these operations' operands.
    fn parts(&self, size: usize) -> impl Iterator<Item = (usize, Range<Rank>)> {
        // The smallest have an operation at the root, one around the second occurrence, and its operand.
        let sizes = 2..=PART.min(size.saturating_sub(4));
        sizes.map(move |part| (size - part - 2, self.rows.of_size(part, Type::INT)))
    }

    fn traps_where_required(&self, rank: Rank) -> bool {
        let required = 1u64.unbounded_shl(self.space.required as u32).wrapping_sub(1);
        self.rows.traps[rank as usize] & required != 0
    }

    /// All operations with leaves around a second occurrence, up to their maximum number.
    fn chains(&self, sides: &Sides) -> Vec<Chain> {
        let leaves = self.rows.of_size(1, Type::INT);
        let unary = sides.unary.iter().map(|at| Around { operation: *at, side: Known::Left, known: 0 });
        let binary = sides
            .binary
            .iter()
            .flat_map(|(at, side)| leaves.clone().map(|known| Around { operation: *at, side: *side, known }));
        let steps: Vec<Around> = unary.chain(binary).collect();
        let mut chains = vec![Chain::default()];
        let mut begin = 0;
        let between = if steps.len() <= STEPS { BETWEEN } else { 1 };
        for _ in 0..between {
            let longer = |chain: &Chain| steps.iter().map(|step| chain.then(self, *step)).collect::<Vec<_>>();
            let new: Vec<Chain> = chains[begin..].iter().flat_map(longer).collect();
            begin = chains.len();
            chains.extend(new);
        }
        chains
    }

    /// The kept operands of the last operation, for a size of what is around the second occurrence.
    fn operands(&self, chain: &Chain, rest: usize) -> Range<Rank> {
        match rest.checked_sub(chain.size + 1) {
            Some(own) if (1..=OPERAND).contains(&own) => self.rows.of_size(own, Type::INT),
            _ => 0..0,
        }
    }

    /// The number of candidates with one part.
    fn count(&self, sides: &Sides, chains: &[Chain], rest: usize) -> u64 {
        let of = |chain: &Chain| self.operands(chain, rest).len() * sides.binary.len();
        (chains.iter().map(of).sum::<usize>() * sides.binary.len()) as u64
    }

    /// The candidates tried with one part, and the solutions among them; `None` if it was stopped.
    fn around_part(
        &self,
        sides: &Sides,
        chains: &[Chain],
        rest: usize,
        part: Rank,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Option<Found> {
        let (mut tried, mut found) = (0, Vec::new());
        for (root, side) in &sides.binary {
            if stop() {
                return None;
            }
            let operation = self.space.operations[*root as usize];
            let Some(target) = self.target.operand(&self.space, operation, *side, part, &self.rows) else {
                continue;
            };
            let input = target.sharpest();
            let bits = target.bits[input];
            if bits.mask.count_ones() < SHARP {
                continue;
            }
            let root = Around { operation: *root, side: *side, known: part };
            for chain in chains.iter().filter(|chain| chain.size <= rest) {
                let Some(word) = self.along_chain(chain, part, input) else { continue };
                if chain.is_unary && chain.size == rest {
                    tried += 1;
                    if bits.fit(word) {
                        found.extend(self.shares(part, chain.around.iter().copied(), root, &target));
                    }
                }
                let operands = self.operands(chain, rest);
                let column = &self.rows.columns[input];
                for (operation, side) in sides.binary.iter().filter(|_| !operands.is_empty()) {
                    // The operand is the unknown one here.
                    let step = match side {
                        Known::Left => Known::Right,
                        Known::Right => Known::Left,
                    };
                    let step = self.space.step(self.space.operations[*operation as usize], step, word, input);
                    tried += operands.len() as u64;
                    self.fitting(step, column, operands.clone(), bits, &mut |known| {
                        let last = Around { operation: *operation, side: *side, known };
                        let around = chain.around.iter().copied().chain([last]);
                        found.extend(self.shares(part, around, root, &target));
                    });
                }
            }
        }
        Some((tried, found))
    }

    fn along_chain(&self, chain: &Chain, part: Rank, input: usize) -> Word {
        let word = Some(self.rows.columns[input][part as usize]);
        chain.around.iter().fold(word, |word, around| self.around(*around, word, input))
    }

    /// Calls `then` with the rows of a range for which a step has some bits.
    fn fitting(&self, step: Step, column: &[u32], range: Range<Rank>, bits: Bits, then: &mut dyn FnMut(Rank)) {
        let mut hits = [0; BLOCK / 64];
        for begin in range.clone().step_by(BLOCK) {
            let end = range.end.min(begin + BLOCK as Rank);
            blocks::find(&[step], &column[begin as usize..end as usize], bits.mask, bits.value, &mut hits);
            for (at, hits) in (0..).zip(hits) {
                let mut left = hits;
                while left != 0 {
                    then(begin + at * 64 + left.trailing_zeros());
                    left &= left - 1;
                }
            }
        }
    }

    /// Returns the expression if it has the required values.
    fn shares(
        &self,
        part: Rank,
        around: impl Iterator<Item = Around> + Clone,
        root: Around,
        target: &Target,
    ) -> Option<Tree> {
        let value = |input: usize| {
            let word = Tree::Kept(part).value(&self.space, &self.rows, input);
            around.clone().fold(word, |word, around| self.around(around, word, input))
        };
        let fits = |input: usize| {
            // Where no bit is known, the whole is evaluated.
            value(input).is_some_and(|word| {
                target.bits[input].fit(word)
                    && self.around(root, Some(word), input) == Some(self.target.bits[input].value)
            })
        };
        (0..self.space.required).all(fits).then(|| {
            let grown = |tree: Tree, around: Around| {
                let is_unary = self.space.operations[around.operation as usize].is_unary();
                let other = if is_unary { 0 } else { self.rows.size_of(around.known) };
                let size = tree.size(&self.rows) + 1 + other;
                applied(around, tree, size)
            };
            around.chain([root]).fold(Tree::Kept(part), grown)
        })
    }
}
