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
pub struct CallScratch {
    /// The caller and the callee of each call.
    calls: Vec<[u32; 2]>,
    graph: CallGraph,
}

impl CallScratch {
    /// The routines, each after all that it calls, except those that call it, too.
    pub fn order(&self) -> &[RoutineId] {
        self.graph.order()
    }
}

/// Fills the columns of calls.
pub fn find(ir: &Ir, routines: &Routines, out: &mut Flow, operands: &[u32], scratch: &mut CallScratch) {
    let CallScratch { calls, graph } = scratch;
    out.calls.reset(routines.ir.len(), 0);
    calls.clear();
    for block in (0..out.blocks.len()).filter(|block| out.blocks.reached[*block] == 1) {
        let routine = out.blocks.routine[block];
        for i in out.blocks.instructions(block) {
            calls.extend((ir.op[i] == Op::Call as u32).then_some([routine, ir.arg[i]]));
            out.calls.traps[routine as usize] |= u32::from(may_trap(ir, routines, i));
        }
    }
    graph.find(routines.ir.len(), calls);
    let Calls { recursive, traps, depth, words } = &mut out.calls;
    graph.memory(|routine| routines.frame[routine] + operands[routine], [depth, words]);
    for (members, is_recursive) in graph.components() {
        let all = members.iter().flat_map(|member| graph.callees(*member)).chain(members);
        let some = all.fold(0, |some, routine| some | traps[routine.position()]);
        for member in members {
            recursive[member.position()] = is_recursive.into();
            traps[member.position()] = some;
        }
    }
}

/// The functions that routines call, and the order in which what a call does can be summed up.
#[derive(Default)]
pub struct CallGraph {
    /// By caller, and where those of each routine end.
    callees: Vec<RoutineId>,
    ends: Vec<u32>,
    components: Components,
}

impl CallGraph {
    /// Fills the graph. `calls` are the caller and the callee of each call.
    pub fn find(&mut self, routines: usize, calls: &[[u32; 2]]) {
        let CallGraph { callees, ends, components } = self;
        ends.clear();
        ends.resize(routines, 0);
        calls.iter().for_each(|[caller, _]| ends[*caller as usize] += 1);
        let mut rows = 0;
        for end in ends.iter_mut() {
            // Until the rows are filled, their beginning.
            rows += std::mem::replace(end, rows);
        }
        callees.clear();
        callees.resize(calls.len(), RoutineId::new(0));
        for [caller, callee] in calls {
            let row = &mut ends[*caller as usize];
            callees[*row as usize] = RoutineId::new(*callee);
            *row += 1;
        }
        components.find(routines, |routine| of(callees, ends, routine));
    }

    pub fn callees(&self, routine: RoutineId) -> &[RoutineId] {
        of(&self.callees, &self.ends, routine)
    }

    /// The routines, each after all that it calls, except those that call it, too.
    pub fn order(&self) -> &[RoutineId] {
        &self.components.order
    }

    /// The routines that call each other, or single ones, in this order, and whether they are recursive.
    fn components(&self) -> impl Iterator<Item = (&[RoutineId], bool)> {
        let Components { order, ends, .. } = &self.components;
        let begins = std::iter::once(0).chain(ends.iter().copied());
        begins.zip(ends).map(|(begin, end)| {
            let members = &order[begin as usize..*end as usize];
            (members, members.len() > 1 || self.callees(members[0]).contains(&members[0]))
        })
    }

    /// Fills the maximum number of nested calls that each routine makes, and a bound on the words of memory that it takes
    /// with all that it calls; `NONE` if it may reach a recursive function. `own` returns the words of a routine alone.
    pub fn memory(&self, own: impl Fn(usize) -> u32, [depth, words]: [&mut Vec<u32>; 2]) {
        for column in [&mut *depth, &mut *words] {
            column.clear();
            column.resize(self.ends.len(), 0);
        }
        for (members, is_recursive) in self.components() {
            let callees =
                || members.iter().flat_map(|member| self.callees(*member)).map(|callee| callee.position());
            let deepest = callees().map(|callee| depth[callee].saturating_add(1)).max().unwrap_or(0);
            let most = callees().map(|callee| words[callee]).max().unwrap_or(0);
            for row in members.iter().map(|member| member.position()) {
                depth[row] = if is_recursive { NONE } else { deepest };
                words[row] = if is_recursive { NONE } else { most.saturating_add(own(row)) };
            }
        }
    }
}

fn of<'a>(callees: &'a [RoutineId], ends: &[u32], routine: RoutineId) -> &'a [RoutineId] {
    let row = routine.position();
    let begin = row.checked_sub(1).map_or(0, |before| ends[before]);
    &callees[begin as usize..ends[row] as usize]
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
