//! compact: removes `NOP`s and renumbers instructions.

use super::{NOP, OptimizeScratch};
use crate::compiler::program::{Ir, Routines};
use crate::compiler::stage::lower::{number_blocks, target_mut};
use crate::lang::NONE;

/// Always returns false: compacting alone is not a change that requires another round.
pub fn run(ir: &mut Ir, routines: &mut Routines, scratch: &mut OptimizeScratch) -> bool {
    let number = &mut scratch.number;
    number.clear();
    let mut count = 0;
    for &op in &ir.op {
        number.push(count);
        count += (op != NOP) as u32;
    }
    number.push(count);
    let len = ir.op.len();
    let (mut from, mut to) = (0, 0);
    while from < len {
        let skipped = ir.op[from..].iter().take_while(|op| **op == NOP).count();
        let begin = from + skipped;
        let end = begin + ir.op[begin..].iter().take_while(|op| **op != NOP).count();
        if begin > to {
            let Ir { op, arg, aux, token, site, start, .. } = &mut *ir;
            for column in [op, arg, aux, token, site, start] {
                column.copy_within(begin..end, to);
            }
        }
        (from, to) = (end, to + end - begin);
    }
    let Ir { op, arg, aux, token, site, start, block } = &mut *ir;
    for column in [op, arg, aux, token, site, start, block] {
        column.truncate(to);
    }
    for start in &mut ir.start {
        // A stored `NONE` is beyond all numbers, so it stays.
        *start = number.get(*start as usize).copied().unwrap_or(NONE);
    }
    for i in 0..to {
        if let Some(target) = target_mut(ir, i) {
            *target = number[*target as usize];
        }
    }
    for entry in &mut routines.ir {
        *entry = number[*entry as usize];
    }
    number_blocks(ir, &routines.ir, &mut scratch.leaders);
    false
}
