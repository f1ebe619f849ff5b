//! The rarity of each construct of the language, measured on the corpus.

use crate::lang::role::Role;
use crate::lang::token::TokenKind;

const ROLES: usize = Role::ALL.len();
const KINDS: usize = TokenKind::ALL.len();

/// Number of constructs: roles, and operators as infix, prefix and assignment operators.
pub const CONSTRUCTS: usize = ROLES + 3 * KINDS;
/// The surprise of a construct that did not occur, in sixteenths of a bit.
pub const UNKNOWN: u32 = 255;

/// The number of a node's construct.
pub const fn construct(role: Role, kind: TokenKind) -> usize {
    match role {
        Role::Binary => ROLES + kind as usize,
        Role::Unary => ROLES + KINDS + kind as usize,
        Role::Assign => ROLES + 2 * KINDS + kind as usize,
        _ => role as usize,
    }
}

/// Surprise by construct number: −log2 of the construct's frequency, in sixteenths of a bit.
pub static SURPRISE: [u8; CONSTRUCTS] = dense();

const fn dense() -> [u8; CONSTRUCTS] {
    let mut table = [UNKNOWN as u8; CONSTRUCTS];
    let mut row = 0;
    while row < TABLE.len() {
        let (role, kind, surprise) = TABLE[row];
        table[construct(role, kind)] = surprise;
        row += 1;
    }
    table
}

/// The kind of a construct that is not an operator.
const ANY: TokenKind = TokenKind::Error;

/// Every construct that occurred, with its surprise.
#[rustfmt::skip]
const TABLE: &[(Role, TokenKind, u8)] = &[
    (Role::Fn, ANY, 81),
    (Role::FnName, ANY, 81),
    (Role::Param, ANY, 69),
    (Role::LetName, ANY, 87),
    (Role::LoopVar, ANY, 110),
    (Role::TypeInt, ANY, 69),
    (Role::TypeBool, ANY, 102),
    (Role::TypeList, ANY, 88),
    (Role::Block, ANY, 60),
    (Role::Let, ANY, 87),
    (Role::Assign, TokenKind::Equal, 94),
    (Role::Assign, TokenKind::PlusEqual, 110),
    (Role::Assign, TokenKind::MinusEqual, 149),
    (Role::Assign, TokenKind::StarEqual, 169),
    (Role::Assign, TokenKind::SlashEqual, 163),
    (Role::Assign, TokenKind::PercentEqual, 199),
    (Role::Assign, TokenKind::AmpersandEqual, 206),
    (Role::Assign, TokenKind::BarEqual, 196),
    (Role::Assign, TokenKind::CaretEqual, 177),
    (Role::Assign, TokenKind::ShiftLeftEqual, 211),
    (Role::Assign, TokenKind::ShiftRightEqual, 187),
    (Role::If, ANY, 82),
    (Role::While, ANY, 128),
    (Role::For, ANY, 110),
    (Role::Break, ANY, 191),
    (Role::Continue, ANY, 202),
    (Role::Return, ANY, 70),
    (Role::Int, ANY, 47),
    (Role::Bool, ANY, 118),
    (Role::Str, ANY, 191),
    (Role::Var, ANY, 36),
    (Role::Call, ANY, 81),
    (Role::Group, ANY, 102),
    (Role::Index, ANY, 95),
    (Role::Slice, ANY, 142),
    (Role::List, ANY, 104),
    (Role::Repeat, ANY, 159),
    (Role::Unary, TokenKind::Minus, 121),
    (Role::Unary, TokenKind::Bang, 125),
    (Role::Unary, TokenKind::Tilde, 186),
    (Role::Binary, TokenKind::BarBar, 118),
    (Role::Binary, TokenKind::AmpersandAmpersand, 116),
    (Role::Binary, TokenKind::EqualEqual, 98),
    (Role::Binary, TokenKind::BangEqual, 125),
    (Role::Binary, TokenKind::Less, 106),
    (Role::Binary, TokenKind::LessEqual, 114),
    (Role::Binary, TokenKind::Greater, 117),
    (Role::Binary, TokenKind::GreaterEqual, 124),
    (Role::Binary, TokenKind::Bar, 149),
    (Role::Binary, TokenKind::Caret, 150),
    (Role::Binary, TokenKind::Ampersand, 129),
    (Role::Binary, TokenKind::ShiftLeft, 146),
    (Role::Binary, TokenKind::ShiftRight, 142),
    (Role::Binary, TokenKind::Plus, 92),
    (Role::Binary, TokenKind::Minus, 98),
    (Role::Binary, TokenKind::Star, 110),
    (Role::Binary, TokenKind::Slash, 122),
    (Role::Binary, TokenKind::Percent, 112),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_construct_has_a_unique_number() {
        let mut seen = std::collections::HashSet::new();
        for role in Role::ALL {
            let operator = construct(*role, TokenKind::Plus) != *role as usize;
            for kind in if operator { TokenKind::ALL } else { &[ANY][..] } {
                assert!(construct(*role, *kind) < CONSTRUCTS && seen.insert(construct(*role, *kind)));
            }
        }
        assert!(SURPRISE[construct(Role::While, ANY)] > SURPRISE[construct(Role::Var, ANY)]);
        assert_eq!(u32::from(SURPRISE[construct(Role::Test, ANY)]), UNKNOWN, "no function contains a test");
    }
}
