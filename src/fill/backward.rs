//! Conclusions from a value that is known in part to an operand: backward interpretation of operations on bits (Yoon, Lee
//! and Yi, "Inductive Program Synthesis via Iterative Forward-Backward Abstract Interpretation", PLDI 2023).

use crate::fill::blocks::Known;
use crate::fill::operation::{Meaning, Operation};
use crate::lang::opcode::Op;

/// Some bits of a word: those in `mask` equal `value`'s, which is 0 elsewhere. A bool is known as a whole or not at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Bits {
    pub mask: u32,
    pub value: u32,
}

impl Bits {
    pub const NONE: Bits = Bits { mask: 0, value: 0 };

    pub const fn all(value: u32) -> Bits {
        Bits { mask: u32::MAX, value }
    }

    const fn some(mask: u32, value: u32) -> Bits {
        Bits { mask, value: value & mask }
    }

    pub const fn fit(self, word: u32) -> bool {
        word & self.mask == self.value
    }

    pub const fn is_exact(self) -> bool {
        self.mask == u32::MAX
    }

    /// The known bits below the lowest unknown one: what sums and products carry on.
    const fn low(self) -> Bits {
        let count = self.mask.trailing_ones();
        let mask = if count == 32 { u32::MAX } else { (1 << count) - 1 };
        Bits::some(mask, self.value)
    }
}

/// Returns the bits of a shift count that are known where these counts of 32 are possible.
fn count(possible: impl Fn(u32) -> bool) -> Option<Bits> {
    let mut fitting = (0..32).filter(|count| possible(*count));
    let first = fitting.next()?;
    Some(if fitting.next().is_none() { Bits::some(31, first) } else { Bits::NONE })
}

fn product(known: u32, result: Bits) -> Option<Bits> {
    let low = result.low();
    if known == 0 {
        return (low.value == 0).then_some(Bits::NONE);
    }
    let zeros = known.trailing_zeros();
    let bits = low.mask.trailing_ones();
    if low.value.trailing_zeros().min(bits) < zeros.min(bits) {
        return None;
    }
    // Newton's iteration doubles the number of right bits of the inverse of an odd number.
    let odd = known >> zeros;
    let inverse =
        (0..5).fold(odd, |inverse, _| inverse.wrapping_mul(2u32.wrapping_sub(odd.wrapping_mul(inverse))));
    let mask = low.mask.checked_shr(zeros).unwrap_or(0) & (u32::MAX >> zeros);
    Some(Bits::some(mask, (low.value >> zeros).wrapping_mul(inverse)))
}

/// Returns whether a quotient or a remainder can have a value.
fn divides(op: Op, side: Known, known: u32, value: u32) -> bool {
    let (size, result) = ((known as i32).unsigned_abs(), (value as i32).unsigned_abs());
    let is_negative = (known ^ value) >> 31 == 1;
    match (op, side) {
        // The least int divided by -1 is itself.
        (Op::Div, Known::Right) => size == 1 || result <= (i32::MAX as u32 + u32::from(is_negative)) / size,
        // Some operand is between those with the quotients next to it.
        (Op::Div, Known::Left) => result == 0 || size / result > size / (result + 1),
        // A remainder is smaller than the divisor, and has the sign of the dividend.
        (_, Known::Right) => result < size,
        (_, Known::Left) => {
            value == known || (result == 0 || !is_negative) && result < size && size - result > result
        }
    }
}

