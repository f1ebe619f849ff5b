//! Sets of token kinds.

use crate::lang::token::TokenKind;

/// A set of token kinds, one bit per kind.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Set(u128);

impl Set {
    pub const fn of(kinds: &[TokenKind]) -> Set {
        let mut bits = 0;
        let mut i = 0;
        while i < kinds.len() {
            bits |= 1 << kinds[i] as u32;
            i += 1;
        }
        Set(bits)
    }

    pub const fn has(self, kind: TokenKind) -> bool {
        self.0 >> kind as u32 & 1 != 0
    }
}

/// The set of all kinds for which a predicate is true.
macro_rules! set_where {
    ($predicate:expr) => {{
        let mut bits = 0;
        let mut i = 0;
        while i < TokenKind::ALL.len() {
            if $predicate(TokenKind::ALL[i]) {
                bits |= 1 << i as u32;
            }
            i += 1;
        }
        Set(bits)
    }};
}

pub const ITEMS: Set = set_where!(TokenKind::begins_item);
pub const STATEMENTS: Set = set_where!(TokenKind::begins_statement);
pub const ASSIGNMENTS: Set = set_where!(TokenKind::is_assignment);
pub const SEMICOLON: Set = Set::of(&[TokenKind::Semicolon]);
pub const PREFIXES: Set = set_where!(TokenKind::is_prefix);
/// Kinds that divide the text into pieces. Round and square brackets match only inside of a piece.
pub const CUTS: Set =
    Set(ITEMS.0 | STATEMENTS.0 | Set::of(&[TokenKind::LeftBrace, TokenKind::RightBrace, TokenKind::Else]).0);
/// An `if` begins a property's condition if the last of these kinds before it is `prop`.
pub const GUARDS: Set = Set((CUTS.0 | Set::of(&[TokenKind::FatArrow]).0) & !Set::of(&[TokenKind::If]).0);
/// Kinds that can begin an operand; `int` only before a `(`.
pub const OPERANDS: Set = Set(PREFIXES.0
    | Set::of(&[
        TokenKind::Int,
        TokenKind::Char,
        TokenKind::Str,
        TokenKind::True,
        TokenKind::False,
        TokenKind::Name,
        TokenKind::Question,
        TokenKind::IntType,
        TokenKind::LeftParen,
        TokenKind::LeftBracket,
    ])
    .0);
