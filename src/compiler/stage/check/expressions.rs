//! Expressions: their types, and the requirements on their operands.

use super::operands::Requirement;
use super::*;
use crate::lang::index::{Index, TokenId};
use crate::lang::limits;
use crate::lang::opcode::Op;
use crate::lang::token::{FIRST_NAME, NAME_LEN, NAME_MAX, NAME_MIN, STR_CODES};

impl Check<'_> {
    /// Checks an expression node after its children.
    pub(super) fn expression(&mut self, t: TokenId, role: Role) {
        let ty = match role {
            Role::Int => Type::INT,
            Role::Bool => Type::BOOL,
            Role::Str => self.literal(t, Type::INT, self.tokens.value[t.position()] & STR_CODES),
            Role::Var => return self.resolve(t),
            Role::Call => self.call(t),
            Role::Group => {
                let inside = self.child(t, 0);
                if inside.is_some_and(|c| self.has(c, BARE)) {
                    self.s.flags[t.position()] |= BARE;
                }
                self.ty_of(inside)
            }
            Role::Index => {
                let list = self.indexed(t);
                self.require(t, self.child(t, 1), Requirement::Type(Type::INT), true);
                if list.is_list() { list.element() } else { Type::UNKNOWN }
            }
            Role::Slice => {
                let list = self.indexed(t);
                self.require(t, self.child(t, 1), Requirement::Type(Type::INT), true);
                self.require(t, self.child(t, 2), Requirement::Type(Type::INT), true);
                if list.is_list() { list } else { Type::UNKNOWN }
            }
            Role::List => self.list(t),
            Role::Hole => {
                self.s.flags[t.position()] |= BARE;
                Type::UNKNOWN
            }
            Role::Repeat => {
                let element = self.child(t, 0);
                self.require(t, element, Requirement::Scalar, true);
                let count = self.child(t, 1).and_then(|root| self.constant(t, root, Some(0)));
                match self.ty_of(element) {
                    ty @ (Type::INT | Type::BOOL) => list_of(ty, count.unwrap_or(0)),
                    _ => Type::UNKNOWN,
                }
            }
            Role::Unary => self.prefix(t),
            _ => self.infix(t),
        };
        self.set_ty(t, ty);
    }

    /// The type of a literal of `len` elements. Too many elements are an error.
    fn literal(&mut self, t: TokenId, element: Type, len: u32) -> Type {
        if len > limits::CAPACITY {
            self.report(t, Code::CapacityOutOfRange, len);
            self.taint(t);
        }
        if element == Type::UNKNOWN { Type::UNKNOWN } else { list_of(element, len) }
    }

    /// Requires that the indexed or sliced operand is a list. Returns its type.
    fn indexed(&mut self, t: TokenId) -> Type {
        let list = self.child(t, 0);
        self.require(t, list, Requirement::Indexed, true);
        self.ty_of(list)
    }

    fn list(&mut self, t: TokenId) -> Type {
        let Some(first) = self.s.first_child[t.position()] else {
            self.s.flags[t.position()] |= BARE;
            return Type::UNKNOWN;
        };
        self.require(t, Some(first), Requirement::Scalar, true);
        let (ty, report) = (self.ty(first), self.clean(first));
        let element = if ty == Type::INT || ty == Type::BOOL { ty } else { Type::UNKNOWN };
        let mut len = 1;
        let mut next = self.s.next_sibling[first.position()];
        while let Some(other) = next {
            self.require(t, next, Requirement::typed(element), report);
            len += 1;
            next = self.s.next_sibling[other.position()];
        }
        self.literal(t, element, len)
    }

    fn prefix(&mut self, t: TokenId) -> Type {
        let result = if self.kind(t) == TokenKind::Bang { Type::BOOL } else { Type::INT };
        if let Some(operand) = self.child(t, 0) {
            let ty = self.ty(operand);
            if self.has(operand, BARE) {
                let want = if self.is_hole(operand) { Requirement::Type(result) } else { Requirement::Nothing };
                self.require(t, Some(operand), want, true);
            } else if ty != Type::UNKNOWN && ty != result && self.clean(operand) {
                self.report(t, Code::OperatorUndefined, 0);
                self.taint(t);
            }
        }
        result
    }

    fn infix(&mut self, t: TokenId) -> Type {
        let operator = self.kind(t);
        let (left, right) = (self.child(t, 0), self.child(t, 1));
        let Some(l) = left else { return Type::UNKNOWN };
        let bare = self.has(l, BARE) && !self.is_hole(l);
        if bare {
            self.bare_left(t, operator, l, right);
        } else {
            if self.has(l, BARE) {
                let want = self.left_hole(operator, right);
                self.require(t, left, want, true);
            }
            self.right_operand(t, operator, l, right);
        }
        match operator {
            _ if operator.is_logical() || operator.is_comparison() => Type::BOOL,
            TokenKind::Plus => {
                let (l, r) = (self.ty(l), self.ty_of(right));
                let ty = if bare { r } else { l };
                if ty.is_list() {
                    Type::list(ty.element(), (l.capacity() + r.capacity()).min(limits::CAPACITY))
                } else if ty == Type::INT {
                    ty
                } else {
                    Type::UNKNOWN
                }
            }
            _ => Type::INT,
        }
    }

    /// Returns what an operator requires of a `?` on its left. Where several types are possible, it is that of the right
    /// operand.
    fn left_hole(&self, operator: TokenKind, right: Option<TokenId>) -> Requirement {
        if operator.is_logical() {
            Requirement::Type(Type::BOOL)
        } else if Op::from_list_infix(operator).is_none() || right.is_some_and(|r| self.has(r, BARE)) {
            Requirement::Type(Type::INT)
        } else {
            Requirement::typed(self.ty_of(right))
        }
    }

    /// Checks an operator whose left operand is `[]`, which may take its type from the right operand.
    fn bare_left(&mut self, t: TokenId, operator: TokenKind, left: TokenId, right: Option<TokenId>) {
        let takes_lists = Op::from_list_infix(operator).is_some();
        let bare_right = right.is_some_and(|r| self.has(r, BARE));
        let ty = self.ty_of(right);
        let want = if !takes_lists || bare_right || (ty != Type::UNKNOWN && !ty.is_list()) {
            Requirement::Nothing
        } else {
            Requirement::typed(ty)
        };
        self.require(t, Some(left), want, true);
    }

    fn call(&mut self, t: TokenId) -> Type {
        let id = self.tokens.value[t.position()];
        if self.kind(t) == TokenKind::IntType {
            self.arguments(t, 1, |_, _| Requirement::Type(Type::BOOL));
            return Type::INT;
        }
        if id < FIRST_NAME {
            let count = if matches!(id, NAME_MIN | NAME_MAX) { 2 } else { 1 };
            let want = if id == NAME_LEN { Requirement::List } else { Requirement::Type(Type::INT) };
            self.arguments(t, count, |_, _| want);
            return Type::INT;
        }
        let Some(name) = self.s.function[id as usize] else {
            self.report(t, Code::UnknownFunction, 0);
            self.taint(t);
            return Type::UNKNOWN;
        };
        self.set_declaration(t, name);
        let result = self.ty(name);
        self.needs_second_pass |= self.capacities_pending && result.is_list() && self.s.results.is_empty();
        if !self.reduced(name)
            && let Some(function) = self.parent(name)
        {
            let Signature { first, params, .. } = self.s.signatures[function.position()];
            self.arguments(t, params, |check, i| {
                Requirement::typed(check.parameter(check.s.params[(first + i) as usize]))
            });
        }
        result
    }

    /// The type of a parameter. The header of its function may not have been walked yet.
    fn parameter(&self, t: TokenId) -> Type {
        match self.child(t, 0) {
            Some(written) if self.capacities_pending => self.type_node(written, None),
            _ => self.ty(t),
        }
    }

    /// Checks the arguments of a call that takes `count` arguments.
    fn arguments(&mut self, t: TokenId, count: u32, want: impl Fn(&Self, u32) -> Requirement) {
        let given = self.children(t).count() as u32;
        if given != count {
            self.report(t, Code::ArgumentCount, count);
            self.taint(t);
            return;
        }
        let mut argument = self.s.first_child[t.position()];
        for i in 0..count {
            self.require(t, argument, want(self, i), true);
            argument = argument.and_then(|argument| self.s.next_sibling[argument.position()]);
        }
    }
}

/// The type of a list literal of `len` elements: a variable of this type has room for them.
fn list_of(element: Type, len: u32) -> Type {
    Type::list(element, len.clamp(limits::DEFAULT_CAPACITY, limits::CAPACITY))
}
