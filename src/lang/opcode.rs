//! The instruction set of the stack machine, in one table. A row states everything about an operation but its
//! arithmetic.
//!
//! An instruction is one word, with the opcode in the low 8 bits and the operand in the upper 24.
//! Instructions of shape [`Shape::Wide`], `SlotCapacity` or `SlotTarget` have a second word. Booleans are the
//! words 0 and 1. A list on the operand stack is its elements, the first one deepest, with the length on top;
//! a list variable is its length, then its elements.

use super::fault::LangFault;
use super::numbered;
use super::token::TokenKind::{self, *};
use super::token::{BUILTINS, NAME_ABS, NAME_LEN, NAME_MAX, NAME_MIN};

/// Version of the instruction set; incremented when the meaning or number of an opcode changes.
pub const ISA_VERSION: u32 = 3;

/// The operands of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Shape {
    /// No operand.
    Plain,
    /// A signed 24-bit value.
    Value,
    /// A 32-bit value in the second word.
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
    /// Returns the number of words of an instruction of this shape.
    pub const fn words(self) -> u32 {
        match self {
            Shape::Wide | Shape::SlotCapacity | Shape::SlotTarget => 2,
            _ => 1,
        }
    }
}

/// The class of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Does nothing.
    Nothing,
    /// Pushes a word that depends on no operand.
    Load,
    /// Duplicates its operand.
    Copy,
    /// Computes a word from one word (see `lang::arithmetic`).
    Unary,
    /// Computes a word from two words.
    Binary,
    /// Creates or reads a list.
    List,
    /// Stores its operands and pushes nothing: the stack is empty afterwards.
    Store,
    /// Jumps unconditionally.
    Jump,
    /// Jumps if the condition equals `on`.
    Branch {
        on: bool,
    },
    /// Starts the next iteration of a loop, or leaves the loop. One of the two is a jump.
    Loop,
    Call,
    Return,
    /// Ends the run with a trap.
    Stop,
}

/// The language construct that an operation implements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperandSource {
    /// Corresponds to no single operator or built-in function.
    Syntax,
    Prefix(TokenKind),
    Infix(TokenKind),
    /// An infix operator on two lists.
    ListInfix(TokenKind),
    /// The built-in function with this name id, applied to operands on the stack.
    Builtin(u32),
}

/// The operands that an operation takes from the stack and leaves there. A list counts as one operand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StackEffect {
    /// Number of operands taken.
    pub takes: u32,
    /// Mask of the taken operands that are lists; bit 0 is the deepest.
    pub taken_lists: u32,
    /// Number of operands left where control falls through.
    pub leaves: u32,
    /// Mask of the left operands that are lists; bit 0 is the deepest.
    pub left_lists: u32,
    /// Whether the instruction's operand, or the function that it names, determines how many operands are
    /// taken; `takes` is 0 then.
    pub varies: bool,
}

impl StackEffect {
    /// Parses the table's effect column, such as `a b -> a+b`.
    const fn read(text: &str, keeps: bool) -> StackEffect {
        let text = text.as_bytes();
        let mut effect = StackEffect { takes: 0, taken_lists: 0, leaves: 0, left_lists: 0, varies: false };
        let (mut at, mut behind_arrow) = (0, false);
        while at < text.len() {
            let begin = at;
            while at < text.len() && text[at] != b' ' {
                at += 1;
            }
            let name = text.split_at(begin).1.split_at(at - begin).0;
            at += 1;
            match name {
                [b'-', b'>'] => behind_arrow = true,
                [b'(', ..] => break,
                [b'.', ..] | [b'a', b'r', b'g', ..] => effect.varies = true,
                _ => {
                    let list = matches!(name, [b'l', b'i', b's', b't']) as u32;
                    if behind_arrow {
                        effect.left_lists |= list << effect.leaves;
                        effect.leaves += 1;
                    } else {
                        effect.taken_lists |= list << effect.takes;
                        effect.takes += 1;
                    }
                }
            }
            if matches!(name, [.., b',']) {
                break;
            }
        }
        if effect.varies {
            effect.takes = 0;
        }
        if keeps {
            effect.leaves = 0;
        }
        effect
    }
}

