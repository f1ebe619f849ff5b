//! Moves about conditional jumps.

use super::{is_straight, operands};
use crate::compiler::stage::optimize::learned::code::{Instruction, compact, targets};
use crate::lang::opcode::{Class, Op};

/// Returns the first instruction of the expression that ends before `end`, if it is straight code that no jump enters.
fn expression(code: &[Instruction], end: usize) -> Option<usize> {
    let targeted = targets(code);
    let mut wanted = 1;
    for at in (0..end).rev() {
        let own = &code[at];
        let (takes, leaves) = operands(own)?;
        if !is_straight(own) || own.op.class() == Class::Store || leaves == 0 {
            return None;
        }
        wanted += takes - leaves;
        if wanted == 0 {
            return Some(at);
        }
        if targeted[at] {
            return None;
        }
    }
    None
}

/// For a conditional jump: the code in which it always jumps, and that in which it never does. The condition is dropped.
pub fn decided(code: &[Instruction], branch: usize) -> Option<[Vec<Instruction>; 2]> {
    let own = code.get(branch)?;
    let (_, keeps) = own.op.condition()?;
    if keeps || targets(code)[branch] {
        return None;
    }
    let first = expression(code, branch)?;
    let with = |jumps: bool| {
        let mut code = code.to_vec();
        for dropped in &mut code[first..=branch] {
            dropped.op = Op::Nop;
        }
        if jumps {
            code[branch] = Instruction { op: Op::Jump, ..*own };
        }
        compact(&mut code);
        code
    };
    Some([with(true), with(false)])
}

/// Conditions that decide between returning true and false: they are returned.
pub fn returned(code: &[Instruction]) -> Vec<Vec<Instruction>> {
    let constant = |i: usize| {
        let [load, end] = code.get(i..i + 2)? else { return None };
        (load.op == Op::LoadConst && end.op == Op::Return && load.arg <= 1).then_some(load.arg)
    };
    let of_branch = |at: usize| {
        let own = code[at];
        let (on, _) = own.op.condition().filter(|(_, keeps)| !keeps)?;
        let (jumps, falls) = (constant(own.arg as usize)?, constant(at + 1)?);
        let test = at.checked_sub(1).filter(|_| jumps != falls && !targets(code)[at])?;
        let mut new = code.to_vec();
        if (jumps == 1) != on {
            match new[test].op.opposite() {
                Some(opposite) => new[test].op = opposite,
                None => {
                    new[at].op = Op::Not;
                    new[at].arg = 0;
                    new[at + 1] = Instruction { op: Op::Return, arg: 0, aux: 0, ..new[at + 2] };
                    compact(&mut new);
                    return Some(new);
                }
            }
        }
        new[at] = Instruction { op: Op::Return, arg: 0, aux: 0, ..new[at + 2] };
        compact(&mut new);
        Some(new)
    };
    (0..code.len()).filter_map(of_branch).collect()
}

/// Variables that take another value if that is less, or greater: they take the minimum or the maximum. The condition
/// compares the two, and the code that it jumps over stores the other.
pub fn selected(code: &[Instruction]) -> Vec<Vec<Instruction>> {
    let mut all = Vec::new();
    let targeted = targets(code);
    for at in 3..code.len() {
        let Some([a, b, test, branch, load, store]) = code.get(at - 3..at + 3) else { break };
        let names = |i: &Instruction| matches!(i.op, Op::LoadVar | Op::LoadConst);
        let sides = [a, b].map(|side| (side.op, side.arg));
        let skips = branch.op.condition().is_some_and(|(_, keeps)| !keeps) && branch.arg as usize == at + 3;
        let stores = store.op == Op::StoreVar
            && names(load)
            && sides.contains(&(load.op, load.arg))
            && sides.contains(&(Op::LoadVar, store.arg));
        let is_comparison = matches!(test.op, Op::Lt | Op::Le | Op::Gt | Op::Ge);
        if !(names(a) && names(b) && skips && stores && is_comparison) || (at - 2..at + 3).any(|i| targeted[i])
        {
            continue;
        }
        for op in [Op::Min, Op::Max] {
            let mut new = code.to_vec();
            new[at - 1].op = op;
            new[at].op = Op::Nop;
            new[at + 1].op = Op::Nop;
            compact(&mut new);
            all.push(new);
        }
    }
    all
}
