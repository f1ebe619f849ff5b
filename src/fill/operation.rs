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
    /// An element of a list of the space, at an index that its operand is.
    Element {
        list: u8,
    },
    /// A call of a function of the space; none is larger than `largest`.
    Call {
        function: u8,
        is_unary: bool,
        largest: u8,
    },
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

/// All operations that need no space. Those with an int come first, so that the kept rows of a size are two runs, one for each type; then usual ones come before
/// rare ones.
/// `a > b` and `a >= b` are written `b < a` and `b <= a`.
pub const OPERATIONS: &[Operation] = &[
    binary(Op::Add),
    binary(Op::Sub),
    binary(Op::Mul),
    binary(Op::Div),
    binary(Op::Mod),
    unary(Op::Neg),
    binary(Op::Min),
    binary(Op::Max),
    unary(Op::Abs),
    binary(Op::And),
    binary(Op::Or),
    binary(Op::Xor),
    binary(Op::Shl),
    binary(Op::Shr),
    unary(Op::Invert),
    on_bools(Meaning::ToInt, Type::INT),
    on_ints(Meaning::Binary(Op::Eq), Type::BOOL),
    on_ints(Meaning::Binary(Op::Ne), Type::BOOL),
    on_ints(Meaning::Binary(Op::Lt), Type::BOOL),
    on_ints(Meaning::Binary(Op::Le), Type::BOOL),
    on_bools(Meaning::Unary(Op::Not), Type::BOOL),
    on_bools(Meaning::Logical { stops_at: false }, Type::BOOL),
    on_bools(Meaning::Logical { stops_at: true }, Type::BOOL),
    on_bools(Meaning::Binary(Op::Eq), Type::BOOL),
    on_bools(Meaning::Binary(Op::Ne), Type::BOOL),
];

impl Meaning {
    /// Whether a value depends on lists or functions of the space.
    pub fn needs_space(self) -> bool {
        matches!(self, Meaning::Element { .. } | Meaning::Call { .. })
    }
}

impl Operation {
    pub fn is_unary(self) -> bool {
        use Meaning::{Call, Element, ToInt, Unary};
        matches!(self.meaning, Unary(_) | ToInt | Element { .. } | Call { is_unary: true, .. })
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
        match self.meaning {
            Meaning::Binary(op) => arithmetic::may_trap(op as u32),
            meaning => meaning.needs_space(),
        }
    }

    /// The time of an evaluation, in those of a sum.
    pub fn cost(self) -> usize {
        if matches!(self.meaning, Meaning::Call { .. }) { 32 } else { 1 }
    }

    /// Returns whether there are expressions of a size with this operation outermost.
    pub fn reaches(self, size: usize) -> bool {
        !matches!(self.meaning, Meaning::Call { largest, .. } if size > usize::from(largest))
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
            _ => None,
        }
    }

    /// Returns its value, if it needs no space. A unary operation takes its operand on the right.
    pub fn value(self, left: Word, right: Word) -> Word {
        match self.meaning {
            Meaning::Unary(op) => Some(arithmetic::unary(op as u32, right?)),
            Meaning::ToInt => right,
            Meaning::Binary(op) => arithmetic::binary(op as u32, left?, right?).ok(),
            Meaning::Logical { stops_at } => {
                let left = left?;
                if (left != 0) == stops_at { Some(left) } else { right }
            }
            Meaning::Element { .. } | Meaning::Call { .. } => None,
        }
    }
}
