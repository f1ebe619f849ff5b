//! Scopes for the edits of the repair group: for each function, the names visible at a token, and the
//! expressions that may be copied elsewhere.
//!
//! Each name is visible in a range of tokens. An expression can be copied to the intersection of the ranges
//! of its names, which is computed once for each expression.

use std::ops::Range;

use crate::compiler::program::View;
use crate::lang::NONE;
use crate::lang::index::{Index, Indices, TokenId};
use crate::lang::mutation::caps;
use crate::lang::role::Role;
use crate::lang::token::TokenKind;
use crate::lang::ty::{KIND_INT, Type};

/// Number of kinds of types, from int on.
const KINDS: usize = 4;

/// The functions of a base, in order.
#[derive(Clone, Debug, Default)]
pub(super) struct Scopes {
    functions: Vec<ScopeFunction>,
}

/// The names and expressions of a function.
#[derive(Clone, Debug)]
pub(super) struct ScopeFunction {
    head: TokenId,
    /// One past its last token.
    pub end: TokenId,
    /// Parameters, locals and loop variables, in the order of their declaring tokens.
    names: Vec<ScopeName>,
    /// For each kind of type, the expressions that may be copied elsewhere, ordered by their heads.
    expressions: [Vec<Expression>; KINDS],
    /// The assignments that may be copied elsewhere, each with its semicolon, ordered by their heads.
    assignments: Vec<Expression>,
}

#[derive(Clone, Debug)]
pub(super) struct ScopeName {
    pub token: TokenId,
    pub kind: u32,
    holds: Indices<TokenId>,
}

/// An expression or assignment that may be copied elsewhere.
#[derive(Clone, Copy, Debug)]
pub(super) struct Expression {
    pub head: TokenId,
    pub tokens: Indices<TokenId>,
    /// Whether its head is an operator, so that it may need brackets.
    pub operator: bool,
    /// Whether it is a comparison or a call.
    pub is_condition: bool,
    /// The range of tokens in which all its names are visible.
    visible: Indices<TokenId>,
}

impl Expression {
    pub fn is_visible_at(&self, at: TokenId) -> bool {
        self.visible.contains(at)
    }

    /// Returns whether the expression may replace a range of tokens: its names are visible there, and the two
    /// do not overlap and are not equal.
    pub fn replaces(&self, base: View, others: Indices<TokenId>) -> bool {
        let of = |tokens: Indices<TokenId>| tokens.iter().map(|t| (base.kind(t), base.value(t)));
        let own = self.tokens;
        let apart = own.end() <= others.start() || others.end() <= own.start();
        let same = || own.len() == others.len() && of(own).eq(of(others));
        apart && self.visible.contains(others.start()) && !same()
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
                let (head, end) = (t, base.extent(t).end());
                self.functions.push(ScopeFunction {
                    head,
                    end,
                    names: Vec::new(),
                    expressions: Default::default(),
                    assignments: Vec::new(),
                });
                continue;
            }
            let Some(function) = self.functions.last_mut().filter(|function| t < function.end) else {
                continue;
            };
            let mut name = |token: TokenId, holds: Indices<TokenId>| {
                function.names.push(ScopeName { token, kind: base.ty(token).kind(), holds });
            };
            match role {
                Role::Param => name(t, Indices::new(TokenId::new(0), function.end)),
                Role::LetName => {
                    let Some(statement) = parent else { continue };
                    let Some(block) = base.parent(statement) else { continue };
                    name(t, Indices::new(base.extent(statement).end(), base.extent(block).end()));
                }
                // The loop variable is the token after `for`.
                Role::Block if base.slot(t) == 3 => {
                    let of_loop = parent.filter(|parent| base.is(*parent, Role::For));
                    of_loop.into_iter().for_each(|head| name(head + 1, base.extent(t)));
                }
                Role::Assign => function.assignment(base, t),
                role if role.is_expression() => function.expression(base, t),
                _ => {}
            }
        }
    }

    pub fn function(&self, t: TokenId) -> Option<&ScopeFunction> {
        let before = self.functions.partition_point(|function| function.head <= t);
        self.functions.get(before.checked_sub(1)?)
    }

    /// Returns the other functions with the same parameter and result types as `function`, the last one
    /// first.
    pub fn callees(&self, base: View, function: TokenId) -> impl Iterator<Item = TokenId> {
        let heads = self.functions.iter().map(|function| function.head);
        callees(base, heads, function)
    }
}

