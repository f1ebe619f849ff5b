//! A token with its node's surroundings, from which the edits of the strong and repair groups are computed.

use super::Context;
use super::edit::{Edit, Piece};
use crate::lang::index::{Index, Indices, TokenId};
use crate::lang::mutation::Operator;
use crate::lang::role::Role;
use crate::lang::token::TokenKind;

/// A token whose edits are computed.
pub(super) struct Site<'a> {
    pub context: Context<'a>,
    pub t: TokenId,
    pub role: Role,
    /// The node's extent.
    pub tokens: Indices<TokenId>,
    pub slot: u32,
    pub parent: Option<TokenId>,
    pub above: Option<Role>,
}

impl<'a> Site<'a> {
    pub fn new(context: Context<'a>, t: TokenId, role: Role) -> Site<'a> {
        let base = context.base;
        let tokens = Indices::numbered(base.tree.lo[t.position()]..base.tree.hi[t.position()]);
        let parent = base.parent(t);
        let above = parent.map(|parent| base.role(parent));
        Site { context, t, role, tokens, slot: base.slot(t), parent, above }
    }

    pub fn edit(&self, operator: Operator, tokens: Indices<TokenId>, pieces: &[Piece]) -> Edit {
        Edit::new(operator, self.t, tokens, pieces)
    }

    pub fn is(&self, token: TokenId, kind: TokenKind) -> bool {
        self.context.base.tokens.kind.get(token.position()) == Some(&(kind as u32))
    }

    /// The kind of a node's type.
    pub fn kind_of_type(&self, t: TokenId) -> u32 {
        self.context.base.ty(t).kind()
    }
}
