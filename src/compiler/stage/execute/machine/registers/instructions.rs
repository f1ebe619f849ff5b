//! Translation of single instructions: the effect on the symbolic operand stack, and the resulting
//! operations.

use super::translator::TranslatorOperand::{Here, List, Listed, Value, Variable};
use super::translator::{Translator, TranslatorOperand, in_place, operation, with};
use super::{
    BRANCH, CALL_TOP, CALL_WITH, COPY_LIST, DIVIDE_BY_POWER, IMMEDIATE, ITERATE_LIST, LOAD_INDEX_REFERENCE,
    Operation, PUSH, PUSH_LIST, PUSH_VALUE, REMAINDER_BY_POWER, RETURN_VARIABLE, STACK, STACK_BRANCH,
};
use crate::compiler::program::Executable;
use crate::compiler::stage::execute::machine::Callee;
use crate::lang::index::{Index, RoutineId, Slot};
use crate::lang::opcode::number::*;
use crate::lang::opcode::{Class, Op, Shape};
use crate::lang::ty::Type;

/// Whether an operation takes or leaves lists, or a number of operands that its own operand determines.
const USES_LISTS: [bool; Op::ALL.len()] = {
    let mut all = [false; _];
    let mut i = 0;
    while i < all.len() {
        let effect = Op::ALL[i].effect();
        all[i] = effect.taken_lists != 0 || effect.left_lists != 0 || effect.varies;
        i += 1;
    }
    all
};

