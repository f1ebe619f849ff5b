//! Translation of bytecode to the register form, in one pass over a routine.

use super::{
    Forms, IMMEDIATE, NEXT_OF_LIST, NEXT_OF_RANGE, Operation, PUSH, PUSH_LIST, PUSH_VALUE, REFERENCE,
    ResumePoint, RoutineForm, SET_TOP, TOP,
};
use crate::compiler::program::Executable;
use crate::compiler::stage::execute::machine::Callee;
use crate::lang::NONE;
use crate::lang::index::{Address, Index, RoutineId};
use crate::lang::limits::{CAPACITY, PARAMS, STACK_WORDS};
use crate::lang::opcode::number::*;
use crate::lang::opcode::{Class, Op, Shape};

/// A symbolic entry of the operand stack during translation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operand {
    /// The operand is in its own place.
    Here,
    /// The operand is still in a variable.
    Variable(u32),
    /// An immediate value that is not stored yet.
    Value(u32),
    /// A list that is still in a variable. Operands above it have places as if it had the maximum length.
    Listed(u32),
    /// A list on the stack. Only the stack machine can locate it and the operands above it.
    List,
}
use Operand::{Here, List, Listed, Value, Variable};

/// Data about a word of the routine that may be a jump target.
#[derive(Clone, Copy, Debug, Default)]
struct Mark {
    /// Whether a block begins here.
    leads: bool,
    /// The block's first operation, or `NONE`.
    operation: u32,
    /// The stack at the first jump here: number of operands, and the bit set of those that are lists.
    shape: Option<(u32, u64)>,
}

/// Scratch memory, kept between routines.
#[derive(Clone, Debug, Default)]
pub(super) struct Scratch {
    pub(super) stack: Vec<Operand>,
    /// Offset in the frame and number of each parameter that is a reference.
    places: Vec<(u32, u8)>,
    /// For each word of the routine.
    marks: Vec<Mark>,
    /// Operations that jump, and the words of their targets.
    jumps: Vec<(u32, u32)>,
}

/// The state of the translation of a routine.
pub(super) struct Translator<'a> {
    pub(super) operations: &'a mut Vec<Operation>,
    pub(super) resume_points: &'a mut Vec<ResumePoint>,
    pub(super) scratch: &'a mut Scratch,
    pub(super) routine: RoutineId,
    pub(super) frame: u32,
    /// Offset of the current instruction.
    pub(super) pc: u32,
    /// The current block: its first operation, its number of instructions so far, its offset in the code, and
    /// the top of the stack at its beginning.
    pub(super) first: usize,
    pub(super) count: u32,
    pub(super) begin: u32,
    pub(super) top: u16,
    /// Whether the last operation belongs to this block and stored the top operand in its own place.
    pub(super) top_just_made: bool,
    /// The greatest height of the stack without lists.
    pub(super) most: u32,
    /// Bit set of the parameters treated as references, and whether one of them cannot be a reference.
    pub(super) references: u16,
    pub(super) not_a_reference: bool,
}

impl Forms {
    /// Translates a routine. A routine that cannot be translated is left to the stack machine.
    pub(super) fn form(&mut self, program: &Executable, routine: RoutineId, callees: &[Callee]) -> RoutineForm {
        let begin = self.operations.len();
        let (Some(view), Some(callee)) = (program.routine(routine), callees.get(routine.position())) else {
            return RoutineForm::NONE;
        };
        let mut references = only_read(callee, view.words());
        loop {
            let mut translator = Translator {
                operations: &mut self.operations,
                resume_points: &mut self.resume_points,
                scratch: &mut self.scratch,
                routine,
                frame: view.frame(),
                pc: 0,
                first: begin,
                count: 0,
                begin: 0,
                top: TOP,
                top_just_made: false,
                most: 0,
                references,
                not_a_reference: false,
            };
            let done = translator.routine(view.words(), view.address(), program, callees);
            if done.is_some() {
                let reach = translator.frame + translator.most;
                return RoutineForm { first: begin as u32, reach, references };
            }
            let next = Some(translator.references).filter(|_| translator.not_a_reference);
            self.operations.truncate(begin);
            self.resume_points.truncate(begin);
            match next {
                Some(fewer) => references = fewer,
                None => return RoutineForm::NONE,
            }
        }
    }
}

/// Returns the list parameters that a routine only reads: their uses are loads of the list, its length or its
/// elements.
fn only_read(callee: &Callee, words: &[u32]) -> u16 {
    let (mut lists, mut slot) = (0u16, 0);
    let mut slots = [NONE; PARAMS];
    for (param, capacity) in callee.places().iter().enumerate() {
        if *capacity > 0 {
            lists |= 1 << param;
            slots[param] = slot;
        }
        slot += 1 + u32::from(*capacity);
    }
    let mut at = 0;
    while lists != 0
        && let Some(&word) = words.get(at)
    {
        let Some(op) = Op::from_u32(word & 0xff) else { return 0 };
        let names = matches!(op.shape(), Shape::Slot | Shape::SlotCapacity | Shape::SlotTarget);
        if names
            && !matches!(op, Op::LoadList | Op::LoadIndexVar | Op::ListLenVar)
            && let Some(param) = slots.iter().position(|slot| *slot == word >> 8)
        {
            lists &= !(1 << param);
        }
        at += op.shape().words() as usize;
    }
    lists
}

