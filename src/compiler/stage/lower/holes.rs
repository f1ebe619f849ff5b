//! Holes: statements and items with an error. Each lowers to one instruction, which ends a run.

use crate::compiler::program::{ERROR_MUTED, STMT_INDEX, STMT_LEXICAL, STMT_SYNTAX, View};
use crate::lang::NONE;
use crate::lang::diagnostic::Code;
use crate::lang::index::{Index, TokenId};
use crate::lang::role::Role;
use crate::lang::token::TokenKind;
use crate::lang::ty::Type;

/// The holes of a program; none if it has no errors.
#[derive(Default)]
pub struct Holes {
    /// For each token, the greatest end of the holes that begin up to it.
    until: Vec<u32>,
    /// For the first token of each `fn` and `const` statement, whether it has an error.
    broken: Vec<bool>,
}

impl Holes {
    pub fn find(&mut self, input: View, has_errors: bool) {
        self.until.clear();
        self.broken.clear();
        if !has_errors {
            return;
        }
        let len = input.rows().len();
        self.broken.resize(len as usize, false);
        let mut constants = NONE;
        for (first, end) in statements(input) {
            let keyword = input.kind(TokenId::new(first));
            if matches!(keyword, TokenKind::Fn | TokenKind::Const)
                && (first..end).any(|t| has_error(input, TokenId::new(t)))
            {
                self.broken[first as usize] = true;
                if keyword == TokenKind::Const {
                    constants = constants.min(first);
                }
            }
        }
        let (mut body, mut until) = (0, 0);
        for (first, end) in statements(input) {
            let role = input.role(TokenId::new(first));
            let hi = |t: u32| input.tree.hi.get(t as usize).copied().unwrap_or(0);
            if role == Role::Fn {
                body = hi(first);
            }
            let runs = matches!(role, Role::Fn | Role::Test | Role::Prop) || first < body;
            let is_hole = |t: u32| {
                let t = TokenId::new(t);
                has_error(input, t) || self.names_broken(input, t, constants)
            };
            if runs && (first..end).any(is_hole) {
                until = until.max(end).max(hi(first));
                if input.kind(TokenId::new(first)) == TokenKind::Else && first + 1 < end {
                    until = until.max(hi(first + 1));
                }
                if input.is(TokenId::new(end - 1), Role::Block) {
                    until = until.max(hi(end - 1));
                }
            }
            self.until.resize(end as usize, until);
        }
    }

    /// Whether the program may have holes.
    pub fn any(&self) -> bool {
        !self.until.is_empty()
    }

    /// Whether a token is in a hole.
    pub fn contain(&self, t: TokenId) -> bool {
        self.until.get(t.position()).is_some_and(|until| *until > t.number())
    }

    /// One past the last token of the hole that begins at a token.
    pub fn end(&self, t: TokenId) -> u32 {
        self.until[t.position()]
    }

    /// Whether a hole begins at a token, and is in no other.
    pub fn begins(&self, t: TokenId) -> bool {
        let before = t.previous().map_or(0, |before| self.until[before.position()]);
        self.contain(t) && before <= t.number()
    }

    /// Whether a token names a function with an error in its header, or a constant that may have no value: it or
    /// an earlier one has an error.
    fn names_broken(&self, input: View, t: TokenId, constants: u32) -> bool {
        let declaration = input.checked.decl[t.position()];
        match input.role(t) {
            _ if declaration == NONE => false,
            Role::Var => declaration >= constants && input.is(TokenId::new(declaration), Role::ConstName),
            Role::Call => self.broken[(input.tree.stmt[declaration as usize] & STMT_INDEX) as usize],
            _ => false,
        }
    }
}

/// The statements, as ranges of tokens.
fn statements(input: View) -> impl Iterator<Item = (u32, u32)> {
    input.tree.stmt.chunk_by(|a, b| a == b).map(|tokens| {
        let first = tokens[0] & STMT_INDEX;
        (first, first + tokens.len() as u32)
    })
}

/// Whether an error of the statement is recorded at a token, or something there has no known type.
fn has_error(input: View, t: TokenId) -> bool {
    let at = t.position();
    let code = input.checked.error[at] & !ERROR_MUTED;
    input.tree.stmt[at] & (STMT_LEXICAL | STMT_SYNTAX) != 0
        || code != 0 && code != Code::MissingReturn as u32 && code != Code::Unreachable as u32
        || input.role(t).is_expression() && input.ty(t) == Type::UNKNOWN
}
