//! The edits of the strong group.

use super::edit::Piece;
use super::site::Site;
use super::{Context, EditCollector};
use crate::compiler::program::STMT_INDEX;
use crate::lang::NONE;
use crate::lang::mutation::Operator;
use crate::lang::role::Role;
use crate::lang::token::{STR_REPLACED, TokenKind};
use crate::lang::ty;

/// Offers the strong edits of token `t` to `found`, in order. Returns false once `found` does.
pub(super) fn each(context: Context, t: u32, role: Role, found: &mut EditCollector) -> bool {
    let site = Site::new(context, t, role);
    let sign = |kind| [Piece::sign(kind)];
    let own = (site.lo, site.hi);
    match (role, site.above) {
        (Role::Break, _) => found.offer(|| site.edit(Operator::Jump, (t, t + 1), &sign(TokenKind::Continue))),
        (Role::Continue, _) => found.offer(|| site.edit(Operator::Jump, (t, t + 1), &sign(TokenKind::Break))),
        // Including the `else` before it.
        (Role::Block | Role::If, Some(Role::If)) if site.slot == 2 && site.lo > 0 => {
            found.offer(|| site.edit(Operator::ElsePart, (site.lo - 1, site.hi), &[]))
        }
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
        let put = |pieces: &[Piece]| self.edit(Operator::ReturnValue, (self.lo, self.hi), pieces);
        let number = |value| put(&[Piece::New(TokenKind::Int, value)]);
        let bare = self.role == Role::List && self.hi - self.lo == 2;
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
        let function = base.checked.decl[self.parent as usize];
        if !more || function == NONE {
            return more;
        }
        // The first parameter is the third token after `fn`; one token separates parameters.
        let mut param = function + 3;
        while base.tree.role.get(param as usize) == Some(&(Role::Param as u32)) {
            let fits = self.kind_of_type(param) == self.kind_of_type(function);
            let itself = self.role == Role::Var
                && base.tokens.value[self.t as usize] == base.tokens.value[param as usize];
            if fits && !itself && !found.offer(|| put(&[Piece::copy(param, param + 1)])) {
                return false;
            }
            param = base.tree.hi[param as usize] + 1;
        }
        true
    }

    /// The extent with the comma after it, or else with the comma before it.
    fn with_comma(&self) -> (u32, u32) {
        let before = self.lo > 0 && self.is(self.lo - 1, TokenKind::Comma);
        match (self.is(self.hi, TokenKind::Comma), before) {
            (true, _) => (self.lo, self.hi + 1),
            (false, true) => (self.lo - 1, self.hi),
            (false, false) => (self.lo, self.hi),
        }
    }

    /// Replaces a call by this argument, or swaps this argument with the next one.
    fn arguments(&self, found: &mut EditCollector) -> bool {
        let base = self.context.base;
        let call = self.parent as usize;
        if self.kind_of_type(self.t) == self.kind_of_type(self.parent) {
            let extent = (base.tree.lo[call], base.tree.hi[call]);
            let own = Piece::copy(self.lo, self.hi);
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
        let next = self.context.argument.get(self.hi as usize + 1).copied().unwrap_or(NONE);
        // The results of built-in functions do not depend on the order of arguments.
        let other =
            next != NONE && base.tree.parent[next as usize] == self.parent && base.checked.decl[call] != NONE;
        if !other || self.kind_of_type(next) != self.kind_of_type(self.t) {
            return true;
        }
        let (lo, hi) = (base.tree.lo[next as usize], base.tree.hi[next as usize]);
        let pieces = [Piece::copy(lo, hi), Piece::copy(self.hi, lo), Piece::copy(self.lo, self.hi)];
        found.offer(|| self.edit(Operator::Swap, (self.lo, hi), &pieces))
    }

    /// Changes a bound of a slice by 1 in both directions.
    fn bounds(&self, found: &mut EditCollector) -> bool {
        let own = Piece::copy(self.lo, self.hi);
        let kind = TokenKind::from_u32(self.context.base.tokens.kind[self.t as usize]);
        let looser = self.role == Role::Binary
            && kind.is_some_and(|kind| kind.infix_strength() < TokenKind::Plus.infix_strength());
        let one = Piece::New(TokenKind::Int, 1);
        let nudged = |sign: TokenKind| {
            let sign = Piece::sign(sign);
            match looser {
                true => {
                    let [open, close] = [TokenKind::LeftParen, TokenKind::RightParen].map(Piece::sign);
                    self.edit(Operator::Bound, (self.lo, self.hi), &[open, own, close, sign, one])
                }
                false => self.edit(Operator::Bound, (self.lo, self.hi), &[own, sign, one]),
            }
        };
        found.offer(|| nudged(TokenKind::Plus)) && found.offer(|| nudged(TokenKind::Minus))
    }

    /// Makes a string empty, removes its last code, or replaces its first code.
    fn string(&self, extent: (u32, u32), found: &mut EditCollector) -> bool {
        let codes = self.context.base.tokens.value[self.t as usize];
        let of = |codes| self.edit(Operator::Text, extent, &[Piece::New(TokenKind::Str, codes)]);
        (codes == 0 || found.offer(|| of(0)))
            && (codes < 2 || found.offer(|| of(codes - 1)))
            && (codes == 0 || found.offer(|| of(codes | STR_REPLACED)))
    }

    /// Ends a loop's body with `break`, unless the body already ends with a jump or `return`.
    fn once(&self, found: &mut EditCollector) -> bool {
        let end = self.hi - 1;
        let base = self.context.base;
        let leaves = self.is(end - 1, TokenKind::Semicolon) && {
            let statement = base.tree.stmt[end as usize - 1] & STMT_INDEX;
            [TokenKind::Break, TokenKind::Continue, TokenKind::Return]
                .iter()
                .any(|kind| self.is(statement, *kind))
        };
        let pieces = [TokenKind::Break, TokenKind::Semicolon].map(Piece::sign);
        leaves || found.offer(|| self.edit(Operator::Once, (end, end), &pieces))
    }
}
