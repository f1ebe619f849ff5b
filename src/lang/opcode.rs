//! The instruction set of the stack machine: one table, whose row says everything of an operation but its arithmetic.
//!
//! An instruction is one word, opcode in the low 8 bits and operand in the upper 24; instructions of
//! [`Shape::Wide`], `SlotCapacity` and `SlotTarget` carry a second word. Booleans are the words 0 and 1. A list on
//! the operand stack is its elements, first deepest, with their number on top; a list variable is its length, then
//! its elements.

use super::fault::Fault;
use super::numbered;
use super::token::TokenKind::{self, *};
use super::token::{BUILTINS, NAME_ABS, NAME_LEN, NAME_MAX, NAME_MIN};

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

/// What kind of thing an operation does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Nothing.
    Nothing,
    /// Leaves a word that depends on no operand.
    Load,
    /// Leaves its operand twice.
    Copy,
    /// Makes a word of one (see `lang::arithmetic`).
    Unary,
    /// Makes a word of two.
    Binary,
    /// Makes or reads a list.
    List,
    /// Stores operands and leaves none: behind it the stack is empty.
    Store,
    /// Control goes elsewhere.
    Jump,
    /// Control goes elsewhere if the condition is the value given.
    Branch {
        on: bool,
    },
    /// The next round of a loop, or what comes behind it.
    Loop,
    Call,
    Return,
}

/// What of the language an operation stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// None of its own.
    Syntax,
    Prefix(TokenKind),
    Infix(TokenKind),
    /// An infix operator between lists.
    ListInfix(TokenKind),
    /// The built-in function of this name id, on what stands on the stack.
    Builtin(u32),
}

/// What an operation takes from the operand stack and leaves there, a list counting as one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effect {
    /// Operands taken.
    pub takes: u32,
    /// Which of them are lists; bit 0 is the deepest.
    pub taken_lists: u32,
    /// Operands left where control falls through.
    pub leaves: u32,
    /// Which of them are lists.
    pub left_lists: u32,
    /// It takes as many operands as its own operand says, or the function that this names; `takes` is 0 then.
    pub varies: bool,
}

impl Effect {
    /// Reads the column of the table.
    const fn read(text: &str, keeps: bool) -> Effect {
        let text = text.as_bytes();
        let mut effect = Effect { takes: 0, taken_lists: 0, leaves: 0, left_lists: 0, varies: false };
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

/// The rest of a row.
#[derive(Clone, Copy)]
struct Meaning {
    class: Class,
    source: Source,
    opposite: Option<Op>,
    commutes: bool,
    keeps: bool,
}

const fn plain(class: Class) -> Meaning {
    Meaning { class, source: Source::Syntax, opposite: None, commutes: false, keeps: false }
}
const fn prefix(token: TokenKind) -> Meaning {
    Meaning { source: Source::Prefix(token), ..plain(Class::Unary) }
}
const fn infix(token: TokenKind) -> Meaning {
    Meaning { source: Source::Infix(token), ..plain(Class::Binary) }
}
const fn between_lists(token: TokenKind) -> Meaning {
    Meaning { source: Source::ListInfix(token), ..plain(Class::List) }
}
const fn builtin(name: u32, class: Class) -> Meaning {
    Meaning { source: Source::Builtin(name), ..plain(class) }
}
const fn branch(on: bool) -> Meaning {
    plain(Class::Branch { on })
}

impl Meaning {
    /// Its operands may change places.
    const fn commutes(self) -> Meaning {
        Meaning { commutes: true, ..self }
    }
    /// Another comparison holds exactly where this one does not.
    const fn opposite(self, op: Op) -> Meaning {
        Meaning { opposite: Some(op), ..self }
    }
    /// A branch that leaves its condition on the stack where it jumps.
    const fn keeps(self) -> Meaning {
        Meaning { keeps: true, ..self }
    }
}

/// A table of the operations that have such a source, by the number in it.
macro_rules! by_source {
    ($source:ident) => {{
        let mut table = [None; _];
        let mut i = 0;
        while i < Op::ALL.len() {
            if let Source::$source(of) = MEANINGS[i].source {
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
            /// The operations, by number. 0 never stands in emitted bytecode.
            pub enum Op { $($variant,)* }
        }

        /// The numbers of the operations, by the names that dumps and panels use.
        pub mod number {
            use super::Op;
            $(pub const $name: u32 = Op::$variant as u32;)*
        }

        const MEANINGS: [Meaning; Op::ALL.len()] = [$($meaning,)*];
        const EFFECTS: [Effect; Op::ALL.len()] = [$(Effect::read($effect, $meaning.keeps),)*];

        impl Op {
            /// The name in dumps and panels.
            pub const fn name(self) -> &'static str {
                match self { $(Op::$variant => stringify!($name),)* }
            }
            pub const fn shape(self) -> Shape {
                match self { $(Op::$variant => Shape::$shape,)* }
            }
            /// The effect on the operand stack as people read it: what it takes -> what it leaves.
            pub const fn effect_text(self) -> &'static str {
                match self { $(Op::$variant => $effect,)* }
            }
            /// What a fault of a noisy machine may do to it.
            pub const fn faults(self) -> &'static [Fault] {
                match self { $(Op::$variant => &[$(Fault::$fault,)*],)* }
            }
            /// What there is to say of it, in Markdown.
            pub const fn note(self) -> &'static str {
                match self { $(Op::$variant => $note,)* }
            }
        }
    };
}

