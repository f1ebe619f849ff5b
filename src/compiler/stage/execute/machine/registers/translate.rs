//! Translation of bytecode to the register form, in one pass over a routine.

use super::translator::TranslatorOperand::{Here, List};
use super::translator::{Translator, TranslatorMark, TranslatorScratch, operation};
use super::{Forms, NEXT_OF_LIST, NEXT_OF_RANGE, Operation, RoutineForm, TOP};
use crate::compiler::program::Executable;
use crate::compiler::stage::execute::machine::Callee;
use crate::lang::NONE;
use crate::lang::index::{Address, Index, RoutineId, Slot};
use crate::lang::limits::{PARAMS, STACK_WORDS};
use crate::lang::opcode::number::*;
use crate::lang::opcode::{Class, Op, Shape};

/// What the walks over a routine need to know of an operation.
#[derive(Clone, Copy)]
struct TranslateKind {
    op: Op,
    shape: Shape,
    words: u8,
    /// Whether a block begins after it.
    ends_block: bool,
    /// Whether control never continues after it.
    leaves: bool,
}

const KINDS: [TranslateKind; Op::ALL.len()] = {
    let mut all =
        [TranslateKind { op: Op::Nop, shape: Shape::Plain, words: 1, ends_block: false, leaves: false }; _];
    let mut i = 0;
    while i < all.len() {
        let op = Op::ALL[i];
        all[i] = TranslateKind {
            op,
            shape: op.shape(),
            words: op.shape().words() as u8,
            ends_block: matches!(
                op.class(),
                Class::Branch { .. } | Class::Loop | Class::Call | Class::Jump | Class::Return | Class::Stop
            ),
            leaves: matches!(op.class(), Class::Jump | Class::Return | Class::Stop),
        };
        i += 1;
    }
    all
};

/// Returns the kind of the instruction that begins with a word.
fn kind(word: u32) -> Option<&'static TranslateKind> {
    KINDS.get((word & 0xff) as usize)
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
        let Some(&TranslateKind { op, shape, words, .. }) = kind(word) else { return 0 };
        if matches!(shape, Shape::Slot | Shape::SlotCapacity | Shape::SlotTarget)
            && !matches!(op, Op::LoadList | Op::LoadIndexVar | Op::ListLenVar)
            && let Some(param) = slots.iter().position(|slot| *slot == word >> 8)
        {
            lists &= !(1 << param);
        }
        at += usize::from(words);
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
                self.scratch.places.push((Slot::new(slot), param));
            }
            slot += 1 + u32::from(*capacity);
        }
        self.mark(words, address)?;
        self.scratch.stack.clear();
        let mut reached = true;
        while let Some(&word) = words.get(self.pc as usize) {
            let &TranslateKind { op, shape, words: count, ends_block, leaves } = kind(word)?;
            let second = words.get(self.pc as usize + 1).copied().unwrap_or(0);
            if self.scratch.marks[self.pc as usize].leads {
                self.begin_block(reached)?;
            } else if !reached {
                return None;
            }
            self.count += 1;
            let target = |address_of: u32| address_of.wrapping_sub(address.number());
            match shape {
                Shape::Target => self.jump(op, target(word >> 8))?,
                Shape::SlotTarget => self.round(op, Slot::new(word >> 8), target(second))?,
                Shape::Function => self.call(RoutineId::new(word >> 8), program, callees)?,
                _ if op == Op::Hole => self.emit(operation(HOLE)),
                _ if leaves => self.translate_return(op, word)?,
                _ => self.plain(op, word, second)?,
            }
            reached = !leaves;
            self.pc += u32::from(count);
            if ends_block {
                self.end_block();
                continue;
            }
            if op == Op::LoadListConst {
                self.pc += word >> 8;
            }
            self.most = self.most.max(self.place(self.scratch.stack.len()) - self.frame);
        }
        if reached {
            return None;
        }
        for &(operation, target) in &self.scratch.jumps {
            let mark = self.scratch.marks.get(target as usize)?;
            let first = Some(mark.operation).filter(|at| *at != NONE)?;
            let operation = &mut self.operations[operation as usize];
            // A loop's instruction jumps to the next round or to the exit; the other one is behind it.
            match u32::from(operation.code) {
                NEXT_RANGE => (operation.code, operation.b) = (FOR_RANGE as u8, first),
                NEXT_LIST => (operation.code, operation.b) = (FOR_LIST as u8, first),
                _ => operation.to = first,
            }
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
        let Operation { code: loops, a, cost, b: round, to, .. } = self.operations[b as usize];
        let joined = match u32::from(loops) {
            FOR_RANGE => NEXT_OF_RANGE,
            FOR_LIST => NEXT_OF_LIST,
            _ => return,
        };
        if u32::from(code) == JUMP && cost == 1 && round == b + 1 {
            let own = self.operations[jump].cost;
            self.operations[jump] = Operation { code: joined as u8, a, cost: own, b, to, param: 0 };
        }
    }

    /// Finds the beginnings of blocks.
    fn mark(&mut self, words: &[u32], address: Address) -> Option<()> {
        let TranslatorScratch { marks, jumps, .. } = &mut *self.scratch;
        jumps.clear();
        marks.clear();
        marks.resize(words.len() + 1, TranslatorMark { leads: false, operation: NONE, shape: None });
        marks[0].leads = true;
        let mut at = 0;
        while let Some(&word) = words.get(at) {
            let kind = kind(word)?;
            let target = match kind.shape {
                Shape::Target => Some(word >> 8),
                Shape::SlotTarget => Some(*words.get(at + 1)?),
                _ => None,
            };
            if let Some(target) = target {
                marks.get_mut(target.wrapping_sub(address.number()) as usize)?.leads = true;
            }
            at += usize::from(kind.words);
            if kind.ends_block {
                marks.get_mut(at)?.leads = true;
            }
        }
        Some(())
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
}
