//! From bytecode to the register form, in one pass over a routine.

use super::{BRANCH, CALL_TOP, Entry, Forms, IMMEDIATE, Note, Operation, STACK, STACK_BRANCH, TOP};
use crate::lang::NONE;
use crate::lang::opcode::number::*;
use crate::lang::opcode::{Class, Op, Shape};
use crate::lang::ty::Type;
use crate::program::Executable;
use crate::stage::execute::machine::Callee;

/// What stands at a place of the operand stack while a block is translated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operand {
    /// Its own place holds it.
    Here,
    /// Still in a variable.
    Variable(u32),
    /// A value that is nowhere yet.
    Value(u32),
    /// A list; its place and those above are known to the stack machine alone.
    List,
}
use Operand::{Here, List, Value, Variable};

/// What is known of an instruction that may be jumped to.
#[derive(Clone, Copy, Debug, Default)]
struct Mark {
    /// A block begins here.
    leads: bool,
    /// Where that is among the operations, or `NONE`.
    operation: u32,
    /// The stack that the first jump here came with: how many operands, and which of them are lists.
    shape: Option<(u32, u64)>,
}

/// Kept from routine to routine.
#[derive(Clone, Debug, Default)]
pub(super) struct Scratch {
    stack: Vec<Operand>,
    /// Of each word of the routine.
    marks: Vec<Mark>,
    /// Operations that jump, and the words they jump to.
    jumps: Vec<(u32, u32)>,
}

/// A routine while it is translated.
struct Translator<'a> {
    operations: &'a mut Vec<Operation>,
    notes: &'a mut Vec<Note>,
    scratch: &'a mut Scratch,
    routine: u32,
    frame: u32,
    /// The instruction that is translated.
    pc: u32,
    /// The block's first operation, its instructions so far, where it begins in the code, and where the stack's top was then.
    first: usize,
    count: u32,
    begin: u32,
    top: u32,
    /// The operation that has left the top operand in its place, if it is the last one and of this block.
    made: bool,
    /// The highest that the stack gets without lists.
    most: u32,
}

impl Forms {
    /// Translates a routine; what cannot be is left to the stack machine.
    pub(super) fn form(&mut self, program: &Executable, routine: u32, callees: &[Callee]) -> Entry {
        let begin = self.operations.len();
        let Some(view) = program.routine(routine) else { return Entry { first: NONE, reach: 0 } };
        let mut translator = Translator {
            operations: &mut self.operations,
            notes: &mut self.notes,
            scratch: &mut self.scratch,
            routine,
            frame: view.frame(),
            pc: 0,
            first: begin,
            count: 0,
            begin: 0,
            top: TOP,
            made: false,
            most: 0,
        };
        let done = translator.routine(view.words(), view.address(), program, callees);
        let reach = translator.frame + translator.most;
        match done {
            Some(()) => Entry { first: begin as u32, reach },
            None => {
                self.operations.truncate(begin);
                self.notes.truncate(begin);
                Entry { first: NONE, reach: 0 }
            }
        }
    }
}

