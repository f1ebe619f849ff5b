//! Operations on many operands at once: one operand is known, the others are a run of a column. The loops are compiled
//! for the widest instructions of the processor.

use std::fmt;
use std::sync::Arc;

use pulp::{Arch, Simd, WithSimd};

use crate::fill::operation::{Meaning, Operation, Word};
use crate::lang::opcode::number::*;
use crate::lang::operations;
use crate::lang::ty::Type;

/// The side on which the known operand of a binary operation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Known {
    Left,
    Right,
}

macro_rules! loops {
    (
        ($a:ident) $($unary:ident => $of_one:expr;)*
        ($x:ident $y:ident) $($binary:ident => $of_two:expr $(, $trap:ident if $when:expr)?;)*
    ) => {
        #[inline(always)]
        fn unary(op: u32, others: &[u32], out: &mut [u32]) {
            match op {
                $($unary => for (out, other) in out.iter_mut().zip(others) {
                    let $a = *other as i32;
                    *out = ($of_one) as u32;
                },)*
                _ => out.copy_from_slice(others),
            }
        }

        // Where an operation traps, the word is 0.
        #[inline(always)]
        fn binary(op: u32, side: Known, known: u32, others: &[u32], out: &mut [u32]) {
            match (op, side) {
                $(($binary, Known::Left) => for (out, other) in out.iter_mut().zip(others) {
                    let ($x, $y) = (known as i32, *other as i32);
                    *out = loops!(@guarded $of_two $(, $when)?);
                },
                ($binary, Known::Right) => for (out, other) in out.iter_mut().zip(others) {
                    let ($x, $y) = (*other as i32, known as i32);
                    *out = loops!(@guarded $of_two $(, $when)?);
                },)*
                _ => out.copy_from_slice(others),
            }
        }
    };
    (@guarded $value:expr) => { ($value) as u32 };
    (@guarded $value:expr, $when:expr) => { if $when { 0 } else { ($value) as u32 } };
}
operations!(loops);

#[inline(always)]
fn values(step: &Step, others: &[u32], out: &mut [u32]) {
    let Step { side, known, .. } = *step;
    match step.operation.meaning {
        Meaning::Unary(op) => unary(op as u32, others, out),
        Meaning::ToInt => out.copy_from_slice(others),
        Meaning::Binary(op) => binary(op as u32, side, known, others, out),
        // The same as bits, but for traps.
        Meaning::Logical { stops_at } => {
            binary(if stops_at { BINARY_OR } else { BINARY_AND }, side, known, others, out);
        }
        Meaning::Element { .. } | Meaning::Call { .. } => {
            step.look_up(others).zip(out).for_each(|(word, out)| *out = word.unwrap_or(0));
        }
    }
}

/// Hashes start from the type, so that an int's row never equals a bool's.
pub const SEED: [u32; 2] = [0x9e37_79b9, 0x7f4a_7c15];

/// Adds a word to a row's hash of two words.
#[inline(always)]
pub fn mix(hash: [u32; 2], word: u32) -> [u32; 2] {
    let first = (hash[0] ^ word).wrapping_mul(0x9e37_79b1);
    let second = (hash[1].rotate_left(13) ^ word).wrapping_mul(0x85eb_ca6b);
    [first ^ (first >> 15), second ^ (second >> 16)]
}

pub fn joined(hash: [u32; 2]) -> u64 {
    u64::from(hash[0]) << 32 | u64::from(hash[1])
}

/// Number of operands that are worked on together; their words stay in the processor's first cache.
pub const BLOCK: usize = 512;

/// A row of hashes under way, half by half.
pub struct Hashes {
    pub first: [u32; BLOCK],
    pub second: [u32; BLOCK],
}

impl Hashes {
    pub fn new(seed: [u32; 2]) -> Hashes {
        Hashes { first: [seed[0]; BLOCK], second: [seed[1]; BLOCK] }
    }

    pub fn at(&self, at: usize) -> [u32; 2] {
        [self.first[at], self.second[at]]
    }
}

/// An operation that is applied to other operands, with its known operand.
#[derive(Clone, Copy, Debug)]
pub struct Step<'a> {
    pub operation: Operation,
    pub side: Known,
    pub known: u32,
    pub table: Table<'a>,
}

/// Returns the results for some arguments; of one argument, it is the second.
#[derive(Clone)]
pub struct Call(pub Arc<Results>);

/// The results of a function for operands.
type Results = dyn Fn(&[[u32; 2]]) -> Vec<Word> + Send + Sync;

impl fmt::Debug for Call {
    fn fmt(&self, to: &mut fmt::Formatter) -> fmt::Result {
        to.write_str("Call")
    }
}

