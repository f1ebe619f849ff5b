//! The words of tokens that are neither names nor values.
//!
//! The marks belong to the vocabulary, which is fixed by the weights. An operator that is newer than the
//! weights has no mark.

use crate::lang::role::Role;
use crate::lang::token::{self, TokenKind};
use crate::network::vocabulary::Mark;

pub enum Reading {
    Word(Mark),
    /// The token is left out.
    Skipped,
    /// The vocabulary has no word for the token.
    NoWord,
}

/// Returns how a token of this kind and role is read; `name` is the id of a name.
pub fn of(kind: TokenKind, role: Role, name: u32) -> Reading {
    use TokenKind as K;
    Reading::Word(match kind {
        K::Let => Mark::Let,
        K::If => Mark::If,
        K::Else => Mark::Else,
        K::While => Mark::While,
        K::For => Mark::For,
        K::In => Mark::In,
        K::Break => Mark::Break,
        K::Continue => Mark::Continue,
        K::Return => Mark::Return,
        K::True => Mark::True,
        K::False => Mark::False,
        K::IntType if role == Role::Call => Mark::ToInt,
        K::IntType => Mark::IntType,
        K::BoolType => Mark::BoolType,
        K::Name => match name {
            token::NAME_LEN => Mark::Len,
            token::NAME_ABS => Mark::Abs,
            token::NAME_MIN => Mark::Min,
            token::NAME_MAX => Mark::Max,
            _ => return Reading::Skipped,
        },
        K::LeftParen if role == Role::Group => Mark::Group,
        K::LeftParen => Mark::Arguments,
        K::RightParen => Mark::RightParen,
        K::LeftBracket => match role {
            Role::Repeat => Mark::Repeat,
            Role::Index => Mark::Index,
            Role::Slice => Mark::Slice,
            _ => Mark::List,
        },
        K::RightBracket => Mark::RightBracket,
        K::LeftBrace => Mark::LeftBrace,
        K::RightBrace => Mark::RightBrace,
        K::Comma => Mark::Comma,
        K::Semicolon => Mark::Semicolon,
        K::Arrow => Mark::Arrow,
        K::DotDot => Mark::DotDot,
        K::DotDotEqual => Mark::DotDotEqual,
        K::Equal => Mark::Assign,
        K::PlusEqual => Mark::AddAssign,
        K::MinusEqual => Mark::SubAssign,
        K::StarEqual => Mark::MulAssign,
        K::SlashEqual => Mark::DivAssign,
        K::PercentEqual => Mark::ModAssign,
        K::AmpersandEqual => Mark::AndAssign,
        K::BarEqual => Mark::OrAssign,
        K::CaretEqual => Mark::XorAssign,
        K::ShiftLeftEqual => Mark::ShlAssign,
        K::ShiftRightEqual => Mark::ShrAssign,
        K::BarBar => Mark::LogicalOr,
        K::AmpersandAmpersand => Mark::LogicalAnd,
        K::EqualEqual => Mark::Eq,
        K::BangEqual => Mark::Ne,
        K::Less => Mark::Lt,
        K::LessEqual => Mark::Le,
        K::Greater => Mark::Gt,
        K::GreaterEqual => Mark::Ge,
        K::Bar => Mark::Or,
        K::Caret => Mark::Xor,
        K::Ampersand => Mark::And,
        K::ShiftLeft => Mark::Shl,
        K::ShiftRight => Mark::Shr,
        K::Plus => Mark::Add,
        K::Minus if role == Role::Unary => Mark::Negate,
        K::Minus => Mark::Sub,
        K::Star => Mark::Mul,
        K::Slash => Mark::Div,
        K::Percent => Mark::Mod,
        K::Bang => Mark::Not,
        K::Tilde => Mark::Invert,
        _ if kind.is_operator() => return Reading::NoWord,
        // Item keywords, tokens that carry a value, and tokens that are left out.
        _ => return Reading::Skipped,
    })
}
