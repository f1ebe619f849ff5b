//! lists: lets one instruction push a list of constants. They follow it as data.

use super::Scratch;
use crate::compiler::program::{Ir, Routines};
use crate::compiler::stage::emit::fits_operand;
use crate::lang::opcode::Op;

/// The fewest elements of a list that is replaced.
pub const SHORTEST: usize = 2;

/// Returns the first element of the list that `i` builds, if all elements are constants of one word.
fn first_of(ir: &Ir, i: usize) -> Option<usize> {
    let count = ir.arg[i] as usize;
    if ir.op[i] != Op::BuildList as u32 || count < SHORTEST {
        return None;
    }
    let first = i.checked_sub(count)?;
    let constant = |at: usize| ir.op[at] == Op::LoadConst as u32 && fits_operand(ir.arg[at]);
    (ir.block[first] == ir.block[i] && (first..i).all(constant)).then_some(first)
}

pub fn run(ir: &mut Ir, _: &mut Routines, _: &mut Scratch) -> bool {
    let mut any = false;
    for i in 0..ir.op.len() {
        let Some(first) = first_of(ir, i) else { continue };
        any = true;
        // The value still ends at i, so all starts stay.
        let Ir { op, arg, aux, token, site, .. } = &mut *ir;
        for column in [op, arg, aux, token, site] {
            column[first..=i].rotate_right(1);
        }
        ir.op[first] = Op::LoadListConst as u32;
        ir.op[first + 1..=i].fill(Op::Element as u32);
    }
    any
}
