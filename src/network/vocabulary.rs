//! The words that the model reads and writes, each numbered once. `docs/neural.md` says what they mean.

use crate::lang::numbered;
use crate::lang::opcode::Op;

/// Raised when a number or meaning in this table changes; weights of another version are refused.
pub const VOCABULARY_VERSION: u32 = 1;

/// Variables that a function may have.
pub const VARIABLES: u32 = 16;
/// Values that a function may copy.
pub const CONSTANTS: u32 = 16;
/// Functions that a function may call, itself included.
pub const CALLEES: u32 = 8;
/// Labels that a target may have.
pub const LABELS: u32 = 24;
/// Elements that a list literal may have.
pub const ELEMENTS: u32 = 16;
/// Words that a source may have.
pub const SOURCE_MAX: usize = 256;
/// Words that a target may have, `<eos>` included.
pub const TARGET_MAX: usize = 192;

/// The ints that have words of their own; all others are copied from slots.
pub const LITERALS: [i32; 4] = [-1, 0, 1, 2];
/// The counts of `REPEAT_LIST` that have words of their own.
pub const COUNTS: [u32; 2] = [1, 2];

/// The instructions without operands, in the order of their words. An operation that comes to the language is none of
/// them until other weights are made: a function that needs it is out of reach.
pub const PLAIN: [Op; 30] = [
    Op::Dup,
    Op::Add,
    Op::Sub,
    Op::Mul,
    Op::Div,
    Op::Mod,
    Op::And,
    Op::Or,
    Op::Xor,
    Op::Shl,
    Op::Shr,
    Op::Eq,
    Op::Ne,
    Op::Lt,
    Op::Le,
    Op::Gt,
    Op::Ge,
    Op::ListEq,
    Op::ListNe,
    Op::Neg,
    Op::Invert,
    Op::Not,
    Op::Abs,
    Op::Min,
    Op::Max,
    Op::JoinList,
    Op::LoadIndex,
    Op::Slice,
    Op::ListLen,
    Op::Return,
];

macro_rules! families {
    ($(#[$meta:meta])* pub enum $name:ident { $($(#[$vmeta:meta])* $variant:ident $count:expr, $text:literal;)* }) => {
        numbered! {
            $(#[$meta])*
            pub enum $name { $($(#[$vmeta])* $variant,)* }
        }
        impl $name {
            /// Number of words in the family.
            pub const fn count(self) -> u32 {
                match self { $($name::$variant => $count,)* }
            }
            /// How a word of the family is written, before its index.
            pub const fn text(self) -> &'static str {
                match self { $($name::$variant => $text,)* }
            }
        }
    };
}

families! {
    /// The words, by family; a word is a family and an index in it. Target words come first.
    pub enum Family {
        Pad 1, "<pad>";
        Bos 1, "<bos>";
        Eos 1, "<eos>";
        /// An instruction of [`PLAIN`].
        Plain PLAIN.len() as u32, "";
        /// `LOAD_CONST` of one of [`LITERALS`].
        Literal LITERALS.len() as u32, "const";
        /// `LOAD_CONST` of a copy slot.
        Copy CONSTANTS, "const c";
        Load VARIABLES, "load v";
        Store VARIABLES, "store v";
        Index VARIABLES, "index v";
        StoreIndex VARIABLES, "store-index v";
        SliceOf VARIABLES, "slice v";
        Len VARIABLES, "len v";
        Range VARIABLES, "range v";
        RangeInclusive VARIABLES, "range-inclusive v";
        Each VARIABLES, "list v";
        Jump LABELS, "jump l";
        IfFalse LABELS, "if-false l";
        IfTrue LABELS, "if-true l";
        IfFalseOrPop LABELS, "if-false-or-pop l";
        IfTrueOrPop LABELS, "if-true-or-pop l";
        For LABELS, "for l";
        Label LABELS, "label l";
        Build ELEMENTS + 1, "build";
        /// `REPEAT_LIST` of one of [`COUNTS`].
        Repeat COUNTS.len() as u32, "repeat";
        RepeatCopy CONSTANTS, "repeat c";
        Call CALLEES, "call f";
        // Source words.
        Variable VARIABLES, "v";
        Value LITERALS.len() as u32, "";
        Constant CONSTANTS, "c";
        Callee CALLEES, "f";
        Mark Mark::ALL.len() as u32, "";
    }
}

numbered! {
    /// Source words that stand for one token each, told apart by what it does.
    pub enum Mark {
        Let, If, Else, While, For, In, Break, Continue, Return,
        True, False,
        IntType, BoolType, IntListType, BoolListType,
        Group, Arguments, RightParen,
        List, Repeat, Index, Slice, RightBracket,
        LeftBrace, RightBrace, Comma, Semicolon, Arrow, DotDot, DotDotEqual,
        Assign, AddAssign, SubAssign, MulAssign, DivAssign, ModAssign, AndAssign, OrAssign, XorAssign, ShlAssign,
        ShrAssign,
        LogicalOr, LogicalAnd, Eq, Ne, Lt, Le, Gt, Ge, Or, Xor, And, Shl, Shr, Add, Sub, Mul, Div, Mod,
        Negate, Not, Invert,
        Len, Abs, Min, Max, ToInt,
    }
}

/// First word of each family, and one past the last word.
const FIRST: [u16; Family::ALL.len() + 1] = {
    let mut first = [0; Family::ALL.len() + 1];
    let mut family = 0;
    while family < Family::ALL.len() {
        first[family + 1] = first[family] + Family::ALL[family].count() as u16;
        family += 1;
    }
    first
};

/// Number of target words: the model's logits.
pub const TARGETS: usize = FIRST[Family::Variable as usize] as usize;
/// Number of all words.
pub const WORDS: usize = FIRST[Family::ALL.len()] as usize;

pub const PAD: u16 = Family::Pad.word(0);
pub const BOS: u16 = Family::Bos.word(0);
pub const EOS: u16 = Family::Eos.word(0);

impl Family {
    /// The word of this family with that index, which must be less than [`Self::count`].
    pub const fn word(self, index: u32) -> u16 {
        debug_assert!(index < self.count());
        FIRST[self as usize] + index as u16
    }

    /// The family of a word, and its index there; `None` of what is no word.
    pub fn of(word: u16) -> Option<(Family, u32)> {
        let family = FIRST.partition_point(|&first| first <= word).checked_sub(1)?;
        Some((*Family::ALL.get(family)?, u32::from(word - FIRST[family])))
    }
}

/// The word of an instruction of [`PLAIN`].
pub fn plain(op: Op) -> Option<u16> {
    PLAIN.iter().position(|&plain| plain == op).map(|index| Family::Plain.word(index as u32))
}

/// How a word is written in dumps and panels.
pub fn text(word: u16) -> String {
    let Some((family, index)) = Family::of(word) else { return format!("?{word}") };
    match family {
        Family::Pad | Family::Bos | Family::Eos => family.text().into(),
        Family::Plain => PLAIN[index as usize].name().into(),
        Family::Mark => Mark::ALL[index as usize].ident().into(),
        Family::Value => LITERALS[index as usize].to_string(),
        Family::Literal => format!("const {}", LITERALS[index as usize]),
        Family::Repeat => format!("repeat {}", COUNTS[index as usize]),
        Family::Build => format!("build {index}"),
        Family::Call if index == 0 => "call self".into(),
        Family::Callee if index == 0 => "self".into(),
        Family::Call | Family::Callee => format!("{}{}", family.text(), index - 1),
        _ => format!("{}{index}", family.text()),
    }
}
