//! Rewrites of expressions and statements that mutation has no operator for: a division rounded up, another case of a
//! comparison, a chain of conditions joined the other way, a condition on a list's first element, and a statement moved
//! into a later loop.

use super::rewrite::Rewrite;
use super::rules::Rule;
use crate::compiler::program::{Children, View};
use crate::compiler::stage::lex;
use crate::compiler::stage::mutate::Piece;
use crate::lang::index::{Index, Indices, TokenId};
use crate::lang::role::Role;
use crate::lang::token::TokenKind::*;

/// The maximum number of values with which a comparison gets another case.
const CASES: usize = 24;
/// The maximum numbers of lists, and of values that their first elements are compared with.
const LISTS: usize = 2;
const FIRSTS: usize = 6;

/// Builds rewrites of a program's nodes.
#[derive(Clone, Copy)]
pub struct Templates<'a> {
    view: View<'a>,
    children: &'a Children,
}

impl<'a> Templates<'a> {
    pub fn new(view: View<'a>, children: &'a Children) -> Templates<'a> {
        Templates { view, children }
    }

    /// Returns the integer and character literals of a function: tokens with distinct values.
    pub fn literals(self, function: Indices<TokenId>) -> Vec<TokenId> {
        let mut found: Vec<TokenId> = Vec::new();
        for t in function.iter().filter(|t| matches!(self.view.kind(*t), Int | Char)) {
            if found.iter().all(|known| self.view.value(*known) != self.view.value(t)) {
                found.push(t);
            }
        }
        found
    }

    /// Returns the characters of the tests' strings, and their numbers and characters, without repetitions. Only the
    /// text outside of functions counts.
    pub fn test_values(self) -> Vec<Piece> {
        let mut found: Vec<Piece> = Vec::new();
        let mut put = |piece: Piece| {
            if found.len() < CASES && !found.contains(&piece) {
                found.push(piece);
            }
        };
        for t in self.view.all() {
            let is_of_test = || {
                let mut up = std::iter::successors(Some(t), |t| self.view.parent(*t));
                up.any(|t| matches!(self.view.role(t), Role::Test | Role::Prop))
            };
            match self.view.kind(t) {
                Int | Char if is_of_test() => put(Piece::New(self.view.kind(t), self.view.value(t))),
                Str if is_of_test() => {
                    lex::codes(self.view.text(t)).for_each(|code| put(Piece::New(Char, code)));
                }
                _ => {}
            }
        }
        found
    }

    fn rewrite(self, rule: Rule, t: TokenId, pieces: Vec<Piece>) -> Rewrite {
        let tokens = self.view.extent(t);
        Rewrite { rule, number: None, lo: tokens.start(), hi: tokens.end(), pieces }
    }

    /// Puts parentheses around a replacement of a node that is an operand.
    fn as_operand(self, t: TokenId, pieces: Vec<Piece>) -> Vec<Piece> {
        let parent = self.view.parent(t).map(|parent| self.view.role(parent));
        match parent {
            Some(Role::Binary | Role::Unary) => {
                [vec![Piece::sign(LeftParen)], pieces, vec![Piece::sign(RightParen)]].concat()
            }
            _ => pieces,
        }
    }

    fn operands(self, t: TokenId) -> Option<[TokenId; 2]> {
        Some([self.children.at(t, 0)?, self.children.at(t, 1)?])
    }

    /// `x / n` becomes `(x + n - 1) / n`.
    pub fn round_up(self, t: TokenId) -> Option<Rewrite> {
        let [x, n] = self.operands(t).filter(|_| self.view.kind(t) == Slash)?.map(|t| self.view.extent(t));
        let sum =
            [Piece::sign(LeftParen), Piece::Copy(x), Piece::sign(Plus), Piece::Copy(n), Piece::sign(Minus)];
        let rest = [Piece::New(Int, 1), Piece::sign(RightParen), Piece::sign(Slash), Piece::Copy(n)];
        Some(self.rewrite(Rule::RoundUp, t, self.as_operand(t, [&sum[..], &rest].concat())))
    }

    /// `x == 3` becomes `x == 3 || x == 4`, and `x != 3` becomes `x != 3 && x != 4`.
    pub fn cases(self, t: TokenId, values: &[Piece]) -> Vec<Rewrite> {
        let joint = match self.view.kind(t) {
            EqualEqual => BarBar,
            BangEqual => AmpersandAmpersand,
            _ => return Vec::new(),
        };
        let Some([x, constant]) = self.operands(t) else { return Vec::new() };
        if !matches!(self.view.kind(constant), Int | Char) || !self.view.is(constant, Role::Int) {
            return Vec::new();
        }
        let own = self.view.value(constant);
        let others = values.iter().filter(|value| !matches!(value, Piece::New(_, value) if *value == own));
        let case = |value: &Piece| {
            let compared = [Piece::Copy(self.view.extent(x)), Piece::sign(self.view.kind(t)), *value];
            let pieces =
                [vec![Piece::Copy(self.view.extent(t)), Piece::sign(joint)], compared.to_vec()].concat();
            let is_in_chain = self.view.parent(t).is_some_and(|parent| self.view.kind(parent) == joint);
            let pieces = if is_in_chain { pieces } else { self.as_operand(t, pieces) };
            self.rewrite(Rule::Case, t, pieces)
        };
        others.map(case).collect()
    }

    /// `a && b && c` becomes `a || b || c`, and the reverse.
    pub fn chain(self, t: TokenId) -> Option<Rewrite> {
        let (own, other) = match self.view.kind(t) {
            BarBar => (BarBar, AmpersandAmpersand),
            AmpersandAmpersand => (AmpersandAmpersand, BarBar),
            _ => return None,
        };
        let continues = |t: TokenId| self.view.is(t, Role::Binary) && self.view.kind(t) == own;
        if !continues(t) || self.view.parent(t).is_some_and(continues) {
            return None;
        }
        let mut operands = Vec::new();
        let mut at = t;
        while continues(at) {
            let [rest, last] = self.operands(at)?;
            operands.push(last);
            at = rest;
        }
        operands.push(at);
        if operands.len() < 3 {
            return None;
        }
        let mut pieces: Vec<Piece> = Vec::new();
        for operand in operands.into_iter().rev() {
            if !pieces.is_empty() {
                pieces.push(Piece::sign(other));
            }
            pieces.push(Piece::Copy(self.view.extent(operand)));
        }
        Some(self.rewrite(Rule::Chain, t, self.as_operand(t, pieces)))
    }

    /// `c` becomes `c && xs[0] == n` or `c && xs[0] != n`.
    pub fn first_elements(self, condition: TokenId, lists: &[TokenId], values: &[TokenId]) -> Vec<Rewrite> {
        let own = self.view.extent(condition);
        let is_or = self.view.is(condition, Role::Binary) && self.view.kind(condition) == BarBar;
        let own = match is_or {
            true => vec![Piece::sign(LeftParen), Piece::Copy(own), Piece::sign(RightParen)],
            false => vec![Piece::Copy(own)],
        };
        let mut found = Vec::new();
        for list in lists.iter().take(LISTS) {
            let first = [
                Piece::sign(AmpersandAmpersand),
                Piece::Copy((*list).into()),
                Piece::sign(LeftBracket),
                Piece::New(Int, 0),
                Piece::sign(RightBracket),
            ];
            for value in values.iter().take(FIRSTS) {
                for operator in [EqualEqual, BangEqual] {
                    let compared = [Piece::sign(operator), Piece::Copy((*value).into())];
                    let pieces = [&own[..], &first, &compared].concat();
                    found.push(self.rewrite(Rule::Join, condition, pieces));
                }
            }
        }
        found
    }

    /// Moves a statement to the start of a loop's body that is later in the same block, but not the next statement.
    /// (Mutation moves it into the next one.)
    pub fn into_later_loops(self, t: TokenId) -> Vec<Rewrite> {
        let Some(block) = self.view.parent(t) else { return Vec::new() };
        let own = self.view.extent(t);
        let ends_with_sign = self.view.kind(own.end()) == Semicolon;
        let own = own.start().up_to(own.end() + u32::from(ends_with_sign));
        let body = |at: TokenId| match self.view.role(at) {
            Role::For => self.children.at(at, 3),
            Role::While => self.children.at(at, 1),
            _ => None,
        };
        let later = self.children.of(block).filter(|at| own.end() <= self.view.extent(*at).start()).skip(1);
        let bodies = later.filter_map(body);
        let moved = |body: TokenId| {
            let inside = self.view.extent(body).start() + 1;
            let pieces = vec![Piece::Copy(own.end().up_to(inside)), Piece::Copy(own)];
            Rewrite { rule: Rule::Loop, number: None, lo: own.start(), hi: inside, pieces }
        };
        bodies.map(moved).collect()
    }
}
