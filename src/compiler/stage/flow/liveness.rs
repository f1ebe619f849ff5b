//! Liveness: a variable is live where some path reads it before it is stored (Kildall 1973).

use super::{Flow, Order};
use crate::compiler::program::Ir;
use crate::lang::NONE;
use crate::lang::opcode::{Class, class, number};

/// The effect of an instruction on the variable that it names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Reads it, or a part of it. A list of which one element is stored counts as read.
    Reads,
    /// Stores it as a whole.
    Stores,
    /// Names it only: the beginning of a loop sets up the counter, not the loop variable.
    Names,
}

/// Returns the effect of operation number `op` on the variable that it names.
pub fn access(op: u32) -> Access {
    match op {
        number::STORE_VAR | number::STORE_LIST => Access::Stores,
        _ if class(op) == Class::Loop => Access::Stores,
        number::RANGE_ITER | number::RANGE_ITER_INCLUSIVE | number::LIST_ITER => Access::Names,
        _ => Access::Reads,
    }
}

/// Fills the columns of liveness, and `facts` of blocks.
pub fn find(ir: &Ir, out: &mut Flow, order: &Order, pending: &mut Vec<bool>) {
    let mut rows = 0;
    for block in 0..out.blocks.len() {
        out.blocks.facts[block] = rows as u32;
        rows += out.spans.words(out.blocks.routine[block] as usize);
    }
    out.live.reset(rows, 0);
    for &block in &order.blocks {
        summarize(ir, out, block as usize);
    }
    solve(out, order, pending);
}

/// Fills `reads` and `stores` of a block.
fn summarize(ir: &Ir, out: &mut Flow, block: usize) {
    let first = out.blocks.facts[block] as usize;
    for i in out.blocks.instructions(block) {
        let variable = out.accesses.variable[i];
        if variable == NONE {
            continue;
        }
        let (row, bit) = (first + variable as usize / 32, 1 << (variable % 32));
        match access(ir.op[i]) {
            Access::Reads => out.live.reads[row] |= bit & !out.live.stores[row],
            Access::Stores => out.live.stores[row] |= bit,
            Access::Names => {}
        }
    }
}

/// Fills `entry` and `exit`: sweeps against the order over the blocks whose successors have changed.
fn solve(out: &mut Flow, order: &Order, pending: &mut Vec<bool>) {
    pending.clear();
    pending.resize(out.blocks.len(), true);
    let mut more = true;
    while std::mem::take(&mut more) {
        for &block in order.blocks.iter().rev() {
            let block = block as usize;
            if std::mem::take(&mut pending[block]) && flow_back(out, block) {
                for before in out.predecessors(block) {
                    pending[before] = true;
                    // This sweep has already visited the blocks that are later in the order.
                    more |= order.rank[before] >= order.rank[block];
                }
            }
        }
    }
}

/// Computes the sets of a block from those of its successors. Returns whether the set at its beginning has
/// changed.
fn flow_back(out: &mut Flow, block: usize) -> bool {
    let mut changed = false;
    for (word, row) in out.facts(block).enumerate() {
        let live = |to: usize| out.live.entry[out.blocks.facts[to] as usize + word];
        let exit = out.blocks.successors(block).map(live).fold(0, |all, some| all | some);
        let entry = out.live.reads[row] | (exit & !out.live.stores[row]);
        out.live.exit[row] = exit;
        changed |= std::mem::replace(&mut out.live.entry[row], entry) != entry;
    }
    changed
}
