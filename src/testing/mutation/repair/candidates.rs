//! Generates the rewrites of a function by all rules: the edits of mutation, and further changes for repair. Most of
//! them do not compile or repair nothing; judging them costs less than filtering them here.

use super::rewrite::Rewrite;
use super::rules::Rule;
use super::scope::{Scope, is_bool, is_int};
use super::templates::Templates;
use crate::compiler::program::{Children, Compiled, View};
use crate::compiler::stage::mutate::{Edit, Piece};
use crate::lang::index::{EditId, Index, Indices, RoutineId, TokenId};
use crate::lang::role::Role;
use crate::lang::token::TokenKind::{self, *};
use crate::lang::token::{NAME_ABS, NAME_MAX, NAME_MIN};
use crate::lang::ty::Type;

/// The maximum number of rewrites of a program. Beyond this limit the search is incomplete.
pub const MOST: usize = 200_000;

/// The maximum number of lists that a list is joined to, and of elements that a target is replaced by.
const LISTS: usize = 4;
const ELEMENTS: usize = 4;

/// Collects the rewrites of one function.
pub struct Collector<'a> {
    c: &'a Compiled,
    view: View<'a>,
    children: &'a Children,
    scope: Scope<'a>,
    templates: Templates<'a>,
    /// The function's literals, and the values that the tests contain.
    literals: Vec<TokenId>,
    test_values: Vec<Piece>,
    head: TokenId,
    /// The nodes of the function's body.
    nodes: Vec<TokenId>,
    found: Vec<Rewrite>,
    /// The maximum number of rewrites to collect.
    room: usize,
}

