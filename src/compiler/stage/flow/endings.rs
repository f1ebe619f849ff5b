//! Whether calls end, from the graph and the calls alone. Lack of steps, depth or memory does not count as an end.

use super::{Flow, Scratch, calls, dominators, graph, loops, may_trap};
use crate::compiler::program::{Ir, Routines};
use crate::lang::NONE;
use crate::lang::index::{Index, RoutineId};
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
        let (mut flow, mut scratch) = (Flow::default(), Scratch::default());
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
                        .all(|to| to > block || is_for(ir, &flow, &scratch.loops.around, (block, to)))
                });
        }
        Endings { may_end, returns }
    }

    /// Whether a call may return or trap.
    pub fn may_end(&self, routine: RoutineId) -> bool {
        self.may_end.get(routine.position()).copied().unwrap_or(true)
    }

    /// Whether each call returns.
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

/// Whether an edge back belongs to a `for` loop that began outside of it and leaves it in the end: each round draws an
/// element, and their number is limited.
fn is_for(ir: &Ir, flow: &Flow, around: &[u32], (block, head): (usize, usize)) -> bool {
    let within = |block: u32| {
        let next = |own: u32| (own != NONE).then_some(own);
        let mut heads = successors(next(flow.blocks.head[block as usize]), |own| next(around[*own as usize]));
        heads.any(|own| own as usize == head)
    };
    let body = || (0..flow.blocks.len()).filter(|block| within(*block as u32));
    let begins =
        |i: usize| matches!(ir.op[i], number::RANGE_ITER | number::RANGE_ITER_INCLUSIVE | number::LIST_ITER);
    within(block as u32)
        && [block, head].into_iter().any(|own| {
            let last = flow.blocks.end[own] as usize - 1;
            let jumps = matches!(ir.op[last], number::NEXT_RANGE | number::NEXT_LIST);
            let exit = if jumps { flow.blocks.next[own] } else { flow.blocks.target[own] };
            class(ir.op[last]) == Class::Loop
                && exit != NONE
                && !within(exit)
                && !body()
                    .flat_map(|block| flow.blocks.instructions(block))
                    .any(|i| begins(i) && ir.arg[i] == ir.arg[last])
        })
}