// In the effect, `list` is a list and every other name a word; `...` or `arguments` stand for as many as the operand says. What
// stands behind a comma or in brackets is a remark.
opcodes! {
    Nop NOP Plain "->" [] plain(Class::Nothing) => "nothing; never stands in emitted code";
    LoadConst LOAD_CONST Value "-> value" [Lost Perturbed] plain(Class::Load)
        => "pushes a value of 24 bits, sign-extended";
    LoadConstWide LOAD_CONST_WIDE Wide "-> value" [Lost Perturbed] plain(Class::Load) => "pushes a value of 32 bits";
    LoadVar LOAD_VAR Slot "-> value" [Flipped Lost Perturbed] plain(Class::Load) => "pushes an int or bool variable";
    StoreVar STORE_VAR Slot "value ->" [Flipped Lost Perturbed] plain(Class::Store)
        => "pops into an int or bool variable";
    LoadList LOAD_LIST Slot "-> list" [] plain(Class::List) => "pushes a list variable";
    StoreList STORE_LIST SlotCapacity "list ->" [Flipped] plain(Class::Store)
        => "pops into a list variable; traps CapacityExceeded if the list is longer than the capacity";
    Dup DUP Plain "value -> value value" [Flipped Lost Perturbed] plain(Class::Copy) => "pushes the top again";
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
        => "`abs`; of the least int itself";
    Min INT_MIN Plain "a b -> min(a, b)" [Flipped Lost Perturbed] builtin(NAME_MIN, Class::Binary).commutes() => "`min`";
    Max INT_MAX Plain "a b -> max(a, b)" [Flipped Lost Perturbed] builtin(NAME_MAX, Class::Binary).commutes() => "`max`";
    Jump JUMP Target "->" [] plain(Class::Jump) => "";
    JumpIfFalse JUMP_IF_FALSE Target "cond ->" [Flipped Lost] branch(false) => "pops the condition";
    JumpIfTrue JUMP_IF_TRUE Target "cond ->" [Flipped Lost] branch(true) => "pops the condition";
    JumpIfFalseOrPop JUMP_IF_FALSE_OR_POP Target "cond -> cond, or nothing if it falls through" [Flipped Lost]
        branch(false).keeps() => "`&&`: jumps and keeps the condition, or pops it";
    JumpIfTrueOrPop JUMP_IF_TRUE_OR_POP Target "cond -> cond, or nothing if it falls through" [Flipped Lost]
        branch(true).keeps() => "`||`: jumps and keeps the condition, or pops it";
    BuildList BUILD_LIST Count "e1 ... en -> list" [] plain(Class::List) => "makes a list of that many values";
    RepeatList REPEAT_LIST Count "value -> list" [Flipped] plain(Class::List) => "a list of so many times the value";
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
        => "begins `for` over `a..b`: sets up the counter behind the loop variable";
    RangeIterInclusive RANGE_ITER_INCLUSIVE Slot "a b ->" [Flipped] plain(Class::Store) => "the same over `a..=b`";
    ListIter LIST_ITER SlotCapacity "list ->" [Flipped] plain(Class::Store)
        => "begins `for` over a list: keeps a copy behind the loop variable";
    ForRange FOR_RANGE SlotTarget "->" [Lost] plain(Class::Loop)
        => "the next number into the loop variable, or jumps when there is none";
    ForList FOR_LIST SlotTarget "->" [Lost] plain(Class::Loop) => "the next element, or jumps when there is none";
    Call CALL Function "arguments -> result" [] plain(Class::Call)
        => "traps RecursionTooDeep, CapacityExceeded, OutOfMemory in this order";
    Return RETURN Plain "value -> (to the caller) value" [Flipped] plain(Class::Return) => "";
    ReturnList RETURN_LIST Count "list -> (to the caller) list" [Flipped] plain(Class::Return)
        => "traps CapacityExceeded above the result's capacity";
}

