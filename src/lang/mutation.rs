//! The mutation operators: one table.
//!
//! Mutation knows an operator by its number here, `--operators` and documents by its name. Which tokens of which
//! nodes it changes is in `docs/stages.md`, "mutate"; the families of tokens that replace each other are here.

use super::token::TokenKind::{self, *};

macro_rules! operators {
    ($($variant:ident $name:literal $summary:literal $why:literal;)*) => {
        super::numbered! {
            /// The operators, in the order in which one token's edits are numbered.
            pub enum Operator { $($variant,)* }
        }
        impl Operator {
            /// The name in documents and on the command line.
            pub const fn name(self) -> &'static str {
                match self { $(Operator::$variant => $name,)* }
            }
            /// What it changes, in a few words.
            pub const fn summary(self) -> &'static str {
                match self { $(Operator::$variant => $summary,)* }
            }
            /// What a survivor of it says about the tests.
            pub const fn why(self) -> &'static str {
                match self { $(Operator::$variant => $why,)* }
            }
        }
    };
}

operators! {
    Arithmetic "arithmetic" "+ - * / % replaced by each other, in assignments too"
        "No test depends on the result of this calculation.";
    Relational "relational" "== != < <= > >= replaced by each other"
        "No test has values on this comparison's boundary, or on its other side.";
    Logical "logical" "&& and || replaced by each other"
        "No test makes exactly one side of this condition true.";
    Bitwise "bitwise" "& | ^ replaced by each other, << and >> too, also in assignments"
        "No test has bits that tell these operators apart.";
    UnaryInsertion "unary-insertion" "- or ~ put before an int variable, ! before a bool variable or call"
        "No test depends on the sign or truth of this value.";
    UnaryRemoval "unary-removal" "a prefix operator left out"
        "No test depends on this prefix operator.";
    Constant "constant" "a number replaced by 0, 1, -1 or a neighbour, true and false by each other"
        "No test depends on this constant's exact value.";
    Deletion "deletion" "an assignment, if, loop, break, continue or return left out"
        "No test needs this statement.";
    Condition "condition" "the condition of an if or while made always true or always false"
        "No test takes both ways from here.";
}

impl Operator {
    /// The operator of this name.
    pub fn from_name(name: &str) -> Option<Operator> {
        Operator::ALL.iter().copied().find(|operator| operator.name() == name)
    }
}

/// Int operators that replace each other.
pub const ARITHMETIC: &[TokenKind] = &[Plus, Minus, Star, Slash, Percent];
/// Comparisons that replace each other between ints.
pub const RELATIONAL: &[TokenKind] = &[EqualEqual, BangEqual, Less, LessEqual, Greater, GreaterEqual];
/// Comparisons that replace each other between bools or lists.
pub const EQUALITY: &[TokenKind] = &[EqualEqual, BangEqual];
pub const LOGICAL: &[TokenKind] = &[AmpersandAmpersand, BarBar];
pub const BITWISE: &[TokenKind] = &[Ampersand, Bar, Caret];
pub const SHIFTS: &[TokenKind] = &[ShiftLeft, ShiftRight];
/// The same for compound assignments.
pub const ARITHMETIC_ASSIGN: &[TokenKind] = &[PlusEqual, MinusEqual, StarEqual, SlashEqual, PercentEqual];
pub const BITWISE_ASSIGN: &[TokenKind] = &[AmpersandEqual, BarEqual, CaretEqual];
pub const SHIFTS_ASSIGN: &[TokenKind] = &[ShiftLeftEqual, ShiftRightEqual];
