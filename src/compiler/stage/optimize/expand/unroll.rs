//! unroll: replaces a loop over a few known numbers by copies of its body.
//!
//! The instructions of a planned loop, from its first bound to the jump back, have the plan 1 + the index of
//! its `FOR_RANGE`.

use super::missed::{Decision, Why};
use super::{ExpandInstruction, Scratch};
use crate::compiler::program::{Ir, Routines};
use crate::compiler::stage::lower::{target, target_mut};
use crate::lang::NONE;
use crate::lang::index::{Index, InstructionId};
use crate::lang::opcode::{Class, Op, class};

/// The maximum number of rounds of a loop that is unrolled.
pub const ROUNDS: u32 = 16;
/// The maximum number of instructions of its body, and of all copies of the body.
pub const BODY: usize = 128;
pub const COPIES: u32 = 256;

/// A loop over known numbers.
#[derive(Clone, Copy)]
pub struct UnrollLoop {
    /// Its `FOR_RANGE`, and the jump back.
    head: usize,
    back: usize,
    /// The first number, and the count of numbers.
    from: u32,
    rounds: u32,
}

impl UnrollLoop {
    /// Number of instructions of a copy of the body.
    fn body(self) -> u32 {
        (self.back - self.head) as u32 - 1
    }

    /// Whether the code after the copies is not the loop's exit.
    fn exits(self, ir: &Ir) -> bool {
        ir.aux[self.head] as usize != self.back + 1
    }

    /// Number of instructions that replace it.
    fn size(self, ir: &Ir) -> u32 {
        self.rounds * self.body() + u32::from(self.exits(ir))
    }

    /// Returns the loop that `head` begins, if it can be unrolled.
    fn at(ir: &Ir, head: usize) -> Decision<UnrollLoop> {
        match Op::from_u32(ir.op[head]) {
            Some(Op::ForRange) => Some(UnrollLoop::over_range(ir, head)),
            Some(Op::ForList) => Some(Err(Why::OverList)),
            _ => None,
        }
    }

    fn over_range(ir: &Ir, head: usize) -> Result<UnrollLoop, Why> {
        let (from, rounds) = known_rounds(ir, head).ok_or(Why::UnknownRounds)?;
        if rounds > ROUNDS {
            return Err(Why::ManyRounds(rounds));
        }
        let back = last_jump_to(ir, head, BODY).ok_or(Why::LongBody(BODY as u32))?;
        let (slot, exit) = (ir.arg[head], ir.aux[head]);
        let own = UnrollLoop { head, back, from, rounds };
        for at in head + 1..=back {
            let closed =
                target(ir, at).is_none_or(|to| to.number() == exit || (head..=back).contains(&to.position()));
            if class(ir.op[at]) == Class::Loop {
                return Err(Why::InnerLoop);
            }
            if ir.op[at] == Op::StoreVar as u32 && ir.arg[at] == slot {
                return Err(Why::StoresVariable);
            }
            if !closed {
                return Err(Why::Leaves);
            }
        }
        if ir.op[back] != Op::Jump as u32 {
            return Err(Why::Leaves);
        }
        let copies = rounds * own.body();
        if copies <= COPIES { Ok(own) } else { Err(Why::LongCopies(copies)) }
    }
}

/// If a `FOR_RANGE` draws from a range between constants, returns the first number and how many there are. The
/// constants and the `RANGE_ITER` are the instructions before it.
pub fn known_rounds(ir: &Ir, head: usize) -> Option<(u32, u32)> {
    if ir.op[head] != Op::ForRange as u32 || head < 3 || ir.block[head - 3] != ir.block[head - 1] {
        return None;
    }
    let [a, b] = [ir.arg[head - 3], ir.arg[head - 2]];
    let inclusive = ir.op[head - 1] == Op::RangeIterInclusive as u32;
    let begins = inclusive || ir.op[head - 1] == Op::RangeIter as u32;
    let known = [head - 3, head - 2].iter().all(|at| ir.op[*at] == Op::LoadConst as u32);
    if !begins || !known || ir.arg[head - 1] != ir.arg[head] {
        return None;
    }
    let any = if inclusive { a as i32 <= b as i32 } else { (a as i32) < b as i32 };
    Some((a, if any { b.wrapping_sub(a).saturating_add(u32::from(inclusive)) } else { 0 }))
}