impl Op {
    pub const fn class(self) -> Class {
        MEANINGS[self as usize].class
    }

    /// The effect on the operand stack where control falls through.
    pub const fn effect(self) -> Effect {
        EFFECTS[self as usize]
    }

    pub const fn source(self) -> Source {
        MEANINGS[self as usize].source
    }

    /// The comparison that holds exactly where this one does not.
    pub const fn opposite(self) -> Option<Op> {
        MEANINGS[self as usize].opposite
    }

    /// Whether its two operands may change places.
    pub const fn commutes(self) -> bool {
        MEANINGS[self as usize].commutes
    }

    /// Of a conditional jump, on which value it jumps, and whether it keeps the value then.
    pub const fn condition(self) -> Option<(bool, bool)> {
        match self.class() {
            Class::Branch { on } => Some((on, MEANINGS[self as usize].keeps)),
            _ => None,
        }
    }

    /// What an infix operator that always evaluates both operands does to two ints or bools.
    pub const fn of_infix(kind: TokenKind) -> Option<Op> {
        const TABLE: [Option<Op>; TokenKind::ALL.len()] = by_source!(Infix);
        TABLE[kind as usize]
    }

    /// What an infix operator does to two lists.
    pub const fn of_list_infix(kind: TokenKind) -> Option<Op> {
        const TABLE: [Option<Op>; TokenKind::ALL.len()] = by_source!(ListInfix);
        TABLE[kind as usize]
    }

    /// What a prefix operator does.
    pub const fn of_prefix(kind: TokenKind) -> Option<Op> {
        const TABLE: [Option<Op>; TokenKind::ALL.len()] = by_source!(Prefix);
        TABLE[kind as usize]
    }

    /// What a built-in function does to what stands on the stack, by its name id.
    pub const fn of_builtin(name: u32) -> Option<Op> {
        const TABLE: [Option<Op>; BUILTINS.len()] = by_source!(Builtin);
        if name < TABLE.len() as u32 { TABLE[name as usize] } else { None }
    }
}

/// The class of an operation by number: what passes ask of every instruction.
pub fn class(op: u32) -> Class {
    MEANINGS.get(op as usize).map_or(Class::Nothing, |meaning| meaning.class)
}

/// Packs an opcode and its operand (signed or unsigned, 24 bits) in a word.
pub const fn word(op: Op, operand: u32) -> u32 {
    (op as u32) | (operand << 8)
}
