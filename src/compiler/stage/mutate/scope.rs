//! Scopes for the edits of the repair group: for each function, the names visible at a token, and the
//! expressions that may be copied elsewhere.
//!
//! Each name is visible in a range of tokens. An expression can be copied to the intersection of the ranges
//! of its names, which is computed once for each expression.

use std::ops::Range;

use crate::compiler::program::View;
use crate::lang::mutation::caps;
use crate::lang::role::Role;
use crate::lang::token::TokenKind;
use crate::lang::ty::{KIND_INT, Type};

/// Number of kinds of types, from int on.
const KINDS: usize = 4;

/// The functions of a base, in order.
#[derive(Clone, Debug, Default)]
pub(super) struct Scopes {
    functions: Vec<Function>,
}

/// The names and expressions of a function.
#[derive(Clone, Debug)]
pub(super) struct Function {
    head: u32,
    /// One past its last token.
    pub end: u32,
    /// Parameters, locals and loop variables, in the order of their declaring tokens.
    names: Vec<Name>,
    /// For each kind of type, the expressions that may be copied elsewhere, ordered by their heads.
    expressions: [Vec<Expression>; KINDS],
}

/// A declaration.
#[derive(Clone, Debug)]
pub(super) struct Name {
    pub token: u32,
    pub kind: u32,
    holds: Range<u32>,
}

/// An expression that may be copied elsewhere.
#[derive(Clone, Copy, Debug)]
pub(super) struct Expression {
    head: u32,
    pub lo: u32,
    pub hi: u32,
    /// Whether its head is an operator, so that it may need brackets.
    pub operator: bool,
    /// Whether it is a comparison or a call.
    pub asks: bool,
    /// The range of tokens in which all its names are visible.
    from: u32,
    to: u32,
}

impl Expression {
    /// Returns whether the expression may replace a range of tokens: its names are visible there, and the two
    /// do not overlap and are not equal.
    pub fn replaces(&self, base: View, (lo, hi): (u32, u32)) -> bool {
        let of = |tokens: Range<u32>| tokens.map(|t| (base.kind(t), base.value(t)));
        let apart = self.hi <= lo || hi <= self.lo;
        let same = || self.hi - self.lo == hi - lo && of(self.lo..self.hi).eq(of(lo..hi));
        apart && (self.from..self.to).contains(&lo) && !same()
    }
}

impl Scopes {
    pub fn clear(&mut self) {
        self.functions.clear();
    }

    pub fn build(&mut self, base: View) {
        self.clear();
        for t in base.nodes() {
            let (role, parent) = (base.role(t), base.parent(t));
            if role == Role::Fn {
                let (head, end) = (t, base.extent(t).end);
                self.functions.push(Function { head, end, names: Vec::new(), expressions: Default::default() });
                continue;
            }
            let Some(function) = self.functions.last_mut().filter(|function| t < function.end) else {
                continue;
            };
            let mut name = |token: u32, holds: Range<u32>| {
                function.names.push(Name { token, kind: base.ty(token).kind(), holds });
            };
            match role {
                Role::Param => name(t, 0..function.end),
                Role::LetName => {
                    let Some(statement) = parent else { continue };
                    let block = base.parent(statement).map_or(0..0, |block| base.extent(block));
                    name(t, base.extent(statement).end..block.end);
                }
                // The loop variable is the token after `for`.
                Role::Block if base.slot(t) == 3 => {
                    let of_loop = parent.filter(|parent| base.is(*parent, Role::For));
                    of_loop.into_iter().for_each(|head| name(head + 1, base.extent(t)));
                }
                role if role.is_expression() => function.expression(base, t),
                _ => {}
            }
        }
    }

    /// Returns the function that contains a token.
    pub fn function(&self, t: u32) -> Option<&Function> {
        let before = self.functions.partition_point(|function| function.head <= t);
        self.functions.get(before.checked_sub(1)?)
    }

