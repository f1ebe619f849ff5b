//! flow: the control-flow graph of a compiled program, its loops, and facts about its variables from data-flow
//! analyses.
//!
//! It runs on request, and within the [optimizer](super::optimize) at level 2. No shader does it. Proofs analyze routines
//! one by one, with [`Alone`].

mod alone;
mod calls;
mod columns;
pub mod constants;
pub mod copies;
mod dominators;
mod endings;
mod facts;
mod graph;
mod liveness;
mod loops;
mod operands;
pub mod ranges;
pub mod sweeps;
mod transfer;
mod traps;
pub mod values;
mod variables;

pub use alone::Alone;
pub use calls::CallGraph;
pub use columns::*;
pub use endings::Endings;
pub use liveness::{Access, access};
pub use transfer::Code;
pub use traps::may_trap;

use crate::compiler::program::{Ir, Routines};
use crate::lang::NONE;
use std::ops::Range;

/// The blocks that their entries reach. The order depends on the walk, so it is not an output.
#[derive(Default)]
pub struct Order {
    /// By routine in order of the code, in reverse postorder: a block comes before those that it reaches,
    /// except along edges back to the head of a loop.
    pub blocks: Vec<u32>,
    /// By block: its index in `blocks`, or `NONE`.
    pub rank: Vec<u32>,
}

/// Scratch memory, kept between programs.
#[derive(Default)]
pub struct FlowScratch {
    pub order: Order,
    walk: graph::Walk,
    loops: loops::LoopScratch,
    /// By slot of a frame: the number of the variable.
    number: Vec<u32>,
    /// liveness: by block, whether the set at its end may have grown.
    pending: Vec<bool>,
    /// By routine: a bound on the words of its operands.
    operands: Vec<u32>,
    calls: calls::CallScratch,
}

/// Finds the graph and the variables of a program, and those that are live. `routines` are those of `ir`.
pub fn live(ir: &Ir, routines: &Routines, out: &mut Flow, scratch: &mut FlowScratch) {
    graph(ir, [routines; 2], out, scratch);
    liveness::find(ir, out, &scratch.order, &mut scratch.pending);
}

/// Analyses a program at any level. `routines` are those of `ir`.
pub fn run(ir: &Ir, routines: &Routines, out: &mut Flow, scratch: &mut FlowScratch) {
    graph(ir, [routines; 2], out, scratch);
    dominators::find(out, &scratch.order);
    loops::find(out, &scratch.order, &mut scratch.loops);
    liveness::find(ir, out, &scratch.order, &mut scratch.pending);
    calls::find(ir, routines, out, &scratch.operands, &mut scratch.calls);
    facts::variables(ir, routines, out);
    facts::values(ir, routines, out);
}

/// Finds the graph, the variables and the operands that wait. `routines` are those of `ir`, `callees` those that it may call.
fn graph(ir: &Ir, [routines, callees]: [&Routines; 2], out: &mut Flow, scratch: &mut FlowScratch) {
    graph::find_blocks(ir, routines, out);
    graph::find_edges(ir, out);
    graph::order(out, &mut scratch.order, &mut scratch.walk);
    variables::find(ir, routines, out, &mut scratch.number);
    operands::find(ir, callees, out, &scratch.order, &mut scratch.operands);
}

impl Blocks {
    pub fn len(&self) -> usize {
        self.first.len()
    }

    pub fn is_empty(&self) -> bool {
        self.first.is_empty()
    }

    pub fn instructions(&self, block: usize) -> Range<usize> {
        self.first[block] as usize..self.end[block] as usize
    }

    /// The blocks that a block may continue with: the one that control falls through to first.
    pub fn successors(&self, block: usize) -> impl Iterator<Item = usize> + use<> {
        [self.next[block], self.target[block]].into_iter().filter(|to| *to != NONE).map(|to| to as usize)
    }

    /// Returns whether every path from the entry to block `b` passes through `a`. Both are reached.
    pub fn dominates(&self, a: usize, mut b: usize) -> bool {
        while b != a {
            match self.dominator[b] {
                NONE => return false,
                above => b = above as usize,
            }
        }
        true
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Flow {
    pub blocks: Blocks,
    pub edges: Edges,
    pub spans: Spans,
    pub accesses: Accesses,
    pub variables: Variables,
    pub live: Live,
    pub calls: Calls,
    pub cells: Cells,
    pub arrivals: Arrivals,
    pub constants: Constants,
    pub ranges: Ranges,
    pub value_spans: ValueSpans,
    pub values: Values,
    pub numbers: Numbers,
    pub available: Available,
}

impl Flow {
    /// Analyses a program at any level. `routines` are those of `ir`.
    pub fn of(ir: &Ir, routines: &Routines) -> Flow {
        let mut flow = Flow::default();
        run(ir, routines, &mut flow, &mut FlowScratch::default());
        flow
    }

    /// The rows of a block's sets of variables.
    pub fn facts(&self, block: usize) -> Range<usize> {
        let first = self.blocks.facts[block] as usize;
        first..first + self.spans.words(self.blocks.routine[block] as usize)
    }

    /// The blocks from which control may continue with a block, in order. A block with two edges to it appears
    /// twice.
    pub fn predecessors(&self, block: usize) -> impl Iterator<Item = usize> + '_ {
        let end = self.blocks.edges.get(block + 1).map_or(self.edges.from.len(), |end| *end as usize);
        self.edges.from[self.blocks.edges[block] as usize..end].iter().map(|from| *from as usize)
    }
}

impl Spans {
    pub fn blocks(&self, routine: usize) -> Range<usize> {
        let first = self.block[routine] as usize;
        first..first + self.blocks[routine] as usize
    }

    /// The number of words that have a bit for each variable of a routine.
    pub fn words(&self, routine: usize) -> usize {
        self.variables[routine].div_ceil(32) as usize
    }

    pub fn variables(&self, routine: usize) -> Range<usize> {
        let first = self.variable[routine] as usize;
        first..first + self.variables[routine] as usize
    }
}
