//! Natural loops: an edge to a dominator closes a loop. Loops with one head are one loop; two others are
//! disjoint or nested.

use super::{Flow, Order};
use crate::lang::NONE;

/// Scratch memory, kept between programs.
#[derive(Default)]
pub struct LoopScratch {
    /// By head: the head of the loop around its loop, or `NONE`.
    pub around: Vec<u32>,
    pending: Vec<u32>,
}

/// Fills `head` and `depth`.
pub fn find(out: &mut Flow, order: &Order, scratch: &mut LoopScratch) {
    out.blocks.head.fill(NONE);
    out.blocks.depth.fill(0);
    scratch.around.clear();
    scratch.around.resize(out.blocks.len(), NONE);
    // Inner heads come before outer ones.
    for &head in order.blocks.iter().rev() {
        fill(out, order, head, scratch);
    }
    for &block in &order.blocks {
        let head = out.blocks.head[block as usize];
        let around = if head == block { scratch.around[block as usize] } else { head };
        let outside = if around == NONE { 0 } else { out.blocks.depth[around as usize] };
        out.blocks.depth[block as usize] = outside + u32::from(head == block);
    }
}

/// Finds the blocks of the loop with this head: walks backward from the edges that return to `head`. An inner loop
/// that is known already counts as one block.
fn fill(out: &mut Flow, order: &Order, head: u32, LoopScratch { around, pending }: &mut LoopScratch) {
    let is_back = |from: &usize| {
        let back = order.rank[*from] != NONE && order.rank[*from] >= order.rank[head as usize];
        back && out.blocks.dominates(head as usize, *from)
    };
    pending.extend(out.predecessors(head as usize).filter(is_back).map(|from| from as u32));
    if pending.is_empty() {
        return;
    }
    out.blocks.head[head as usize] = head;
    while let Some(block) = pending.pop() {
        let mut outermost = block;
        let inner = out.blocks.head[block as usize];
        if inner != NONE {
            outermost = inner;
            while around[outermost as usize] != NONE {
                outermost = around[outermost as usize];
            }
        }
        if outermost == head {
            continue;
        }
        let link = if inner == NONE { &mut out.blocks.head } else { &mut *around };
        link[outermost as usize] = head;
        let reached = |from: &usize| order.rank[*from] != NONE;
        pending.extend(out.predecessors(outermost as usize).filter(reached).map(|from| from as u32));
    }
}
