//! Whether calls end, from the graph and the calls alone. Lack of steps, depth or memory does not count as an end.

use super::{Flow, FlowScratch, calls, dominators, graph, loops, may_trap};
use crate::compiler::program::{Ir, Routines};
use crate::lang::NONE;
use crate::lang::index::{Index, RoutineId};
use crate::lang::limits::CAPACITY;
use crate::lang::opcode::{Class, Op, class, number};
use std::iter::successors;

/// The ends of calls, by routine. Nothing is known about a routine without a row.
#[derive(Debug, Default)]
pub struct Endings {
    may_end: Vec<bool>,
    returns: Vec<bool>,
}

impl Endings {
    /// Finds the ends of all routines of a program.
    pub fn of(ir: &Ir, routines: &Routines) -> Endings {
        let (mut flow, mut scratch) = (Flow::default(), FlowScratch::default());
        graph(ir, [routines; 2], &mut flow, &mut scratch);
        dominators::find(&mut flow, &scratch.order);
        loops::find(&mut flow, &scratch.order, &mut scratch.loops);
        calls::find(ir, routines, &mut flow, &scratch.operands, &mut scratch.calls);
        let count = routines.ir.len();
        let (mut may_end, mut returns) = (vec![false; count], vec![false; count]);
        // A call that ends needs only calls that end in fewer steps.
        while let Some(ends) =
            (0..count).find(|own| !may_end[*own] && reaches_end(ir, routines, &flow, *own, &may_end))
        {
            may_end[ends] = true;
        }
        for routine in scratch.calls.order().iter().map(|routine| routine.position()) {
            let calls = |i: &usize| ir.op[*i] == Op::Call as u32;
            let blocks = || flow.spans.blocks(routine).filter(|block| flow.blocks.reached[*block] == 1);
            let mut callees = blocks().flat_map(|block| flow.blocks.instructions(block)).filter(calls);
            // What is recursive has no row yet when it calls itself.
            returns[routine] = flow.calls.traps[routine] == 0
                && callees.all(|i| returns[ir.arg[i] as usize])
                && blocks().all(|block| {
                    flow.blocks
                        .successors(block)
                        .all(|to| to > block || is_short(ir, &flow, &scratch.loops.around, (block, to)))
                });
        }
        Endings { may_end, returns }
    }

    /// Whether a call may return or trap.
    pub fn may_end(&self, routine: RoutineId) -> bool {
        self.may_end.get(routine.position()).copied().unwrap_or(true)
    }

    /// Whether each call returns, and takes few steps.
    pub fn returns(&self, routine: RoutineId) -> bool {
        self.returns.get(routine.position()).copied().unwrap_or(false)
    }
}

/// Whether some path of a routine reaches an end, if calls end where `may_end` has it.
fn reaches_end(ir: &Ir, routines: &Routines, flow: &Flow, routine: usize, may_end: &[bool]) -> bool {
    let mut visited = vec![false; flow.blocks.len()];
    let mut open = vec![flow.spans.block[routine] as usize];
    while let Some(block) = open.pop() {
        if std::mem::replace(&mut visited[block], true) {
            continue;
        }
        let mut passes = true;
        for i in flow.blocks.instructions(block) {
            if may_trap(ir, routines, i) || class(ir.op[i]) == Class::Return {
                return true;
            }
            passes = class(ir.op[i]) != Class::Call || may_end[ir.arg[i] as usize];
            if !passes {
                break;
            }
        }
        open.extend(flow.blocks.successors(block).filter(|_| passes));
    }
    false
}

/// Whether an edge back belongs to a `for` loop that began outside of it, leaves it in the end, and has no more rounds than a
/// list has elements.
fn is_short(ir: &Ir, flow: &Flow, around: &[u32], (block, head): (usize, usize)) -> bool {
    let within = |block: usize| {
        let next = |own: u32| (own != NONE).then_some(own);
        let mut heads = successors(next(flow.blocks.head[block]), |own| next(around[*own as usize]));
        heads.any(|own| own as usize == head)
    };
    let begins = |i: usize, slot: u32| {
        let op = ir.op[i];
        ir.arg[i] == slot && matches!(op, number::RANGE_ITER | number::RANGE_ITER_INCLUSIVE | number::LIST_ITER)
    };
    // Every loop over these numbers begins outside, over a list or between two constants.
    let bounded = |slot: u32| {
        flow.spans.blocks(flow.blocks.routine[head] as usize).all(|block| {
            let mut beginnings = flow.blocks.instructions(block).filter(|i| begins(*i, slot));
            beginnings.all(|i| !within(block) && (ir.op[i] == number::LIST_ITER || is_narrow(ir, i)))
        })
    };
    within(block)
        && [block, head].into_iter().any(|own| {
            let last = flow.blocks.end[own] as usize - 1;
            let jumps = matches!(ir.op[last], number::NEXT_RANGE | number::NEXT_LIST);
            let exit = if jumps { flow.blocks.next[own] } else { flow.blocks.target[own] };
            class(ir.op[last]) == Class::Loop && exit != NONE && !within(exit as usize) && bounded(ir.arg[last])
        })
}

/// Whether the range that begins at an instruction is between two constants that are near each other.
fn is_narrow(ir: &Ir, i: usize) -> bool {
    let constant = |at: Option<usize>| {
        at.filter(|at| ir.op[*at] == Op::LoadConst as u32 && ir.block[*at] == ir.block[i])
            .map(|at| ir.arg[at] as i32)
    };
    let bounds = constant(i.checked_sub(2)).zip(constant(i.checked_sub(1)));
    bounds.is_some_and(|(from, to)| i64::from(to) - i64::from(from) < i64::from(CAPACITY))
}
