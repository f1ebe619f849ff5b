//! Rows of a statement with an error: its head, so that the tree stays complete, and the names that it
//! declares, so that their uses are not errors.

use super::Parser;
use super::kinds::Set;
use crate::lang::NONE;
use crate::lang::role::Role;
use crate::lang::token::TokenKind::{self, *};

impl Parser<'_> {
    /// Clears the statement's rows except for those. Returns its head, or its first token if that heads
    /// nothing.
    pub fn reduce_broken(&mut self) -> usize {
        let Parser { s, e, .. } = *self;
        let tree = &mut *self.tree;
        for column in [&mut tree.role, &mut tree.slot, &mut tree.lo, &mut tree.hi] {
            column[s..e].fill(0);
        }
        tree.parent[s..e].fill(NONE);

        let head = if self.kind(s) == Else { s + 1 } else { s };
        let hi = if matches!(self.kind(e - 1), Semicolon | LeftBrace) { e - 1 } else { e };
        let role = match self.kind(head) {
            If if head < e => Role::If,
            _ if head != s => return s,
            Let => Role::Let,
            While => Role::While,
            For => Role::For,
            Fn => Role::Fn,
            Const => Role::Const,
            Test => Role::Test,
            Prop => Role::Prop,
            _ => Role::Broken,
        };
        self.node(head, role, head, hi.max(head + 1));
        let name = match role {
            Role::Let => Role::LetName,
            Role::Const => Role::ConstName,
            Role::For => Role::LoopVar,
            Role::Fn => Role::FnName,
            _ => Role::None,
        };
        if name != Role::None && s + 1 < e && self.kind(s + 1) == Name {
            self.keep_name(s + 1, name, 0);
        }
        if role == Role::Fn {
            self.keep_names(s + 2, Role::Param);
        } else if role == Role::Prop {
            self.keep_names(s + 1, Role::Binder);
        }
        head
    }

    fn keep_name(&mut self, t: usize, role: Role, slot: u32) {
        let name = self.node(t, role, t, t + 1);
        self.adopt(self.s, name, slot);
    }

    /// Keeps the names of parameters or binders, which are recognized by their neighbours alone.
    fn keep_names(&mut self, from: usize, role: Role) {
        const BEFORE_PARAM: Set = Set::of(&[LeftParen, Comma]);
        let mut slot = 3;
        for t in from..self.e {
            let declares = |before: TokenKind, behind: TokenKind| match role {
                Role::Param => BEFORE_PARAM.has(before) || behind == Colon,
                _ => behind == In,
            };
            if self.kind(t) == Name && declares(self.kind(t - 1), self.kind(t + 1)) {
                self.keep_name(t, role, slot);
                slot += 1;
            }
        }
    }
}
