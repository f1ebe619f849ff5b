//! Requirements on operands, and the errors of operands that do not meet them.

use super::*;
use crate::lang::index::{Index, TokenId};
use crate::lang::limits;
use crate::lang::opcode::Op;

#[derive(Clone, Copy)]
pub(super) enum Requirement {
    /// Any type is valid, but none can be inferred.
    Nothing,
    /// The requirement is unknown, so nothing is checked.
    Unknown,
    Type(Type),
    List,
    /// A list to be indexed or sliced, which has an error code of its own.
    Indexed,
    /// An element of a list.
    Scalar,
}

impl Requirement {
    /// Requires a declared type, which may be unknown because of an error.
    pub fn typed(ty: Type) -> Requirement {
        if ty == Type::UNKNOWN { Requirement::Unknown } else { Requirement::Type(ty) }
    }

    /// Returns the error for a type that does not match, with its detail, in which lists have the default
    /// capacity.
    fn mismatch(self, ty: Type) -> Option<(Code, Type)> {
        let any_list = Type::list(Type::INT, limits::DEFAULT_CAPACITY);
        match self {
            Requirement::Nothing | Requirement::Unknown => None,
            Requirement::Type(wanted) => {
                (!wanted.compatible(ty)).then_some((Code::TypeMismatch, plain(wanted)))
            }
            Requirement::List => (!ty.is_list()).then_some((Code::TypeMismatch, any_list)),
            Requirement::Indexed => (!ty.is_list()).then_some((Code::NotAList, Type::UNKNOWN)),
            Requirement::Scalar => ty.is_list().then_some((Code::TypeMismatch, Type::INT)),
        }
    }
}

impl Check<'_> {
    /// Checks the operand `t` of `parent`. `report` is false if another operand of `parent` has an error.
    pub(super) fn require(&mut self, parent: TokenId, t: Option<TokenId>, want: Requirement, report: bool) {
        let Some(t) = t else { return };
        if self.has(t, BARE) {
            return self.require_bare(parent, t, want, report);
        }
        let ty = self.ty(t);
        if report
            && ty != Type::UNKNOWN
            && self.clean(t)
            && let Some((code, detail)) = want.mismatch(ty)
        {
            self.report_operand(parent, t, t, code, detail.0);
        }
    }

    /// Checks an operand that is `[]` or `?`, which takes its type from the requirement.
    fn require_bare(&mut self, parent: TokenId, t: TokenId, want: Requirement, report: bool) {
        let inside = self.bare_inside(t);
        let is_hole = self.role(inside) == Role::Hole;
        match want {
            Requirement::Unknown => {}
            Requirement::Type(ty) if ty.is_list() || is_hole => self.give(t, inside, plain(ty)),
            Requirement::Nothing | Requirement::Scalar if is_hole => self.give(t, inside, Type::INT),
            Requirement::Type(ty) if report => self.report_operand(parent, t, t, Code::TypeMismatch, ty.0),
            _ if report => self.report_operand(parent, t, inside, Code::EmptyListType, 0),
            _ => {}
        }
    }

    /// Gives a type to a bare operand: to the node inside and to the groups around it.
    fn give(&mut self, t: TokenId, inside: TokenId, ty: Type) {
        let mut inner = Some(t);
        while let Some(group) = inner.filter(|inner| *inner != inside) {
            self.set_ty(group, ty);
            inner = self.s.first_child[group.position()];
        }
        self.set_ty(inside, ty);
    }

    /// Returns whether an operand is a `?`, possibly in groups.
    pub(super) fn is_hole(&self, t: TokenId) -> bool {
        self.has(t, BARE) && self.role(self.bare_inside(t)) == Role::Hole
    }

    /// The `[` or `?` inside of the groups of a bare operand.
    fn bare_inside(&self, mut t: TokenId) -> TokenId {
        while self.role(t) == Role::Group
            && let Some(inside) = self.s.first_child[t.position()]
        {
            t = inside;
        }
        t
    }

    /// Records at `at` an error of the operand `t`, and marks its surroundings so that they report no
    /// consequential errors.
    fn report_operand(&mut self, parent: TokenId, t: TokenId, at: TokenId, code: Code, detail: u32) {
        self.report(at, code, detail);
        self.taint(at);
        self.taint(t);
        self.taint(parent);
    }

    /// Replaces the error at a token, if any.
    pub(super) fn replace(&mut self, t: TokenId, code: Code) {
        let i = t.position();
        if self.out.error[i] != 0 {
            self.errors -= u32::from(self.out.error[i] & ERROR_MUTED == 0 || self.is_part);
            self.out.error[i] = Code::None as u32;
        }
        self.report(t, code, 0);
    }

    /// Checks that an operator takes its left operand (for a compound assignment, the target), and the right
    /// operand against the left one's type.
    pub(super) fn right_operand(
        &mut self,
        t: TokenId,
        operator: TokenKind,
        left: TokenId,
        right: Option<TokenId>,
    ) {
        let ty = self.ty(left);
        let want = if ty == Type::UNKNOWN {
            Requirement::Unknown
        } else if !takes(operator, ty) {
            if self.clean(left) {
                self.report(t, Code::OperatorUndefined, 0);
                self.taint(t);
            }
            Requirement::Unknown
        } else {
            Requirement::Type(ty)
        };
        self.require(t, right, want, self.clean(left));
    }
}

/// Returns the type with the default capacity.
/// A message about a type should not mention a capacity that does not matter.
fn plain(ty: Type) -> Type {
    if ty.is_list() { Type::list(ty.element(), limits::DEFAULT_CAPACITY) } else { ty }
}

/// Returns whether an infix operator takes a left operand of this type.
fn takes(operator: TokenKind, ty: Type) -> bool {
    if operator.is_logical() {
        return ty == Type::BOOL;
    }
    let takes_lists = ty.is_list() && Op::from_list_infix(operator).is_some();
    ty == Type::INT || takes_lists || operator.is_equality()
}