impl Translator<'_> {
    /// Translates an instruction that does not jump.
    pub(super) fn plain(&mut self, op: Op, word: u32, second: u32) -> Option<()> {
        let slot = Slot::new(word >> 8);
        let lists = self.lists();
        if op == Op::LoadList && !lists {
            self.scratch.stack.push(Listed(slot));
            return Some(());
        }
        if let (Op::StoreList | Op::ListIter, [Listed(a)]) = (op, &self.scratch.stack[..]) {
            let code = if op == Op::StoreList { COPY_LIST } else { ITERATE_LIST };
            let operation = self.with_list(code, *a);
            self.emit(Operation { b: second, to: slot.number(), ..operation });
            self.scratch.stack.clear();
            return Some(());
        }
        if op == Op::LoadList && self.reference(slot).is_some() {
            self.materialize_all();
            self.emit(self.with_list(PUSH_LIST, slot));
            self.scratch.stack.push(List);
            return Some(());
        }
        if lists || USES_LISTS[op as usize] {
            return self.stack(op, slot.number());
        }
        let code = op as u32;
        match op.class() {
            Class::Load => self.scratch.stack.push(match op.shape() {
                Shape::Value => Value((word as i32 >> 8) as u32),
                Shape::Wide => Value(second),
                _ => Variable(slot.number()),
            }),
            Class::Copy => {
                let index = self.scratch.stack.len().checked_sub(1)?;
                match self.scratch.stack[index] {
                    Here => {
                        let a = self.place(index);
                        self.make(with(LOAD_VAR, a));
                    }
                    symbol => self.scratch.stack.push(symbol),
                }
            }
            Class::Unary => {
                let a = self.register()?;
                self.make(with(code, a));
            }
            Class::Binary => {
                let (a, (kind, b)) = self.pop_two()?;
                let power = kind == IMMEDIATE && (b as i32) > 0 && b.is_power_of_two();
                let (code, b) = match op {
                    Op::Div if power => (DIVIDE_BY_POWER, b - 1),
                    Op::Mod if power => (REMAINDER_BY_POWER, b - 1),
                    _ => (code | kind, b),
                };
                self.make(Operation { b, ..with(code, a) });
            }
            Class::List if op == Op::LoadIndexVar => {
                let (kind, b) = self.pop_operand()?;
                let reference = self.reference(slot);
                let code = reference.map_or(code, |_| LOAD_INDEX_REFERENCE);
                self.make(Operation { param: reference.unwrap_or(0), b, ..with(code | kind, slot.number()) });
            }
            Class::Store => self.store(op, slot)?,
            _ => return None,
        }
        Some(())
    }

    /// Translates an instruction that stores words in variables.
    fn store(&mut self, op: Op, to: Slot) -> Option<()> {
        let to = to.number();
        let taken = op.effect().takes as usize;
        let below = self.scratch.stack.len().checked_sub(taken)?;
        if below > 0 {
            // Operands that refer to a variable must get its current value first.
            if self.scratch.stack[..below].iter().any(|operand| matches!(operand, Listed(_))) {
                return None;
            }
            (0..below).for_each(|index| self.put(index));
        }
        let code = op as u32;
        if taken == 2 {
            let (a, (kind, b)) = self.pop_two()?;
            self.emit(Operation { b, to, ..with(code | kind, a) });
            return Some(());
        }
        if self.top_just_made && self.scratch.stack.last() == Some(&Here) {
            self.scratch.stack.pop();
            self.operations.last_mut()?.to = to;
            self.top_just_made = false;
            return Some(());
        }
        match self.scratch.stack.pop()? {
            Value(b) => self.emit(Operation { b, to, ..operation(LOAD_CONST) }),
            Variable(a) => self.emit(Operation { to, ..with(LOAD_VAR, a) }),
            Here => {
                let a = self.place(below);
                self.emit(Operation { to, ..with(LOAD_VAR, a) });
            }
            List | Listed(_) => return None,
        }
        Some(())
    }

    /// Translates an instruction to one that the stack machine executes.
    fn stack(&mut self, op: Op, operand: u32) -> Option<()> {
        // The stack machine expects elements in their own places.
        if op == Op::LoadIndexVar
            && let Some(param) = self.reference(Slot::new(operand))
        {
            self.references &= !(1 << param);
            self.not_a_reference = true;
            return None;
        }
        let last = self.operations.len().checked_sub(1).filter(|last| *last >= self.first);
        let follows = last.is_some_and(|last| {
            let Operation { code, b, .. } = self.operations[last];
            u32::from(code) == STACK
                && self.resume_points[last].rest + b == self.count
                && self.scratch.stack.iter().all(in_place)
        });
        match last {
            Some(last) if follows => self.operations[last].b += 1,
            _ => {
                self.materialize_all();
                let a = self.height();
                self.emit(Operation { a, b: 1, ..operation(STACK) });
            }
        }
        let effect = op.effect();
        let taken = if effect.varies { operand } else { effect.takes };
        let below = self.scratch.stack.len().checked_sub(taken as usize)?;
        self.scratch.stack.truncate(below);
        let left = |i: u32| if effect.left_lists >> i & 1 != 0 { List } else { Here };
        self.scratch.stack.extend((0..effect.leaves).map(left));
        self.top_just_made = false;
        Some(())
    }

    /// Translates a conditional or unconditional jump.
    pub(super) fn jump(&mut self, op: Op, target: u32) -> Option<()> {
        let Some((on, keeps)) = op.condition() else {
            self.materialize_all();
            return self.emit_jump(operation(op as u32), target);
        };
        if self.lists() || self.scratch.stack.iter().any(|operand| matches!(operand, Listed(_))) {
            self.materialize_all();
            if !keeps {
                self.scratch.stack.pop()?;
            }
            self.emit_jump(operation(STACK_BRANCH), target)?;
            if keeps {
                self.scratch.stack.pop()?;
            }
            return Some(());
        }
        let index = self.scratch.stack.len().checked_sub(1)?;
        if keeps {
            self.materialize_all();
            self.emit_jump(with(op as u32, self.place(index)), target)?;
            self.scratch.stack.pop();
            return Some(());
        }
        (0..index).for_each(|index| self.put(index));
        if self.top_just_made
            && self.scratch.stack[index] == Here
            && let Some(compared) = self.compared(on)
        {
            self.operations.pop();
            self.resume_points.pop();
            self.scratch.stack.pop();
            let code = compared.code | BRANCH as u8;
            return self.emit_jump(Operation { code, cost: 0, ..compared }, target);
        }
        let a = self.register()?;
        self.emit_jump(with(op as u32, a), target)
    }

    /// Returns the last comparison, inverted if necessary so that it is true when a branch on `on` jumps.
    fn compared(&self, on: bool) -> Option<Operation> {
        let last = self.operations.last()?;
        let (code, kind) = (u32::from(last.code) & !IMMEDIATE, u32::from(last.code) & IMMEDIATE);
        let op = Op::from_u32(code).filter(|op| op.class() == Class::Binary)?;
        let opposite = op.opposite()?;
        let holds = if on { op } else { opposite };
        Some(Operation { code: (holds as u32 | kind) as u8, ..*last })
    }

    /// Translates the instruction that starts the next iteration of a loop.
    pub(super) fn round(&mut self, op: Op, slot: Slot, target: u32) -> Option<()> {
        self.materialize_all();
        let behind = self.operations.len() as u32 + 1;
        self.emit_jump(Operation { b: behind, to: behind, ..with(op as u32, slot.number()) }, target)
    }

    pub(super) fn call(&mut self, function: RoutineId, program: &Executable, callees: &[Callee]) -> Option<()> {
        let callee = callees.get(function.position())?;
        let result = Type(program.routines.result.get(function.position()).copied()?);
        let below = self.scratch.stack.len().checked_sub(callee.params as usize)?;
        let listed = |operand: &TranslatorOperand| matches!(operand, Listed(_));
        let (under, arguments) = self.scratch.stack.split_at(below);
        if callee.lists && !self.lists() && !under.iter().any(listed) && arguments.iter().any(listed) {
            self.call_with(function, below);
        } else {
            self.materialize_all();
            if self.lists() {
                self.emit(Operation { b: function.number(), ..operation(CALL_TOP) });
            } else if callee.lists {
                return None;
            } else {
                self.emit(Operation { b: function.number(), ..with(CALL, self.place(below)) });
            }
        }
        self.scratch.stack.truncate(below);
        self.scratch.stack.push(if result.is_list() { List } else { Here });
        self.most = self.most.max(self.place(self.scratch.stack.len()) - self.frame);
        Some(())
    }

    /// Translates a call whose arguments include list variables; they start at operand `first`.
    fn call_with(&mut self, function: RoutineId, first: usize) {
        (0..first).for_each(|index| self.put(index));
        let count = self.scratch.stack.len() - first;
        self.emit(Operation { b: function.number(), to: count as u32, ..with(CALL_WITH, self.place(first)) });
        for index in first..first + count {
            let argument = match self.scratch.stack[index] {
                Value(b) => Operation { b, ..operation(PUSH_VALUE) },
                Variable(a) => with(PUSH, a),
                Listed(a) => self.with_list(PUSH_LIST, a),
                Here | List => with(PUSH, self.place(index)),
            };
            self.emit(argument);
        }
    }

    pub(super) fn translate_return(&mut self, op: Op, word: u32) -> Option<()> {
        match (op, &self.scratch.stack[..]) {
            (Op::ReturnList, [List]) => {
                self.emit(Operation { b: word >> 8, ..operation(op as u32) });
            }
            (Op::ReturnList, &[Listed(a)]) => {
                self.emit(Operation { b: word >> 8, ..self.with_list(RETURN_VARIABLE, a) });
            }
            (Op::Return, [Here | Variable(_) | Value(_)]) => {
                let (kind, b) = self.pop_operand()?;
                self.emit(Operation { b, ..operation(op as u32 | kind) });
            }
            _ => return None,
        }
        Some(())
    }
}
