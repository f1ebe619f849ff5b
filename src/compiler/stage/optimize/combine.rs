//! combine: adds the constants of one sum, and drops stores that only the next load reads.

use super::{NOP, OptimizeScratch, previous};
use crate::compiler::program::{Ir, Routines};
use crate::lang::NONE;
use crate::lang::opcode::{Class, Op, class};

/// How many instructions are searched for the next store of a variable.
/// A bound, so that a block of thousands of instructions takes linear time.
const WINDOW: usize = 64;

/// Rewrites that are applied together.
#[derive(Default)]
pub struct CombineFound {
    /// The instructions that add a constant to a sum that already has one.
    sums: Vec<u32>,
    /// Pairs of a store and a load that are dropped.
    pairs: Vec<[u32; 2]>,
    dropped: Vec<bool>,
}

pub fn run(ir: &mut Ir, _: &mut Routines, scratch: &mut OptimizeScratch) -> bool {
    let CombineFound { sums, pairs, dropped } = &mut scratch.combined;
    let len = ir.op.len();
    sums.clear();
    pairs.clear();
    for i in 0..len {
        let op = ir.op[i];
        if is_sum(op) {
            if chain(ir, i).is_some_and(|[_, sum, _]| chain(ir, sum).is_none()) {
                sums.push(i as u32);
            }
        } else if op == Op::LoadVar as u32
            && let Some(store) = pair(ir, i)
        {
            pairs.push([store as u32, i as u32]);
        }
    }
    // All are found before any is applied, as the shader does it in parallel.
    for &i in sums.iter() {
        let i = i as usize;
        let Some([inner, sum, outer]) = chain(ir, i) else { continue };
        let total = signed(ir.op[sum], ir.arg[inner]).wrapping_add(signed(ir.op[i], ir.arg[outer]));
        (ir.op[inner], ir.op[sum]) = (NOP, NOP);
        ir.arg[outer] = total;
        ir.op[i] = Op::Add as u32;
    }
    if !pairs.is_empty() {
        dropped.clear();
        dropped.resize(len, false);
        for &[store, load] in pairs.iter() {
            (ir.op[store as usize], ir.op[load as usize]) = (NOP, NOP);
            dropped[load as usize] = true;
        }
        // The values that began at these loads now begin with the stored values.
        for start in &mut ir.start {
            if dropped.get(*start as usize) == Some(&true) {
                *start = NONE;
            }
        }
    }
    !(sums.is_empty() && pairs.is_empty())
}

fn is_sum(op: u32) -> bool {
    op == Op::Add as u32 || op == Op::Sub as u32
}

/// The constant that a sum adds.
fn signed(op: u32, constant: u32) -> u32 {
    if op == Op::Add as u32 { constant } else { constant.wrapping_neg() }
}

/// If `i` adds a constant to the sum of a value and a constant, returns the inner constant, the inner sum and
/// the outer constant.
fn chain(ir: &Ir, i: usize) -> Option<[usize; 3]> {
    let is_constant = |i: &usize| ir.op[*i] == Op::LoadConst as u32;
    if !is_sum(ir.op[i]) {
        return None;
    }
    let outer = previous(ir, i).filter(is_constant)?;
    let sum = previous(ir, outer).filter(|sum| is_sum(ir.op[*sum]))?;
    let inner = previous(ir, sum).filter(is_constant)?;
    Some([inner, sum, outer])
}

/// For a load `i` of the variable that the instruction before it stores: if the next access to the variable in the
/// block stores it, returns the store.
fn pair(ir: &Ir, i: usize) -> Option<usize> {
    let slot = ir.arg[i];
    let store = previous(ir, i).filter(|at| ir.op[*at] == Op::StoreVar as u32 && ir.arg[*at] == slot)?;
    for at in i + 1..ir.op.len().min(i + 1 + WINDOW) {
        if ir.block[at] != ir.block[i] {
            return None;
        }
        // Variables end with their call, so a return is as good as a store.
        let ends = class(ir.op[at]) == Class::Return;
        if ends || ir.op[at] == Op::StoreVar as u32 && ir.arg[at] == slot {
            return Some(store);
        }
        let reads = ir.op[at] == Op::LoadVar as u32 && ir.arg[at] == slot;
        if reads {
            return None;
        }
    }
    None
}
