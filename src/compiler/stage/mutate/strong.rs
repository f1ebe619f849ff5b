//! The edits of the strong group.

use super::edit::Piece;
use super::site::Site;
use super::{Context, EditCollector};
use crate::compiler::program::STMT_UNCLOSED;
use crate::lang::index::{Index, Indices, TokenId};
use crate::lang::mutation::Operator;
use crate::lang::role::Role;
use crate::lang::token::{STR_REPLACED, TokenKind};
use crate::lang::ty;

/// Offers the strong edits of token `t` to `found`, in order. Returns false once `found` does.
pub(super) fn each(context: Context, t: TokenId, role: Role, found: &mut EditCollector) -> bool {
    let site = Site::new(context, t, role);
    let sign = |kind| [Piece::sign(kind)];
    let own = site.tokens;
    let (itself, before) = (Indices::one(t), own.start().previous());
    match (role, site.above) {
        (Role::Break, _) => found.offer(|| site.edit(Operator::Jump, itself, &sign(TokenKind::Continue))),
        (Role::Continue, _) => found.offer(|| site.edit(Operator::Jump, itself, &sign(TokenKind::Break))),
        // Including the `else` before it.
        (Role::Block | Role::If, Some(Role::If)) if site.slot == 2 => before.is_none_or(|before| {
            found.offer(|| site.edit(Operator::ElsePart, Indices::new(before, own.end()), &[]))
        }),
        (Role::Block, Some(Role::While)) if site.slot == 1 => site.once(found),
        (Role::Block, Some(Role::For)) if site.slot == 3 => site.once(found),
        (role, Some(above)) if role.is_expression() => {
            let placed = match above {
                Role::Return if site.slot == 0 => site.results(found),
                Role::List => found.offer(|| site.edit(Operator::Element, site.with_comma(), &[])),
                Role::Call => site.arguments(found),
                Role::Slice if site.slot > 0 && role != Role::Int => site.bounds(found),
                _ => true,
            };
            placed && (role != Role::Str || site.string(own, found))
        }
        _ => true,
    }
}

