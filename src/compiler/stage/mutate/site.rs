//! A token with its node's surroundings, from which the edits of the strong and repair groups are computed.

use super::Context;
use super::edit::{Edit, Piece};
use crate::lang::mutation::Operator;
use crate::lang::role::Role;
use crate::lang::token::TokenKind;
use crate::lang::ty::Type;

/// A token whose edits are computed.
pub(super) struct Site<'a> {
    pub context: Context<'a>,
    pub t: u32,
    pub role: Role,
    pub lo: u32,
    pub hi: u32,
    pub slot: u32,
    pub parent: u32,
    pub above: Option<Role>,
}

impl<'a> Site<'a> {
    pub fn new(context: Context<'a>, t: u32, role: Role) -> Site<'a> {
        let tree = context.base.tree;
        let at = t as usize;
        let parent = tree.parent[at];
        let above = tree.role.get(parent as usize).and_then(|role| Role::from_u32(*role));
        Site { context, t, role, lo: tree.lo[at], hi: tree.hi[at], slot: tree.slot[at], parent, above }
    }

    pub fn edit(&self, operator: Operator, extent: (u32, u32), pieces: &[Piece]) -> Edit {
        Edit::new(operator, self.t, extent, pieces)
    }

    pub fn is(&self, token: u32, kind: TokenKind) -> bool {
        self.context.base.tokens.kind.get(token as usize) == Some(&(kind as u32))
    }

    /// The kind of a node's type.
    pub fn kind_of_type(&self, t: u32) -> u32 {
        Type(self.context.base.checked.ty[t as usize]).kind()
    }
}
