//! lists: lets one instruction push a list of constants. They follow it as data.

use super::Scratch;
use super::missed::{Decision, Why};
use crate::compiler::program::{Ir, Routines};
use crate::compiler::stage::emit::fits_operand;
use crate::lang::opcode::Op;

/// The fewest elements of a list that is replaced.
pub const SHORTEST: usize = 2;

/// Returns the first element of the list that `i` builds, if all elements are constants of one word.
fn first_of(ir: &Ir, i: usize) -> Decision<usize> {
    let count = ir.arg[i] as usize;
    if ir.op[i] != Op::BuildList as u32 || count < SHORTEST {
        return None;
    }
    let first = i.checked_sub(count)?;
    if ir.block[first] != ir.block[i] || !(first..i).all(|at| ir.op[at] == Op::LoadConst as u32) {
        return None;
    }
    // An `ELEMENT` is one word, so it has 24 bits for its value.
    let fits = (first..i).all(|at| fits_operand(ir.arg[at]));
    Some(if fits { Ok(first) } else { Err(Why::WideElement) })
}

pub fn run(ir: &mut Ir, routines: &mut Routines, scratch: &mut Scratch) -> bool {
    scratch.find_owners(ir, routines);
    let mut any = false;
    for i in 0..ir.op.len() {
        let Some(first) = scratch.decide(ir, i, first_of(ir, i)) else { continue };
        any = true;
        scratch.changed[scratch.owner[i] as usize] = true;
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