/// The data that an operation reads apart from its operands.
#[derive(Clone, Copy, Debug)]
pub enum Table<'a> {
    None,
    List(&'a [u32]),
    Call(&'a Call),
}

impl<'a> Step<'a> {
    /// Changes nothing.
    pub const NONE: Step<'a> = {
        let operation = Operation { meaning: Meaning::ToInt, operand: Type::BOOL, result: Type::INT };
        Step { operation, side: Known::Left, known: 0, table: Table::None }
    };

    /// The values of an element or a call.
    fn look_up(&self, others: &[u32]) -> impl Iterator<Item = Word> {
        let words: Vec<Word> = match self.table {
            Table::None => Vec::new(),
            Table::List(list) => others.iter().map(|index| list.get(*index as usize).copied()).collect(),
            Table::Call(call) => {
                let pair = |other: &u32| match self.side {
                    Known::Left => [self.known, *other],
                    Known::Right => [*other, self.known],
                };
                (call.0)(&others.iter().map(pair).collect::<Vec<_>>())
            }
        };
        words.into_iter()
    }

    /// Computes the values, and adds a bit to the traps of each operand for which the operation traps.
    #[inline(always)]
    fn trapping_values(&self, others: &[u32], bit: u64, out: &mut [u32], traps: &mut [u64]) {
        let set = |traps: &mut u64, holds: bool| *traps |= if holds { bit } else { 0 };
        match self.operation.meaning {
            meaning if meaning.needs_space() => {
                for ((word, out), traps) in self.look_up(others).zip(out).zip(traps) {
                    *out = word.unwrap_or(0);
                    set(traps, word.is_none());
                }
            }
            _ => {
                values(self, others, out);
                if self.operation.may_trap() {
                    others.iter().zip(traps).for_each(|(divisor, traps)| set(traps, *divisor == 0));
                }
            }
        }
    }

    /// The same, where the word of a trap is 0.
    #[inline(always)]
    fn masked_values(&self, others: &[u32], input: u32, out: &mut [u32], traps: &mut [u64]) {
        self.trapping_values(others, 1 << input, out, traps);
        for (word, traps) in out.iter_mut().zip(traps) {
            *word &= ((*traps >> input) as u32 & 1).wrapping_sub(1);
        }
    }
}

struct Mixed<'a> {
    step: Step<'a>,
    others: &'a [u32],
    hashes: &'a mut Hashes,
    /// The traps of each result, and the bit of this input.
    traps: Option<(&'a mut [u64; BLOCK], u32)>,
}

impl WithSimd for Mixed<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let mut words = [0; BLOCK];
        let words = &mut words[..self.others.len()];
        match self.traps {
            None => values(&self.step, self.others, words),
            Some((traps, input)) => {
                self.step.masked_values(self.others, input, words, &mut traps[..self.others.len()])
            }
        }
        for ((first, second), word) in self.hashes.first.iter_mut().zip(&mut self.hashes.second).zip(words) {
            [*first, *second] = mix([*first, *second], *word);
        }
    }
}

/// Adds the values of an operation to hashes of rows, for at most [`BLOCK`] operands. It does not trap.
pub fn mix_values(step: Step, others: &[u32], hashes: &mut Hashes) {
    Arch::new().dispatch(Mixed { step, others, hashes, traps: None });
}

/// The same for an operation whose operand on the left is known, and which may trap: a trap's word is 0. `traps` has a bit
/// for each result whose operands trap for this input, and receives those of the operation.
pub fn mix_trapping(step: Step, others: &[u32], input: u32, traps: &mut [u64; BLOCK], hashes: &mut Hashes) {
    Arch::new().dispatch(Mixed { step, others, hashes, traps: Some((traps, input)) });
}

struct Values<'a> {
    step: Step<'a>,
    others: &'a [u32],
    input: u32,
    traps: &'a mut [u64],
    out: &'a mut [u32],
}

impl WithSimd for Values<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        self.step.masked_values(self.others, self.input, self.out, self.traps);
    }
}

/// Computes the words of which [`mix_trapping`] mixes the hashes, for at most [`BLOCK`] operands, and the traps.
pub fn values_of(step: Step, others: &[u32], input: u32, traps: &mut [u64], out: &mut [u32]) {
    Arch::new().dispatch(Values { step, others, input, traps, out });
}

struct Hits<'a> {
    steps: &'a [Step<'a>],
    others: &'a [u32],
    mask: u32,
    value: u32,
    hits: &'a mut [u64; BLOCK / 64],
}

impl WithSimd for Hits<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let (mut from, mut to) = ([0; BLOCK], [0; BLOCK]);
        let size = self.others.len();
        let mut words = self.others;
        for step in self.steps {
            values(step, words, &mut to[..size]);
            std::mem::swap(&mut from, &mut to);
            words = &from[..size];
        }
        for (hits, words) in self.hits.iter_mut().zip(words.chunks(64)) {
            let any = words.iter().fold(false, |any, word| any | (word & self.mask == self.value));
            *hits = 0;
            if any {
                for (at, word) in words.iter().enumerate() {
                    *hits |= u64::from(word & self.mask == self.value) << at;
                }
            }
        }
    }
}

/// Finds the operands, at most [`BLOCK`], whose value after `steps` equals `value` in the bits of `mask`: a bit each.
pub fn find(steps: &[Step], others: &[u32], mask: u32, value: u32, hits: &mut [u64; BLOCK / 64]) {
    *hits = [0; BLOCK / 64];
    Arch::new().dispatch(Hits { steps, others, mask, value, hits });
}
