//! Token kinds, and how strongly operators bind.

use super::numbered;

numbered! {
    /// What a token is. The order is part of the contract with the shaders only through the generated prelude.
    pub enum TokenKind {
        /// A lexical error. `value` = diagnostic number | byte offset of the offence within the token << 16 (for an
        /// unterminated literal, whose offset is 0: whether it swallowed a brace, 1 or 0).
        Error,
        /// An integer literal; `value` holds its 32 bits.
        Int,
        /// A character literal; `value` is its code.
        Char,
        /// A string literal; `value` is the number of codes in it.
        Str,
        /// An identifier; `value` is its name id (see [`BUILTINS`]).
        Name,
        Fn, Const, Test, Prop, Let, If, Else, While, For, In, Break, Continue, Return,
        True, False, IntType, BoolType,
        LeftParen, RightParen, LeftBracket, RightBracket, LeftBrace, RightBrace,
        Comma, Semicolon, Colon, Arrow, FatArrow, DotDot, DotDotEqual,
        Equal, PlusEqual, MinusEqual, StarEqual, SlashEqual, PercentEqual,
        AmpersandEqual, BarEqual, CaretEqual, ShiftLeftEqual, ShiftRightEqual,
        BarBar, AmpersandAmpersand,
        EqualEqual, BangEqual, Less, LessEqual, Greater, GreaterEqual,
        Bar, Caret, Ampersand, ShiftLeft, ShiftRight,
        Plus, Minus, Star, Slash, Percent,
        Bang, Tilde,
    }
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

use TokenKind::*;

/// Every fixed spelling: keywords, then punctuation, longest first where one begins another.
pub const SPELLINGS: &[(&str, TokenKind)] = &[
    ("fn", Fn),
    ("const", Const),
    ("test", Test),
    ("prop", Prop),
    ("let", Let),
    ("if", If),
    ("else", Else),
    ("while", While),
    ("for", For),
    ("in", In),
    ("break", Break),
    ("continue", Continue),
    ("return", Return),
    ("true", True),
    ("false", False),
    ("int", IntType),
    ("bool", BoolType),
    ("<<=", ShiftLeftEqual),
    (">>=", ShiftRightEqual),
    ("..=", DotDotEqual),
    ("->", Arrow),
    ("=>", FatArrow),
    ("..", DotDot),
    ("+=", PlusEqual),
    ("-=", MinusEqual),
    ("*=", StarEqual),
    ("/=", SlashEqual),
    ("%=", PercentEqual),
    ("&=", AmpersandEqual),
    ("|=", BarEqual),
    ("^=", CaretEqual),
    ("||", BarBar),
    ("&&", AmpersandAmpersand),
    ("==", EqualEqual),
    ("!=", BangEqual),
    ("<=", LessEqual),
    (">=", GreaterEqual),
    ("<<", ShiftLeft),
    (">>", ShiftRight),
    ("(", LeftParen),
    (")", RightParen),
    ("[", LeftBracket),
    ("]", RightBracket),
    ("{", LeftBrace),
    ("}", RightBrace),
    (",", Comma),
    (";", Semicolon),
    (":", Colon),
    ("=", Equal),
    ("<", Less),
    (">", Greater),
    ("|", Bar),
    ("^", Caret),
    ("&", Ampersand),
    ("+", Plus),
    ("-", Minus),
    ("*", Star),
    ("/", Slash),
    ("%", Percent),
    ("!", Bang),
    ("~", Tilde),
];

/// Binding strength of a prefix operator.
pub const PREFIX_STRENGTH: u32 = 10;
/// Binding strength of indexing, slicing and calling.
pub const POSTFIX_STRENGTH: u32 = 11;
/// Binding strength of the comparison operators, which do not chain.
pub const COMPARISON_STRENGTH: u32 = 3;

impl TokenKind {
    /// Binding strength as an infix operator, 1 (loosest) to 9; 0 where it is none.
    pub const fn infix_strength(self) -> u32 {
        match self {
            BarBar => 1,
            AmpersandAmpersand => 2,
            EqualEqual | BangEqual | Less | LessEqual | Greater | GreaterEqual => COMPARISON_STRENGTH,
            Bar => 4,
            Caret => 5,
            Ampersand => 6,
            ShiftLeft | ShiftRight => 7,
            Plus | Minus => 8,
            Star | Slash | Percent => 9,
            _ => 0,
        }
    }

    /// For a compound assignment, the infix operator that it applies.
    pub const fn compound_operator(self) -> Option<TokenKind> {
        Some(match self {
            PlusEqual => Plus,
            MinusEqual => Minus,
            StarEqual => Star,
            SlashEqual => Slash,
            PercentEqual => Percent,
            AmpersandEqual => Ampersand,
            BarEqual => Bar,
            CaretEqual => Caret,
            ShiftLeftEqual => ShiftLeft,
            ShiftRightEqual => ShiftRight,
            _ => return None,
        })
    }

    /// `=` and the compound assignments.
    pub const fn is_assignment(self) -> bool {
        matches!(self, Equal) || self.compound_operator().is_some()
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

    /// How the kind is spelled, if always in one way.
    pub fn spelling(self) -> Option<&'static str> {
        SPELLINGS.iter().find(|(_, kind)| *kind == self).map(|(text, _)| *text)
    }
}