/// Returns the last instruction of at most `body` after a loop's head, and one more, that jumps to the head.
pub fn last_jump_to(ir: &Ir, head: usize, body: usize) -> Option<usize> {
    let window = head + 1..ir.op.len().min(head + 2 + body);
    window.rev().find(|at| target(ir, *at) == Some(InstructionId::at(head)))
}

pub fn run(ir: &mut Ir, routines: &mut Routines, scratch: &mut Scratch) -> bool {
    let mut loops = std::mem::take(&mut scratch.loops);
    let any = plan(ir, &mut loops, scratch);
    if any {
        scratch.find_owners(ir, routines);
        expand(ir, &loops, scratch);
        scratch.finish(ir, routines);
    }
    scratch.loops = loops;
    any
}

/// Collects the loops that can be unrolled, and plans them. Returns whether any is planned.
fn plan(ir: &Ir, loops: &mut Vec<UnrollLoop>, scratch: &mut Scratch) -> bool {
    loops.clear();
    for head in (0..ir.op.len()).filter(|i| class(ir.op[*i]) == Class::Loop) {
        loops.extend(scratch.decide(ir, head, UnrollLoop::at(ir, head)));
    }
    if loops.is_empty() {
        return false;
    }
    scratch.clear_plan(ir.op.len());
    for own in loops.iter() {
        scratch.plan[own.head] = own.head as u32 + 1;
    }
    scratch.take(ir, |i| {
        let own = loops.binary_search_by_key(&i, |own| own.head).ok().map(|at| loops[at]);
        own.map_or(0, |own| own.size(ir).saturating_sub((own.back - own.head) as u32 + 4))
    })
}

fn expand(ir: &Ir, loops: &[UnrollLoop], scratch: &mut Scratch) {
    scratch.count_one(ir.op.len());
    let mut done = 0;
    for own in loops {
        if scratch.plan[own.head] != 0 {
            scratch.plan[own.head - 3..=own.back].fill(own.head as u32 + 1);
            scratch.place[own.head - 3..=own.back].fill(0);
            scratch.place[own.head] = own.size(ir);
        }
    }
    scratch.sum_counts();
    scratch.out.clear();
    for own in loops {
        if scratch.plan[own.head] != 0 {
            scratch.copy(ir, done..own.head - 3);
            write(ir, *own, scratch);
            done = own.back + 1;
        }
    }
    scratch.copy(ir, done..ir.op.len());
}

/// Writes the copies of a loop's body.
fn write(ir: &Ir, own: UnrollLoop, scratch: &mut Scratch) {
    let UnrollLoop { head, back, from, rounds } = own;
    let first = scratch.place[head];
    let exit = scratch.place[ir.aux[head] as usize];
    for round in 0..rounds {
        let copy = first + round * own.body();
        // A target in the loop; the head is where the next copy begins.
        let place = |old: u32| match old as usize {
            at if at == head && round + 1 == rounds => exit,
            at if at == head || at == back => copy + own.body(),
            at if (head..back).contains(&at) => copy + (at - head - 1) as u32,
            _ => scratch.place[old as usize],
        };
        for at in head + 1..back {
            let mut i = ExpandInstruction::of(ir, at);
            if i.op == Op::LoadVar as u32 && i.arg == ir.arg[head] {
                (i.op, i.arg) = (Op::LoadConst as u32, from.wrapping_add(round));
            }
            if i.start != NONE {
                i.start = place(i.start);
            }
            scratch.out.push(&i);
            let last = scratch.out.op.len() - 1;
            if let Some(target) = target_mut(&mut scratch.out, last) {
                *target = place(*target);
            }
        }
    }
    if own.exits(ir) {
        let jump =
            ExpandInstruction { op: Op::Jump as u32, arg: exit, aux: 0, ..ExpandInstruction::of(ir, back) };
        scratch.out.push(&ExpandInstruction { start: scratch.out.op.len() as u32, ..jump });
    }
}
