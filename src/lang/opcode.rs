//! The instruction set of the stack machine.
//!
//! An instruction is one word, opcode in the low 8 bits and operand in the upper 24; instructions of
//! [`Shape::Wide`], `SlotCapacity` and `SlotTarget` carry a second word. Booleans are the words 0 and 1. A list on
//! the operand stack is its elements, first deepest, with their number on top; a list variable is its length, then
//! its elements.

use super::numbered;
use super::token::TokenKind;

/// Bumped when the meaning or number of an opcode changes.
pub const ISA_VERSION: u32 = 1;

/// What an instruction's operands are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Shape {
    /// None.
    Plain,
    /// A signed 24-bit value.
    Value,
    /// The second word is a 32-bit value.
    Wide,
    /// Offset of a variable in the frame.
    Slot,
    /// Offset of a list variable; the second word is its capacity.
    SlotCapacity,
    /// Offset of a loop's variables; the second word is an address.
    SlotTarget,
    /// An address: an index into the program's words.
    Target,
    /// Index of a function.
    Function,
    /// A count of elements, or a capacity.
    Count,
}

impl Shape {
    /// Words that an instruction of this shape takes.
    pub const fn words(self) -> u32 {
        match self {
            Shape::Wide | Shape::SlotCapacity | Shape::SlotTarget => 2,
            _ => 1,
        }
    }
}

macro_rules! opcodes {
    ($($variant:ident $name:literal $shape:ident $effect:literal;)*) => {
        numbered! {
            /// The operations, by number. 0 never stands in emitted bytecode.
            pub enum Op { $($variant,)* }
        }
        impl Op {
            /// The name in dumps and panels.
            pub const fn name(self) -> &'static str {
                match self { $(Op::$variant => $name,)* }
            }
            pub const fn shape(self) -> Shape {
                match self { $(Op::$variant => Shape::$shape,)* }
            }
            /// The effect on the operand stack, in words: what it takes -> what it leaves.
            pub const fn effect(self) -> &'static str {
                match self { $(Op::$variant => $effect,)* }
            }
        }
    };
}

opcodes! {
    Nop "NOP" Plain "->";
    LoadConst "LOAD_CONST" Value "-> value";
    LoadConstWide "LOAD_CONST_WIDE" Wide "-> value";
    LoadVar "LOAD_VAR" Slot "-> value";
    StoreVar "STORE_VAR" Slot "value ->";
    LoadList "LOAD_LIST" Slot "-> list";
    StoreList "STORE_LIST" SlotCapacity "list ->";
    Dup "DUP" Plain "value -> value value";
    Add "BINARY_ADD" Plain "a b -> a+b";
    Sub "BINARY_SUB" Plain "a b -> a-b";
    Mul "BINARY_MUL" Plain "a b -> a*b";
    Div "BINARY_DIV" Plain "a b -> a/b";
    Mod "BINARY_MOD" Plain "a b -> a%b";
    And "BINARY_AND" Plain "a b -> a&b";
    Or "BINARY_OR" Plain "a b -> a|b";
    Xor "BINARY_XOR" Plain "a b -> a^b";
    Shl "BINARY_SHL" Plain "a b -> a<<b";
    Shr "BINARY_SHR" Plain "a b -> a>>b";
    Eq "COMPARE_EQ" Plain "a b -> a==b";
    Ne "COMPARE_NE" Plain "a b -> a!=b";
    Lt "COMPARE_LT" Plain "a b -> a<b";
    Le "COMPARE_LE" Plain "a b -> a<=b";
    Gt "COMPARE_GT" Plain "a b -> a>b";
    Ge "COMPARE_GE" Plain "a b -> a>=b";
    ListEq "LIST_EQ" Plain "list list -> equal";
    ListNe "LIST_NE" Plain "list list -> different";
    Neg "UNARY_NEGATIVE" Plain "a -> -a";
    Invert "UNARY_INVERT" Plain "a -> ~a";
    Not "UNARY_NOT" Plain "a -> !a";
    Abs "INT_ABS" Plain "a -> abs(a)";
    Min "INT_MIN" Plain "a b -> min(a, b)";
    Max "INT_MAX" Plain "a b -> max(a, b)";
    Jump "JUMP" Target "->";
    JumpIfFalse "JUMP_IF_FALSE" Target "cond ->";
    JumpIfTrue "JUMP_IF_TRUE" Target "cond ->";
    JumpIfFalseOrPop "JUMP_IF_FALSE_OR_POP" Target "cond -> cond, or nothing if it falls through";
    JumpIfTrueOrPop "JUMP_IF_TRUE_OR_POP" Target "cond -> cond, or nothing if it falls through";
    BuildList "BUILD_LIST" Count "e1 ... en -> list";
    RepeatList "REPEAT_LIST" Count "value -> list";
    JoinList "JOIN_LIST" Plain "list list -> list";
    LoadIndex "LOAD_INDEX" Plain "list i -> element";
    LoadIndexVar "LOAD_INDEX_VAR" Slot "i -> element";
    StoreIndex "STORE_INDEX" Slot "i value ->";
    Slice "SLICE" Plain "list a b -> list";
    SliceVar "SLICE_VAR" Slot "a b -> list";
    ListLen "LIST_LEN" Plain "list -> length";
    ListLenVar "LIST_LEN_VAR" Slot "-> length";
    RangeIter "RANGE_ITER" Slot "a b ->";
    RangeIterInclusive "RANGE_ITER_INCLUSIVE" Slot "a b ->";
    ListIter "LIST_ITER" SlotCapacity "list ->";
    ForRange "FOR_RANGE" SlotTarget "->";
    ForList "FOR_LIST" SlotTarget "->";
    Call "CALL" Function "arguments -> result";
    Return "RETURN" Plain "value -> (to the caller) value";
    ReturnList "RETURN_LIST" Count "list -> (to the caller) list";
}

impl Op {
    /// What an infix operator that always evaluates both operands does to two ints or bools.
    pub const fn of_infix(kind: TokenKind) -> Option<Op> {
        Some(match kind {
            TokenKind::Plus => Op::Add,
            TokenKind::Minus => Op::Sub,
            TokenKind::Star => Op::Mul,
            TokenKind::Slash => Op::Div,
            TokenKind::Percent => Op::Mod,
            TokenKind::Ampersand => Op::And,
            TokenKind::Bar => Op::Or,
            TokenKind::Caret => Op::Xor,
            TokenKind::ShiftLeft => Op::Shl,
            TokenKind::ShiftRight => Op::Shr,
            TokenKind::EqualEqual => Op::Eq,
            TokenKind::BangEqual => Op::Ne,
            TokenKind::Less => Op::Lt,
            TokenKind::LessEqual => Op::Le,
            TokenKind::Greater => Op::Gt,
            TokenKind::GreaterEqual => Op::Ge,
            _ => return None,
        })
    }
}

/// Packs an opcode and its operand (signed or unsigned, 24 bits) in a word.
pub const fn word(op: Op, operand: u32) -> u32 {
    (op as u32) | (operand << 8)
}