impl<'a> Collector<'a> {
    pub fn new(
        c: &'a Compiled,
        children: &'a Children,
        function: RoutineId,
        room: usize,
    ) -> Option<Collector<'a>> {
        let view = c.view();
        let head = c.executable.routine(function)?.head();
        let body = view.extent(children.at(head, 2)?);
        let nodes = view.nodes().filter(|t| body.contains(*t)).collect();
        let scope = Scope::new(view, children, head);
        let templates = Templates::new(view, children);
        let (literals, test_values) = (templates.literals(body), templates.test_values());
        let found = Vec::new();
        Some(Collector { c, view, children, scope, templates, literals, test_values, head, nodes, found, room })
    }

    /// Returns all rewrites of the function. The edits of mutation come first, each with its number.
    pub fn collect(mut self, edits: impl Iterator<Item = (EditId, Edit)>) -> Vec<Rewrite> {
        for (number, edit) in edits.take(self.room) {
            let (rule, pieces) = (Rule::of(edit.operator), edit.pieces().collect());
            self.found.push(Rewrite { rule, number: Some(number), lo: edit.lo, hi: edit.hi, pieces });
        }
        for t in self.nodes.clone() {
            if self.found.len() >= self.room {
                break;
            }
            let role = self.view.role(t);
            if role.is_expression() && self.is_value(t) {
                self.expression(t);
            }
            match role {
                Role::Assign => self.assignment(t),
                Role::If | Role::While | Role::Return => self.condition(t),
                Role::For => self.range(t),
                _ => {}
            }
            if self.view.parent(t).is_some_and(|parent| self.view.is(parent, Role::Block)) {
                self.statement(t);
            }
        }
        self.found
    }

    fn put(&mut self, rule: Rule, tokens: Indices<TokenId>, pieces: impl IntoIterator<Item = Piece>) {
        let (lo, hi) = (tokens.start(), tokens.end());
        self.found.push(Rewrite { rule, number: None, lo, hi, pieces: pieces.into_iter().collect() });
    }

    /// Returns whether an expression is evaluated at run time and is not the target of an assignment.
    fn is_value(&self, t: TokenId) -> bool {
        let (slot, parent) = (self.view.slot(t), self.view.parent(t));
        let parent_is = |role| parent.is_some_and(|parent| self.view.is(parent, role));
        let target = slot == 0 && parent_is(Role::Assign);
        let indexed = slot == 0
            && parent_is(Role::Index)
            && parent.is_some_and(|index| {
                let above = self.view.parent(index);
                self.view.slot(index) == 0 && above.is_some_and(|above| self.view.is(above, Role::Assign))
            });
        let constant = parent_is(Role::TypeList) || slot == 1 && parent_is(Role::Repeat);
        !(target || indexed || constant)
    }

    fn expression(&mut self, t: TokenId) {
        let (ty, place) = (self.view.ty(t), self.view.extent(t));
        match self.view.role(t) {
            Role::Var | Role::Int => {
                let same = |name: &TokenId| self.view.ty(*name).kind() == ty.kind();
                let itself = self.view.declaration(t);
                let names = self.scope.constants().filter(|name| same(name) && Some(*name) != itself);
                for name in names.collect::<Vec<_>>() {
                    self.put(Rule::Variable, place, [Piece::Copy(name.into())]);
                }
            }
            Role::Call => self.arguments(t),
            Role::Binary => {
                self.halve(t, place);
                let Collector { templates, test_values, .. } = &*self;
                let built = templates.cases(t, test_values);
                let built = built.into_iter().chain(templates.round_up(t)).chain(templates.chain(t));
                self.found.extend(built);
            }
            _ => {}
        }
        if is_int(ty) && !self.view.is(t, Role::Int) {
            self.wrap(t, place);
        }
        let is_whole = |parent| matches!(self.view.role(parent), Role::Return | Role::Assign | Role::Let);
        if ty.is_list() && self.view.parent(t).is_some_and(is_whole) {
            self.extend(t, place);
        }
    }

    /// Joins a list that is returned or assigned to a list in scope.
    fn extend(&mut self, t: TokenId, place: Indices<TokenId>) {
        let kind = self.view.ty(t).kind();
        let lists = self.scope.variables(t).filter(|name| self.view.ty(*name).kind() == kind);
        for list in lists.take(LISTS).map(|name| Piece::Copy(name.into())).collect::<Vec<_>>() {
            self.put(Rule::Addend, place, [list, Piece::sign(Plus), Piece::Copy(place)]);
            self.put(Rule::Addend, place, [Piece::Copy(place), Piece::sign(Plus), list]);
        }
    }

    /// Bounds a number from below or above with `max` or `min`, or makes it positive with `abs`.
    fn wrap(&mut self, t: TokenId, place: Indices<TokenId>) {
        let built_in = |name, rest: Vec<Piece>| {
            let open = vec![Piece::New(Name, name), Piece::sign(LeftParen), Piece::Copy(place)];
            [open, rest, vec![Piece::sign(RightParen)]].concat()
        };
        self.put(Rule::Wrap, place, built_in(NAME_ABS, vec![]));
        let bounds = self.scope.bounds(t);
        for name in [NAME_MAX, NAME_MIN] {
            for bound in &bounds {
                let rest = [vec![Piece::sign(Comma)], bound.clone()].concat();
                self.put(Rule::Wrap, place, built_in(name, rest));
            }
        }
    }

    fn text(&self, t: TokenId) -> &'a str {
        self.view.extent_span(t).and_then(|span| self.view.source.get(span)).unwrap_or("")
    }

    /// `(x + y) / 2` or `x + y >> 1` becomes `x + (y - x) / 2`.
    fn halve(&mut self, t: TokenId, place: Indices<TokenId>) {
        let by = match self.view.kind(t) {
            Slash => 2,
            ShiftRight => 1,
            _ => return,
        };
        let (Some(mut sum), Some(half)) = (self.children.at(t, 0), self.children.at(t, 1)) else { return };
        if !self.view.is(half, Role::Int) || self.view.value(half) != by {
            return;
        }
        while self.view.is(sum, Role::Group) {
            let Some(inside) = self.children.at(sum, 0) else { return };
            sum = inside;
        }
        if self.view.kind(sum) != Plus || !self.view.is(sum, Role::Binary) {
            return;
        }
        let [Some(x), Some(y)] = [0, 1].map(|slot| self.children.at(sum, slot)) else { return };
        let [x, y] = [x, y].map(|side| Piece::Copy(self.view.extent(side)));
        let mut pieces = vec![
            x,
            Piece::sign(Plus),
            Piece::sign(LeftParen),
            y,
            Piece::sign(Minus),
            x,
            Piece::sign(RightParen),
            Piece::sign(Slash),
            Piece::New(Int, 2),
        ];
        // Next to an operator, the replacement needs parentheses.
        let parent = self.view.parent(t).map(|parent| self.view.role(parent));
        if matches!(parent, Some(Role::Binary | Role::Unary)) {
            pieces.insert(0, Piece::sign(LeftParen));
            pieces.push(Piece::sign(RightParen));
        }
        self.put(Rule::Halve, place, pieces);
    }

    /// Swaps arguments of a call of a user's function that are not adjacent. Mutation swaps adjacent ones.
    fn arguments(&mut self, t: TokenId) {
        if self.view.declaration(t).is_none() {
            return;
        }
        let arguments: Vec<TokenId> = self.children.of(t).collect();
        for (i, a) in arguments.iter().enumerate() {
            for b in arguments.iter().skip(i + 2) {
                if self.view.ty(*a).kind() == self.view.ty(*b).kind() && self.text(*a) != self.text(*b) {
                    let [a, b] = [*a, *b].map(|argument| self.view.extent(argument));
                    let pieces = [b, a.end().up_to(b.start()), a].map(Piece::Copy);
                    self.put(Rule::Arguments, a.start().up_to(b.end()), pieces);
                }
            }
        }
    }

    /// Makes an inclusive loop range exclusive, or the reverse.
    fn range(&mut self, t: TokenId) {
        let Some(dots) = self.children.at(t, 1).map(|lower| self.view.extent(lower).end()) else { return };
        let other = match self.view.kind(dots) {
            DotDot => DotDotEqual,
            DotDotEqual => DotDot,
            _ => return,
        };
        self.put(Rule::Operator, dots.into(), [Piece::sign(other)]);
    }

    /// Swaps the sides of an assignment, or replaces its target by an element that its value reads.
    fn assignment(&mut self, t: TokenId) {
        if let [Some(target), Some(value)] = [0, 1].map(|slot| self.children.at(t, slot)) {
            let [place, read] = [target, value].map(|side| self.view.extent(side));
            let kind = self.view.ty(target).kind();
            let is_other = |u: &TokenId| {
                let is_element = self.view.is(*u, Role::Index) && read.contains(*u);
                is_element && self.view.ty(*u).kind() == kind && self.text(*u) != self.text(target)
            };
            let others: Vec<TokenId> = self.nodes.iter().copied().filter(is_other).take(ELEMENTS).collect();
            for other in others {
                self.put(Rule::Target, place, [Piece::Copy(self.view.extent(other))]);
            }
        }
        if let [Some(target), Some(value)] = [0, 1].map(|slot| self.children.at(t, slot))
            && [target, value].iter().all(|side| self.view.is(*side, Role::Var))
        {
            let pieces = [Piece::Copy(value.into()), Piece::sign(Equal), Piece::Copy(target.into())];
            self.put(Rule::Arguments, target.up_to(value + 1), pieces);
        }
    }

    /// Joins the condition of an `if` or `while`, or a returned one, to comparisons with list elements.
    fn condition(&mut self, t: TokenId) {
        let Some(condition) = self.children.at(t, 0).filter(|t| is_bool(self.view.ty(*t))) else { return };
        let extent = self.view.extent(condition);
        let loose = |joint: TokenKind| {
            let own = self.view.kind(condition).infix_strength();
            self.view.is(condition, Role::Binary) && own < joint.infix_strength()
        };
        let loose = [AmpersandAmpersand, BarBar].map(loose);
        for other in self.scope.of_elements(t) {
            for (joint, loose) in [AmpersandAmpersand, BarBar].into_iter().zip(loose) {
                let own = match loose {
                    true => vec![Piece::sign(LeftParen), Piece::Copy(extent), Piece::sign(RightParen)],
                    false => vec![Piece::Copy(extent)],
                };
                let joint = vec![Piece::sign(joint)];
                self.put(Rule::Join, extent, [other.clone(), joint.clone(), own.clone()].concat());
                self.put(Rule::Join, extent, [own, joint, other.clone()].concat());
            }
        }
        let lists: Vec<TokenId> = self.scope.variables(t).filter(|t| self.view.ty(*t).is_list()).collect();
        self.found.extend(self.templates.first_elements(condition, &lists, &self.literals));
    }

    /// Inserts a conditional return or an assignment before a statement, or moves it into a later loop.
    fn statement(&mut self, t: TokenId) {
        self.found.extend(self.templates.into_later_loops(t));
        let lo = self.view.extent(t).start();
        for assignment in self.scope.assignments(t) {
            self.put(Rule::Insert, lo.up_to(lo), assignment);
        }
        let result = self.c.program().function_named_at(self.head + 1).map_or(Type::UNKNOWN, |f| f.result());
        let results = self.scope.results(result);
        for condition in self.scope.conditions(t) {
            for value in &results {
                let guard = [vec![Piece::sign(If)], condition.clone(), vec![Piece::sign(LeftBrace)]].concat();
                let end = vec![Piece::sign(Semicolon), Piece::sign(RightBrace)];
                let give = [vec![Piece::sign(Return)], value.clone(), end].concat();
                self.put(Rule::Return, lo.up_to(lo), [guard, give].concat());
            }
        }
    }
}
