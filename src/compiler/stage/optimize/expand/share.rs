//! calls, share: compute equal expressions of a block once. The first one stores its value in a variable of its
//! own, the others load it. `calls` does so only for expressions that call functions, before calls are inlined.
//!
//! The last instruction of a planned first expression has the plan 1 + the slot of its variable.
//!
//! This is local value numbering (Cocke and Schwartz 1970).

use super::expressions::{Expressions, reads, writes};
use super::missed::Why;
use super::variables::{load, store, words};
use super::{LARGEST, Scratch};
use crate::compiler::program::{Ir, Routines};
use crate::lang::NONE;
use crate::lang::index::{Index, InstructionId, Slot};
use crate::lang::opcode::{Class, class};

/// The greatest distance of an expression from the equal one before it, in instructions.
/// A bound, so that each thread of the shader looks back within its budget of loop iterations.
pub const WINDOW: usize = 128;

/// Scratch memory, kept between programs.
#[derive(Default)]
pub struct Shared {
    /// For each expression: the first equal one, whose value it can load; it may be the expression itself.
    /// `NONE` for other instructions.
    leader: Vec<u32>,
    /// For a first expression: the number of expressions that have its value and end at most `WINDOW`
    /// instructions after it.
    count: Vec<u32>,
    /// Whether computing a first expression once takes fewer steps.
    saves: Vec<bool>,
    /// By slot: 1 + the last instruction that changes the variable.
    changed: Vec<u32>,
}

pub fn calls(ir: &mut Ir, routines: &mut Routines, scratch: &mut Scratch) -> bool {
    run(ir, routines, scratch, true)
}

pub fn share(ir: &mut Ir, routines: &mut Routines, scratch: &mut Scratch) -> bool {
    run(ir, routines, scratch, false)
}

fn run(ir: &mut Ir, routines: &mut Routines, scratch: &mut Scratch, calls_only: bool) -> bool {
    if ir.op.len() > LARGEST as usize {
        scratch.miss(ir, 0, Why::LargeProgram);
        return false;
    }
    scratch.find_owners(ir, routines);
    let mut expressions = std::mem::take(&mut scratch.expressions);
    let mut shared = std::mem::take(&mut scratch.shared);
    let all = calls_only || scratch.log.is_some();
    expressions.find(ir, routines, |i| all || scratch.unshared[scratch.owner[i] as usize]);
    shared.find_equal(ir, &mut expressions);
    let any = shared.choose(ir, routines, &expressions, calls_only, scratch)
        && scratch.plan_variables(ir, routines, |i| shared.saves[i]);
    if !calls_only {
        scratch.unshared.fill(false);
        for (owner, _) in scratch.owner.iter().zip(&shared.saves).filter(|(_, saves)| **saves) {
            scratch.unshared[*owner as usize] = true;
        }
    }
    if any {
        shared.write(ir, routines, &expressions, scratch);
        scratch.finish(ir, routines);
    }
    (scratch.expressions, scratch.shared) = (expressions, shared);
    any
}

impl Shared {
    /// Fills `leader` and `count`.
    fn find_equal(&mut self, ir: &Ir, expressions: &mut Expressions) {
        let Shared { leader, count, changed, .. } = self;
        leader.clear();
        count.clear();
        count.resize(ir.op.len(), 0);
        changed.clear();
        expressions.clear_list();
        let mut block = 0;
        for i in 0..ir.op.len() {
            if ir.block[i] != ir.block[block] {
                block = i;
            }
            if writes(ir.op[i]) {
                let slot = ir.arg[i] as usize;
                changed.resize(changed.len().max(slot + 1), 0);
                changed[slot] = i as u32 + 1;
            }
            if expressions.first[i] == NONE || expressions.size(i) < 2 {
                leader.push(NONE);
                continue;
            }
            let equal = expressions.list(ir, i, block.max(i.saturating_sub(WINDOW)));
            let stays = |since: usize| {
                let code = expressions.first[i] as usize..=i;
                let is_old = |slot: u32| changed.get(slot as usize).is_none_or(|at| *at as usize <= since);
                code.filter(|at| reads(ir.op[*at])).all(|at| is_old(ir.arg[at]))
            };
            let own = equal.filter(|since| stays(*since)).map_or(i as u32, |since| leader[since]);
            leader.push(own);
            count[own as usize] += u32::from(i - own as usize <= WINDOW);
        }
    }

    /// Fills `saves`: of equal expressions that contain each other, the larger ones are chosen. Returns whether
    /// there are any.
    fn choose(
        &mut self,
        ir: &Ir,
        routines: &Routines,
        expressions: &Expressions,
        calls_only: bool,
        scratch: &mut Scratch,
    ) -> bool {
        let Shared { leader, count, saves, .. } = self;
        let decision = |i: usize| {
            if leader[i] != i as u32 || count[i] <= 1 {
                return None;
            }
            let calls = (expressions.first[i] as usize..=i).any(|at| class(ir.op[at]) == Class::Call);
            if calls_only && !calls {
                return None;
            }
            // A store and a load more must be less than what the other expressions save.
            let gains = (count[i] - 1) * (expressions.steps(ir, i) - 1) > 2;
            Some(match words(ir, routines, i) {
                _ if !gains => Err(Why::NoGain),
                1 => Ok(()),
                _ if calls => Ok(()),
                _ => Err(Why::MakesList),
            })
        };
        saves.clear();
        saves.resize(leader.len(), false);
        let mut any = false;
        for i in (0..leader.len()).filter(|i| count[*i] > 1) {
            saves[i] = scratch.decide(ir, i, decision(i)).is_some();
            any |= saves[i];
        }
        if !any {
            return false;
        }
        let all: Vec<bool> = leader.iter().map(|own| *own != NONE && saves[*own as usize]).collect();
        let mut least = NONE;
        for i in (0..leader.len()).rev().filter(|i| all[*i]) {
            if least <= expressions.first[i] {
                saves[leader[i] as usize] = false;
            }
            least = least.min(expressions.first[i]);
        }
        saves.contains(&true)
    }

    fn write(&self, ir: &Ir, routines: &mut Routines, expressions: &Expressions, scratch: &mut Scratch) {
        let len = ir.op.len();
        scratch.count_one(len);
        for i in 0..len {
            let leader = self.leader[i];
            if leader == NONE || !self.saves[leader as usize] || scratch.plan[leader as usize] == 0 {
                continue;
            }
            scratch.plan[i] = scratch.plan[leader as usize];
            if self.leader[i] == i as u32 {
                // The instruction, a store and a load.
                (scratch.place[i], scratch.inside[i]) = (3, 1);
            } else {
                scratch.place[expressions.first[i] as usize..i].fill(0);
            }
        }
        scratch.grow_frames(ir, routines);
        scratch.sum_counts();
        scratch.out.clear();
        let mut done = 0;
        for i in 0..len {
            if scratch.plan[i] == 0 || scratch.place[i] == scratch.place[i + 1] {
                continue;
            }
            let (slot, is_leader) = (Slot::new(scratch.plan[i] - 1), self.leader[i] == i as u32);
            scratch.copy(ir, done..i);
            done = i + 1;
            if is_leader {
                scratch.copy_all(ir, i..i + 1);
            }
            let at = InstructionId::at(scratch.out.op.len());
            if is_leader {
                scratch.out.push(&store(ir, routines, i, slot, at));
            }
            scratch.out.push(&load(ir, routines, i, slot, (!is_leader).then_some(at)));
        }
        scratch.copy(ir, done..len);
    }
}
