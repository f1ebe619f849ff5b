//! unreachable: drops the blocks that control cannot reach.

use super::{NOP, OptimizeScratch};
use crate::compiler::program::{Ir, Routines};
use crate::compiler::stage::lower::{falls_through, target};
use crate::lang::index::{Index, InstructionId};

pub fn run(ir: &mut Ir, routines: &mut Routines, scratch: &mut OptimizeScratch) -> bool {
    // Only a changed jump makes a block unreachable, and a program of one block has none.
    if std::mem::replace(&mut scratch.settled, true) || ir.block.first() == ir.block.last() {
        return false;
    }
    let OptimizeScratch { first, reached, pending, .. } = scratch;
    let len = ir.op.len();
    first.clear();
    for i in 0..len {
        if i == 0 || ir.block[i] != ir.block[i - 1] {
            first.push(InstructionId::at(i));
        }
    }
    reached.clear();
    reached.resize(first.len(), false);
    first.push(InstructionId::at(len));
    pending.clear();
    let mut visit = |at: InstructionId, pending: &mut Vec<u32>| {
        if let Some(&block) = ir.block.get(at.position())
            && !std::mem::replace(&mut reached[block as usize], true)
        {
            pending.push(block);
        }
    };
    for &entry in &routines.ir {
        visit(InstructionId::new(entry), pending);
    }
    // A list instead of recursion: a program may have thousands of nested blocks.
    while let Some(block) = pending.pop() {
        let behind = first[block as usize + 1];
        let end = behind.position() - 1;
        if let Some(to) = target(ir, end) {
            visit(to, pending);
        }
        if falls_through(ir.op[end]) {
            visit(behind, pending);
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
