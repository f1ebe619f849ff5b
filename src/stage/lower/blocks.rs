//! Basic blocks: where control can enter and leave a run of instructions.

use crate::lang::opcode::{Op, Shape};
use crate::stage::Ir;

/// The instruction that instruction `i` can jump to. Every shape with a target keeps it in the same column.
pub fn target(ir: &Ir, i: usize) -> Option<u32> {
    match shape(ir.op[i]) {
        Shape::Target => Some(ir.arg[i]),
        Shape::SlotTarget => Some(ir.aux[i]),
        _ => None,
    }
}

/// [`target`], to be rewritten.
pub fn target_mut(ir: &mut Ir, i: usize) -> Option<&mut u32> {
    match shape(ir.op[i]) {
        Shape::Target => Some(&mut ir.arg[i]),
        Shape::SlotTarget => Some(&mut ir.aux[i]),
        _ => None,
    }
}

/// Whether a new block begins behind such an instruction.
pub fn ends_block(op: u32) -> bool {
    matches!(shape(op), Shape::Target | Shape::SlotTarget) || !falls_through(op)
}

/// Whether control can go on behind such an instruction.
pub fn falls_through(op: u32) -> bool {
    op != Op::Jump as u32 && op != Op::Return as u32 && op != Op::ReturnList as u32
}

fn shape(op: u32) -> Shape {
    Op::from_u32(op).map_or(Shape::Plain, Op::shape)
}

/// Fills the column of block numbers. `entries` are the routines' first instructions.
pub fn number_blocks(ir: &mut Ir, entries: &[u32], leaders: &mut Vec<u32>) {
    let len = ir.op.len();
    leaders.clear();
    leaders.resize(len + 1, 0);
    for &entry in entries {
        leaders[entry as usize] = 1;
    }
    for i in 0..len {
        if ends_block(ir.op[i]) {
            leaders[i + 1] = 1;
            if let Some(target) = target(ir, i) {
                leaders[target as usize] = 1;
            }
        }
    }
    let mut block = u32::MAX;
    for (number, leader) in ir.block.iter_mut().zip(leaders.iter()) {
        block = block.wrapping_add(*leader);
        *number = block;
    }
}
