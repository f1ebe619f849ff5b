//! Blocks, the edges between them, and an order in which to visit them.

use super::{Flow, Order};
use crate::compiler::program::{Ir, Routines};
use crate::compiler::stage::lower::{falls_through, target};
use crate::lang::NONE;
use crate::lang::index::Index;

/// Fills the columns of blocks up to `routine`, and the blocks of each routine.
pub fn find_blocks(ir: &Ir, routines: &Routines, out: &mut Flow) {
    let Flow { blocks, spans, .. } = out;
    blocks.clear();
    for (i, &block) in ir.block.iter().enumerate() {
        if blocks.first.len() == block as usize {
            blocks.end.extend((i > 0).then_some(i as u32));
            blocks.first.push(i as u32);
        }
    }
    blocks.end.extend((!ir.block.is_empty()).then_some(ir.block.len() as u32));
    spans.reset(routines.ir.len(), 0);
    let first = std::mem::take(&mut blocks.first);
    let end = std::mem::take(&mut blocks.end);
    blocks.reset(first.len(), NONE);
    (blocks.first, blocks.end) = (first, end);
    for (routine, &entry) in routines.ir.iter().enumerate() {
        let block = ir.block[entry as usize];
        spans.block[routine] = block;
        blocks.routine[block as usize] = routine as u32;
    }
    let mut routine = NONE;
    for own in &mut blocks.routine {
        routine = if *own == NONE { routine } else { *own };
        *own = routine;
        spans.blocks[routine as usize] += 1;
    }
}

/// Fills the edges. Edges that leave the routine are omitted; only dropped code has any.
pub fn find_edges(ir: &Ir, out: &mut Flow) {
    let Flow { blocks, edges, .. } = out;
    let count = blocks.len();
    blocks.edges.fill(0);
    for block in 0..count {
        let last = blocks.end[block] as usize - 1;
        let own =
            |to: Option<u32>| to.filter(|to| blocks.routine.get(*to as usize) == Some(&blocks.routine[block]));
        let next = own(falls_through(ir.op[last]).then_some(block as u32 + 1));
        let target = own(target(ir, last).and_then(|to| ir.block.get(to.position()).copied()));
        blocks.next[block] = next.unwrap_or(NONE);
        blocks.target[block] = target.unwrap_or(NONE);
        next.into_iter().chain(target).for_each(|to| blocks.edges[to as usize] += 1);
    }
    // Turn the counts into ends. Filling the rows from the last block to the first then turns the ends into
    // beginnings.
    let mut rows = 0;
    for row in &mut blocks.edges {
        rows += *row;
        *row = rows;
    }
    edges.reset(rows as usize, NONE);
    for block in (0..count).rev() {
        for to in blocks.successors(block) {
            blocks.edges[to] -= 1;
            edges.from[blocks.edges[to] as usize] = block as u32;
        }
    }
}

/// Memory of [`order`].
#[derive(Default)]
pub struct Walk {
    /// The path from the entry to the current block, and the successors that remain to be visited.
    path: Vec<(u32, u32)>,
}

/// Orders the blocks that entries reach, and fills `reached`.
pub fn order(out: &mut Flow, order: &mut Order, walk: &mut Walk) {
    let Flow { blocks, spans, .. } = out;
    blocks.reached.fill(0);
    order.blocks.clear();
    order.rank.clear();
    order.rank.resize(blocks.len(), NONE);
    let mut entry = 0;
    while entry < blocks.len() {
        let routine = spans.blocks(blocks.routine[entry] as usize);
        let first = order.blocks.len();
        blocks.reached[entry] = 1;
        walk.path.push((entry as u32, 2));
        while let Some((block, left)) = walk.path.last_mut() {
            let at = *block as usize;
            // The target first, so that the next block comes first in the reversed order.
            let to = match *left {
                2 => blocks.target[at],
                1 => blocks.next[at],
                _ => {
                    order.blocks.push(*block);
                    walk.path.pop();
                    continue;
                }
            };
            *left -= 1;
            if to != NONE && std::mem::replace(&mut blocks.reached[to as usize], 1) == 0 {
                walk.path.push((to, 2));
            }
        }
        order.blocks[first..].reverse();
        entry = routine.end;
    }
    for (rank, block) in order.blocks.iter().enumerate() {
        order.rank[*block as usize] = rank as u32;
    }
}
