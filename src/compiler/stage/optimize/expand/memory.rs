//! Bounds on the memory of routines, from the call graph.

use super::Scratch;
use crate::compiler::program::{Ir, Routines};
use crate::lang::limits::{CAPACITY, STACK_WORDS};
use crate::lang::opcode::{Class, Op, class};
use crate::lang::ty::Type;

/// The greatest depth of calls that is examined. Routines with deeper calls have no bound.
pub const DEPTH: usize = 16;
/// More words than any memory has.
pub const UNBOUNDED: u32 = 1 << 20;
/// Words of the longest list.
pub const LIST: u32 = 1 + CAPACITY;

/// Bounds the operands of each routine of lowered code. Between statements the operand stack is empty, so the
/// words that a statement pushes bound those that it holds.
pub fn operands(lowered: &Ir, routines: &Routines, scratch: &mut Scratch) {
    let Scratch { operands, owner, .. } = scratch;
    operands.clear();
    operands.resize(routines.ir.len(), 0);
    let mut words = 0;
    for (i, &op) in lowered.op.iter().enumerate() {
        if ends_statement(op) {
            words = 0;
        } else {
            words += pushed(lowered, routines, i);
        }
        let most = &mut operands[owner[i] as usize];
        *most = words.max(*most);
    }
}

/// Whether the operand stack is empty after an operation of lowered code.
fn ends_statement(op: u32) -> bool {
    matches!(class(op), Class::Store | Class::Jump | Class::Loop | Class::Return)
        || op == Op::JumpIfFalse as u32
        || op == Op::JumpIfTrue as u32
}

/// Bounds the words that an instruction adds.
fn pushed(lowered: &Ir, routines: &Routines, i: usize) -> u32 {
    let arg = lowered.arg[i];
    match Op::from_u32(lowered.op[i]) {
        Some(Op::LoadList) => 1 + lowered.aux[i],
        Some(Op::SliceVar) => LIST,
        Some(Op::RepeatList) => 1 + arg,
        Some(Op::Call) if Type(routines.result[arg as usize]).is_list() => LIST,
        _ => 1,
    }
}

/// Returns for each routine whether all code that reaches it fits in memory with the plans, so that its frame
/// may grow. `grows` is the number of words that the planned calls of an instruction add to its routine.
pub fn fits(ir: &Ir, routines: &Routines, scratch: &Scratch, grows: impl Fn(usize) -> u32) -> Vec<bool> {
    let Scratch { owner, operands, .. } = scratch;
    let calls: Vec<(usize, usize)> = (0..ir.op.len())
        .filter(|i| ir.op[*i] == Op::Call as u32)
        .map(|i| (owner[i] as usize, ir.arg[i] as usize))
        .collect();
    let mut own: Vec<u32> =
        routines.frame.iter().zip(operands).map(|(frame, operands)| frame + operands).collect();
    let mut grown = vec![0; own.len()];
    for i in 0..ir.op.len() {
        let most = &mut grown[owner[i] as usize];
        *most = grows(i).max(*most);
    }
    own.iter_mut().zip(grown).for_each(|(own, grown)| *own += grown);
    let mut words = vec![UNBOUNDED; own.len()];
    for _ in 0..DEPTH {
        let mut callees = vec![0; own.len()];
        for (caller, callee) in &calls {
            callees[*caller] = words[*callee].max(callees[*caller]);
        }
        words = own.iter().zip(callees).map(|(own, callees)| UNBOUNDED.min(own + callees)).collect();
    }
    let mut fits = vec![false; own.len()];
    for _ in 0..DEPTH {
        let mut next: Vec<bool> = words.iter().map(|words| *words <= STACK_WORDS).collect();
        for (caller, callee) in &calls {
            next[*callee] &= fits[*caller];
        }
        fits = next;
    }
    fits
}
