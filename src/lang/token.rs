//! Token kinds: one table of how each is spelled and, of operators, how strongly it binds.

use super::numbered;

/// What the table says of a kind.
#[derive(Clone, Copy)]
struct Row {
    spelling: Option<&'static str>,
    strength: u32,
    prefix: bool,
    applies: Option<TokenKind>,
}

/// A kind whose text varies.
const fn varied() -> Row {
    Row { spelling: None, strength: 0, prefix: false, applies: None }
}
const fn fixed(spelling: &'static str) -> Row {
    Row { spelling: Some(spelling), ..varied() }
}
const fn infix(strength: u32, spelling: &'static str) -> Row {
    Row { strength, ..fixed(spelling) }
}
const fn prefix(spelling: &'static str) -> Row {
    Row { prefix: true, ..fixed(spelling) }
}
/// A compound assignment.
const fn applying(operator: TokenKind, spelling: &'static str) -> Row {
    Row { applies: Some(operator), ..fixed(spelling) }
}

macro_rules! tokens {
    ($($(#[$meta:meta])* $kind:ident = $row:expr;)*) => {
        numbered! {
            /// What a token is. The order is part of the contract with the shaders only through the generated prelude.
            pub enum TokenKind { $($(#[$meta])* $kind,)* }
        }
        const ROWS: [Row; TokenKind::ALL.len()] = [$($row,)*];
    };
}

use TokenKind::*;

tokens! {
    /// A lexical error. `value` = diagnostic number | byte offset of the offence within the token << 16 (for an
    /// unterminated literal, whose offset is 0: whether it swallowed a brace, 1 or 0).
    Error = varied();
    /// An integer literal; `value` holds its 32 bits.
    Int = varied();
    /// A character literal; `value` is its code.
    Char = varied();
    /// A string literal; `value` is the number of codes in it ([`STR_CODES`]), of a mutant with [`STR_OTHER`] perhaps.
    Str = varied();
    /// An identifier; `value` is its name id (see [`BUILTINS`]).
    Name = varied();
    Fn = fixed("fn");
    Const = fixed("const");
    Test = fixed("test");
    Prop = fixed("prop");
    Let = fixed("let");
    If = fixed("if");
    Else = fixed("else");
    While = fixed("while");
    For = fixed("for");
    In = fixed("in");
    Break = fixed("break");
    Continue = fixed("continue");
    Return = fixed("return");
    True = fixed("true");
    False = fixed("false");
    IntType = fixed("int");
    BoolType = fixed("bool");
    LeftParen = fixed("(");
    RightParen = fixed(")");
    LeftBracket = fixed("[");
    RightBracket = fixed("]");
    LeftBrace = fixed("{");
    RightBrace = fixed("}");
    Comma = fixed(",");
    Semicolon = fixed(";");
    Colon = fixed(":");
    Arrow = fixed("->");
    FatArrow = fixed("=>");
    DotDot = fixed("..");
    DotDotEqual = fixed("..=");
    Equal = fixed("=");
    PlusEqual = applying(Plus, "+=");
    MinusEqual = applying(Minus, "-=");
    StarEqual = applying(Star, "*=");
    SlashEqual = applying(Slash, "/=");
    PercentEqual = applying(Percent, "%=");
    AmpersandEqual = applying(Ampersand, "&=");
    BarEqual = applying(Bar, "|=");
    CaretEqual = applying(Caret, "^=");
    ShiftLeftEqual = applying(ShiftLeft, "<<=");
    ShiftRightEqual = applying(ShiftRight, ">>=");
    BarBar = infix(1, "||");
    AmpersandAmpersand = infix(2, "&&");
    EqualEqual = infix(COMPARISON_STRENGTH, "==");
    BangEqual = infix(COMPARISON_STRENGTH, "!=");
    Less = infix(COMPARISON_STRENGTH, "<");
    LessEqual = infix(COMPARISON_STRENGTH, "<=");
    Greater = infix(COMPARISON_STRENGTH, ">");
    GreaterEqual = infix(COMPARISON_STRENGTH, ">=");
    Bar = infix(4, "|");
    Caret = infix(5, "^");
    Ampersand = infix(6, "&");
    ShiftLeft = infix(7, "<<");
    ShiftRight = infix(7, ">>");
    Plus = infix(8, "+");
    Minus = Row { prefix: true, ..infix(8, "-") };
    Star = infix(9, "*");
    Slash = infix(9, "/");
    Percent = infix(9, "%");
    Bang = prefix("!");
    Tilde = prefix("~");
}

/// The built-in functions that are identifiers, not keywords (`int` is a keyword). Their name ids are their
/// indices here; every other name's id is `BUILTINS.len()` + the index of the first token that bears it.
pub const BUILTINS: &[&str] = &["len", "abs", "min", "max"];
pub const NAME_LEN: u32 = 0;
pub const NAME_ABS: u32 = 1;
pub const NAME_MIN: u32 = 2;
pub const NAME_MAX: u32 = 3;
/// The first name id that is not a built-in's.
pub const FIRST_NAME: u32 = 4;

/// Binding strength of a prefix operator.
pub const PREFIX_STRENGTH: u32 = 10;
/// Binding strength of indexing, slicing and calling.
pub const POSTFIX_STRENGTH: u32 = 11;
/// Binding strength of the comparison operators, which do not chain.
pub const COMPARISON_STRENGTH: u32 = 3;

/// Of the value of a string: how many codes it has.
pub const STR_CODES: u32 = 0xffff;
/// And whether the first of them is another than in the text: see [`other_code`]. The lexer never says so, an edit does.
pub const STR_OTHER: u32 = 0x1_0000;

/// A code in the place of another: `a`, or `b` for an `a`. Any literal may have these as they are.
pub const fn other_code(code: u32) -> u32 {
    if code == 97 { 98 } else { 97 }
}

/// Every fixed spelling: keywords, then punctuation.
pub fn spellings() -> impl Iterator<Item = (&'static str, TokenKind)> {
    TokenKind::ALL.iter().filter_map(|kind| Some((kind.spelling()?, *kind)))
}

impl TokenKind {
    /// How the kind is spelled, if always in one way.
    pub const fn spelling(self) -> Option<&'static str> {
        ROWS[self as usize].spelling
    }

    /// Binding strength as an infix operator, 1 (loosest) to 9; 0 where it is none.
    pub const fn infix_strength(self) -> u32 {
        ROWS[self as usize].strength
    }

    /// Whether it may stand before an operand.
    pub const fn is_prefix(self) -> bool {
        ROWS[self as usize].prefix
    }

    /// For a compound assignment, the infix operator that it applies.
    pub const fn compound_operator(self) -> Option<TokenKind> {
        ROWS[self as usize].applies
    }

    /// The compound assignment that applies this operator.
    pub fn assignment(self) -> Option<TokenKind> {
        TokenKind::ALL.iter().copied().find(|kind| kind.compound_operator() == Some(self))
    }

    /// `=` and the compound assignments.
    pub const fn is_assignment(self) -> bool {
        matches!(self, Equal) || self.compound_operator().is_some()
    }

    /// `||` and `&&`, which evaluate their right operand only where it decides.
    pub const fn is_logical(self) -> bool {
        matches!(self, BarBar | AmpersandAmpersand)
    }

    /// `==` and `!=`, which take operands of any type.
    pub const fn is_equality(self) -> bool {
        matches!(self, EqualEqual | BangEqual)
    }

    /// Whether it compares its operands.
    pub const fn is_comparison(self) -> bool {
        self.infix_strength() == COMPARISON_STRENGTH
    }

    /// Whether it works on operands: infix, prefix or assigning.
    pub const fn is_operator(self) -> bool {
        self.infix_strength() > 0 || self.is_prefix() || self.is_assignment()
    }

    /// What an operand can end in: behind it an operator is infix.
    pub const fn ends_operand(self) -> bool {
        matches!(self, Int | Char | Str | Name | True | False | RightParen | RightBracket)
    }

    /// Keywords that begin an item.
    pub const fn begins_item(self) -> bool {
        matches!(self, Fn | Const | Test | Prop)
    }

    /// Keywords that begin a statement inside a block. (`else` continues one.)
    pub const fn begins_statement(self) -> bool {
        matches!(self, Let | If | While | For | Break | Continue | Return)
    }
}
