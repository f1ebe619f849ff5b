//! Token kinds: one table with the spelling of each kind and the binding strength of operators.

use super::numbered;

#[derive(Clone, Copy)]
struct LangTokenRow {
    spelling: Option<&'static str>,
    strength: u32,
    prefix: bool,
    applies: Option<TokenKind>,
}

/// A kind whose text varies.
const fn varied() -> LangTokenRow {
    LangTokenRow { spelling: None, strength: 0, prefix: false, applies: None }
}
const fn fixed(spelling: &'static str) -> LangTokenRow {
    LangTokenRow { spelling: Some(spelling), ..varied() }
}
const fn infix(strength: u32, spelling: &'static str) -> LangTokenRow {
    LangTokenRow { strength, ..fixed(spelling) }
}
const fn prefix(spelling: &'static str) -> LangTokenRow {
    LangTokenRow { prefix: true, ..fixed(spelling) }
}
/// A compound assignment.
const fn applying(operator: TokenKind, spelling: &'static str) -> LangTokenRow {
    LangTokenRow { applies: Some(operator), ..fixed(spelling) }
}

macro_rules! tokens {
    ($($(#[$meta:meta])* $kind:ident = $row:expr;)*) => {
        numbered! {
            /// The kind of a token. Shaders take the numbers from the generated prelude, so the order of the
            /// variants is free.
            pub enum TokenKind { $($(#[$meta])* $kind,)* }
        }
        const ROWS: [LangTokenRow; TokenKind::ALL.len()] = [$($row,)*];
    };
}

use TokenKind::*;

tokens! {
    /// A lexical error. `value` is the diagnostic's number | byte offset of the error within the token << 16.
    /// For an unterminated literal, whose offset is 0, the upper half is instead 1 if the literal contains a
    /// brace, else 0.
    Error = varied();
    /// An integer literal; `value` holds its 32 bits.
    Int = varied();
    /// A character literal; `value` is its code.
    Char = varied();
    /// A string literal; `value` is the number of its codes ([`STR_CODES`]), in mutants possibly with
    /// [`STR_REPLACED`] set.
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
    Minus = LangTokenRow { prefix: true, ..infix(8, "-") };
    Star = infix(9, "*");
    Slash = infix(9, "/");
    Percent = infix(9, "%");
    Bang = prefix("!");
    Tilde = prefix("~");
    /// A hole that the user writes where an operand is missing.
    Question = fixed("?");
}

/// The built-in functions that are identifiers, not keywords (`int` is a keyword). A built-in's name id is
/// its index here. The id of any other name is `BUILTINS.len()` + the index of the first token with that
/// name.
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

/// Mask of a string token's `value`: its number of codes.
pub const STR_CODES: u32 = 0xffff;
/// Flag of a string token's `value`: the first code is replaced by [`replacement_code`]. Only edits set it, never
/// the lexer.
pub const STR_REPLACED: u32 = 0x1_0000;

/// Returns a code that differs from `code`: `a`, or `b` for `a`. Both may occur unescaped in any literal.
pub const fn replacement_code(code: u32) -> u32 {
    if code == 97 { 98 } else { 97 }
}

/// Returns every fixed spelling with its kind, in the order of the table.
pub fn spellings() -> impl Iterator<Item = (&'static str, TokenKind)> {
    TokenKind::ALL.iter().filter_map(|kind| Some((kind.spelling()?, *kind)))
}

impl TokenKind {
    /// Returns the spelling of a kind that has only one.
    pub const fn spelling(self) -> Option<&'static str> {
        ROWS[self as usize].spelling
    }

    /// Binding strength as an infix operator, 1 (loosest) to 9; 0 if the kind is not one.
    pub const fn infix_strength(self) -> u32 {
        ROWS[self as usize].strength
    }

    /// Returns whether the kind can be a prefix operator.
    pub const fn is_prefix(self) -> bool {
        ROWS[self as usize].prefix
    }

    /// For a compound assignment, returns the infix operator that it applies.
    pub const fn compound_operator(self) -> Option<TokenKind> {
        ROWS[self as usize].applies
    }

    /// Returns the compound assignment that applies this operator.
    pub fn assignment(self) -> Option<TokenKind> {
        TokenKind::ALL.iter().copied().find(|kind| kind.compound_operator() == Some(self))
    }

    /// Returns whether this is `=` or a compound assignment.
    pub const fn is_assignment(self) -> bool {
        matches!(self, Equal) || self.compound_operator().is_some()
    }

    /// Returns whether this is `||` or `&&`, which evaluate their right operand only if it decides the
    /// result.
    pub const fn is_logical(self) -> bool {
        matches!(self, BarBar | AmpersandAmpersand)
    }

    /// Returns whether this is `==` or `!=`, which take operands of any type.
    pub const fn is_equality(self) -> bool {
        matches!(self, EqualEqual | BangEqual)
    }

    /// Returns whether this is a comparison operator.
    pub const fn is_comparison(self) -> bool {
        self.infix_strength() == COMPARISON_STRENGTH
    }

    /// Returns whether this is an infix, prefix or assignment operator.
    pub const fn is_operator(self) -> bool {
        self.infix_strength() > 0 || self.is_prefix() || self.is_assignment()
    }

    /// Returns whether a token of this kind can end an operand. An operator right after such a token is
    /// infix.
    pub const fn ends_operand(self) -> bool {
        matches!(self, Int | Char | Str | Name | True | False | Question | RightParen | RightBracket)
    }

    /// Returns whether this is a keyword that begins an item.
    pub const fn begins_item(self) -> bool {
        matches!(self, Fn | Const | Test | Prop)
    }

    /// Returns whether this is a keyword that begins a statement inside a block. (`else` continues one.)
    pub const fn begins_statement(self) -> bool {
        matches!(self, Let | If | While | For | Break | Continue | Return)
    }
}
