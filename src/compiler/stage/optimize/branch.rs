//! branch: conditional jumps on a constant, or on a negation.

use super::{NOP, Scratch, for_each_with_previous};
use crate::compiler::program::{Ir, Routines};
use crate::lang::opcode::Op;

pub fn run(ir: &mut Ir, _: &mut Routines, _: &mut Scratch) -> bool {
    let mut changed = false;
    for_each_with_previous(ir, |ir, previous, i| {
        let (Some(previous), Some((jumps_on, keeps))) = (previous, condition(ir.op[i])) else { return };
        if ir.op[previous] == Op::LoadConst as u32 {
            let jumps = (ir.arg[previous] != 0) == jumps_on;
            if !(jumps && keeps) {
                ir.op[previous] = NOP;
            }
            ir.op[i] = if jumps { Op::Jump as u32 } else { NOP };
            changed = true;
        } else if ir.op[previous] == Op::Not as u32 && !keeps {
            ir.op[previous] = NOP;
            ir.op[i] = jump_on(!jumps_on) as u32;
            changed = true;
        }
    });
    changed
}

/// Of a conditional jump, on which value it jumps, and whether it keeps the value then.
pub fn condition(op: u32) -> Option<(bool, bool)> {
    Op::from_u32(op)?.condition()
}

/// The jump that pops a value and jumps if it is this one.
pub fn jump_on(value: bool) -> Op {
    if value { Op::JumpIfTrue } else { Op::JumpIfFalse }
}
