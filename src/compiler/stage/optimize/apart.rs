//! Rounds of passes on each routine apart from the others.
//!
//! Passes look at one routine at a time, so the code is the same as after rounds over the whole program. A
//! routine is left out if its last round changed nothing and it has not changed since.

use std::ops::Range;

use super::{OptimizeScratch, rounds};
use crate::compiler::program::{Ir, Routines};
use crate::compiler::stage::lower::target_mut;
use crate::lang::NONE;
use crate::lang::level::OptLevel;

/// Scratch memory, kept between programs.
#[derive(Default)]
pub struct Apart {
    /// The routines in the order of their code.
    order: Vec<u32>,
    /// A routine as a program of its own, whose only entry is 0.
    own: Ir,
    alone: Routines,
    /// The new code of the program.
    next: Ir,
}

impl Apart {
    pub fn begin(&mut self, routines: &Routines) {
        let order = &mut self.order;
        order.clear();
        order.extend(0..routines.ir.len() as u32);
        order.sort_unstable_by_key(|routine| routines.ir[*routine as usize]);
    }
}

/// Runs rounds on each routine until one changes nothing.
pub fn run(ir: &mut Ir, routines: &mut Routines, level: OptLevel, scratch: &mut OptimizeScratch) {
    let mut apart = std::mem::take(&mut scratch.apart);
    apart.alone.ir.resize(1, 0);
    apart.next.clear();
    let len = ir.op.len();
    let (mut done, mut begin) = (0, 0);
    for at in 0..apart.order.len() {
        let end = apart.order.get(at + 1).map_or(len, |next| routines.ir[*next as usize] as usize);
        let routine = apart.order[at] as usize;
        let own = std::mem::replace(&mut begin, end)..end;
        let mut first = apart.next.op.len() + own.start - done;
        if scratch.expand.changed[routine] {
            apart.own.clear();
            append(&mut apart.own, ir, own.clone());
            let ran = rounds(&mut apart.own, &mut apart.alone, level, scratch, &mut None);
            scratch.expand.changed[routine] = ran.unsettled;
            if ran.changed {
                append(&mut apart.next, ir, done..own.start);
                first = apart.next.op.len();
                append(&mut apart.next, &apart.own, 0..apart.own.op.len());
                done = own.end;
            }
        }
        routines.ir[routine] = first as u32;
    }
    if done > 0 {
        append(&mut apart.next, ir, done..len);
        std::mem::swap(ir, &mut apart.next);
    }
    scratch.apart = apart;
}

/// Appends the instructions of a range that no jump leaves.
fn append(to: &mut Ir, from: &Ir, range: Range<usize>) {
    let (begin, base) = (to.op.len(), range.start);
    if range.is_empty() {
        return;
    }
    let block = to.block.last().map_or(0, |last| last + 1).wrapping_sub(from.block[base]);
    to.op.extend_from_slice(&from.op[range.clone()]);
    to.arg.extend_from_slice(&from.arg[range.clone()]);
    to.aux.extend_from_slice(&from.aux[range.clone()]);
    to.token.extend_from_slice(&from.token[range.clone()]);
    to.site.extend_from_slice(&from.site[range.clone()]);
    let moved = (begin as u32).wrapping_sub(base as u32);
    let shifted = |start: &u32| if *start == NONE { NONE } else { start.wrapping_add(moved) };
    to.start.extend(from.start[range.clone()].iter().map(shifted));
    to.block.extend(from.block[range].iter().map(|number| number.wrapping_add(block)));
    if moved != 0 {
        for i in begin..to.op.len() {
            if let Some(target) = target_mut(to, i) {
                *target = target.wrapping_add(moved);
            }
        }
    }
}
