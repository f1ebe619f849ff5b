//! Exits from the operation loop to the stack machine, for the rest of a run or for some instructions.
//!
//! These are separate cold functions: the loop is a third faster than with their code inlined in its arms.

use super::{Forms, ResumePoint, TOP};
use crate::compiler::stage::execute::machine::faults::NoFaults;
use crate::compiler::stage::execute::machine::position::{At, PositionEnd};
use crate::compiler::stage::execute::machine::reads::ReadTracker;
use crate::compiler::stage::execute::machine::steps::steps;
use crate::compiler::stage::execute::machine::witness::{NoObserver, RunObserver};
use crate::compiler::stage::execute::machine::{Callee, Space};
use crate::lang::index::{Index, RoutineId};
use crate::lang::trap::Trap;

impl Forms {
    /// Lets the stack machine finish the run from an instruction of a routine.
    #[cold]
    #[inline(never)]
    pub(super) fn finish_on_stack_machine<W: RunObserver>(
        &self,
        space: &mut Space,
        readings: &mut ReadTracker,
        (routine, from): (Option<RoutineId>, At),
        fuel: &mut u32,
        witness: &mut W,
    ) -> (PositionEnd, usize) {
        self.leave(space, from, routine);
        if W::READS {
            readings.read_everything(from.bottom..=from.depth);
        }
        steps(space, from, fuel, &mut NoFaults, witness)
    }

    /// Likewise from the block that begins with the operation at `from.pc`, because the fuel does not suffice
    /// for the whole block.
    #[cold]
    #[inline(never)]
    pub(super) fn finish_block_on_stack_machine<W: RunObserver>(
        &self,
        space: &mut Space,
        readings: &mut ReadTracker,
        from: At,
        fuel: &mut u32,
        witness: &mut W,
    ) -> (PositionEnd, usize) {
        let note = self.resume_points.get(from.pc).copied().unwrap_or_default();
        let sp = if note.top == TOP { from.sp } else { from.fp + note.top as usize };
        let from = At { pc: note.address(space.callees, note.begin), sp, ..from };
        self.finish_on_stack_machine(space, readings, (Some(note.routine), from), fuel, witness)
    }

    /// Returns the end of a run at an operation that traps, and refunds the fuel of the rest of the block.
    #[cold]
    #[inline(never)]
    pub(super) fn trap(&self, trap: Trap, at: usize, callees: &[Callee], fuel: &mut u32) -> PositionEnd {
        let note = self.resume_points.get(at).copied().unwrap_or_default();
        *fuel += note.rest;
        PositionEnd { trap, value: 0, address: note.address(callees, note.pc) }
    }

    /// Lets the stack machine execute `count` instructions of the operation at `from.pc`. Their fuel, and
    /// that of the rest of the block, is already paid.
    #[inline(never)]
    pub(super) fn stack(
        &self,
        space: &mut Space,
        from: At,
        count: u32,
        fuel: &mut u32,
    ) -> (PositionEnd, usize) {
        let note = self.resume_points.get(from.pc).copied().unwrap_or_default();
        let mut rest = count;
        let from = At { pc: note.address(space.callees, note.pc), ..from };
        let (end, top) = steps(space, from, &mut rest, &mut NoFaults, &mut NoObserver);
        if end.trap != Trap::StepLimit {
            // Refund the instructions of the block that were not executed.
            *fuel += note.rest + 1 - count + rest;
        }
        (end, top)
    }

    /// Lets the stack machine execute the conditional jump of the operation at `from.pc`. Returns whether it
    /// jumps.
    #[inline(never)]
    pub(super) fn stack_branch(&self, space: &mut Space, from: At) -> (bool, usize) {
        let note = self.resume_points.get(from.pc).copied().unwrap_or_default();
        let pc = note.address(space.callees, note.pc);
        let (end, top) = steps(space, At { pc, ..from }, &mut 1, &mut NoFaults, &mut NoObserver);
        (end.address != pc + 1, top)
    }

    /// Converts the frames of the active calls and of the current one to the form that the stack machine
    /// expects.
    fn leave(&self, space: &mut Space, from: At, routine: Option<RoutineId>) {
        let Space { callees, memory, calls, .. } = space;
        let mut bring = |routine: Option<RoutineId>, fp: usize| {
            let callee = routine.and_then(|routine| Some((routine, callees.get(routine.position())?)));
            if let Some((routine, callee)) = callee {
                memory.copy_references(self.references(routine), fp, callee);
            }
        };
        bring(routine, from.fp);
        for call in calls.get_mut(from.bottom..from.depth).unwrap_or_default() {
            // The call record holds an operation. The caller continues at the instruction where its block
            // begins.
            let note = self.resume_points.get(call.operation);
            call.pc = note.map_or(usize::MAX, |note| note.address(callees, note.begin));
            bring(note.map(|note| note.routine), call.fp);
        }
    }
}

impl ResumePoint {
    /// Address of an instruction of the note's routine.
    fn address(&self, callees: &[Callee], pc: u32) -> usize {
        callees.get(self.routine.position()).map_or(usize::MAX, |callee| (callee.address + pc) as usize)
    }
}
