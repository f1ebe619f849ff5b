//! tails: replaces a jump forward by a copy of the short code that it leads to, up to the branch, the jump or the return
//! that ends it. After a copy, passes know which operands it gets.
//!
//! The plan for a jump is 1 + the index of the last copied instruction.

use super::{ExpandInstruction, Scratch};
use crate::compiler::program::{Ir, Routines};
use crate::compiler::stage::lower::{ends_block, falls_through, target, target_mut};
use crate::lang::NONE;
use crate::lang::index::Index;
use crate::lang::opcode::{Class, Op, class};

/// The maximum number of instructions that are copied.
pub const TAIL: usize = 16;

/// The last instruction of the copy that replaces instruction `i`.
fn last(ir: &Ir, i: usize) -> Option<usize> {
    let head = ir.arg[i] as usize;
    if ir.op[i] != Op::Jump as u32 || head <= i {
        return None;
    }
    let last = (head..ir.op.len().min(head + TAIL)).find(|at| ends_block(ir.op[*at]))?;
    // A branch that keeps its condition would only move it to another place.
    let copies = class(ir.op[last]) != Class::Loop
        && !Op::from_u32(ir.op[last])?.condition().is_some_and(|(_, keeps)| keeps);
    copies.then_some(last)
}

/// The number of instructions that replace the jump `i`. Where the copy does not jump, it returns to the code after the
/// copied one.
fn size(ir: &Ir, i: usize, last: usize) -> u32 {
    (last + 1) as u32 - ir.arg[i] + u32::from(falls_through(ir.op[last]))
}

pub fn run(ir: &mut Ir, routines: &mut Routines, scratch: &mut Scratch) -> bool {
    let jumps: Vec<[usize; 2]> = (0..ir.op.len()).filter_map(|i| Some([i, last(ir, i)?])).collect();
    scratch.clear_plan(ir.op.len());
    for &[i, last] in &jumps {
        scratch.plan[i] = last as u32 + 1;
    }
    let added = |i: usize| match jumps.binary_search_by_key(&i, |[i, _]| *i) {
        Ok(at) => size(ir, i, jumps[at][1]) - 1,
        Err(_) => 0,
    };
    if jumps.is_empty() || !scratch.take(ir, added) {
        return false;
    }
    scratch.find_owners(ir, routines);
    scratch.count_one(ir.op.len());
    let taken: Vec<[usize; 2]> = jumps.into_iter().filter(|[i, _]| scratch.plan[*i] != 0).collect();
    for &[i, last] in &taken {
        scratch.place[i] = size(ir, i, last);
    }
    scratch.sum_counts();
    scratch.out.clear();
    let mut done = 0;
    for [i, last] in taken {
        scratch.copy(ir, done..i);
        write(ir, scratch, i, last);
        done = i + 1;
    }
    scratch.copy(ir, done..ir.op.len());
    scratch.finish(ir, routines);
    true
}

/// Writes the copy that replaces the jump `i`.
fn write(ir: &Ir, scratch: &mut Scratch, i: usize, last: usize) {
    let (head, first) = (ir.arg[i], scratch.place[i]);
    for at in head as usize..=last {
        let mut copy = ExpandInstruction::of(ir, at);
        // Code before the head is not copied, so what begins there has no known start in the copy.
        copy.start = if copy.start == NONE || copy.start < head { NONE } else { first + copy.start - head };
        scratch.out.push(&copy);
    }
    let end = scratch.out.op.len();
    if let (Some(to), Some(target)) = (target(ir, last), target_mut(&mut scratch.out, end - 1)) {
        *target = scratch.place[to.position()];
    }
    if falls_through(ir.op[last]) {
        let arg = scratch.place[last + 1];
        scratch.out.push(&ExpandInstruction { arg, start: end as u32, ..ExpandInstruction::of(ir, i) });
    }
}
