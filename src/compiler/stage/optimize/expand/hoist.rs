//! hoist: computes before a loop over known numbers what does not change in it.
//!
//! Equal expressions of a loop share a variable, which code after the loop's `RANGE_ITER` stores. The last
//! instruction of the first of them has the plan 1 + the slot of the variable.

use std::collections::BTreeSet;

use super::expressions::{Expressions, is_safe, reads, writes};
use super::missed::Why;
use super::unroll::{known_rounds, last_jump_to};
use super::variables::{load, store};
use super::{ExpandInstruction, LARGEST, Scratch};
use crate::compiler::program::{Ir, Routines};
use crate::compiler::stage::flow::may_trap;
use crate::compiler::stage::lower::target;
use crate::lang::NONE;
use crate::lang::index::{Index, InstructionId, Slot};
use crate::lang::limits::STACK_WORDS;
use crate::lang::opcode::{Class, Op, class};

/// The maximum number of instructions of a loop's body.
pub const BODY: usize = 256;

/// Scratch memory, kept between programs.
#[derive(Default)]
pub struct Hoisted {
    /// By instruction: the `FOR_RANGE` of the innermost of `loops` around it, or `NONE`.
    around: Vec<u32>,
    /// By slot: 1 + the `FOR_RANGE` of the last examined loop that changes the variable.
    changed: Vec<u32>,
    /// For each expression that moves, the first equal one of the loop; else `NONE`.
    leader: Vec<u32>,
}

/// A loop that runs a known number of times, and is left only at its `FOR_RANGE`.
#[derive(Clone, Copy)]
struct HoistLoop {
    head: usize,
    /// The `JUMP` back to the head.
    back: usize,
    rounds: u32,
}

impl HoistLoop {
    fn at(ir: &Ir, head: usize) -> Result<HoistLoop, Why> {
        if ir.op[head] == Op::ForList as u32 {
            return Err(Why::OverList);
        }
        let (_, rounds) = known_rounds(ir, head).ok_or(Why::UnknownRounds)?;
        // In a single round nothing is saved.
        if rounds < 2 {
            return Err(Why::FewRounds);
        }
        let back = last_jump_to(ir, head, BODY).ok_or(Why::LongBody(BODY as u32))?;
        // A loop that is left elsewhere may end before the expression would have been computed.
        let stays = |at: usize| {
            class(ir.op[at]) != Class::Return
                && target(ir, at).is_none_or(|to| (head..=back).contains(&to.position()))
        };
        let closed = ir.op[back] == Op::Jump as u32 && (head + 1..=back).all(stays);
        if closed { Ok(HoistLoop { head, back, rounds }) } else { Err(Why::Leaves) }
    }

    /// Whether the code `first ..= i` is worth a variable: `farthest` is the farthest instruction to which a jump
    /// of the loop before it leads.
    fn gains(self, farthest: usize, first: usize, i: usize) -> Result<(), Why> {
        let steps = (i + 1 - first) as u32;
        if farthest > first {
            return Err(Why::NotEachRound);
        }
        if self.rounds.saturating_mul(steps - 1) >= steps + 2 { Ok(()) } else { Err(Why::NoGain) }
    }
}

pub fn run(ir: &mut Ir, routines: &mut Routines, scratch: &mut Scratch) -> bool {
    if ir.op.len() > LARGEST as usize {
        scratch.miss(ir, 0, Why::LargeProgram);
        return false;
    }
    scratch.miss_unhoisted(ir, routines);
    let is_loop = |i: &usize| class(ir.op[*i]) == Class::Loop;
    let loops: Vec<HoistLoop> =
        (0..ir.op.len()).filter(is_loop).filter_map(|i| HoistLoop::at(ir, i).ok()).collect();
    if loops.is_empty() {
        return false;
    }
    scratch.find_owners(ir, routines);
    let mut expressions = std::mem::take(&mut scratch.expressions);
    let mut hoisted = std::mem::take(&mut scratch.hoisted);
    // Code that may trap stays: the loop could have ended before it.
    expressions.find(ir, routines, |i| is_safe(ir, i));
    hoisted.find(ir, &loops, &mut expressions, scratch);
    let any = scratch.plan_variables(ir, routines, |i| hoisted.leader[i] == i as u32);
    if any {
        hoisted.write(ir, routines, &expressions, scratch);
        scratch.finish(ir, routines);
    }
    (scratch.expressions, scratch.hoisted) = (expressions, hoisted);
    any
}

impl Scratch {
    /// Records expressions that do not change in a loop, but are not examined: the loop does not have the form,
    /// or they may trap.
    fn miss_unhoisted(&mut self, ir: &Ir, routines: &Routines) {
        if self.log.is_none() {
            return;
        }
        let (mut expressions, mut hoisted) = (Expressions::default(), Hoisted::default());
        expressions.find(ir, routines, |_| true);
        let is_back = |i: &usize| target(ir, *i).is_some_and(|to| to.position() <= *i);
        let heads = (0..ir.op.len()).filter(is_back).filter_map(|i| target(ir, i));
        let heads: BTreeSet<usize> = heads.map(|head| head.position()).collect();
        let ends = |head: usize| Some((head, last_jump_to(ir, head, ir.op.len())?));
        let loops: Vec<(usize, usize)> = heads.into_iter().filter_map(ends).collect();
        hoisted.enter(ir, loops.iter().copied());
        for &(head, back) in &loops {
            for i in hoisted.fixed(ir, (head, back), &expressions) {
                let code = expressions.first[i] as usize..=i;
                let why = if code.clone().all(|at| is_safe(ir, at)) {
                    HoistLoop::at(ir, head).err()
                } else if code.clone().any(|at| class(ir.op[at]) == Class::Call) {
                    Some(Why::CallsFunction)
                } else if code.clone().any(|at| may_trap(ir, routines, at)) {
                    Some(Why::MayTrap)
                } else {
                    Some(Why::MakesList)
                };
                if let Some(why) = why {
                    self.miss(ir, i, why);
                }
            }
        }
    }
}

