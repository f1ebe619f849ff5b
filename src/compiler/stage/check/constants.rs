//! Constant expressions, evaluated as a program would compute them.

use super::scratch::Value;
use super::*;
use crate::lang::opcode::Op;
use crate::lang::{arithmetic, limits};

impl Check<'_> {
    /// Returns the value of the constant expression `root` of `owner`, if it is valid. With `least`, the
    /// value is a capacity or length and must be between `least` and the limit.
    pub(super) fn constant(&mut self, owner: u32, root: u32, least: Option<u32>) -> Option<u32> {
        if self.constant_depth(root) != 1 || !self.clean(root) {
            return None;
        }
        let value = match self.role(root) {
            Role::Int => self.tokens.value[root as usize],
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
        self.out.constant[root as usize] = value;
        Some(value)
    }

    fn fault(&mut self, owner: u32, root: u32, at: u32, code: Code, detail: u32) {
        self.report(at, code, detail);
        self.taint(at);
        self.taint(root);
        self.taint(owner);
    }

    /// Evaluates an expression. The error is the token that is not constant, or `None` if an earlier error
    /// hides the value.
    fn evaluate(&mut self, root: u32) -> Result<u32, Option<u32>> {
        let (lo, hi) = (self.tree.lo[root as usize], self.tree.hi[root as usize]);
        let mut hidden = false;
        for t in lo..hi {
            match self.role(t) {
                Role::None | Role::Int | Role::Bool | Role::Group | Role::Unary | Role::Binary => {}
                Role::Var => {
                    let decl = self.out.decl[t as usize];
                    if decl == NONE || self.role(decl) != Role::ConstName || !self.precedes(decl, t) {
                        return Err(Some(t));
                    }
                    hidden |= !self.has(decl, VALUED);
                }
                _ => return Err(Some(t)),
            }
        }
        if hidden {
            return Err(None);
        }
        for t in lo..hi {
            let mut node = self.s.ending[t as usize];
            while node != NONE {
                self.s.values[node as usize] = self.value(node);
                if node == root {
                    break; // the nodes around it follow
                }
                node = self.s.next_ending[node as usize];
            }
        }
        let Value { value, trap } = self.s.values[root as usize];
        if trap == NONE { Ok(value) } else { Err(Some(trap)) }
    }

    fn value(&self, t: u32) -> Value {
        let of = |slot| self.child(t, slot).map_or(Value::known(0), |c| self.s.values[c as usize]);
        match self.role(t) {
            Role::Int => Value::known(self.tokens.value[t as usize]),
            Role::Bool => Value::known((self.kind(t) == TokenKind::True) as u32),
            Role::Var => Value::known(self.out.constant[self.out.decl[t as usize] as usize]),
            Role::Unary => {
                let Value { value, trap } = of(0);
                let op = Op::from_prefix(self.kind(t)).unwrap_or(Op::Nop);
                Value { value: arithmetic::unary(op as u32, value), trap }
            }
            Role::Binary => infix(t, self.kind(t), of(0), of(1)),
            _ => of(0),
        }
    }
}

/// Applies the infix operator at token `t`.
fn infix(t: u32, operator: TokenKind, left: Value, right: Value) -> Value {
    if left.trap != NONE {
        return left;
    }
    match operator {
        TokenKind::BarBar if left.value != 0 => return left,
        TokenKind::AmpersandAmpersand if left.value == 0 => return left,
        _ if right.trap != NONE || operator.is_logical() => return right,
        _ => {}
    }
    let op = Op::from_infix(operator).unwrap_or(Op::Nop);
    match arithmetic::binary(op as u32, left.value, right.value) {
        Ok(value) => Value::known(value),
        Err(_) => Value { value: 0, trap: t },
    }
}
