//! The state of a translation: the operations so far, and the symbolic operand stack.

use super::{IMMEDIATE, Operation, PUSH, PUSH_LIST, PUSH_VALUE, REFERENCE, ResumePoint, SET_TOP, TOP};
use crate::lang::index::{Index, RoutineId, Slot};
use crate::lang::limits::CAPACITY;
use crate::lang::opcode::number::*;

/// A symbolic entry of the operand stack during translation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TranslatorOperand {
    /// The operand is in its own place.
    Here,
    /// The operand is still in a variable.
    Variable(u32),
    /// An immediate value that is not stored yet.
    Value(u32),
    /// A list that is still in a variable. Operands above it have places as if it had the maximum length.
    Listed(Slot),
    /// A list on the stack. Only the stack machine can locate it and the operands above it.
    List,
}
use TranslatorOperand::{Here, List, Listed, Value, Variable};

/// Returns whether the stack machine can use the operand as it is.
pub(super) fn in_place(operand: &TranslatorOperand) -> bool {
    matches!(operand, Here | List)
}

/// Data about a word of the routine that may be a jump target.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct TranslatorMark {
    /// Whether a block begins here.
    pub(super) leads: bool,
    /// The block's first operation, or `NONE`.
    pub(super) operation: u32,
    /// The stack at the first jump here: number of operands, and the bit set of those that are lists.
    pub(super) shape: Option<(u32, u64)>,
}

/// Scratch memory, kept between routines.
#[derive(Clone, Debug, Default)]
pub(super) struct TranslatorScratch {
    pub(super) stack: Vec<TranslatorOperand>,
    /// Slot and number of each parameter that is a reference.
    pub(super) places: Vec<(Slot, u8)>,
    /// For each word of the routine.
    pub(super) marks: Vec<TranslatorMark>,
    /// Operations that jump, and the words of their targets.
    pub(super) jumps: Vec<(u32, u32)>,
}

/// The state of the translation of a routine.
pub(super) struct Translator<'a> {
    pub(super) operations: &'a mut Vec<Operation>,
    pub(super) resume_points: &'a mut Vec<ResumePoint>,
    pub(super) scratch: &'a mut TranslatorScratch,
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

/// Returns an operation that has only a code.
pub(super) fn operation(code: u32) -> Operation {
    Operation { code: code as u8, ..Operation::default() }
}

pub(super) fn with(code: u32, a: u32) -> Operation {
    Operation { code: code as u8, a: a as u16, ..Operation::default() }
}

impl Translator<'_> {
    /// Number of the parameter in this slot, if it is a reference.
    pub(super) fn reference(&self, slot: Slot) -> Option<u8> {
        self.scratch.places.iter().find(|(place, _)| *place == slot).map(|(_, param)| *param)
    }

    /// Returns an operation on a list variable.
    pub(super) fn with_list(&self, code: u32, slot: Slot) -> Operation {
        match self.reference(slot) {
            Some(param) => Operation { param, a: slot.number() as u16 | REFERENCE, ..operation(code) },
            None => with(code, slot.number()),
        }
    }

    pub(super) fn emit(&mut self, operation: Operation) {
        // Until the block ends, `rest` is the number of instructions up to this one.
        let Translator { routine, pc, begin, top, .. } = *self;
        self.resume_points.push(ResumePoint { routine, pc, begin, rest: self.count, top });
        self.operations.push(operation);
        self.top_just_made = false;
    }

    /// Number of operands, and the bit set of those that are lists. `None` if a list is above the first 64
    /// operands.
    pub(super) fn shape(&self) -> Option<(u32, u64)> {
        let stack = &self.scratch.stack;
        let mut lists = 0;
        for (i, _) in stack.iter().enumerate().filter(|(_, operand)| **operand == List) {
            lists |= 1u64.checked_shl(i as u32)?;
        }
        Some((stack.len() as u32, lists))
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
        let width = |operand: &TranslatorOperand| if let Listed(_) = operand { 1 + CAPACITY } else { 1 };
        self.frame + self.scratch.stack[..index].iter().map(width).sum::<u32>()
    }

    /// Emits an operation that stores a word in the next place of the stack.
    pub(super) fn make(&mut self, operation: Operation) {
        let to = self.place(self.scratch.stack.len());
        self.emit(Operation { to, ..operation });
        self.scratch.stack.push(Here);
        self.top_just_made = true;
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

    /// Pops pop_two operands, the deeper one as a register.
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
