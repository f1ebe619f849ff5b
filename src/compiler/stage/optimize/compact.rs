//! compact: removes `NOP`s and renumbers instructions.

use super::{NOP, Scratch};
use crate::compiler::program::{Ir, Routines};
use crate::compiler::stage::lower::{number_blocks, target_mut};
use crate::lang::NONE;

/// Always returns false: compacting alone is not a change that requires another round.
pub fn run(ir: &mut Ir, routines: &mut Routines, scratch: &mut Scratch) -> bool {
    let number = &mut scratch.number;
    number.clear();
    let mut count = 0;
    for &op in &ir.op {
        number.push(count);
        count += (op != NOP) as u32;
    }
    number.push(count);
    for i in 0..ir.op.len() {
        if ir.op[i] == NOP {
            continue;
        }
        let to = number[i] as usize;
        ir.op[to] = ir.op[i];
        ir.arg[to] = ir.arg[i];
        ir.aux[to] = ir.aux[i];
        ir.token[to] = ir.token[i];
        ir.site[to] = ir.site[i];
        ir.start[to] = number.get(ir.start[i] as usize).copied().unwrap_or(NONE);
        if let Some(target) = target_mut(ir, to) {
            *target = number[*target as usize];
        }
    }
    for column in ir.columns_mut() {
        column.truncate(count as usize);
    }
    for entry in &mut routines.ir {
        *entry = number[*entry as usize];
    }
    number_blocks(ir, &routines.ir, &mut scratch.leaders);
    false
}
