//! The rewrites of a function by all rules. Most of them do not compile or mend nothing: that costs less than finding out here.

use super::rewrite::{Piece, Rewrite};
use super::rules::Rule;
use super::scope::{Scope, is_int};
use crate::lang::mutation::Operator;
use crate::lang::role::Role;
use crate::lang::token::TokenKind::{self, *};
use crate::lang::token::{NAME_ABS, NAME_MAX, NAME_MIN};
use crate::lang::ty::Type;
use crate::program::{Children, Compiled, View};
use crate::stage::mutate::{self, Edit};

/// Tokens of an expression that is put elsewhere, at most.
const LONGEST: u32 = 12;
/// Rewrites of a program that are collected: what is larger is searched in part.
pub const MOST: usize = 200_000;

/// Collects the rewrites of one function.
pub struct Collector<'a> {
    c: &'a Compiled,
    view: View<'a>,
    children: &'a Children,
    scope: Scope<'a>,
    head: u32,
    /// Nodes of its body.
    nodes: Vec<u32>,
    found: Vec<Rewrite>,
    /// How many may be collected.
    room: usize,
}

impl<'a> Collector<'a> {
    pub fn new(c: &'a Compiled, children: &'a Children, function: u32, room: usize) -> Option<Collector<'a>> {
        let view = c.view();
        let head = c.executable.routine(function)?.head();
        let body = view.extent(children.at(head, 2)?);
        let nodes = view.nodes().filter(|t| body.contains(t)).collect();
        let scope = Scope::new(view, children, head);
        Some(Collector { c, view, children, scope, head, nodes, found: Vec::new(), room })
    }

    /// All rewrites of the function, of which some are the edits that mutants of it make.
    pub fn collect(mut self, edits: &[Edit]) -> Vec<Rewrite> {
        self.mutations(edits);
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
                Role::Return => self.result(t),
                Role::If | Role::While => self.condition(t),
                Role::For => self.range(t),
                Role::Break => self.put(Rule::Jump, (t, t + 1), [Piece::New(Continue, 0)]),
                Role::Continue => self.put(Rule::Jump, (t, t + 1), [Piece::New(Break, 0)]),
                _ => {}
            }
            if self.view.parent(t).is_some_and(|parent| self.view.is(parent, Role::Block)) {
                self.statement(t);
            }
        }
        self.found
    }

    fn put(&mut self, rule: Rule, (lo, hi): (u32, u32), pieces: impl IntoIterator<Item = Piece>) {
        self.found.push(Rewrite { rule, lo, hi, pieces: pieces.into_iter().collect() });
    }

    /// Whether an expression has a value that is not fixed when the program is compiled, and is no target.
    fn is_value(&self, t: u32) -> bool {
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

    /// The mutants of the function.
    fn mutations(&mut self, edits: &[Edit]) {
        let extent = self.view.extent(self.head);
        for edit in edits.iter().filter(|edit| extent.contains(&edit.site)) {
            let rule = match edit.operator {
                Operator::Constant => Rule::Constant,
                Operator::Deletion | Operator::Condition => Rule::Deletion,
                Operator::UnaryInsertion | Operator::UnaryRemoval => Rule::Sign,
                _ => Rule::Operator,
            };
            let piece = |piece| match piece {
                mutate::Piece::New(kind, _) if edit.lo == edit.hi && kind.is_prefix() => Piece::Prefix(kind),
                mutate::Piece::New(kind, value) => Piece::New(kind, value),
                mutate::Piece::Copy(first, tokens) => Piece::Copy(first, first + tokens),
            };
            self.put(rule, (edit.lo, edit.hi), edit.pieces().map(piece));
        }
    }

    fn expression(&mut self, t: u32) {
        let (ty, extent) = (self.view.ty(t), self.view.extent(t));
        let place = (extent.start, extent.end);
        let own = Piece::Copy(place.0, place.1);
        // Where an operator stands around it, what takes its place needs parentheses.
        let inner = self.view.parent(t).is_some_and(|parent| {
            let role = self.view.role(parent);
            matches!(role, Role::Binary | Role::Unary)
                || matches!(role, Role::Index | Role::Slice) && self.view.slot(t) == 0
        });
        let bracketed = |pieces: Vec<Piece>, needed: bool| match needed {
            true => [vec![Piece::New(LeftParen, 0)], pieces, vec![Piece::New(RightParen, 0)]].concat(),
            false => pieces,
        };
        let operator = matches!(self.view.role(t), Role::Binary | Role::Unary);
        match self.view.role(t) {
            Role::Var => {
                for name in self.scope.variables(t).filter(|name| self.same_type(*name, ty)).collect::<Vec<_>>()
                {
                    if self.view.value(name) != self.view.value(t) {
                        self.put(Rule::Variable, place, [Piece::Copy(name, name + 1)]);
                    }
                }
            }
            Role::Int => {
                let ints = self.scope.variables(t).filter(|name| is_int(self.view.ty(*name)));
                for name in ints.collect::<Vec<_>>() {
                    self.put(Rule::Variable, place, [Piece::Copy(name, name + 1)]);
                }
            }
            Role::Call => self.call(t),
            Role::Binary => {
                for side in [0, 1].into_iter().filter_map(|slot| self.children.at(t, slot)) {
                    if self.same_type(side, ty) {
                        let side = self.view.extent(side);
                        self.put(Rule::Operand, place, [Piece::Copy(side.start, side.end)]);
                    }
                }
                self.halve(t, place, inner);
            }
            _ => {}
        }
        if is_int(ty) {
            for sign in [Plus, Minus] {
                let more = vec![own, Piece::New(sign, 0), Piece::New(Int, 1)];
                let loose =
                    operator && self.view.is(t, Role::Binary) && self.strength(t) < Plus.infix_strength();
                if !loose {
                    self.put(Rule::OffByOne, place, bracketed(more, inner));
                }
            }
            if !self.view.is(t, Role::Int) {
                let built_in = |name, rest: Vec<Piece>| {
                    let open = vec![Piece::New(Name, name), Piece::New(LeftParen, 0), own];
                    [open, rest, vec![Piece::New(RightParen, 0)]].concat()
                };
                self.put(Rule::Wrap, place, built_in(NAME_ABS, vec![]));
                let bounds = self.scope.bounds(t);
                for name in [NAME_MAX, NAME_MIN] {
                    for bound in &bounds {
                        let rest = [vec![Piece::New(Comma, 0)], bound.clone()].concat();
                        self.put(Rule::Wrap, place, built_in(name, rest));
                    }
                }
            }
        }
        for other in self.nodes.clone() {
            let there = self.view.extent(other);
            let (short, apart) =
                (there.end - there.start <= LONGEST, there.end <= place.0 || there.start >= place.1);
            let useful = self.view.role(other).is_expression()
                && !matches!(self.view.role(other), Role::Var | Role::Bool)
                && self.same_type(other, ty);
            if useful && short && apart && self.text(other) != self.text(t) {
                let needed = inner && matches!(self.view.role(other), Role::Binary | Role::Unary);
                self.put(Rule::Expression, place, bracketed(vec![Piece::Copy(there.start, there.end)], needed));
            }
        }
    }

    fn text(&self, t: u32) -> &'a str {
        self.view.extent_span(t).and_then(|span| self.view.source.get(span)).unwrap_or("")
    }

    fn strength(&self, t: u32) -> u32 {
        self.view.kind(t).infix_strength()
    }

    fn same_type(&self, t: u32, ty: Type) -> bool {
        self.view.ty(t).kind() == ty.kind()
    }

    /// `(x + y) / 2` or `x + y >> 1` becomes `x + (y - x) / 2`.
    fn halve(&mut self, t: u32, place: (u32, u32), inner: bool) {
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
        let [x, y] = [x, y].map(|side| self.view.extent(side));
        let copy = |side: &std::ops::Range<u32>| Piece::Copy(side.start, side.end);
        let mut pieces = vec![
            copy(&x),
            Piece::New(Plus, 0),
            Piece::New(LeftParen, 0),
            copy(&y),
            Piece::New(Minus, 0),
            copy(&x),
            Piece::New(RightParen, 0),
            Piece::New(Slash, 0),
            Piece::New(Int, 2),
        ];
        if inner {
            pieces.insert(0, Piece::New(LeftParen, 0));
            pieces.push(Piece::New(RightParen, 0));
        }
        self.put(Rule::Halve, place, pieces);
    }

    /// Other functions that take the same, and the arguments in another order.
    fn call(&mut self, t: u32) {
        let program = self.c.program();
        let arguments: Vec<u32> = self.children.of(t).collect();
        let kinds = |types: &[Type]| types.iter().map(|ty| ty.kind()).collect::<Vec<_>>();
        if let Some(callee) = program.callee(t) {
            let wanted = (kinds(&program.parameters(callee.index)), callee.result().kind());
            for other in (0..self.c.facts.functions).filter(|other| *other != callee.index) {
                let Some(routine) = program.function(other) else { continue };
                if (kinds(&program.parameters(other)), routine.result().kind()) == wanted {
                    let name = routine.head() + 1;
                    self.put(Rule::Callee, (t, t + 1), [Piece::Copy(name, name + 1)]);
                }
            }
        } else if [NAME_MAX, NAME_MIN].contains(&self.view.value(t)) {
            let other = NAME_MAX + NAME_MIN - self.view.value(t);
            self.put(Rule::Callee, (t, t + 1), [Piece::New(Name, other)]);
        }
        for (i, a) in arguments.iter().enumerate() {
            for b in &arguments[i + 1..] {
                if self.view.ty(*a).kind() == self.view.ty(*b).kind() && self.text(*a) != self.text(*b) {
                    let [a, b] = [*a, *b].map(|argument| self.view.extent(argument));
                    let pieces =
                        [Piece::Copy(b.start, b.end), Piece::Copy(a.end, b.start), Piece::Copy(a.start, a.end)];
                    self.put(Rule::Arguments, (a.start, b.end), pieces);
                }
            }
        }
    }

    /// The range of a loop, with its end or without.
    fn range(&mut self, t: u32) {
        let Some(dots) = self.children.at(t, 1).map(|lower| self.view.extent(lower).end) else { return };
        let other = match self.view.kind(dots) {
            DotDot => DotDotEqual,
            DotDotEqual => DotDot,
            _ => return,
        };
        self.put(Rule::Operator, (dots, dots + 1), [Piece::New(other, 0)]);
    }

    fn assignment(&mut self, t: u32) {
        let Some(target) = self.children.at(t, 0) else { return };
        if let Some(value) = self.children.at(t, 1)
            && [target, value].iter().all(|side| self.view.is(*side, Role::Var))
        {
            let pieces = [Piece::Copy(value, value + 1), Piece::New(Equal, 0), Piece::Copy(target, target + 1)];
            self.put(Rule::Arguments, (target, value + 1), pieces);
        }
        let name = if self.view.is(target, Role::Index) { self.children.at(target, 0) } else { Some(target) };
        let Some(name) = name else { return };
        let ty = self.view.ty(name);
        for other in self.scope.variables(t).filter(|other| self.same_type(*other, ty)).collect::<Vec<_>>() {
            if self.view.value(other) != self.view.value(name) {
                self.put(Rule::Target, (name, name + 1), [Piece::Copy(other, other + 1)]);
            }
        }
    }

    fn result(&mut self, t: u32) {
        let Some(value) = self.children.at(t, 0) else { return };
        let (ty, extent) = (self.view.ty(value), self.view.extent(value));
        for pieces in self.scope.results(ty) {
            self.put(Rule::Result, (extent.start, extent.end), pieces);
        }
    }

    /// The condition of an `if` or `while`, joined to others.
    fn condition(&mut self, t: u32) {
        if self.view.is(t, Role::If)
            && let Some(otherwise) = self.children.at(t, 2)
        {
            let extent = self.view.extent(otherwise);
            self.put(Rule::Else, (extent.start - 1, extent.end), []);
        }
        let Some(condition) = self.children.at(t, 0) else { return };
        let extent = self.view.extent(condition);
        let (lo, hi) = (extent.start, extent.end);
        let weak = |joint: TokenKind| {
            self.view.is(condition, Role::Binary) && self.strength(condition) < joint.infix_strength()
        };
        let loose = [AmpersandAmpersand, BarBar].map(weak);
        for other in self.scope.conditions(t, true) {
            for (joint, loose) in [AmpersandAmpersand, BarBar].into_iter().zip(loose) {
                let own = match loose {
                    true => vec![Piece::New(LeftParen, 0), Piece::Copy(lo, hi), Piece::New(RightParen, 0)],
                    false => vec![Piece::Copy(lo, hi)],
                };
                let joint = vec![Piece::New(joint, 0)];
                self.put(Rule::Join, (lo, hi), [other.clone(), joint.clone(), own.clone()].concat());
                self.put(Rule::Join, (lo, hi), [own, joint, other.clone()].concat());
            }
        }
    }

    /// A statement of a block: under a condition, after a return, swapped, done twice.
    fn statement(&mut self, t: u32) {
        let Some(parent) = self.view.parent(t) else { return };
        let extent = self.view.extent(t);
        let semicolon = self.view.kind(extent.end) == Semicolon;
        let (lo, hi) = (extent.start, extent.end + u32::from(semicolon));
        let own = Piece::Copy(lo, hi);
        let declares = self.view.is(t, Role::Let);
        let block = |inside: Vec<Piece>| {
            [vec![Piece::New(LeftBrace, 0)], inside, vec![Piece::New(RightBrace, 0)]].concat()
        };
        let result = self.c.program().declared_at(self.head + 1).map_or(Type::UNKNOWN, |f| f.result());
        for condition in self.scope.conditions(t, false) {
            let guard = [vec![Piece::New(If, 0)], condition].concat();
            if !declares {
                self.put(Rule::Guard, (lo, hi), [guard.clone(), block(vec![own])].concat());
            }
            for value in self.scope.results(result) {
                let give = [vec![Piece::New(Return, 0)], value, vec![Piece::New(Semicolon, 0)]].concat();
                self.put(Rule::Return, (lo, lo), [guard.clone(), block(give)].concat());
            }
        }
        if !declares {
            self.put(Rule::Copy, (lo, lo), [own]);
        }
        let next = self.children.of(parent).find(|other| self.view.extent(*other).start >= hi);
        if let Some(next) = next {
            let there = self.view.extent(next);
            let semicolon = self.view.kind(there.end) == Semicolon;
            let end = there.end + u32::from(semicolon);
            self.put(Rule::Order, (lo, end), [Piece::Copy(there.start, end), own]);
        }
    }
}
