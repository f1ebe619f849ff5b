//! The effects of calling a routine: traps, recursion, depth and memory. They are computed for the strongly
//! connected components of the call graph, callees first.

use super::traps::may_trap;
use super::{Calls, Flow};
use crate::compiler::program::{Ir, Routines};
use crate::lang::NONE;
use crate::lang::index::{Index, RoutineId};
use crate::lang::opcode::Op;

/// Scratch memory, kept between programs.
#[derive(Default)]
pub struct Scratch {
    /// The functions that routines call, by caller, and where those of each routine begin.
    callees: Vec<RoutineId>,
    first: Vec<u32>,
    components: Components,
}

/// Fills the columns of calls.
pub fn find(ir: &Ir, routines: &Routines, out: &mut Flow, operands: &[u32], scratch: &mut Scratch) {
    let Scratch { callees, first, components } = scratch;
    out.calls.reset(routines.ir.len(), 0);
    callees.clear();
    first.clear();
    for routine in 0..routines.ir.len() {
        first.push(callees.len() as u32);
        let reached = |block: &usize| out.blocks.reached[*block] == 1;
        for i in out.spans.blocks(routine).filter(reached).flat_map(|block| out.blocks.instructions(block)) {
            callees.extend((ir.op[i] == Op::Call as u32).then_some(RoutineId::new(ir.arg[i])));
            out.calls.traps[routine] |= u32::from(may_trap(ir, routines, i));
        }
    }
    first.push(callees.len() as u32);
    let of = |routine: RoutineId| {
        let row = routine.position();
        &callees[first[row] as usize..first[row + 1] as usize]
    };
    components.find(routines.ir.len(), of);
    let mut begin = 0;
    for &end in &components.ends {
        summarize(&components.order[begin..end as usize], of, &mut out.calls, |routine| {
            routines.frame[routine.position()] + operands[routine.position()]
        });
        begin = end as usize;
    }
}

/// Fills the rows of one component: routines that call each other, or a single routine. The rows of all others
/// that they call are complete.
fn summarize<'a>(
    members: &[RoutineId],
    callees: impl Fn(RoutineId) -> &'a [RoutineId],
    calls: &mut Calls,
    own_words: impl Fn(RoutineId) -> u32,
) {
    let is_recursive = members.len() > 1 || callees(members[0]).contains(&members[0]);
    let (mut traps, mut depth, mut words) = (0, 0, 0);
    for &member in members {
        traps |= calls.traps[member.position()];
        for &callee in callees(member) {
            let callee = callee.position();
            traps |= calls.traps[callee];
            depth = calls.depth[callee].saturating_add(1).max(depth);
            words = calls.words[callee].max(words);
        }
    }
    for &member in members {
        let row = member.position();
        calls.recursive[row] = u32::from(is_recursive);
        calls.traps[row] = traps;
        calls.depth[row] = if is_recursive { NONE } else { depth };
        calls.words[row] = if is_recursive { NONE } else { words.saturating_add(own_words(member)) };
    }
}

/// Strongly connected components (Tarjan 1972: "Depth-First Search and Linear Graph Algorithms").
#[derive(Default)]
struct Components {
    /// The nodes by component. A component comes after all others that it reaches.
    order: Vec<RoutineId>,
    /// Where each component ends.
    ends: Vec<u32>,
    /// By node: the number of its visit from 1, or 0 before it; `NONE` once it has a component.
    visit: Vec<u32>,
    /// By node: the least visit that it is known to reach.
    low: Vec<u32>,
    /// Visited nodes without a component, in the order of visits.
    open: Vec<RoutineId>,
    /// The path to the current node, with the number of its edges that have been followed.
    path: Vec<(RoutineId, usize)>,
}

impl Components {
    fn find<'a>(&mut self, nodes: usize, edges: impl Fn(RoutineId) -> &'a [RoutineId]) {
        self.order.clear();
        self.ends.clear();
        self.visit.clear();
        self.visit.resize(nodes, 0);
        self.low.clear();
        self.low.resize(nodes, 0);
        let mut visits = 0;
        for root in RoutineId::all().take(nodes) {
            self.enter(root, &mut visits);
            while let Some((node, followed)) = self.path.last_mut() {
                let (node, next) = (*node, edges(*node).get(*followed).copied());
                *followed += 1;
                match next {
                    Some(next) if self.visit[next.position()] == 0 => self.enter(next, &mut visits),
                    Some(next) => self.reaches(node, self.visit[next.position()]),
                    None => self.leave(node),
                }
            }
        }
    }

    fn enter(&mut self, node: RoutineId, visits: &mut u32) {
        if self.visit[node.position()] == 0 {
            *visits += 1;
            (self.visit[node.position()], self.low[node.position()]) = (*visits, *visits);
            self.open.push(node);
            self.path.push((node, 0));
        }
    }

    fn reaches(&mut self, node: RoutineId, visit: u32) {
        self.low[node.position()] = visit.min(self.low[node.position()]);
    }

    /// Leaves a node all of whose edges have been followed. A node that reaches no earlier open one completes a
    /// component.
    fn leave(&mut self, node: RoutineId) {
        self.path.pop();
        let low = self.low[node.position()];
        if let Some((caller, _)) = self.path.last() {
            self.reaches(*caller, low);
        }
        if low == self.visit[node.position()] {
            let first = self.open.iter().rposition(|open| *open == node).unwrap_or(0);
            for member in self.open.drain(first..) {
                self.visit[member.position()] = NONE;
                self.order.push(member);
            }
            self.ends.push(self.order.len() as u32);
        }
    }
}
