//! Requirements on an expression, and those that follow for its operands.

use crate::fill::backward::Bits;
use crate::fill::blocks::{Known, Step};
use crate::fill::operation::Operation;
use crate::fill::rows::{Rank, Rows};
use crate::fill::space::{MAX_INPUTS, Space};
use crate::lang::ty::Type;

/// The bits that an expression must have for each required input.
#[derive(Clone, Debug)]
pub struct Target {
    pub ty: Type,
    pub bits: Vec<Bits>,
}

/// An operation around the expression that is looked for, with its other operand; none for a unary one.
#[derive(Clone, Copy, Debug)]
pub struct Around {
    /// The index of the operation in the space.
    pub operation: u8,
    pub side: Known,
    pub known: Rank,
}

impl Target {
    pub fn exact(ty: Type, words: &[u32]) -> Target {
        Target { ty, bits: words.iter().map(|word| Bits::all(*word)).collect() }
    }

    pub fn is_exact(&self) -> bool {
        self.bits.iter().all(|bits| bits.is_exact())
    }

    /// Returns the requirement on the other operand where one is a kept row; `None` if no operand meets it.
    pub fn operand(
        &self,
        space: &Space,
        operation: Operation,
        side: Known,
        known: Rank,
        rows: &Rows,
    ) -> Option<Target> {
        let mut bits = [Bits::NONE; MAX_INPUTS];
        let traps = if operation.is_unary() { 0 } else { rows.traps[known as usize] };
        for (at, result) in self.bits.iter().enumerate() {
            let word = rows.columns[at][known as usize];
            if traps >> at & 1 == 1 {
                let is_skipped =
                    side == Known::Right && operation.infix().is_some_and(|kind| kind.is_logical());
                if !is_skipped {
                    return None;
                }
                // Only a left operand that decides keeps the trap on the right away.
                bits[at] = if result.mask == 0 { Bits::NONE } else { Bits::all(result.value) };
                continue;
            }
            bits[at] = space.operand(operation, side, word, *result, at)?;
        }
        Some(Target { ty: operation.operand, bits: bits[..self.bits.len()].to_vec() })
    }

    /// The input that distinguishes most expressions: with most bits known, and among these the value with most changes
    /// between neighbouring bits, since small numbers are common.
    pub fn sharpest(&self) -> usize {
        let sharpness = |bits: &Bits| (bits.mask.count_ones(), (bits.value ^ bits.value >> 1).count_ones());
        let mut best = 0;
        for at in 1..self.bits.len() {
            if sharpness(&self.bits[at]) > sharpness(&self.bits[best]) {
                best = at;
            }
        }
        best
    }
}

impl Around {
    pub fn step<'a>(self, space: &'a Space, rows: &Rows, input: usize) -> Step<'a> {
        let known = rows.columns[input][self.known as usize];
        space.step(space.operations[self.operation as usize], self.side, known, input)
    }
}