/// The columns of a row that have defaults.
#[derive(Clone, Copy)]
struct OpTraits {
    class: Class,
    source: OperandSource,
    opposite: Option<Op>,
    commutes: bool,
    keeps: bool,
}

const fn plain(class: Class) -> OpTraits {
    OpTraits { class, source: OperandSource::Syntax, opposite: None, commutes: false, keeps: false }
}
const fn prefix(token: TokenKind) -> OpTraits {
    OpTraits { source: OperandSource::Prefix(token), ..plain(Class::Unary) }
}
const fn infix(token: TokenKind) -> OpTraits {
    OpTraits { source: OperandSource::Infix(token), ..plain(Class::Binary) }
}
const fn between_lists(token: TokenKind) -> OpTraits {
    OpTraits { source: OperandSource::ListInfix(token), ..plain(Class::List) }
}
const fn builtin(name: u32, class: Class) -> OpTraits {
    OpTraits { source: OperandSource::Builtin(name), ..plain(class) }
}
const fn branch(on: bool) -> OpTraits {
    plain(Class::Branch { on })
}

impl OpTraits {
    /// Marks an operation whose two operands may be swapped.
    const fn commutes(self) -> OpTraits {
        OpTraits { commutes: true, ..self }
    }
    /// Names the comparison that holds exactly where this one does not.
    const fn opposite(self, op: Op) -> OpTraits {
        OpTraits { opposite: Some(op), ..self }
    }
    /// Marks a branch that leaves its condition on the stack if it jumps.
    const fn keeps(self) -> OpTraits {
        OpTraits { keeps: true, ..self }
    }
}

/// Builds a table from the number inside a `Source::$source` to the operation with that source.
macro_rules! by_source {
    ($source:ident) => {{
        let mut table = [None; _];
        let mut i = 0;
        while i < Op::ALL.len() {
            if let OperandSource::$source(of) = MEANINGS[i].source {
                table[of as usize] = Some(Op::ALL[i]);
            }
            i += 1;
        }
        table
    }};
}

macro_rules! opcodes {
    ($($variant:ident $name:ident $shape:ident $effect:literal [$($fault:ident)*] $meaning:expr => $note:literal;)*) => {
        numbered! {
            /// The operations, by number. 0 never occurs in emitted bytecode.
            pub enum Op { $($variant,)* }
        }

        /// The numbers of the operations, under the names used in dumps and panels.
        pub mod number {
            use super::Op;
            $(pub const $name: u32 = Op::$variant as u32;)*
        }

        const MEANINGS: [OpTraits; Op::ALL.len()] = [$($meaning,)*];
        const EFFECTS: [StackEffect; Op::ALL.len()] = [$(StackEffect::read($effect, $meaning.keeps),)*];

        impl Op {
            /// The name in dumps and panels.
            pub const fn name(self) -> &'static str {
                match self { $(Op::$variant => stringify!($name),)* }
            }
            pub const fn shape(self) -> Shape {
                match self { $(Op::$variant => Shape::$shape,)* }
            }
            /// The effect on the operand stack as text: operands taken `->` operands left.
            pub const fn effect_text(self) -> &'static str {
                match self { $(Op::$variant => $effect,)* }
            }
            /// The faults that a noisy machine may inject into this operation.
            pub const fn faults(self) -> &'static [LangFault] {
                match self { $(Op::$variant => &[$(LangFault::$fault,)*],)* }
            }
            /// A note for the documentation, in Markdown.
            pub const fn note(self) -> &'static str {
                match self { $(Op::$variant => $note,)* }
            }
        }
    };
}

