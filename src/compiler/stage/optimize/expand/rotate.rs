//! rotate: replaces a jump back to a loop's test by a copy of the test, so that the loop tests at its end.
//!
//! The plan for a jump is 1 + the index of the branch that ends the test.

use super::missed::{Decision, Why};
use super::{ExpandInstruction, Scratch};
use crate::compiler::program::{Ir, Routines};
use crate::compiler::stage::lower::{target, target_mut};
use crate::lang::NONE;
use crate::lang::index::{Index, InstructionId};
use crate::lang::opcode::Op;

/// The maximum number of instructions of a test that is copied.
pub const TEST: usize = 16;

/// Returns the operation that jumps where a branch falls through, and falls through where it jumps.
fn inverse(op: u32) -> Option<Op> {
    match Op::from_u32(op)? {
        Op::JumpIfFalse => Some(Op::JumpIfTrue),
        Op::JumpIfTrue => Some(Op::JumpIfFalse),
        Op::ForRange => Some(Op::NextRange),
        Op::ForList => Some(Op::NextList),
        _ => None,
    }
}

/// Returns the branch that ends the block to which `i` jumps back, if the block is short.
fn branch_of(ir: &Ir, i: usize) -> Decision<usize> {
    let head = ir.arg[i] as usize;
    if ir.op[i] != Op::Jump as u32 || head > i {
        return None;
    }
    let block = (head..ir.op.len()).take_while(|at| ir.block[*at] == ir.block[head]);
    let branch = { block }.find(|at| inverse(ir.op[*at]).is_some())?;
    Some(if branch < head + TEST { Ok(branch) } else { Err(Why::LongTest((branch + 1 - head) as u32)) })
}

/// Returns the target of the branch, where the loop ends, if the code after the jump `i` is elsewhere.
fn exit(ir: &Ir, i: usize, branch: usize) -> Option<InstructionId> {
    target(ir, branch).filter(|exit| exit.position() != i + 1)
}

/// Returns the number of instructions that replace the jump `i`.
fn size(ir: &Ir, i: usize, branch: usize) -> u32 {
    (branch + 1) as u32 - ir.arg[i] + u32::from(exit(ir, i, branch).is_some())
}

pub fn run(ir: &mut Ir, routines: &mut Routines, scratch: &mut Scratch) -> bool {
    let mut branches = std::mem::take(&mut scratch.branches);
    let any = plan(ir, &mut branches, scratch);
    if any {
        scratch.find_owners(ir, routines);
        expand(ir, &branches, scratch);
        scratch.finish(ir, routines);
    }
    scratch.branches = branches;
    any
}

/// Collects the jumps that can be replaced with their branches, and plans them. Returns whether any is planned.
fn plan(ir: &Ir, branches: &mut Vec<[u32; 2]>, scratch: &mut Scratch) -> bool {
    branches.clear();
    for i in (0..ir.op.len()).filter(|i| ir.op[*i] == Op::Jump as u32) {
        let branch = scratch.decide(ir, i, branch_of(ir, i));
        branches.extend(branch.map(|branch| [i as u32, branch as u32]));
    }
    if branches.is_empty() {
        return false;
    }
    scratch.clear_plan(ir.op.len());
    for &[i, branch] in branches.iter() {
        scratch.plan[i as usize] = branch + 1;
    }
    scratch.take(ir, |i| match branches.binary_search_by_key(&(i as u32), |[i, _]| *i) {
        Ok(at) => size(ir, i, branches[at][1] as usize) - 1,
        Err(_) => 0,
    })
}

fn expand(ir: &Ir, branches: &[[u32; 2]], scratch: &mut Scratch) {
    scratch.count_one(ir.op.len());
    let planned = |scratch: &Scratch, i: u32| scratch.plan[i as usize] != 0;
    for &[i, branch] in branches {
        if planned(scratch, i) {
            scratch.place[i as usize] = size(ir, i as usize, branch as usize);
        }
    }
    scratch.sum_counts();
    scratch.out.clear();
    let mut done = 0;
    for &[i, branch] in branches {
        if planned(scratch, i) {
            scratch.copy(ir, done..i as usize);
            write(ir, scratch, i as usize, branch as usize);
            done = i as usize + 1;
        }
    }
    scratch.copy(ir, done..ir.op.len());
}

/// Writes the copy of a test that replaces the jump `i`.
fn write(ir: &Ir, scratch: &mut Scratch, i: usize, branch: usize) {
    let (head, first) = (ir.arg[i], scratch.place[i]);
    for at in head as usize..=branch {
        let mut copy = ExpandInstruction::of(ir, at);
        // Code before the head is not copied, so what begins there has no known start in the copy.
        copy.start = if copy.start == NONE || copy.start < head { NONE } else { first + copy.start - head };
        if let Some(inverse) = inverse(copy.op) {
            copy.op = inverse as u32;
        }
        scratch.out.push(&copy);
    }
    let last = scratch.out.op.len() - 1;
    if let Some(target) = target_mut(&mut scratch.out, last) {
        *target = scratch.place[branch + 1];
    }
    if let Some(exit) = exit(ir, i, branch) {
        let start = scratch.out.op.len() as u32;
        let arg = scratch.place[exit.position()];
        scratch.out.push(&ExpandInstruction { arg, start, ..ExpandInstruction::of(ir, i) });
    }
}
