//! Instructions that may trap, judged by their neighbours alone.

use super::operands::longest;
use crate::compiler::program::{Ir, Routines};
use crate::lang::NONE;
use crate::lang::opcode::Op;

/// Returns whether an instruction may trap for another reason than lack of steps, depth or memory. A function
/// that it calls does not count.
pub fn may_trap(ir: &Ir, routines: &Routines, i: usize) -> bool {
    let Some(op) = Op::from_u32(ir.op[i]) else { return false };
    match op {
        Op::LoadIndex
        | Op::LoadIndexVar
        | Op::StoreIndex
        | Op::Slice
        | Op::SliceVar
        | Op::JoinList
        | Op::Hole => true,
        Op::Div | Op::Mod => {
            operand(ir, i, i).is_none_or(|e| ir.op[e] != Op::LoadConst as u32 || ir.arg[e] == 0)
        }
        Op::StoreList => !fits(ir, routines, i, i, ir.aux[i]),
        Op::ReturnList => !fits(ir, routines, i, i, ir.arg[i]),
        Op::Call => arguments_may_not_fit(ir, routines, i),
        _ => false,
    }
}

/// Returns whether the list that ends before `end`, an operand of `i`, has at most this length for certain.
fn fits(ir: &Ir, routines: &Routines, i: usize, end: usize, capacity: u32) -> bool {
    operand(ir, i, end).and_then(|e| longest(ir, routines, e)).is_some_and(|length| length <= capacity)
}

/// The instruction before `end` that pushes an operand of `i`, if it is in the same block: no other path pushes it.
fn operand(ir: &Ir, i: usize, end: usize) -> Option<usize> {
    end.checked_sub(1).filter(|e| ir.block[*e] == ir.block[i] && ir.op[*e] != Op::Nop as u32)
}

/// Returns whether a list among the arguments of a call may exceed its parameter.
fn arguments_may_not_fit(ir: &Ir, routines: &Routines, call: usize) -> bool {
    let callee = ir.arg[call] as usize;
    let mut end = Some(call);
    for parameter in (0..routines.params[callee]).rev() {
        let capacity = routines.capacity(callee, parameter);
        if capacity != 0 && !end.is_some_and(|end| fits(ir, routines, call, end, capacity)) {
            return true;
        }
        let last = end.and_then(|end| operand(ir, call, end));
        end = last.map(|e| ir.start[e]).filter(|start| *start != NONE).map(|start| start as usize);
    }
    false
}
