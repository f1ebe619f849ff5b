//! The errors of the front end, read from the columns.

use super::view::{View, at};
use super::{ERROR_BEHIND, ERROR_MUTED, STMT_INDEX, STMT_MUTED, STMT_SYNTAX};
use crate::lang::diagnostic::Code;
use crate::lang::index::{Index, TokenId};
use crate::lang::token::TokenKind;

/// The statement that a token belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Statement {
    pub first: TokenId,
    /// Whether it has a syntax error, or its errors are not reported.
    pub is_broken: bool,
    /// Whether even its lexical errors are not reported.
    pub is_muted: bool,
}

impl View<'_> {
    pub fn statement(self, t: TokenId) -> Option<Statement> {
        let word = at(&self.tree.stmt, t)?;
        let has = |bit: u32| word & bit != 0;
        let first = TokenId::new(word & STMT_INDEX);
        Some(Statement { first, is_broken: has(STMT_SYNTAX | STMT_MUTED), is_muted: has(STMT_MUTED) })
    }

    /// Returns the tokens from `t` to the end of its statement.
    pub fn rest_of_statement(self, t: TokenId) -> impl Iterator<Item = TokenId> {
        let first = move |t| self.statement(t).map(|statement| statement.first);
        t.up_to(self.all().end()).iter().take_while(move |own| first(*own) == first(t))
    }

    /// Returns the error that lex reports at a token, and its byte offset in the token.
    pub fn lexical_error(self, t: TokenId) -> Option<(Code, usize)> {
        let statement = self.statement(t)?;
        let is_reported = self.kind(t) == TokenKind::Error && !statement.is_muted;
        let code = Code::from_u32(self.value(t) & 0xffff).filter(|_| is_reported)?;
        Some((code, (self.value(t) >> 16) as usize))
    }

    /// Returns the error that parse reports at a token, and whether it is located just after the token.
    pub fn syntax_error(self, t: TokenId) -> Option<(Code, bool)> {
        let error = at(&self.tree.error, t).filter(|error| *error != 0)?;
        Some((Code::from_u32(error & !ERROR_BEHIND)?, error & ERROR_BEHIND != 0))
    }

    /// Returns the error that check reports at a token, and the detail word for its message.
    pub fn checked_error(self, t: TokenId) -> Option<(Code, u32)> {
        let error = at(&self.checked.error, t).filter(|error| *error != 0 && error & ERROR_MUTED == 0)?;
        Some((Code::from_u32(error)?, at(&self.checked.detail, t).unwrap_or(0)))
    }
}
