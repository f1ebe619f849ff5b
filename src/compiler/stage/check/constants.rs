//! Constant expressions, evaluated as a program would compute them.

use super::scratch::CheckValue;
use super::*;
use crate::lang::index::{Index, TokenId};
use crate::lang::opcode::Op;
use crate::lang::{arithmetic, limits};

impl Check<'_> {
    /// Returns the value of the constant expression `root` of `owner`, if it is valid. With `least`, the
    /// value is a capacity or length and must be between `least` and the limit.
    pub(super) fn constant(&mut self, owner: TokenId, root: TokenId, least: Option<u32>) -> Option<u32> {
        if self.constant_depth(root) != 1 || !self.clean(root) {
            return None;
        }
        let value = match self.role(root) {
            Role::Int => self.tokens.value[root.position()],
            _ => match self.evaluate(root) {
                Ok(value) => value,
                Err(None) => return None,
                Err(Some(culprit)) => {
                    self.fault(owner, root, culprit, Code::NotConstant, 0);
                    return None;
                }
            },
        };
        if self.role(owner) != Role::Const {
            if self.ty(root) != Type::INT && self.ty(root) != Type::UNKNOWN {
                self.fault(owner, root, root, Code::TypeMismatch, Type::INT.0);
                return None;
            }
            if least.is_some_and(|least| !(least..=limits::CAPACITY).contains(&value)) {
                self.fault(owner, root, root, Code::CapacityOutOfRange, value);
                return None;
            }
        }
        self.out.constant[root.position()] = value;
        Some(value)
    }

    fn fault(&mut self, owner: TokenId, root: TokenId, at: TokenId, code: Code, detail: u32) {
        self.report(at, code, detail);
        self.taint(at);
        self.taint(root);
        self.taint(owner);
    }

    /// Evaluates an expression. The error is the token that is not constant, or `None` if an earlier error
    /// hides the value.
    fn evaluate(&mut self, root: TokenId) -> Result<u32, Option<TokenId>> {
        let tokens = TokenId::new(self.tree.lo[root.position()]).up_to(self.end(root));
        let mut hidden = false;
        for t in tokens {
            match self.role(t) {
                Role::None | Role::Int | Role::Bool | Role::Group | Role::Unary | Role::Binary => {}
                Role::Var => {
                    let earlier =
                        |decl: &TokenId| self.role(*decl) == Role::ConstName && self.precedes(*decl, t);
                    let decl = self.declaration(t).filter(earlier).ok_or(Some(t))?;
                    hidden |= !self.has(decl, VALUED);
                }
                _ => return Err(Some(t)),
            }
        }
        if hidden {
            return Err(None);
        }
        for t in tokens {
            let mut ending = self.s.ending[t.position()];
            while let Some(node) = ending {
                self.s.values[node.position()] = self.value(node);
                if node == root {
                    break; // the nodes around it follow
                }
                ending = self.s.next_ending[node.position()];
            }
        }
        let CheckValue { value, trap } = self.s.values[root.position()];
        if trap.is_none() { Ok(value) } else { Err(trap) }
    }

    fn value(&self, t: TokenId) -> CheckValue {
        let of = |slot| self.child(t, slot).map_or(CheckValue::known(0), |c| self.s.values[c.position()]);
        match self.role(t) {
            Role::Int => CheckValue::known(self.tokens.value[t.position()]),
            Role::Bool => CheckValue::known((self.kind(t) == TokenKind::True) as u32),
            Role::Var => {
                let declaration = self.declaration(t);
                CheckValue::known(declaration.map_or(0, |name| self.out.constant[name.position()]))
            }
            Role::Unary => {
                let CheckValue { value, trap } = of(0);
                let op = Op::from_prefix(self.kind(t)).unwrap_or(Op::Nop);
                CheckValue { value: arithmetic::unary(op as u32, value), trap }
            }
            Role::Binary => infix(t, self.kind(t), of(0), of(1)),
            _ => of(0),
        }
    }
}

/// Applies the infix operator at token `t`.
fn infix(t: TokenId, operator: TokenKind, left: CheckValue, right: CheckValue) -> CheckValue {
    if left.trap.is_some() {
        return left;
    }
    match operator {
        TokenKind::BarBar if left.value != 0 => return left,
        TokenKind::AmpersandAmpersand if left.value == 0 => return left,
        _ if right.trap.is_some() || operator.is_logical() => return right,
        _ => {}
    }
    let op = Op::from_infix(operator).unwrap_or(Op::Nop);
    match arithmetic::binary(op as u32, left.value, right.value) {
        Ok(value) => CheckValue::known(value),
        Err(_) => CheckValue { value: 0, trap: Some(t) },
    }
}
