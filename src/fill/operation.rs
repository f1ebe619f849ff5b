//! The operations of expressions, in the order in which candidates of one size are tried.

use crate::lang::arithmetic;
use crate::lang::opcode::Op;
use crate::lang::token::TokenKind;
use crate::lang::ty::Type;

/// The value of an operand for one input: a word, or `None` if its evaluation traps.
pub type Word = Option<u32>;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Meaning {
    Unary(Op),
    Binary(Op),
    /// `&&` or `||`, which evaluates its right operand only if that decides the result.
    Logical {
        stops_at: bool,
    },
    /// `int(b)`.
    ToInt,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Operation {
    pub meaning: Meaning,
    pub operand: Type,
    pub result: Type,
}

const fn on_ints(meaning: Meaning, result: Type) -> Operation {
    Operation { meaning, operand: Type::INT, result }
}
const fn on_bools(meaning: Meaning, result: Type) -> Operation {
    Operation { meaning, operand: Type::BOOL, result }
}
const fn unary(op: Op) -> Operation {
    on_ints(Meaning::Unary(op), Type::INT)
}
const fn binary(op: Op) -> Operation {
    on_ints(Meaning::Binary(op), Type::INT)
}

/// All operations. Those with an int come first, so that the kept rows of a size are two runs, one for each type.
/// `a > b` and `a >= b` are written `b < a` and `b <= a`.
pub const OPERATIONS: &[Operation] = &[
    unary(Op::Invert),
    unary(Op::Neg),
    unary(Op::Abs),
    binary(Op::Add),
    binary(Op::Sub),
    binary(Op::Mul),
    binary(Op::Div),
    binary(Op::Mod),
    binary(Op::And),
    binary(Op::Or),
    binary(Op::Xor),
    binary(Op::Shl),
    binary(Op::Shr),
    binary(Op::Min),
    binary(Op::Max),
    on_bools(Meaning::ToInt, Type::INT),
    on_ints(Meaning::Binary(Op::Eq), Type::BOOL),
    on_ints(Meaning::Binary(Op::Ne), Type::BOOL),
    on_ints(Meaning::Binary(Op::Lt), Type::BOOL),
    on_ints(Meaning::Binary(Op::Le), Type::BOOL),
    on_bools(Meaning::Unary(Op::Not), Type::BOOL),
    on_bools(Meaning::Binary(Op::Eq), Type::BOOL),
    on_bools(Meaning::Binary(Op::Ne), Type::BOOL),
    on_bools(Meaning::Logical { stops_at: false }, Type::BOOL),
    on_bools(Meaning::Logical { stops_at: true }, Type::BOOL),
];

impl Operation {
    pub fn is_unary(self) -> bool {
        matches!(self.meaning, Meaning::Unary(_) | Meaning::ToInt)
    }

    pub fn commutes(self) -> bool {
        matches!(self.meaning, Meaning::Binary(op) if op.commutes())
    }

    /// The largest size of its left operand, for a size of the whole. A commuting one has the smaller operand there.
    pub fn largest_left(self, size: usize) -> usize {
        if self.commutes() { (size - 1) / 2 } else { size.saturating_sub(2) }
    }

    /// Returns whether its value can be a trap though its operands' are not.
    pub fn may_trap(self) -> bool {
        matches!(self.meaning, Meaning::Binary(op) if arithmetic::may_trap(op as u32))
    }

    /// The infix operator; `None` for a prefix operator or a built-in function.
    pub fn infix(self) -> Option<TokenKind> {
        use crate::lang::opcode::OperandSource::Infix;
        match self.meaning {
            Meaning::Logical { stops_at: false } => Some(TokenKind::AmpersandAmpersand),
            Meaning::Logical { stops_at: true } => Some(TokenKind::BarBar),
            Meaning::Binary(op) => match op.source() {
                Infix(kind) => Some(kind),
                _ => None,
            },
            Meaning::Unary(_) | Meaning::ToInt => None,
        }
    }

    /// Returns its value for one input. A unary operation takes its operand on the right.
    pub fn value(self, left: Word, right: Word) -> Word {
        match self.meaning {
            Meaning::Unary(op) => Some(arithmetic::unary(op as u32, right?)),
            Meaning::ToInt => right,
            Meaning::Binary(op) => arithmetic::binary(op as u32, left?, right?).ok(),
            Meaning::Logical { stops_at } => {
                let left = left?;
                if (left != 0) == stops_at { Some(left) } else { right }
            }
        }
    }
}
