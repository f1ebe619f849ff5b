//! unreachable: drops the blocks that control cannot reach.

use super::{NOP, Scratch, find_live};
use crate::stage::lower::{falls_through, target};
use crate::stage::{Ir, Routines};

pub fn run(ir: &mut Ir, routines: &mut Routines, scratch: &mut Scratch) -> bool {
    let Scratch { live, first, reached, pending, .. } = scratch;
    find_live(ir, live);
    let len = ir.op.len();
    first.clear();
    for i in 0..len {
        if i == 0 || ir.block[i] != ir.block[i - 1] {
            first.push(i as u32);
        }
    }
    let blocks = first.len();
    first.push(len as u32);
    reached.clear();
    reached.resize(blocks, false);
    pending.clear();
    let mut visit = |at: u32, pending: &mut Vec<u32>| {
        if let Some(&block) = ir.block.get(at as usize)
            && !std::mem::replace(&mut reached[block as usize], true)
        {
            pending.push(block);
        }
    };
    for &entry in &routines.ir {
        visit(entry, pending);
    }
    while let Some(block) = pending.pop() {
        let (lo, hi) = (first[block as usize] as usize, first[block as usize + 1]);
        // Whatever can jump stands last in its block.
        let last = (lo..hi as usize).rev().find(|&i| ir.op[i] != NOP);
        if let Some(to) = last.and_then(|i| target(ir, i)) {
            visit(live[to as usize], pending);
        }
        if last.is_none_or(|i| falls_through(ir.op[i])) {
            visit(hi, pending);
        }
    }
    let mut changed = false;
    for i in 0..len {
        if ir.op[i] != NOP && !reached[ir.block[i] as usize] {
            ir.op[i] = NOP;
            changed = true;
        }
    }
    changed
}