// In the effect column `list` is a list and every other name a word. `...` or `arguments` means that the
// instruction's operand determines the count. Text after a comma or in parentheses is a remark.
opcodes! {
    Nop NOP Plain "->" [] plain(Class::Nothing) => "does nothing; never emitted";
    LoadConst LOAD_CONST Value "-> value" [Lost Perturbed] plain(Class::Load)
        => "pushes a value of 24 bits, sign-extended";
    LoadConstWide LOAD_CONST_WIDE Wide "-> value" [Lost Perturbed] plain(Class::Load) => "pushes a value of 32 bits";
    LoadVar LOAD_VAR Slot "-> value" [Flipped Lost Perturbed] plain(Class::Load) => "pushes an int or bool variable";
    StoreVar STORE_VAR Slot "value ->" [Flipped Lost Perturbed] plain(Class::Store)
        => "pops into an int or bool variable";
    LoadList LOAD_LIST Slot "-> list" [] plain(Class::List) => "pushes a list variable";
    StoreList STORE_LIST SlotCapacity "list ->" [Flipped] plain(Class::Store)
        => "pops into a list variable; traps CapacityExceeded if the list is longer than the capacity";
    Dup DUP Plain "value -> value value" [Flipped Lost Perturbed] plain(Class::Copy) => "duplicates the top";
    Add BINARY_ADD Plain "a b -> a+b" [Flipped Lost Perturbed] infix(Plus).commutes() => "wraps";
    Sub BINARY_SUB Plain "a b -> a-b" [Flipped Lost Perturbed] infix(Minus) => "wraps";
    Mul BINARY_MUL Plain "a b -> a*b" [Flipped Lost Perturbed] infix(Star).commutes() => "wraps";
    Div BINARY_DIV Plain "a b -> a/b" [Flipped Lost Perturbed] infix(Slash)
        => "truncates toward zero; traps DivideByZero";
    Mod BINARY_MOD Plain "a b -> a%b" [Flipped Lost Perturbed] infix(Percent) => "has the sign of a; traps DivideByZero";
    And BINARY_AND Plain "a b -> a&b" [Flipped Lost Perturbed] infix(Ampersand).commutes() => "bits";
    Or BINARY_OR Plain "a b -> a|b" [Flipped Lost Perturbed] infix(Bar).commutes() => "bits";
    Xor BINARY_XOR Plain "a b -> a^b" [Flipped Lost Perturbed] infix(Caret).commutes() => "bits";
    Shl BINARY_SHL Plain "a b -> a<<b" [Flipped Lost Perturbed] infix(ShiftLeft) => "count modulo 32";
    Shr BINARY_SHR Plain "a b -> a>>b" [Flipped Lost Perturbed] infix(ShiftRight) => "count modulo 32, keeps the sign";
    Eq COMPARE_EQ Plain "a b -> a==b" [Flipped Lost] infix(EqualEqual).opposite(Op::Ne).commutes() => "";
    Ne COMPARE_NE Plain "a b -> a!=b" [Flipped Lost] infix(BangEqual).opposite(Op::Eq).commutes() => "";
    Lt COMPARE_LT Plain "a b -> a<b" [Flipped Lost] infix(Less).opposite(Op::Ge) => "signed";
    Le COMPARE_LE Plain "a b -> a<=b" [Flipped Lost] infix(LessEqual).opposite(Op::Gt) => "signed";
    Gt COMPARE_GT Plain "a b -> a>b" [Flipped Lost] infix(Greater).opposite(Op::Le) => "signed";
    Ge COMPARE_GE Plain "a b -> a>=b" [Flipped Lost] infix(GreaterEqual).opposite(Op::Lt) => "signed";
    ListEq LIST_EQ Plain "list list -> equal" [Flipped] between_lists(EqualEqual).opposite(Op::ListNe)
        => "equal lengths and elements";
    ListNe LIST_NE Plain "list list -> different" [Flipped] between_lists(BangEqual).opposite(Op::ListEq)
        => "the opposite";
    Neg UNARY_NEGATIVE Plain "a -> -a" [Flipped Lost Perturbed] prefix(Minus) => "wraps";
    Invert UNARY_INVERT Plain "a -> ~a" [Flipped Lost Perturbed] prefix(Tilde) => "all bits";
    Not UNARY_NOT Plain "a -> !a" [Flipped Lost] prefix(Bang) => "0 becomes 1, all else 0";
    Abs INT_ABS Plain "a -> abs(a)" [Flipped Lost Perturbed] builtin(NAME_ABS, Class::Unary)
        => "`abs`; wraps";
    Min INT_MIN Plain "a b -> min(a, b)" [Flipped Lost Perturbed] builtin(NAME_MIN, Class::Binary).commutes() => "`min`";
    Max INT_MAX Plain "a b -> max(a, b)" [Flipped Lost Perturbed] builtin(NAME_MAX, Class::Binary).commutes() => "`max`";
    Jump JUMP Target "->" [] plain(Class::Jump) => "";
    JumpIfFalse JUMP_IF_FALSE Target "cond ->" [Flipped Lost] branch(false) => "pops the condition";
    JumpIfTrue JUMP_IF_TRUE Target "cond ->" [Flipped Lost] branch(true) => "pops the condition";
    JumpIfFalseOrPop JUMP_IF_FALSE_OR_POP Target "cond -> cond, or nothing if it falls through" [Flipped Lost]
        branch(false).keeps() => "`&&`: jumps and keeps the condition, or pops it";
    JumpIfTrueOrPop JUMP_IF_TRUE_OR_POP Target "cond -> cond, or nothing if it falls through" [Flipped Lost]
        branch(true).keeps() => "`||`: jumps and keeps the condition, or pops it";
    BuildList BUILD_LIST Count "e1 ... en -> list" [] plain(Class::List) => "makes a list of `count` values";
    RepeatList REPEAT_LIST Count "value -> list" [Flipped] plain(Class::List) => "makes a list of `count` copies of the value";
    JoinList JOIN_LIST Plain "list list -> list" [Flipped] between_lists(Plus)
        => "`+`; traps CapacityExceeded above 64 elements";
    LoadIndex LOAD_INDEX Plain "list i -> element" [Flipped Perturbed] plain(Class::List) => "traps IndexOutOfBounds";
    LoadIndexVar LOAD_INDEX_VAR Slot "i -> element" [Flipped Lost Perturbed] plain(Class::List)
        => "an element of a list variable; traps IndexOutOfBounds";
    StoreIndex STORE_INDEX Slot "i value ->" [Flipped Lost] plain(Class::Store)
        => "into a list variable; traps IndexOutOfBounds";
    Slice SLICE Plain "list a b -> list" [Flipped] plain(Class::List) => "traps IndexOutOfBounds";
    SliceVar SLICE_VAR Slot "a b -> list" [Flipped] plain(Class::List) => "of a list variable; traps IndexOutOfBounds";
    ListLen LIST_LEN Plain "list -> length" [Perturbed] builtin(NAME_LEN, Class::List) => "`len`";
    ListLenVar LIST_LEN_VAR Slot "-> length" [Lost Perturbed] plain(Class::Load) => "`len` of a list variable";
    RangeIter RANGE_ITER Slot "a b ->" [Flipped] plain(Class::Store)
        => "begins `for` over `a..b`: sets up the counter after the loop variable";
    RangeIterInclusive RANGE_ITER_INCLUSIVE Slot "a b ->" [Flipped] plain(Class::Store) => "begins `for` over `a..=b`";
    ListIter LIST_ITER SlotCapacity "list ->" [Flipped] plain(Class::Store)
        => "begins `for` over a list: keeps a copy after the loop variable";
    ForRange FOR_RANGE SlotTarget "->" [Lost] plain(Class::Loop)
        => "stores the next number in the loop variable, or jumps if none is left";
    ForList FOR_LIST SlotTarget "->" [Lost] plain(Class::Loop) => "stores the next element in the loop variable, or jumps if none is left";
    Call CALL Function "arguments -> result" [] plain(Class::Call)
        => "traps RecursionTooDeep, CapacityExceeded, OutOfMemory in this order";
    Return RETURN Plain "value -> (to the caller) value" [Flipped] plain(Class::Return) => "";
    ReturnList RETURN_LIST Count "list -> (to the caller) list" [Flipped] plain(Class::Return)
        => "traps CapacityExceeded above the result's capacity";
    // Version 2. Only the optimizer at level 2 emits these.
    NextRange NEXT_RANGE SlotTarget "->" [Lost] plain(Class::Loop)
        => "ends a round of `for`: stores the next number in the loop variable and jumps, or falls through if none is left";
    NextList NEXT_LIST SlotTarget "->" [Lost] plain(Class::Loop)
        => "ends a round of `for`: stores the next element in the loop variable and jumps, or falls through if none is left";
    LoadListConst LOAD_LIST_CONST Count "-> list" [] plain(Class::List)
        => "pushes the list of the `count` `ELEMENT` after it, and continues after these";
    Element ELEMENT Value "->" [] plain(Class::Nothing) => "data of a `LOAD_LIST_CONST`: 24 bits, sign-extended; not executed";
    // Version 3. Only programs with holes have it.
    Hole HOLE Plain "->" [] plain(Class::Stop) => "a place where the program is not finished: traps Hole";
}

