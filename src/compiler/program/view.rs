//! Read access to a program for all code outside of the stages: tokens, the nodes that they head, and the
//! tree's structure.
//!
//! Every method accepts any token number. A token that does not exist has no role, no type and empty text.

use std::ops::Range;

use super::{Checked, Tokens, Tree};
use crate::lang::index::{Index, Indices, TokenId};
use crate::lang::role::Role;
use crate::lang::token::{STR_CODES, TokenKind};
use crate::lang::ty::Type;

/// A program's text with the columns of lex, parse and check, accessed by token. Columns of stages that did
/// not run are empty.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    pub source: &'a str,
    pub tokens: &'a Tokens,
    pub tree: &'a Tree,
    pub checked: &'a Checked,
}

/// Numbers of tokens that two texts have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CommonEnds {
    pub prefix: u32,
    pub suffix: u32,
}

pub(super) fn at(column: &[u32], t: TokenId) -> Option<u32> {
    column.get(t.position()).copied()
}

impl<'a> View<'a> {
    pub fn len(self) -> u32 {
        self.tokens.kind.len() as u32
    }

    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    pub fn all(self) -> Indices<TokenId> {
        Indices::first(self.len())
    }

    /// Returns whether the token exists.
    pub fn has(self, t: TokenId) -> bool {
        self.all().contains(t)
    }

    pub fn kind(self, t: TokenId) -> TokenKind {
        at(&self.tokens.kind, t).and_then(TokenKind::from_u32).unwrap_or(TokenKind::Error)
    }

    /// The token's `value`: the value of a literal, the id of a name (see [`TokenKind`]).
    pub fn value(self, t: TokenId) -> u32 {
        at(&self.tokens.value, t).unwrap_or(0)
    }

    /// Number of codes of a string; 0 for any other token.
    pub fn codes(self, t: TokenId) -> u32 {
        if self.kind(t) == TokenKind::Str { self.value(t) & STR_CODES } else { 0 }
    }

    /// Line of the token, from 1.
    pub fn line(self, t: TokenId) -> u32 {
        at(&self.tokens.line, t).map_or(0, |line| line + 1)
    }

    /// Bytes from the start of the first token to the end of the last; for an empty range, the bytes of the
    /// token at its start. `None` if these tokens do not exist.
    pub fn span(self, tokens: impl Into<Indices<TokenId>>) -> Option<Range<usize>> {
        let tokens = tokens.into();
        let last = tokens.end().max(tokens.start().next()).previous()?;
        let (lo, hi) = (at(&self.tokens.lo, tokens.start())?, at(&self.tokens.hi, last)?);
        Some(lo as usize..hi as usize)
    }

