//! The operands that wait on the stack. At each place their number is the same on every path.

use super::{Flow, Order};
use crate::compiler::program::{Ir, Routines};
use crate::lang::NONE;
use crate::lang::limits::CAPACITY;
use crate::lang::opcode::Op;
use crate::lang::ty::Type;

/// Numbers of operands on the stack.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Height {
    /// Ints and bools.
    words: u32,
    lists: u32,
}

/// Fills `words` and `lists` of blocks. `operands` becomes a bound on the words of each routine's operands: each
/// list counts as the longest that the routine pushes.
pub fn find(ir: &Ir, routines: &Routines, out: &mut Flow, order: &Order, operands: &mut Vec<u32>) {
    out.blocks.words.fill(0);
    out.blocks.lists.fill(0);
    operands.clear();
    operands.resize(routines.ir.len(), 0);
    for &block in &order.blocks {
        let longest = &mut operands[out.blocks.routine[block as usize] as usize];
        let pushed = out.blocks.instructions(block as usize).map(|i| pushed_list(ir, routines, i));
        *longest = pushed.fold(*longest, u32::max);
    }
    let list = operands.clone();
    operands.fill(0);
    for &block in &order.blocks {
        let routine = out.blocks.routine[block as usize] as usize;
        let most = pass(ir, routines, out, block as usize, list[routine]);
        operands[routine] = most.max(operands[routine]);
    }
}

/// Writes the numbers after a block to its successors. Returns the most words in it, with `list` words for each
/// list.
fn pass(ir: &Ir, routines: &Routines, out: &mut Flow, block: usize, list: u32) -> u32 {
    let mut height = Height { words: out.blocks.words[block], lists: out.blocks.lists[block] };
    let (mut most, mut keeps) = (0, 0);
    for i in out.blocks.instructions(block) {
        keeps = u32::from(Op::from_u32(ir.op[i]).and_then(Op::condition).is_some_and(|(_, keeps)| keeps));
        height = after(ir, routines, i, height);
        most = most.max(height.words + keeps + height.lists * list);
    }
    // A jump that keeps its condition leaves it on the stack of the target.
    let (next, target) = (out.blocks.next[block], out.blocks.target[block]);
    for (to, words) in [(next, height.words), (target, height.words + keeps)] {
        if to != NONE {
            out.blocks.words[to as usize] = words;
            out.blocks.lists[to as usize] = height.lists;
        }
    }
    most
}

/// Returns the numbers after instruction `i` where control falls through.
fn after(ir: &Ir, routines: &Routines, i: usize, height: Height) -> Height {
    let op = Op::from_u32(ir.op[i]).unwrap_or(Op::Nop);
    let effect = op.effect();
    let taken = match op {
        Op::Call => arguments(routines, ir.arg[i] as usize),
        Op::BuildList => Height { words: ir.arg[i], lists: 0 },
        _ => Height::of(effect.takes, effect.taken_lists.count_ones()),
    };
    let is_list = op == Op::Call && Type(routines.result[ir.arg[i] as usize]).is_list();
    let left = Height::of(effect.leaves, u32::from(is_list).max(effect.left_lists.count_ones()));
    Height {
        words: (height.words + left.words).saturating_sub(taken.words),
        lists: (height.lists + left.lists).saturating_sub(taken.lists),
    }
}

impl Height {
    fn of(operands: u32, lists: u32) -> Height {
        Height { words: operands - lists, lists }
    }
}

fn arguments(routines: &Routines, routine: usize) -> Height {
    let parameters = routines.params[routine];
    let lists = (0..parameters).filter(|j| routines.capacity(routine, *j) != 0).count();
    Height::of(parameters, lists as u32)
}

/// Bounds the words of the list that an instruction pushes; 0 if it pushes none.
fn pushed_list(ir: &Ir, routines: &Routines, i: usize) -> u32 {
    longest(ir, routines, i).map_or(0, |length| 1 + length)
}

/// Bounds the length of the list that an instruction pushes; `None` if it pushes none.
pub fn longest(ir: &Ir, routines: &Routines, i: usize) -> Option<u32> {
    match Op::from_u32(ir.op[i])? {
        Op::LoadList => Some(ir.aux[i]),
        Op::BuildList | Op::LoadListConst | Op::RepeatList => Some(ir.arg[i]),
        Op::JoinList | Op::Slice | Op::SliceVar => Some(CAPACITY),
        Op::Call => {
            Some(Type(routines.result[ir.arg[i] as usize])).filter(|ty| ty.is_list()).map(Type::capacity)
        }
        _ => None,
    }
}