/// Returns the heads of other functions with the same parameter and result types, the last one first, at most
/// `CALLEES`.
pub fn callees(
    base: View,
    heads: impl DoubleEndedIterator<Item = TokenId>,
    function: TokenId,
) -> impl Iterator<Item = TokenId> {
    let alike = move |head: &TokenId| *head != function && signature(base, *head).eq(signature(base, function));
    heads.rev().filter(alike).take(caps::CALLEES as usize)
}

/// The kinds of types of a function's result and parameters.
fn signature(base: View, function: TokenId) -> impl Iterator<Item = u32> {
    let parameters = std::iter::successors(Some(function + 3), move |at| Some(base.extent(*at).end() + 1));
    let parameters = parameters.take_while(move |at| base.is(*at, Role::Param));
    [function].into_iter().chain(parameters).map(move |t| base.ty(t).kind())
}

impl ScopeFunction {
    /// Records an expression, if it may be copied elsewhere.
    fn expression(&mut self, base: View, head: TokenId) {
        let (role, tokens) = (base.role(head), base.extent(head));
        let kind = base.ty(head).kind().checked_sub(KIND_INT);
        let Some(same) = kind.and_then(|kind| self.expressions.get_mut(kind as usize)) else { return };
        let plain = matches!(role, Role::Var | Role::Bool | Role::Group);
        if plain || tokens.len() > caps::LONGEST || !may_be_copied(base, tokens) {
            return;
        }
        let operator = matches!(role, Role::Binary | Role::Unary);
        let is_condition = role == Role::Call || role == Role::Binary && base.kind(head).is_comparison();
        let visible = visible(&self.names, base, tokens);
        same.push(Expression { head, tokens, operator, is_condition, visible });
    }

    /// Records an assignment, if it may be copied elsewhere.
    fn assignment(&mut self, base: View, head: TokenId) {
        let tokens = base.extent(head);
        let semicolon = base.kind(tokens.end()) == TokenKind::Semicolon;
        let tokens = Indices::new(tokens.start(), tokens.end() + u32::from(semicolon));
        if tokens.len() <= caps::STATEMENT && may_be_copied(base, tokens) {
            let visible = visible(&self.names, base, tokens);
            self.assignments.push(Expression { head, tokens, operator: false, is_condition: false, visible });
        }
    }

    /// The assignments whose heads are near a token, in the order of [`ScopeFunction::near`].
    pub fn assignments_near(&self, t: TokenId) -> impl Iterator<Item = &Expression> {
        nearest(&self.assignments, t)
    }

    /// The names visible at a token, the last declared first.
    pub fn names(&self, at: TokenId) -> impl Iterator<Item = &ScopeName> {
        self.names.iter().rev().filter(move |name| name.holds.contains(at))
    }

    /// The declaring tokens of the names of a kind of type that are visible at a token, the last declared
    /// first.
    pub fn variables(&self, at: TokenId, kind: u32) -> impl Iterator<Item = TokenId> {
        let same = self.names(at).filter(move |name| name.kind == kind);
        same.map(|name| name.token)
    }

    /// The expressions of a type whose heads are near a token, the nearest first. If two are equally near,
    /// the earlier one is first.
    pub fn near(&self, t: TokenId, ty: Type) -> impl Iterator<Item = &Expression> {
        let kind = ty.kind().checked_sub(KIND_INT).and_then(|kind| self.expressions.get(kind as usize));
        nearest(kind.map_or(&[], |all| all), t)
    }
}

/// Returns whether edits may copy tokens: none of them is a string, whose text is at one place, or a `?`.
pub(super) fn may_be_copied(base: View, tokens: Indices<TokenId>) -> bool {
    tokens.iter().all(|t| !matches!(base.kind(t), TokenKind::Str | TokenKind::Question))
}

/// Returns the range of tokens in which all names of a range of tokens are visible.
fn visible(names: &[ScopeName], base: View, tokens: Indices<TokenId>) -> Indices<TokenId> {
    let (mut from, mut to) = (0, NONE);
    for name in tokens.iter().filter(|t| base.is(*t, Role::Var)).filter_map(|t| base.declaration(t)) {
        // Constants are visible everywhere.
        if let Ok(place) = names.binary_search_by_key(&name, |name| name.token) {
            let Range { start, end } = names[place].holds.numbers();
            (from, to) = (from.max(start), to.min(end));
        }
    }
    Indices::numbered(from..to)
}

/// Returns expressions by the distance of their heads from a token.
fn nearest(all: &[Expression], t: TokenId) -> impl Iterator<Item = &Expression> {
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