impl Op {
    pub const fn class(self) -> Class {
        MEANINGS[self as usize].class
    }

    /// The effect on the operand stack where control falls through.
    pub const fn effect(self) -> StackEffect {
        EFFECTS[self as usize]
    }

    pub const fn source(self) -> OperandSource {
        MEANINGS[self as usize].source
    }

    /// Returns the comparison that holds exactly where this one does not.
    pub const fn opposite(self) -> Option<Op> {
        MEANINGS[self as usize].opposite
    }

    /// Returns whether the two operands may be swapped.
    pub const fn commutes(self) -> bool {
        MEANINGS[self as usize].commutes
    }

    /// For a conditional jump, returns the value that it jumps on and whether it keeps that value when it
    /// jumps.
    pub const fn condition(self) -> Option<(bool, bool)> {
        match self.class() {
            Class::Branch { on } => Some((on, MEANINGS[self as usize].keeps)),
            _ => None,
        }
    }

    /// Returns the operation of an infix operator on two ints or bools, unless the operator short-circuits.
    pub const fn from_infix(kind: TokenKind) -> Option<Op> {
        const TABLE: [Option<Op>; TokenKind::ALL.len()] = by_source!(Infix);
        TABLE[kind as usize]
    }

    /// Returns the operation of an infix operator on two lists.
    pub const fn from_list_infix(kind: TokenKind) -> Option<Op> {
        const TABLE: [Option<Op>; TokenKind::ALL.len()] = by_source!(ListInfix);
        TABLE[kind as usize]
    }

    pub const fn from_prefix(kind: TokenKind) -> Option<Op> {
        const TABLE: [Option<Op>; TokenKind::ALL.len()] = by_source!(Prefix);
        TABLE[kind as usize]
    }

    /// Returns the operation of the built-in function with this name id, applied to operands on the stack.
    pub const fn from_builtin(name: u32) -> Option<Op> {
        const TABLE: [Option<Op>; BUILTINS.len()] = by_source!(Builtin);
        if name < TABLE.len() as u32 { TABLE[name as usize] } else { None }
    }
}

/// Returns the class of operation number `op`; `Class::Nothing` if there is no such operation.
pub fn class(op: u32) -> Class {
    MEANINGS.get(op as usize).map_or(Class::Nothing, |meaning| meaning.class)
}

/// Returns whether the first operand of operation number `op` is a slot.
pub fn has_slot(op: u32) -> bool {
    let shape = Op::from_u32(op).map_or(Shape::Plain, Op::shape);
    matches!(shape, Shape::Slot | Shape::SlotCapacity | Shape::SlotTarget)
}

/// Packs an opcode and its 24-bit operand (signed or unsigned) into a word.
pub const fn word(op: Op, operand: u32) -> u32 {
    (op as u32) | (operand << 8)
}
