//! Basic blocks: maximal runs of instructions that control enters only at the first and leaves only at the
//! last.

use crate::compiler::program::Ir;
use crate::lang::index::{Index, InstructionId};
use crate::lang::opcode::{Class, class};

/// Returns the instruction that instruction `i` can jump to.
pub fn target(ir: &Ir, i: usize) -> Option<InstructionId> {
    match class(ir.op[i]) {
        Class::Jump | Class::Branch { .. } => Some(InstructionId::new(ir.arg[i])),
        Class::Loop => Some(InstructionId::new(ir.aux[i])),
        _ => None,
    }
}

/// Returns whether an instruction with this operation has a [`target`].
pub fn has_target(op: u32) -> bool {
    matches!(class(op), Class::Jump | Class::Branch { .. } | Class::Loop)
}

/// Mutable version of [`target`].
pub fn target_mut(ir: &mut Ir, i: usize) -> Option<&mut u32> {
    match class(ir.op[i]) {
        Class::Jump | Class::Branch { .. } => Some(&mut ir.arg[i]),
        Class::Loop => Some(&mut ir.aux[i]),
        _ => None,
    }
}

/// Returns whether a new block begins after an instruction with this operation.
pub fn ends_block(op: u32) -> bool {
    matches!(class(op), Class::Jump | Class::Branch { .. } | Class::Loop | Class::Return | Class::Stop)
}

/// Returns whether control can continue after an instruction with this operation.
pub fn falls_through(op: u32) -> bool {
    !matches!(class(op), Class::Jump | Class::Return | Class::Stop)
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
                leaders[target.position()] = 1;
            }
        }
    }
    let mut block = u32::MAX;
    for (number, leader) in ir.block.iter_mut().zip(leaders.iter()) {
        block = block.wrapping_add(*leader);
        *number = block;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::opcode::{Op, Shape};

    #[test]
    fn jump_target_is_the_operand_given_by_the_shape() {
        for &op in Op::ALL {
            let by_shape = match op.shape() {
                Shape::Target => Some(1),
                Shape::SlotTarget => Some(2),
                _ => None,
            };
            let column = |n| vec![n];
            let ir = Ir { op: column(op as u32), arg: column(1), aux: column(2), ..Ir::default() };
            assert_eq!(target(&ir, 0).map(InstructionId::number), by_shape, "{}", op.name());
        }
    }
}