impl Site<'_> {
    /// Replaces the value of a `return` by another value of its type, or by a parameter.
    fn results(&self, found: &mut EditCollector) -> bool {
        let put = |pieces: &[Piece]| self.edit(Operator::ReturnValue, self.tokens, pieces);
        let number = |value| put(&[Piece::New(TokenKind::Int, value)]);
        let bare = self.role == Role::List && self.tokens.len() == 2;
        let more = match self.kind_of_type(self.t) {
            _ if matches!(self.role, Role::Int | Role::Bool | Role::Str) || bare => true,
            ty::KIND_INT => {
                found.offer(|| number(0)) && found.offer(|| number(1)) && found.offer(|| number(u32::MAX))
            }
            ty::KIND_BOOL => {
                found.offer(|| put(&[Piece::sign(TokenKind::True)]))
                    && found.offer(|| put(&[Piece::sign(TokenKind::False)]))
            }
            ty::KIND_INT_LIST | ty::KIND_BOOL_LIST => found
                .offer(|| put(&[Piece::sign(TokenKind::LeftBracket), Piece::sign(TokenKind::RightBracket)])),
            _ => true,
        };
        let base = self.context.base;
        let function = self.parent.and_then(|parent| base.declaration(parent)).filter(|_| more);
        let Some(function) = function else { return more };
        // The first parameter is the third token after `fn`; one token separates parameters.
        let mut param = function + 3;
        while base.is(param, Role::Param) {
            let fits = self.kind_of_type(param) == self.kind_of_type(function);
            let itself = self.role == Role::Var && base.value(self.t) == base.value(param);
            if fits && !itself && !found.offer(|| put(&[Piece::Copy(Indices::one(param))])) {
                return false;
            }
            param = base.extent(param).end() + 1;
        }
        true
    }

    /// The extent with the comma after it, or else with the comma before it.
    fn with_comma(&self) -> Indices<TokenId> {
        let (lo, hi) = (self.tokens.start(), self.tokens.end());
        let is_comma = |t: &TokenId| self.is(*t, TokenKind::Comma);
        match (is_comma(&hi), lo.previous().filter(is_comma)) {
            (true, _) => Indices::new(lo, hi + 1),
            (false, Some(comma)) => Indices::new(comma, hi),
            (false, None) => self.tokens,
        }
    }

    /// Replaces a call by this argument, or swaps this argument with the next one.
    fn arguments(&self, found: &mut EditCollector) -> bool {
        let base = self.context.base;
        let Some(call) = self.parent else { return true };
        if self.kind_of_type(self.t) == self.kind_of_type(call) {
            let extent = base.extent(call);
            let own = Piece::Copy(self.tokens);
            let edit = match self.role {
                Role::Binary => {
                    let pieces = [Piece::sign(TokenKind::LeftParen), own, Piece::sign(TokenKind::RightParen)];
                    self.edit(Operator::Argument, extent, &pieces)
                }
                _ => self.edit(Operator::Argument, extent, &[own]),
            };
            if !found.offer(|| edit) {
                return false;
            }
        }
        let next = self.context.argument.get(self.tokens.end().position() + 1).copied().flatten();
        let next = next.filter(|next| {
            // The results of built-in functions do not depend on the order of arguments.
            base.parent(*next) == self.parent
                && base.declaration(call).is_some()
                && self.kind_of_type(*next) == self.kind_of_type(self.t)
        });
        let Some(next) = next.map(|next| base.extent(next)) else { return true };
        let between = Indices::new(self.tokens.end(), next.start());
        let pieces = [next, between, self.tokens].map(Piece::Copy);
        found.offer(|| self.edit(Operator::Swap, Indices::new(self.tokens.start(), next.end()), &pieces))
    }

    /// Changes a bound of a slice by 1 in both directions.
    fn bounds(&self, found: &mut EditCollector) -> bool {
        let (own, kind) = (Piece::Copy(self.tokens), self.context.base.kind(self.t));
        let looser = self.role == Role::Binary && kind.infix_strength() < TokenKind::Plus.infix_strength();
        let one = Piece::New(TokenKind::Int, 1);
        let nudged = |sign: TokenKind| {
            let sign = Piece::sign(sign);
            match looser {
                true => {
                    let [open, close] = [TokenKind::LeftParen, TokenKind::RightParen].map(Piece::sign);
                    self.edit(Operator::Bound, self.tokens, &[open, own, close, sign, one])
                }
                false => self.edit(Operator::Bound, self.tokens, &[own, sign, one]),
            }
        };
        found.offer(|| nudged(TokenKind::Plus)) && found.offer(|| nudged(TokenKind::Minus))
    }

    /// Makes a string empty, removes its last code, or replaces its first code.
    fn string(&self, extent: Indices<TokenId>, found: &mut EditCollector) -> bool {
        let codes = self.context.base.value(self.t);
        let of = |codes| self.edit(Operator::Text, extent, &[Piece::New(TokenKind::Str, codes)]);
        (codes == 0 || found.offer(|| of(0)))
            && (codes < 2 || found.offer(|| of(codes - 1)))
            && (codes == 0 || found.offer(|| of(codes | STR_REPLACED)))
    }

    /// Ends a loop's body with `break`, unless the body already ends with a jump or `return`.
    fn once(&self, found: &mut EditCollector) -> bool {
        if self.context.base.tree.stmt[self.t.position()] & STMT_UNCLOSED != 0 {
            return true;
        }
        let Some(end) = self.tokens.end().previous() else { return true };
        let last = end.previous().filter(|last| self.is(*last, TokenKind::Semicolon));
        let last = last.and_then(|last| self.context.base.statement(last));
        let leaves = last.is_some_and(|statement| {
            let jumps = [TokenKind::Break, TokenKind::Continue, TokenKind::Return];
            jumps.iter().any(|kind| self.is(statement.first, *kind))
        });
        let pieces = [TokenKind::Break, TokenKind::Semicolon].map(Piece::sign);
        leaves || found.offer(|| self.edit(Operator::Once, Indices::new(end, end), &pieces))
    }
}