    /// Returns the other functions with the same parameter and result types as `function`, the last one
    /// first.
    pub fn callees(&self, base: View, function: u32) -> impl Iterator<Item = u32> {
        let heads = self.functions.iter().map(|function| function.head);
        callees(base, heads, function)
    }
}

/// Returns the heads of other functions with the same parameter and result types, the last one first, at most
/// `CALLEES`.
pub fn callees(
    base: View,
    heads: impl DoubleEndedIterator<Item = u32>,
    function: u32,
) -> impl Iterator<Item = u32> {
    let alike = move |head: &u32| *head != function && signature(base, *head).eq(signature(base, function));
    heads.rev().filter(alike).take(caps::CALLEES as usize)
}

/// The kinds of types of a function's result and parameters.
fn signature(base: View, function: u32) -> impl Iterator<Item = u32> {
    let parameters = std::iter::successors(Some(function + 3), move |at| Some(base.extent(*at).end + 1));
    let parameters = parameters.take_while(move |at| base.is(*at, Role::Param));
    [function].into_iter().chain(parameters).map(move |t| base.ty(t).kind())
}

impl Function {
    /// Records an expression, if it may be copied elsewhere.
    fn expression(&mut self, base: View, head: u32) {
        let (role, Range { start: lo, end: hi }) = (base.role(head), base.extent(head));
        let kind = base.ty(head).kind().checked_sub(KIND_INT);
        let Some(same) = kind.and_then(|kind| self.expressions.get_mut(kind as usize)) else { return };
        let plain = matches!(role, Role::Var | Role::Bool | Role::Group);
        if plain || hi - lo > caps::LONGEST || (lo..hi).any(|t| base.kind(t) == TokenKind::Str) {
            return;
        }
        let (mut from, mut to) = (0, u32::MAX);
        for name in (lo..hi).filter(|t| base.is(*t, Role::Var)).filter_map(|t| base.declaration(t)) {
            // Constants are visible everywhere.
            if let Ok(place) = self.names.binary_search_by_key(&name, |name| name.token) {
                let Range { start, end } = self.names[place].holds;
                (from, to) = (from.max(start), to.min(end));
            }
        }
        let operator = matches!(role, Role::Binary | Role::Unary);
        let asks = role == Role::Call || role == Role::Binary && base.kind(head).is_comparison();
        same.push(Expression { head, lo, hi, operator, asks, from, to });
    }

    /// The names visible at a token, the last declared first.
    pub fn names(&self, at: u32) -> impl Iterator<Item = &Name> {
        self.names.iter().rev().filter(move |name| name.holds.contains(&at))
    }

    /// The declaring tokens of the names of a kind of type that are visible at a token, the last declared
    /// first.
    pub fn variables(&self, at: u32, kind: u32) -> impl Iterator<Item = u32> {
        let same = self.names(at).filter(move |name| name.kind == kind);
        same.map(|name| name.token)
    }

    /// The expressions of a type whose heads are near a token, the nearest first. If two are equally near,
    /// the earlier one is first.
    pub fn near(&self, t: u32, ty: Type) -> impl Iterator<Item = &Expression> {
        let kind = ty.kind().checked_sub(KIND_INT).and_then(|kind| self.expressions.get(kind as usize));
        let all: &[Expression] = kind.map_or(&[], |all| all);
        let mut before = all.partition_point(|other| other.head < t);
        let mut behind = all.partition_point(|other| other.head <= t);
        std::iter::from_fn(move || {
            let back =
                before.checked_sub(1).and_then(|place| all.get(place)).filter(|e| t - e.head <= caps::WINDOW);
            let next = all.get(behind).filter(|e| e.head - t <= caps::WINDOW);
            match (back, next) {
                (Some(back), Some(next)) if next.head - t < t - back.head => {
                    behind += 1;
                    Some(next)
                }
                (None, Some(next)) => {
                    behind += 1;
                    Some(next)
                }
                (back, _) => {
                    before = before.saturating_sub(1);
                    back
                }
            }
        })
    }
}