/// For one input: returns what is known of an operand where the other one and a part of the result are; `None` if no
/// operand has this result. Nothing known means only that: candidates have to be evaluated.
pub fn operand(operation: Operation, side: Known, known: u32, result: Bits) -> Option<Bits> {
    let Bits { mask, value } = result;
    if mask == 0 {
        return Some(Bits::NONE);
    }
    let op = match operation.meaning {
        Meaning::Unary(Op::Invert) => return Some(Bits::some(mask, !value)),
        Meaning::Unary(Op::Neg) => {
            let low = result.low();
            return Some(Bits::some(low.mask, low.value.wrapping_neg()));
        }
        Meaning::Unary(Op::Abs) => {
            let possible = !result.is_exact() || value as i32 >= 0 || value == 1 << 31;
            // The lowest bit is the same for both signs.
            return possible.then_some(Bits::some(mask & 1, value));
        }
        Meaning::Unary(_) => return Some(Bits::all(value ^ 1)),
        Meaning::ToInt => {
            let bits = if mask & 1 == 1 { Bits::all(value) } else { Bits::NONE };
            return (value <= 1).then_some(bits);
        }
        Meaning::Logical { stops_at } => {
            let (known, value, stops_at) = (known != 0, value != 0, stops_at);
            return match (known == stops_at, side) {
                // The known operand decides.
                (true, _) => (value == stops_at).then_some(Bits::NONE),
                (false, _) => Some(Bits::all(value.into())),
            };
        }
        Meaning::Binary(op) => op,
        Meaning::Element { .. } | Meaning::Call { .. } => return Some(Bits::NONE),
    };
    match (op, side) {
        (Op::Add, _) => {
            let low = result.low();
            Some(Bits::some(low.mask, low.value.wrapping_sub(known)))
        }
        (Op::Sub, Known::Left) => {
            let low = result.low();
            Some(Bits::some(low.mask, known.wrapping_sub(low.value)))
        }
        (Op::Sub, Known::Right) => {
            let low = result.low();
            Some(Bits::some(low.mask, low.value.wrapping_add(known)))
        }
        (Op::Mul, _) => product(known, result),
        (Op::And, _) => (value & !known == 0).then_some(Bits::some(mask & known, value)),
        (Op::Or, _) => (mask & known & !value == 0).then_some(Bits::some(mask & !known, value)),
        (Op::Xor, _) => Some(Bits::some(mask, value ^ known)),
        (Op::Shl, Known::Left) => count(|count| result.fit(known << count)),
        (Op::Shr, Known::Left) => count(|count| result.fit((known as i32 >> count) as u32)),
        (Op::Shl, Known::Right) => {
            let by = known & 31;
            (value & !(u32::MAX << by) == 0).then_some(Bits::some(mask >> by, value >> by))
        }
        (Op::Shr, Known::Right) => {
            let by = known & 31;
            // The upper bits of the result all equal the operand's sign.
            let signs = !(u32::MAX >> by) | 1 << (31 - by);
            let (ones, zeros) = (value & signs != 0, !value & mask & signs != 0);
            let sign = if mask & signs != 0 { 1 << 31 } else { 0 };
            let upper = Bits { mask: sign, value: if ones { sign } else { 0 } };
            (!(ones && zeros)).then_some(Bits::some(mask << by | upper.mask, value << by | upper.value))
        }
        (Op::Min | Op::Max, _) if result.is_exact() => {
            let (known, value) = (known as i32, value as i32);
            let kept = if op == Op::Min { known.min(value) } else { known.max(value) };
            match (kept == value, known == value) {
                (false, _) => None,
                (true, true) => Some(Bits::NONE),
                (true, false) => Some(Bits::all(value as u32)),
            }
        }
        (Op::Div | Op::Mod, Known::Right) if known == 0 => None,
        (Op::Div | Op::Mod, _) => (!result.is_exact() || divides(op, side, known, value)).then_some(Bits::NONE),
        (Op::Eq, _) if value != 0 => Some(Bits::all(known)),
        (Op::Ne, _) if value == 0 => Some(Bits::all(known)),
        // A bool that differs from a known one is known.
        (Op::Eq | Op::Ne, _) if operation.operand == crate::lang::ty::Type::BOOL => Some(Bits::all(known ^ 1)),
        (Op::Lt, Known::Left) if value != 0 => (known != i32::MAX as u32).then_some(Bits::NONE),
        (Op::Lt, Known::Right) if value != 0 => (known != i32::MIN as u32).then_some(Bits::NONE),
        (Op::Le, Known::Left) if value == 0 => (known != i32::MIN as u32).then_some(Bits::NONE),
        (Op::Le, Known::Right) if value == 0 => (known != i32::MAX as u32).then_some(Bits::NONE),
        _ => Some(Bits::NONE),
    }
}

/// For an operation that can be turned round wherever its result is known: the operation that makes an operand of
/// the result and the other operand, and the side on which the result is its operand.
pub fn inverse(operation: Operation, side: Known) -> Option<(Op, Known)> {
    match (operation.meaning, side) {
        (Meaning::Binary(Op::Add), _) => Some((Op::Sub, Known::Left)),
        (Meaning::Binary(Op::Sub), Known::Left) => Some((Op::Sub, Known::Right)),
        (Meaning::Binary(Op::Sub), Known::Right) => Some((Op::Add, Known::Left)),
        (Meaning::Binary(Op::Xor), _) => Some((Op::Xor, Known::Left)),
        _ => None,
    }
}
