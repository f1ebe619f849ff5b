//! branch: resolves conditional jumps on constants, and removes negations before conditional jumps.

use super::{NOP, OptimizeScratch, previous};
use crate::compiler::program::{Ir, Routines};
use crate::compiler::stage::lower::has_target;
use crate::lang::opcode::Op;

pub fn run(ir: &mut Ir, _: &mut Routines, scratch: &mut OptimizeScratch) -> bool {
    scratch.jumps.clear();
    scratch.jumps.extend((0..ir.op.len() as u32).filter(|i| has_target(ir.op[*i as usize])));
    let mut changed = false;
    // A jump ends its block, so what this pass drops comes before no other jump of the block.
    for &i in &scratch.jumps {
        let i = i as usize;
        let Some((jumps_on, keeps)) = condition(ir.op[i]) else { continue };
        let Some(before) = previous(ir, i) else { continue };
        if ir.op[before] == Op::LoadConst as u32 {
            let jumps = (ir.arg[before] != 0) == jumps_on;
            // A jump that keeps its condition leaves the constant as the value.
            if !(jumps && keeps) {
                ir.op[before] = NOP;
            }
            ir.op[i] = if jumps { Op::Jump as u32 } else { NOP };
            changed = true;
        // A jump that keeps its condition needs the negated value.
        } else if ir.op[before] == Op::Not as u32 && !keeps {
            ir.op[before] = NOP;
            ir.op[i] = jump_on(!jumps_on) as u32;
            changed = true;
        }
    }
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
