//! The words that the model reads and writes, with their numbers. `docs/neural.md` defines their meaning.

use crate::lang::numbered;
use crate::lang::opcode::Op;

/// Increased when a number or meaning in this table changes. Weights of another version are refused.
pub const VOCABULARY_VERSION: u32 = 1;
/// Version of the instruction set that target words express. They are taught code of level 1, which uses no later
/// instructions.
pub const TARGET_ISA: u32 = 1;

/// Maximum number of variables of a function.
pub const VARIABLES: u32 = 16;
/// Maximum number of constants that a function can copy.
pub const CONSTANTS: u32 = 16;
/// Maximum number of functions that a function calls, including itself.
pub const CALLEES: u32 = 8;
/// Maximum number of labels of a target.
pub const LABELS: u32 = 24;
/// Maximum number of elements of a list literal.
pub const ELEMENTS: u32 = 16;
/// The day on which the weights were trained. They know level 1 as it was then, before comparisons with zero could be
/// negations (2026-11-27).
pub const TAUGHT: &str = "2026-11-22";

/// Returns whether the weights were taught the word that builds a list of this length. The corpus has lists of up to 5
/// elements, of 8 and 12, and of 6 where an element is taken, and a string of 10 codes. `indexed` says whether one is taken.
pub fn is_taught(elements: u32, indexed: bool) -> bool {
    matches!(elements, 0..=5 | 8 | 10 | 12) || elements == 6 && indexed
}

/// Maximum number of words of a source.
pub const SOURCE_MAX: usize = 256;
/// Maximum number of words of a target, including `<eos>`.
pub const TARGET_MAX: usize = 192;

/// The ints that have words of their own. All others are copied from slots.
pub const LITERALS: [i32; 4] = [-1, 0, 1, 2];
/// The counts of `REPEAT_LIST` that have words of their own.
pub const COUNTS: [u32; 2] = [1, 2];

/// The instructions without operands, in the order of their words. An operation that is newer than the
/// weights is not among them; a function that needs it is out of reach.
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
            /// The spelling of the family's words, without the index.
            pub const fn text(self) -> &'static str {
                match self { $($name::$variant => $text,)* }
            }
        }
    };
}

families! {
    /// The families of words. A word is a family and an index in it. Target words come first.
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
    /// Source words that represent one token each, distinguished by its meaning.
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

/// The first word of each family, and one past the last word.
const FIRST: [u16; Family::ALL.len() + 1] = {
    let mut first = [0; Family::ALL.len() + 1];
    let mut family = 0;
    while family < Family::ALL.len() {
        first[family + 1] = first[family] + Family::ALL[family].count() as u16;
        family += 1;
    }
    first
};

/// Number of target words, which is the number of logits.
pub const TARGETS: usize = FIRST[Family::Variable as usize] as usize;
pub const WORDS: usize = FIRST[Family::ALL.len()] as usize;

pub const PAD: u16 = Family::Pad.word(0);
pub const BOS: u16 = Family::Bos.word(0);
pub const EOS: u16 = Family::Eos.word(0);

impl Family {
    /// Returns the word of this family with an index, which must be less than [`Self::count`].
    pub const fn word(self, index: u32) -> u16 {
        debug_assert!(index < self.count());
        FIRST[self as usize] + index as u16
    }

    /// Returns the family of a word and its index there, or `None` if no such word exists.
    pub fn of(word: u16) -> Option<(Family, u32)> {
        let family = FIRST.partition_point(|&first| first <= word).checked_sub(1)?;
        Some((*Family::ALL.get(family)?, u32::from(word - FIRST[family])))
    }
}

/// Returns the word of an instruction of [`PLAIN`].
pub fn plain(op: Op) -> Option<u16> {
    PLAIN.iter().position(|&plain| plain == op).map(|index| Family::Plain.word(index as u32))
}

/// Returns the spelling of a word in dumps and panels.
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
