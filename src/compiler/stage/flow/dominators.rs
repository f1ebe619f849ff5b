//! Immediate dominators (Cooper, Harvey, Kennedy 2001: "A Simple, Fast Dominance Algorithm").

use super::{Flow, Order};
use crate::lang::NONE;

/// Fills `dominator`.
pub fn find(out: &mut Flow, order: &Order) {
    out.blocks.dominator.fill(NONE);
    // An entry is its own dominator until the end, so that paths up the tree meet there.
    for &block in &out.spans.block {
        out.blocks.dominator[block as usize] = block;
    }
    while round(out, order) {}
    for &block in &out.spans.block {
        out.blocks.dominator[block as usize] = NONE;
    }
}

/// Moves each block to the nearest common dominator of its predecessors. Returns whether any moved.
fn round(out: &mut Flow, order: &Order) -> bool {
    let mut changed = false;
    for &block in &order.blocks {
        let at = block as usize;
        if out.blocks.dominator[at] == block {
            continue;
        }
        let dominator = &out.blocks.dominator;
        let known = out.predecessors(at).filter(|from| dominator[*from] != NONE).map(|from| from as u32);
        let Some(common) = { known }.reduce(|a, b| meet(dominator, &order.rank, a, b)) else { continue };
        changed |= std::mem::replace(&mut out.blocks.dominator[at], common) != common;
    }
    changed
}

/// Returns the nearest common dominator of two blocks.
fn meet(dominator: &[u32], rank: &[u32], mut a: u32, mut b: u32) -> u32 {
    while a != b {
        if rank[a as usize] < rank[b as usize] {
            std::mem::swap(&mut a, &mut b);
        }
        a = dominator[a as usize];
    }
    a
}