impl Translator<'_> {
    /// Translates the routine. Returns `None` if the code is not as a compiler emits it.
    fn routine(
        &mut self,
        words: &[u32],
        address: Address,
        program: &Executable,
        callees: &[Callee],
    ) -> Option<()> {
        // A routine whose frame exceeds memory never runs.
        if self.frame > STACK_WORDS {
            return None;
        }
        self.scratch.places.clear();
        let mut slot = 0;
        for (param, capacity) in (0..).zip(callees.get(self.routine.position())?.places()) {
            if self.references >> param & 1 != 0 {
                self.scratch.places.push((slot, param));
            }
            slot += 1 + u32::from(*capacity);
        }
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
            let target = |address_of: u32| address_of.wrapping_sub(address.number());
            match op.shape() {
                Shape::Target => self.jump(op, target(word >> 8))?,
                Shape::SlotTarget => self.round(op, word >> 8, target(second))?,
                Shape::Function => self.call(RoutineId::new(word >> 8), program, callees)?,
                _ if matches!(op.class(), Class::Return) => self.translate_return(op, word)?,
                _ => self.plain(op, word, second)?,
            }
            reached = !matches!(op.class(), Class::Jump | Class::Return);
            self.pc += op.shape().words();
            if !matches!(
                op.class(),
                Class::Jump | Class::Branch { .. } | Class::Loop | Class::Call | Class::Return
            ) {
                self.most = self.most.max(self.place(self.scratch.stack.len()) - self.frame);
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
        for index in 0..self.scratch.jumps.len() {
            let (operation, _) = self.scratch.jumps[index];
            self.fuse_loop_jump(operation as usize);
        }
        Some(())
    }

    /// Combines a jump to a loop's instruction with that instruction, which saves one operation in each
    /// iteration.
    fn fuse_loop_jump(&mut self, jump: usize) {
        let Operation { code, to: b, .. } = self.operations[jump];
        let Operation { code: loops, a, cost, to, .. } = self.operations[b as usize];
        let joined = match u32::from(loops) {
            FOR_RANGE => NEXT_OF_RANGE,
            FOR_LIST => NEXT_OF_LIST,
            _ => return,
        };
        if u32::from(code) == JUMP && cost == 1 {
            let own = self.operations[jump].cost;
            self.operations[jump] = Operation { code: joined as u8, a, cost: own, b, to, param: 0 };
        }
    }

    /// Finds the beginnings of blocks.
    fn mark(&mut self, words: &[u32], address: Address) -> Option<()> {
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
                marks.get_mut(target.wrapping_sub(address.number()) as usize)?.leads = true;
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

    /// Number of operands, and the bit set of those that are lists. `None` if a list is above the first 64
    /// operands.
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
            // The previous block falls through to this one. A jump is inserted, so that this block is paid
            // for.
            self.materialize_all();
            let target = self.pc;
            self.emit_jump(operation(JUMP), target)?;
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
        (self.first, self.count, self.top_just_made) = (self.operations.len(), 0, false);
        (self.begin, self.top) = (self.pc, self.height());
        Some(())
    }

    fn end_block(&mut self) {
        let count = std::mem::take(&mut self.count);
        if let Some(first) = self.operations.get_mut(self.first) {
            first.cost = count;
        }
        for note in &mut self.resume_points[self.first..] {
            note.rest = count - note.rest;
        }
        (self.first, self.top_just_made) = (self.operations.len(), false);
    }

    /// Number of the parameter at this offset of the frame, if it is a reference.
    pub(super) fn reference(&self, slot: u32) -> Option<u8> {
        self.scratch.places.iter().find(|(place, _)| *place == slot).map(|(_, param)| *param)
    }

    /// Returns an operation on a list variable.
    pub(super) fn with_list(&self, code: u32, slot: u32) -> Operation {
        match self.reference(slot) {
            Some(param) => Operation { param, a: slot as u16 | REFERENCE, ..operation(code) },
            None => with(code, slot),
        }
    }

    /// Returns whether a list is on the stack.
    pub(super) fn lists(&self) -> bool {
        self.scratch.stack.contains(&List)
    }

    /// The top of the stack as an offset, or [`TOP`] if it is not known.
    pub(super) fn height(&self) -> u16 {
        if self.lists() { TOP } else { self.place(self.scratch.stack.len()) as u16 }
    }

    /// Returns the register in which the operand at `index` is stored. No list operand below it may have been
    /// copied out of its variable yet.
    pub(super) fn place(&self, index: usize) -> u32 {
        let width = |operand: &Operand| if let Listed(_) = operand { 1 + CAPACITY } else { 1 };
        self.frame + self.scratch.stack[..index].iter().map(width).sum::<u32>()
    }

    pub(super) fn emit(&mut self, operation: Operation) {
        // Until the block ends, `rest` is the number of instructions up to this one.
        let Translator { routine, pc, begin, top, .. } = *self;
        self.resume_points.push(ResumePoint { routine, pc, begin, rest: self.count, top });
        self.operations.push(operation);
        self.top_just_made = false;
    }

    /// Emits an operation that stores a word in the next place of the stack.
    pub(super) fn make(&mut self, operation: Operation) {
        let to = self.place(self.scratch.stack.len());
        self.emit(Operation { to, ..operation });
        self.scratch.stack.push(Here);
        self.top_just_made = true;
    }

    /// Emits a jump to a word of the routine. The stack there must have the same shape as now.
    pub(super) fn emit_jump(&mut self, operation: Operation, target: u32) -> Option<()> {
        let shape = self.shape();
        let mark = self.scratch.marks.get_mut(target as usize)?;
        if *mark.shape.get_or_insert(shape?) != shape? {
            return None;
        }
        self.scratch.jumps.push((self.operations.len() as u32, target));
        self.emit(operation);
        Some(())
    }

    /// Stores an operand in its own place.
    pub(super) fn put(&mut self, index: usize) {
        let to = self.place(index);
        match self.scratch.stack[index] {
            Value(b) => self.emit(Operation { b, to, ..operation(LOAD_CONST) }),
            Variable(a) => self.emit(Operation { to, ..with(LOAD_VAR, a) }),
            Here | List | Listed(_) => return,
        }
        self.scratch.stack[index] = Here;
    }

    /// Stores all operands in their own places. From the first list on, the places are known only at run
    /// time.
    pub(super) fn materialize_all(&mut self) {
        let listed = self.scratch.stack.iter().position(|operand| matches!(operand, Listed(_)));
        let Some(first) = listed else {
            return (0..self.scratch.stack.len()).for_each(|index| self.put(index));
        };
        (0..first).for_each(|index| self.put(index));
        let places: Vec<u32> = (first..self.scratch.stack.len()).map(|index| self.place(index)).collect();
        self.emit(with(SET_TOP, places[0]));
        for (index, place) in (first..).zip(places) {
            self.scratch.stack[index] = match self.scratch.stack[index] {
                Listed(a) => {
                    self.emit(self.with_list(PUSH_LIST, a));
                    List
                }
                Value(b) => {
                    self.emit(Operation { b, ..operation(PUSH_VALUE) });
                    Here
                }
                Variable(a) => {
                    self.emit(with(PUSH, a));
                    Here
                }
                Here | List => {
                    self.emit(with(PUSH, place));
                    Here
                }
            };
        }
    }

    /// Pops the top operand as a register.
    pub(super) fn register(&mut self) -> Option<u32> {
        let index = self.scratch.stack.len().checked_sub(1)?;
        if let Value(_) = self.scratch.stack[index] {
            self.put(index);
        }
        match self.scratch.stack.pop()? {
            Here => Some(self.place(index)),
            Variable(at) => Some(at),
            Value(_) | List | Listed(_) => None,
        }
    }

    /// Pops the top operand as a register or an immediate value. Returns the flag for the code, and the
    /// register or value.
    pub(super) fn pop_operand(&mut self) -> Option<(u32, u32)> {
        if let Some(Value(value)) = self.scratch.stack.last().copied() {
            self.scratch.stack.pop();
            return Some((IMMEDIATE, value));
        }
        Some((0, self.register()?))
    }

    /// Pops two operands, the deeper one as a register.
    pub(super) fn pop_two(&mut self) -> Option<(u32, (u32, u32))> {
        // The deeper one is stored first, so that the operation that made the top may still be the last one.
        let deeper = self.scratch.stack.len().checked_sub(2)?;
        if let Value(_) = self.scratch.stack[deeper] {
            self.put(deeper);
        }
        let b = self.pop_operand()?;
        Some((self.register()?, b))
    }
}

/// Returns an operation that has only a code.
pub(super) fn operation(code: u32) -> Operation {
    Operation { code: code as u8, ..Operation::default() }
}

/// Returns an operation on a register.
pub(super) fn with(code: u32, a: u32) -> Operation {
    Operation { code: code as u8, a: a as u16, ..Operation::default() }
}

/// Returns whether the stack machine can use the operand as it is.
pub(super) fn in_place(operand: &Operand) -> bool {
    matches!(operand, Here | List)
}
