//! branch: resolves conditional jumps on constants, and removes negations before conditional jumps.

use super::{NOP, Scratch, for_each_with_previous};
use crate::compiler::program::{Ir, Routines};
use crate::lang::opcode::Op;

pub fn run(ir: &mut Ir, _: &mut Routines, scratch: &mut Scratch) -> bool {
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
    scratch.settled &= !changed;
    changed
}

/// For a conditional jump, returns the value that it jumps on and whether it keeps that value when it jumps.
pub fn condition(op: u32) -> Option<(bool, bool)> {
    Op::from_u32(op)?.condition()
}

/// The conditional jump that pops its condition and jumps on `value`.
pub fn jump_on(value: bool) -> Op {
    if value { Op::JumpIfTrue } else { Op::JumpIfFalse }
}