    pub fn text(self, t: TokenId) -> &'a str {
        self.span(t).and_then(|bytes| self.source.get(bytes)).unwrap_or("")
    }

    /// Counts the tokens that both texts have at their beginnings, and at their ends among the others.
    pub fn common_ends(self, other: View) -> CommonEnds {
        let alike = |own: u32, others: u32| self.text(TokenId::new(own)) == other.text(TokenId::new(others));
        let shorter = self.len().min(other.len());
        let prefix = (0..shorter).take_while(|token| alike(*token, *token)).count() as u32;
        let behind = |back: &u32| alike(self.len() - back, other.len() - back);
        CommonEnds { prefix, suffix: (1..=shorter - prefix).take_while(behind).count() as u32 }
    }

    /// Returns the token at a byte of the text, or the token that ends there.
    pub fn token_at(self, byte: usize) -> Option<TokenId> {
        let after = self.tokens.lo.partition_point(|lo| *lo as usize <= byte);
        let token = after.checked_sub(1)?;
        (byte <= *self.tokens.hi.get(token)? as usize).then(|| TokenId::at(token))
    }

    /// Role of the node that the token heads; [`Role::None`] if it heads none.
    pub fn role(self, t: TokenId) -> Role {
        at(&self.tree.role, t).and_then(Role::from_u32).unwrap_or(Role::None)
    }

    /// The tokens with a row in the tree: all, or none if parse did not run.
    pub fn rows(self) -> Indices<TokenId> {
        Indices::first(self.tree.role.len() as u32)
    }

    /// Returns whether the token heads a node with this role.
    pub fn is(self, t: TokenId, role: Role) -> bool {
        at(&self.tree.role, t) == Some(role as u32)
    }

    pub fn is_node(self, t: TokenId) -> bool {
        self.role(t) != Role::None
    }

    /// Head tokens, in source order.
    pub fn nodes(self) -> impl DoubleEndedIterator<Item = TokenId> + 'a {
        self.rows().iter().filter(move |t| self.is_node(*t))
    }

    /// Head of the parent node.
    pub fn parent(self, t: TokenId) -> Option<TokenId> {
        TokenId::of(&self.tree.parent, t)
    }

    /// The node's slot in its parent: see [`Role`].
    pub fn slot(self, t: TokenId) -> u32 {
        at(&self.tree.slot, t).unwrap_or(0)
    }

    /// Tokens of the node that the token heads, or only the token itself if it heads none.
    pub fn extent(self, t: TokenId) -> Indices<TokenId> {
        match (at(&self.tree.lo, t), at(&self.tree.hi, t)) {
            (Some(lo), Some(hi)) if hi > lo => Indices::numbered(lo..hi),
            _ => Indices::one(t),
        }
    }

    /// Bytes of the node that the token heads, or of the token itself.
    pub fn extent_span(self, t: TokenId) -> Option<Range<usize>> {
        self.span(self.extent(t))
    }

    /// Returns the `?` of the program, but for those in statements with an error.
    pub fn holes(self) -> impl Iterator<Item = TokenId> + use<'a> {
        self.rows().iter().filter(move |t| self.is(*t, Role::Hole))
    }

    /// Lines of the node, counted from 1.
    pub fn lines(self, t: TokenId) -> std::ops::RangeInclusive<u32> {
        let extent = self.extent(t);
        self.line(extent.start())..=self.line(extent.iter().next_back().unwrap_or(t))
    }

    /// Returns the first child in a slot, in linear time. For repeated lookups use [`Self::children`].
    pub fn child(self, node: TokenId, slot: u32) -> Option<TokenId> {
        let is_child = |t: &TokenId| self.is_node(*t) && self.parent(*t) == Some(node) && self.slot(*t) == slot;
        self.nodes().find(is_child)
    }

    /// Returns an index of all nodes by their parents.
    pub fn children(self) -> Children {
        Children::new(self)
    }

    /// Type of the node, or of the declared name.
    pub fn ty(self, t: TokenId) -> Type {
        Type(at(&self.checked.ty, t).unwrap_or(0))
    }

    /// Token of the declaring name that a name refers to: see [`Checked`].
    pub fn declaration(self, t: TokenId) -> Option<TokenId> {
        TokenId::of(&self.checked.decl, t)
    }

    /// Value of an expression that must be constant, or of a constant at its name.
    pub fn constant(self, t: TokenId) -> u32 {
        at(&self.checked.constant, t).unwrap_or(0)
    }
}

/// The children of every node, ordered by slot and then by position.
#[derive(Clone, Debug, Default)]
pub struct Children {
    /// Parent, slot and token of every node that has a parent, sorted.
    links: Vec<(TokenId, u32, TokenId)>,
}

impl Children {
    fn new(view: View) -> Children {
        let link = |t: TokenId| Some((view.parent(t)?, view.slot(t), t));
        let mut links: Vec<_> = view.nodes().filter_map(link).collect();
        links.sort_unstable();
        Children { links }
    }

    pub fn of(&self, node: TokenId) -> impl DoubleEndedIterator<Item = TokenId> + '_ {
        let first = self.links.partition_point(|link| link.0 < node);
        let count = self.links[first..].partition_point(|link| link.0 == node);
        self.links[first..first + count].iter().map(|link| link.2)
    }

    /// The first child in a slot.
    pub fn at(&self, node: TokenId, slot: u32) -> Option<TokenId> {
        let at = self.links.partition_point(|link| (link.0, link.1) < (node, slot));
        self.links.get(at).filter(|link| (link.0, link.1) == (node, slot)).map(|link| link.2)
    }
}
