//! Basic blocks: where control can enter and leave a run of instructions.

use crate::lang::opcode::Op;
use crate::program::Ir;

/// Where a jump's target is. Passes ask this of every instruction, hence numbers and not shapes.
enum TargetColumn {
    None,
    Arg,
    Aux,
}

fn target_column(op: u32) -> TargetColumn {
    if op.wrapping_sub(Op::Jump as u32) <= Op::JumpIfTrueOrPop as u32 - Op::Jump as u32 {
        TargetColumn::Arg
    } else if op == Op::ForRange as u32 || op == Op::ForList as u32 {
        TargetColumn::Aux
    } else {
        TargetColumn::None
    }
}

/// The instruction that instruction `i` can jump to.
pub fn target(ir: &Ir, i: usize) -> Option<u32> {
    match target_column(ir.op[i]) {
        TargetColumn::Arg => Some(ir.arg[i]),
        TargetColumn::Aux => Some(ir.aux[i]),
        TargetColumn::None => None,
    }
}

/// [`target`], to be rewritten.
pub fn target_mut(ir: &mut Ir, i: usize) -> Option<&mut u32> {
    match target_column(ir.op[i]) {
        TargetColumn::Arg => Some(&mut ir.arg[i]),
        TargetColumn::Aux => Some(&mut ir.aux[i]),
        TargetColumn::None => None,
    }
}

/// Whether a new block begins behind such an instruction.
pub fn ends_block(op: u32) -> bool {
    !matches!(target_column(op), TargetColumn::None) || !falls_through(op)
}

/// Whether control can go on behind such an instruction.
pub fn falls_through(op: u32) -> bool {
    op != Op::Jump as u32 && op != Op::Return as u32 && op != Op::ReturnList as u32
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::opcode::Shape;

    #[test]
    fn targets_are_where_shapes_say() {
        for &op in Op::ALL {
            let by_shape = match op.shape() {
                Shape::Target => Some(1),
                Shape::SlotTarget => Some(2),
                _ => None,
            };
            let column = |n| vec![n];
            let ir = Ir { op: column(op as u32), arg: column(1), aux: column(2), ..Ir::default() };
            assert_eq!(target(&ir, 0), by_shape, "{}", op.name());
        }
    }
}