impl Translator<'_> {
    /// `None` where the code is not what a compiler emits.
    fn routine(&mut self, words: &[u32], address: u32, program: &Executable, callees: &[Callee]) -> Option<()> {
        self.mark(words, address)?;
        self.scratch.stack.clear();
        let mut reached = true;
        while let Some(&word) = words.get(self.pc as usize) {
            let op = Op::from_u32(word & 0xff)?;
            let second = words.get(self.pc as usize + 1).copied().unwrap_or(0);
            if self.scratch.marks[self.pc as usize].leads {
                self.begin_block(reached)?;
            } else if !reached {
                return None;
            }
            self.count += 1;
            let target = |address_of: u32| address_of.wrapping_sub(address);
            match op.shape() {
                Shape::Target => self.jump(op, target(word >> 8))?,
                Shape::SlotTarget => self.round(op, word >> 8, target(second))?,
                Shape::Function => self.call(word >> 8, program, callees)?,
                _ if matches!(op.class(), Class::Return) => self.give(op, word)?,
                _ => self.plain(op, word, second)?,
            }
            reached = !matches!(op.class(), Class::Jump | Class::Return);
            self.pc += op.shape().words();
            if !matches!(
                op.class(),
                Class::Jump | Class::Branch { .. } | Class::Loop | Class::Call | Class::Return
            ) {
                self.most = self.most.max(self.scratch.stack.len() as u32);
            } else {
                self.end_block();
            }
        }
        if reached {
            return None;
        }
        for &(operation, target) in &self.scratch.jumps {
            let mark = self.scratch.marks.get(target as usize)?;
            self.operations[operation as usize].to = Some(mark.operation).filter(|at| *at != NONE)?;
        }
        Some(())
    }

    /// Finds where blocks begin.
    fn mark(&mut self, words: &[u32], address: u32) -> Option<()> {
        let Scratch { marks, jumps, .. } = &mut *self.scratch;
        jumps.clear();
        marks.clear();
        marks.resize(words.len() + 1, Mark { leads: false, operation: NONE, shape: None });
        marks[0].leads = true;
        let mut at = 0;
        while let Some(&word) = words.get(at) {
            let op = Op::from_u32(word & 0xff)?;
            let target = match op.shape() {
                Shape::Target => Some(word >> 8),
                Shape::SlotTarget => Some(*words.get(at + 1)?),
                _ => None,
            };
            if let Some(target) = target {
                marks.get_mut(target.wrapping_sub(address) as usize)?.leads = true;
            }
            at += op.shape().words() as usize;
            if matches!(
                op.class(),
                Class::Branch { .. } | Class::Loop | Class::Call | Class::Jump | Class::Return
            ) {
                marks.get_mut(at)?.leads = true;
            }
        }
        Some(())
    }

    /// How many operands there are, and which of the first 64 are lists; none further may be.
    fn shape(&self) -> Option<(u32, u64)> {
        let stack = &self.scratch.stack;
        let mut lists = 0;
        for (i, _) in stack.iter().enumerate().filter(|(_, operand)| **operand == List) {
            lists |= 1u64.checked_shl(i as u32)?;
        }
        Some((stack.len() as u32, lists))
    }

    fn begin_block(&mut self, reached: bool) -> Option<()> {
        if reached && self.count > 0 {
            // The block before runs into this one: a jump, so that this one is paid for.
            self.settle();
            let target = self.pc;
            self.leap(Operation { code: JUMP, ..Operation::default() }, target)?;
            self.end_block();
        }
        let known = self.scratch.marks[self.pc as usize].shape;
        if reached {
            if known.is_some() && known != self.shape() {
                return None;
            }
        } else {
            let (count, lists) = known.unwrap_or((0, 0));
            let operand = |i: u32| if lists.checked_shr(i).unwrap_or(0) & 1 != 0 { List } else { Here };
            self.scratch.stack.clear();
            self.scratch.stack.extend((0..count).map(operand));
        }
        self.scratch.marks[self.pc as usize].shape = self.shape();
        self.scratch.marks[self.pc as usize].operation = self.operations.len() as u32;
        (self.first, self.count, self.made) = (self.operations.len(), 0, false);
        (self.begin, self.top) = (self.pc, self.height());
        Some(())
    }

    fn end_block(&mut self) {
        let count = std::mem::take(&mut self.count);
        if let Some(first) = self.operations.get_mut(self.first) {
            first.cost = count;
        }
        for note in &mut self.notes[self.first..] {
            note.rest = count - note.rest;
        }
        (self.first, self.made) = (self.operations.len(), false);
    }

    /// Whether a list stands on the stack.
    fn lists(&self) -> bool {
        self.scratch.stack.contains(&List)
    }

    /// Where the stack's top is.
    fn height(&self) -> u32 {
        if self.lists() { TOP } else { self.place(self.scratch.stack.len()) }
    }

    /// The register that an operand's place is, as long as there is no list below.
    fn place(&self, index: usize) -> u32 {
        self.frame + index as u32
    }

    fn emit(&mut self, operation: Operation) {
        // Until the block ends `rest` counts the instructions up to this one.
        let Translator { routine, pc, begin, top, .. } = *self;
        self.notes.push(Note { routine, pc, begin, rest: self.count, top });
        self.operations.push(operation);
        self.made = false;
    }

    /// Emits what leaves a word in the place that is next.
    fn make(&mut self, operation: Operation) {
        let to = self.place(self.scratch.stack.len());
        self.emit(Operation { to, ..operation });
        self.scratch.stack.push(Here);
        self.made = true;
    }

    /// Emits a jump to a word of the routine, whose stack will be what it is now.
    fn leap(&mut self, operation: Operation, target: u32) -> Option<()> {
        let shape = self.shape();
        let mark = self.scratch.marks.get_mut(target as usize)?;
        if *mark.shape.get_or_insert(shape?) != shape? {
            return None;
        }
        self.scratch.jumps.push((self.operations.len() as u32, target));
        self.emit(operation);
        Some(())
    }

    /// Puts an operand in its place.
    fn put(&mut self, index: usize) {
        let to = self.place(index);
        match self.scratch.stack[index] {
            Value(b) => self.emit(Operation { code: LOAD_CONST, b, to, ..Operation::default() }),
            Variable(a) => self.emit(Operation { code: LOAD_VAR, a, to, ..Operation::default() }),
            Here | List => return,
        }
        self.scratch.stack[index] = Here;
    }

    /// Puts all operands in their places.
    fn settle(&mut self) {
        (0..self.scratch.stack.len()).for_each(|index| self.put(index));
    }

    /// Takes the top operand as a register.
    fn register(&mut self) -> Option<u32> {
        let index = self.scratch.stack.len().checked_sub(1)?;
        if let Value(_) = self.scratch.stack[index] {
            self.put(index);
        }
        match self.scratch.stack.pop()? {
            Here => Some(self.place(index)),
            Variable(at) => Some(at),
            Value(_) | List => None,
        }
    }

    /// Takes the top operand as a register, or as a value: what is to be added to the code, and which.
    fn either(&mut self) -> Option<(u32, u32)> {
        if let Some(Value(value)) = self.scratch.stack.last().copied() {
            self.scratch.stack.pop();
            return Some((IMMEDIATE, value));
        }
        Some((0, self.register()?))
    }

    /// Takes two operands, the deeper one as a register.
    fn two(&mut self) -> Option<(u32, (u32, u32))> {
        // The deeper one is put in its place first, so that the last operation may still be the one that made the top.
        let deeper = self.scratch.stack.len().checked_sub(2)?;
        if let Value(_) = self.scratch.stack[deeper] {
            self.put(deeper);
        }
        let b = self.either()?;
        Some((self.register()?, b))
    }

    /// An instruction without a jump.
    fn plain(&mut self, op: Op, word: u32, second: u32) -> Option<()> {
        let slot = word >> 8;
        let effect = op.effect();
        let list = effect.taken_lists != 0 || effect.left_lists != 0 || effect.varies;
        if list || self.lists() {
            return self.stack(op, slot);
        }
        let code = op as u32;
        match op.class() {
            Class::Load => self.scratch.stack.push(match op.shape() {
                Shape::Value => Value((word as i32 >> 8) as u32),
                Shape::Wide => Value(second),
                _ => Variable(slot),
            }),
            Class::Copy => {
                let index = self.scratch.stack.len().checked_sub(1)?;
                match self.scratch.stack[index] {
                    Here => {
                        let a = self.place(index);
                        self.make(Operation { code: LOAD_VAR, a, ..Operation::default() });
                    }
                    symbol => self.scratch.stack.push(symbol),
                }
            }
            Class::Unary => {
                let a = self.register()?;
                self.make(Operation { code, a, ..Operation::default() });
            }
            Class::Binary => {
                let (a, (with, b)) = self.two()?;
                self.make(Operation { code: code | with, a, b, ..Operation::default() });
            }
            Class::List if op == Op::LoadIndexVar => {
                let (with, b) = self.either()?;
                self.make(Operation { code: code | with, a: slot, b, ..Operation::default() });
            }
            Class::Store => self.store(op, slot)?,
            _ => return None,
        }
        Some(())
    }

    /// An instruction that stores words in variables.
    fn store(&mut self, op: Op, to: u32) -> Option<()> {
        let taken = op.effect().takes as usize;
        let below = self.scratch.stack.len().checked_sub(taken)?;
        if below > 0 {
            // What still stands for a variable must have its value of now.
            (0..below).for_each(|index| self.put(index));
        }
        let code = op as u32;
        if taken == 2 {
            let (a, (with, b)) = self.two()?;
            self.emit(Operation { code: code | with, a, b, to, ..Operation::default() });
            return Some(());
        }
        if self.made && self.scratch.stack.last() == Some(&Here) {
            self.scratch.stack.pop();
            self.operations.last_mut()?.to = to;
            self.made = false;
            return Some(());
        }
        match self.scratch.stack.pop()? {
            Value(b) => self.emit(Operation { code: LOAD_CONST, b, to, ..Operation::default() }),
            Variable(a) => self.emit(Operation { code: LOAD_VAR, a, to, ..Operation::default() }),
            Here => {
                let a = self.place(below);
                self.emit(Operation { code: LOAD_VAR, a, to, ..Operation::default() });
            }
            List => return None,
        }
        Some(())
    }

    /// An instruction that the stack machine executes.
    fn stack(&mut self, op: Op, operand: u32) -> Option<()> {
        let last = self.operations.len().checked_sub(1).filter(|last| *last >= self.first);
        let follows = last.is_some_and(|last| {
            let Operation { code, b, .. } = self.operations[last];
            code == STACK && self.notes[last].rest + b == self.count && self.scratch.stack.iter().all(in_place)
        });
        match last {
            Some(last) if follows => self.operations[last].b += 1,
            _ => {
                self.settle();
                let a = self.height();
                self.emit(Operation { code: STACK, a, b: 1, ..Operation::default() });
            }
        }
        let effect = op.effect();
        let taken = if effect.varies { operand } else { effect.takes };
        let below = self.scratch.stack.len().checked_sub(taken as usize)?;
        self.scratch.stack.truncate(below);
        let left = |i: u32| if effect.left_lists >> i & 1 != 0 { List } else { Here };
        self.scratch.stack.extend((0..effect.leaves).map(left));
        self.made = false;
        Some(())
    }

    /// A jump, conditional or not.
    fn jump(&mut self, op: Op, target: u32) -> Option<()> {
        let Some((on, keeps)) = op.condition() else {
            self.settle();
            return self.leap(Operation { code: op as u32, ..Operation::default() }, target);
        };
        if self.lists() {
            self.settle();
            if !keeps {
                self.scratch.stack.pop()?;
            }
            self.leap(Operation { code: STACK_BRANCH, ..Operation::default() }, target)?;
            if keeps {
                self.scratch.stack.pop()?;
            }
            return Some(());
        }
        let index = self.scratch.stack.len().checked_sub(1)?;
        if keeps {
            self.settle();
            self.leap(Operation { code: op as u32, a: self.place(index), ..Operation::default() }, target)?;
            self.scratch.stack.pop();
            return Some(());
        }
        (0..index).for_each(|index| self.put(index));
        if self.made
            && self.scratch.stack[index] == Here
            && let Some(compared) = self.compared(on)
        {
            self.operations.pop();
            self.notes.pop();
            self.scratch.stack.pop();
            return self.leap(Operation { code: compared.code | BRANCH, cost: 0, ..compared }, target);
        }
        let a = self.register()?;
        self.leap(Operation { code: op as u32, a, ..Operation::default() }, target)
    }

    /// The comparison that was made last, such that it holds where a branch on this value jumps.
    fn compared(&self, on: bool) -> Option<Operation> {
        let last = self.operations.last()?;
        let op = Op::from_u32(last.code & 0xff).filter(|op| op.class() == Class::Binary)?;
        let opposite = op.opposite()?;
        let holds = if on { op } else { opposite };
        Some(Operation { code: holds as u32 | (last.code & IMMEDIATE), ..*last })
    }

    /// The next round of a loop.
    fn round(&mut self, op: Op, slot: u32, target: u32) -> Option<()> {
        self.settle();
        self.leap(Operation { code: op as u32, a: slot, ..Operation::default() }, target)
    }

    fn call(&mut self, function: u32, program: &Executable, callees: &[Callee]) -> Option<()> {
        let callee = callees.get(function as usize)?;
        let result = Type(program.routines.result.get(function as usize).copied()?);
        let below = self.scratch.stack.len().checked_sub(callee.params as usize)?;
        self.settle();
        if self.lists() {
            self.emit(Operation { code: CALL_TOP, b: function, ..Operation::default() });
        } else if callee.lists {
            return None;
        } else {
            self.emit(Operation { code: CALL, a: self.place(below), b: function, ..Operation::default() });
        }
        self.scratch.stack.truncate(below);
        self.scratch.stack.push(if result.is_list() { List } else { Here });
        self.most = self.most.max(self.scratch.stack.len() as u32);
        Some(())
    }

    fn give(&mut self, op: Op, word: u32) -> Option<()> {
        match (op, &self.scratch.stack[..]) {
            (Op::ReturnList, [List]) => {
                self.emit(Operation { code: op as u32, b: word >> 8, ..Operation::default() });
            }
            (Op::Return, [Here | Variable(_) | Value(_)]) => {
                let (with, b) = self.either()?;
                self.emit(Operation { code: op as u32 | with, b, ..Operation::default() });
            }
            _ => return None,
        }
        Some(())
    }
}

/// Whether nothing has to be done before the stack machine can use it.
fn in_place(operand: &Operand) -> bool {
    matches!(operand, Here | List)
}
