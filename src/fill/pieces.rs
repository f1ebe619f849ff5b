//! The work for a size that is not kept, in pieces: an operation with some of its known operands and a range of kept rows
//! for the other one, within operations around it.

use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

use crate::fill::backward;
use crate::fill::blocks::Known;
use crate::fill::rows::{Rank, Rows};
use crate::fill::space::Space;
use crate::fill::target::{Around, Target};
use crate::lang::opcode::Op;
use crate::lang::ty::Type;

/// The maximum numbers of known operands and of pairs in a piece, so that a stop takes effect soon.
pub const KNOWN: usize = 256;
const PAIRS: usize = 1 << 27;
/// The same for operands that are looked up.
const LOOKED_UP: usize = 1 << 14;
/// The maximum number of pieces in a batch.
pub const BATCH: usize = 1 << 14;

/// The operations around an expression, the outermost first, each with its size; and what they require of it.
pub struct Context {
    pub around: Vec<(Around, usize)>,
    pub target: Target,
}

/// The candidates of one operation whose operands are both kept.
pub struct Piece {
    pub context: Arc<Context>,
    /// The index of the operation in the space.
    pub operation: u8,
    pub side: Known,
    /// The size of the operation with its operands.
    pub size: usize,
    pub through: Range<Rank>,
    pub others: Range<Rank>,
    /// Whether each pair is there twice, so that the other operand begins with the known one.
    pub is_symmetric: bool,
    /// The operation that computes the other operand, which is then looked up.
    pub inverse: Option<(Op, Known)>,
}

impl Piece {
    /// Whether it has elements or calls, which only the processor evaluates.
    pub fn needs_space(&self, space: &Space) -> bool {
        let around = self.context.around.iter().map(|(around, _)| around.operation);
        { around.chain([self.operation]) }.any(|own| space.operations[own as usize].meaning.needs_space())
    }

    /// The rows that are tried for a known operand.
    pub fn others(&self, known: Rank) -> Range<Rank> {
        if self.is_symmetric { known.max(self.others.start)..self.others.end } else { self.others.clone() }
    }
}

/// The operands of an operation for one size of each.
struct Split {
    operation: u8,
    side: Known,
    through: Range<Rank>,
    other: Other,
}

enum Other {
    Kept {
        others: Range<Rank>,
        is_symmetric: bool,
    },
    /// It has a size that is not kept.
    Computed(usize),
}

/// The expressions that are searched.
#[derive(Clone, Copy)]
pub struct Searched<'a> {
    pub space: &'a Space,
    pub rows: &'a Rows,
    pub target: &'a Target,
    /// The number of operations that may lie around a computed operand.
    pub depth: usize,
}

/// Goes through the pieces of a size, in a fixed order.
pub struct Walk<'a> {
    searched: Searched<'a>,
    /// By type and size.
    splits: HashMap<(u32, usize), Rc<Vec<Split>>>,
    /// The number of pieces that are not wanted.
    skip: u64,
    batch: Vec<Piece>,
    pairs: u64,
    budget: u64,
    stop: &'a dyn Fn() -> bool,
    work: &'a mut dyn FnMut(&[Piece]) -> Option<u64>,
}

impl<'a> Walk<'a> {
    /// Calls `work` with batches of pieces, without the first `skip` ones. A batch has at least `budget` pairs of operands;
    /// `work` returns the next budget, or `None` to stop; so does `stop`, between batches.
    pub fn new(
        searched: Searched<'a>,
        (skip, budget): (u64, u64),
        stop: &'a dyn Fn() -> bool,
        work: &'a mut dyn FnMut(&[Piece]) -> Option<u64>,
    ) -> Walk<'a> {
        Walk { searched, splits: HashMap::new(), skip, batch: Vec::new(), pairs: 0, budget, stop, work }
    }

    /// Returns whether all pieces of a size were worked on.
    pub fn all(mut self, size: usize) -> bool {
        let context = Context { around: Vec::new(), target: self.searched.target.clone() };
        self.within(&Arc::new(context), size) && self.flush()
    }

    fn within(&mut self, context: &Arc<Context>, size: usize) -> bool {
        let target = &context.target;
        let is_exact = target.is_exact();
        for split in self.splits(target.ty, size).iter() {
            let operation = self.searched.space.operations[split.operation as usize];
            match &split.other {
                Other::Kept { others, is_symmetric } => {
                    let inverse = backward::inverse(operation, split.side).filter(|_| is_exact);
                    let known = match inverse {
                        Some(_) => LOOKED_UP,
                        None => (PAIRS / others.len().max(1)).clamp(1, KNOWN),
                    };
                    for begin in split.through.clone().step_by(known) {
                        let piece = Piece {
                            context: context.clone(),
                            operation: split.operation,
                            side: split.side,
                            size,
                            through: begin..split.through.end.min(begin + known as Rank),
                            others: others.clone(),
                            is_symmetric: *is_symmetric,
                            inverse,
                        };
                        if !self.push(piece) {
                            return false;
                        }
                    }
                }
                Other::Computed(_) if context.around.len() >= self.searched.depth => {}
                Other::Computed(other) => {
                    for known in split.through.clone() {
                        if (self.stop)() {
                            return false;
                        }
                        let rows = self.searched.rows;
                        let Some(target) =
                            target.operand(self.searched.space, operation, split.side, known, rows)
                        else {
                            continue;
                        };
                        let own = Around { operation: split.operation, side: split.side, known };
                        let around = context.around.iter().copied().chain([(own, size)]).collect();
                        if !self.within(&Arc::new(Context { around, target }), *other) {
                            return false;
                        }
                    }
                }
            }
        }
        true
    }

    fn push(&mut self, piece: Piece) -> bool {
        if self.skip > 0 {
            self.skip -= 1;
            return true;
        }
        let others = if piece.inverse.is_some() { 1 } else { piece.others.len() };
        self.pairs += (piece.through.len() * others) as u64;
        self.batch.push(piece);
        self.pairs < self.budget && self.batch.len() < BATCH || self.flush()
    }

    fn flush(&mut self) -> bool {
        let batch = std::mem::take(&mut self.batch);
        self.pairs = 0;
        match (self.work)(&batch) {
            Some(budget) => self.budget = budget,
            None => return false,
        }
        true
    }

    /// The splits of all expressions of a size, of operations with a result of type `ty`.
    fn splits(&mut self, ty: Type, size: usize) -> Rc<Vec<Split>> {
        let searched = self.searched;
        self.splits.entry((ty.0, size)).or_insert_with(|| Rc::new(splits(searched, ty, size))).clone()
    }
}

fn splits(Searched { space, rows, .. }: Searched, ty: Type, size: usize) -> Vec<Split> {
    let mut splits = Vec::new();
    for (at, operation) in (0..).zip(&space.operations).filter(|(_, own)| own.result == ty && own.reaches(size))
    {
        let of = |size| rows.of_size(size, operation.operand);
        let other = |size, is_symmetric| match size <= rows.largest() {
            true => Other::Kept { others: of(size), is_symmetric },
            false => Other::Computed(size),
        };
        if operation.is_unary() {
            splits.push(Split {
                operation: at,
                side: Known::Left,
                through: 0..1,
                other: other(size - 1, false),
            });
            continue;
        }
        for left in 1..=operation.largest_left(size) {
            let right = size - 1 - left;
            let (side, known) = if left <= right { (Known::Left, left) } else { (Known::Right, right) };
            let is_symmetric = operation.commutes() && left == right;
            let other = other(left.max(right), is_symmetric);
            splits.push(Split { operation: at, side, through: of(known), other });
        }
    }
    splits
}
