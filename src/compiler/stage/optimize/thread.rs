//! thread: jump threading, which redirects jumps to their final destination.

use super::branch::{condition, jump_on};
use super::{NOP, OptimizeScratch, find_next_kept, is, previous};
use crate::compiler::program::{Ir, Routines};
use crate::compiler::stage::lower::{target, target_mut};
use crate::lang::index::{Index, InstructionId};
use crate::lang::opcode::Op;

/// The new operation and operand of an instruction.
pub(super) struct Rewritten {
    at: usize,
    op: u32,
    arg: u32,
}

pub fn run(ir: &mut Ir, _: &mut Routines, scratch: &mut OptimizeScratch) -> bool {
    if scratch.jumps.is_empty() {
        return false;
    }
    find_next_kept(ir, &mut scratch.next_kept);
    let mut changed = known_ends(ir, scratch);
    // `known_ends` drops constants, so other instructions are the next kept ones.
    if changed {
        find_next_kept(ir, &mut scratch.next_kept);
    }
    changed |= chains(ir, scratch);
    // The last two steps drop only instructions that neither of them looks up in `next_kept`, so it stays
    // valid.
    changed |= over_a_jump(ir, scratch);
    changed |= to_the_next(ir, scratch);
    scratch.settled &= !changed;
    changed
}

/// Redirects a jump that leads to a conditional jump, if the condition is known there: it then leads to where the
/// conditional jump would go.
fn known_ends(ir: &mut Ir, scratch: &mut OptimizeScratch) -> bool {
    let OptimizeScratch { next_kept, rewrites, jumps, .. } = scratch;
    // All are found before any is applied: the shader finds them in parallel, and both must agree.
    rewrites.clear();
    for &i in jumps.iter() {
        let i = i as usize;
        let op = ir.op[i];
        let before = if op == Op::Jump as u32 { previous(ir, i) } else { None };
        let constant = before.filter(|before| is(ir, *before, Op::LoadConst));
        let value = match (condition(op), constant) {
            // It jumps on one value only, and keeps it.
            (Some((on, true)), _) => on,
            (_, Some(constant)) => ir.arg[constant] != 0,
            _ => continue,
        };
        let end = next_kept[ir.arg[i] as usize].position();
        let Some((jumps_on, keeps)) = ir.op.get(end).and_then(|&op| condition(op)) else { continue };
        let to = if jumps_on == value { ir.arg[end] } else { end as u32 + 1 };
        if jumps_on == value && keeps {
            rewrites.push(Rewritten { at: i, op, arg: to });
        } else if let Some(constant) = constant {
            rewrites.push(Rewritten { at: constant, op: NOP, arg: ir.arg[constant] });
            rewrites.push(Rewritten { at: i, op, arg: to });
        } else {
            rewrites.push(Rewritten { at: i, op: jump_on(value) as u32, arg: to });
        }
    }
    let mut changed = false;
    for &Rewritten { at: i, op, arg } in rewrites.iter() {
        changed |= (ir.op[i], ir.arg[i]) != (op, arg);
        (ir.op[i], ir.arg[i]) = (op, arg);
    }
    changed
}

/// Redirects jumps to jumps.
fn chains(ir: &mut Ir, scratch: &OptimizeScratch) -> bool {
    let mut changed = false;
    for &i in &scratch.jumps {
        let i = i as usize;
        let Some(old) = target(ir, i) else { continue };
        let new = end_of_chain(ir, &scratch.next_kept, old);
        if let Some(target) = target_mut(ir, i)
            && *target != new.number()
        {
            *target = new.number();
            changed = true;
        }
    }
    changed
}

/// Follows unconditional jumps from `from` on and returns the end of the chain. If the chain is a cycle
/// (found by Brent's algorithm), returns its first instruction.
fn end_of_chain(ir: &Ir, next_kept: &[InstructionId], from: InstructionId) -> InstructionId {
    let first = next_kept[from.position()];
    let (mut at, mut mark, mut steps, mut limit) = (first, first, 0u32, 1u32);
    while is(ir, at.position(), Op::Jump) {
        at = next_kept[ir.arg[at.position()] as usize];
        if at == mark {
            return first;
        }
        steps += 1;
        if steps == limit {
            (mark, steps, limit) = (at, 0, limit.saturating_mul(2));
        }
    }
    at
}

/// Merges a conditional jump over an unconditional one into an inverted conditional jump with the latter's target.
fn over_a_jump(ir: &mut Ir, scratch: &mut OptimizeScratch) -> bool {
    let OptimizeScratch { next_kept, targeted, jumps, .. } = scratch;
    targeted.clear();
    targeted.resize(ir.op.len() + 1, false);
    for &i in jumps.iter() {
        if let Some(target) = target(ir, i as usize) {
            targeted[next_kept[target.position()].position()] = true;
        }
    }
    let mut changed = false;
    for &i in jumps.iter() {
        let i = i as usize;
        let Some((jumps_on, false)) = condition(ir.op[i]) else { continue };
        let over = next_kept[i + 1].position();
        // Another jump to the dropped one would lose its target.
        if is(ir, over, Op::Jump) && !targeted[over] && next_kept[ir.arg[i] as usize] == next_kept[over + 1] {
            ir.op[i] = jump_on(!jumps_on) as u32;
            ir.arg[i] = ir.arg[over];
            ir.op[over] = NOP;
            changed = true;
        }
    }
    changed
}

/// Drops a jump to the next instruction.
fn to_the_next(ir: &mut Ir, scratch: &OptimizeScratch) -> bool {
    let next_kept = &scratch.next_kept;
    let mut changed = false;
    for &i in &scratch.jumps {
        let i = i as usize;
        if is(ir, i, Op::Jump) && next_kept[ir.arg[i] as usize] == next_kept[i + 1] {
            ir.op[i] = NOP;
            changed = true;
        }
    }
    changed
}