impl Hoisted {
    /// Fills `leader`.
    fn find(&mut self, ir: &Ir, loops: &[HoistLoop], expressions: &mut Expressions, scratch: &mut Scratch) {
        self.enter(ir, loops.iter().map(|own| (own.head, own.back)));
        let len = ir.op.len();
        self.leader.clear();
        self.leader.resize(len, NONE);
        for own @ &HoistLoop { head, back, .. } in loops {
            expressions.clear_list();
            // Code before which no jump of the loop leads past it runs in each round.
            let mut from = head + 1;
            let mut farthest = 0;
            for i in self.fixed(ir, (head, back), expressions).into_iter().rev() {
                let first = expressions.first[i] as usize;
                for at in from..first {
                    let to = target(ir, at).map_or(0, |to| to.position());
                    farthest = farthest.max(if to == head { len } else { to });
                }
                from = from.max(first);
                self.leader[i] = match expressions.list(ir, i, head) {
                    Some(equal) => self.leader[equal],
                    None => {
                        let gains = own.gains(farthest, first, i);
                        scratch.decide(ir, i, Some(gains)).map_or(NONE, |()| i as u32)
                    }
                };
            }
        }
    }

    /// Fills `around` for loops, each with its head and the last jump to it.
    fn enter(&mut self, ir: &Ir, loops: impl Iterator<Item = (usize, usize)>) {
        self.around.clear();
        self.around.resize(ir.op.len(), NONE);
        self.changed.clear();
        for (head, back) in loops {
            self.around[head..=back].fill(head as u32);
        }
    }

    /// Returns the largest expressions of a loop, and of no loop inside, that read only what the loop does not
    /// change, from the last to the first.
    fn fixed(&mut self, ir: &Ir, (head, back): (usize, usize), expressions: &Expressions) -> Vec<usize> {
        let Hoisted { around, changed, .. } = self;
        for i in (head..=back).filter(|i| writes(ir.op[*i])) {
            let slot = ir.arg[i] as usize;
            changed.resize(changed.len().max(slot + 1), 0);
            changed[slot] = head as u32 + 1;
        }
        let is_fixed = |slot: u32| slot < STACK_WORDS && changed.get(slot as usize) != Some(&(head as u32 + 1));
        let mut largest = Vec::new();
        let mut least = NONE;
        for i in (head..=back).rev() {
            let first = expressions.first[i];
            if around[i] != head as u32 || first == NONE || expressions.size(i) < 2 {
                continue;
            }
            let fixed = (first as usize..=i).all(|at| !reads(ir.op[at]) || is_fixed(ir.arg[at]));
            if fixed && first < least {
                largest.push(i);
                least = first;
            }
        }
        largest
    }

    fn write(&self, ir: &Ir, routines: &mut Routines, expressions: &Expressions, scratch: &mut Scratch) {
        let len = ir.op.len();
        scratch.count_one(len);
        // The moved code belongs to the `RANGE_ITER`, so jumps to the loop's head do not repeat it.
        for i in 0..len {
            let leader = self.leader[i];
            if leader == NONE || scratch.plan[leader as usize] == 0 {
                continue;
            }
            scratch.plan[i] = scratch.plan[leader as usize];
            scratch.place[expressions.first[i] as usize..i].fill(0);
            if leader == i as u32 {
                scratch.place[self.around[i] as usize - 1] += expressions.size(i) + 1;
            }
        }
        scratch.grow_frames(ir, routines);
        scratch.sum_counts();
        scratch.out.clear();
        let mut done = 0;
        for i in 0..len {
            let count = scratch.place[i + 1] - scratch.place[i];
            if count == 0 || count == 1 && scratch.plan[i] == 0 {
                continue;
            }
            scratch.copy(ir, done..i);
            done = i + 1;
            if scratch.plan[i] == 0 {
                scratch.copy_all(ir, i..i + 1);
            } else {
                let at = InstructionId::at(scratch.out.op.len());
                scratch.out.push(&load(ir, routines, i, Slot::new(scratch.plan[i] - 1), Some(at)));
            }
            if ir.op.get(i + 1) == Some(&(Op::ForRange as u32)) {
                for own in (i + 2..len.min(i + 2 + BODY)).filter(|own| self.leader[*own] == *own as u32) {
                    if self.around[own] == i as u32 + 1 && scratch.plan[own] != 0 {
                        self.write_before(ir, routines, expressions, scratch, own);
                    }
                }
            }
        }
        scratch.copy(ir, done..len);
    }

    /// Writes the code of an expression, and the store of its value.
    fn write_before(
        &self,
        ir: &Ir,
        routines: &Routines,
        expressions: &Expressions,
        scratch: &mut Scratch,
        i: usize,
    ) {
        let (first, base) = (expressions.first[i], scratch.out.op.len() as u32);
        for at in first as usize..=i {
            let own = ExpandInstruction::of(ir, at);
            let known = own.start != NONE && own.start >= first;
            scratch
                .out
                .push(&ExpandInstruction { start: if known { own.start - first + base } else { NONE }, ..own });
        }
        let at = InstructionId::at(scratch.out.op.len());
        scratch.out.push(&store(ir, routines, i, Slot::new(scratch.plan[i] - 1), at));
    }
}
