//! New variables: each keeps the value of an expression that is computed once. The plan for the expression's last
//! instruction is 1 + the slot of its variable.

use super::missed::Why;
use super::{ExpandInstruction, Scratch};
use crate::compiler::program::{Ir, Routines};
use crate::lang::index::{Index, InstructionId, Slot};
use crate::lang::limits::CAPACITY;
use crate::lang::opcode::{Class, Op, class};
use crate::lang::ty::Type;

/// The words of a variable for the value that an instruction leaves.
pub fn words(ir: &Ir, routines: &Routines, i: usize) -> u32 {
    let is_list = match class(ir.op[i]) {
        Class::Call => Type(routines.result[ir.arg[i] as usize]).is_list(),
        _ => Op::from_u32(ir.op[i]).is_some_and(|op| op.effect().left_lists != 0),
    };
    if is_list { 1 + CAPACITY } else { 1 }
}

impl Scratch {
    /// Plans a variable after the frame of its routine for each chosen instruction, if all code that reaches the
    /// routine then fits in memory and the code fits in the room. Returns whether any is planned.
    pub(super) fn plan_variables(
        &mut self,
        ir: &Ir,
        routines: &Routines,
        chosen: impl Fn(usize) -> bool,
    ) -> bool {
        let len = ir.op.len();
        self.clear_plan(len);
        if !(0..len).any(&chosen) {
            return false;
        }
        let mut memory = std::mem::take(&mut self.memory);
        memory.slots.clone_from(&routines.frame);
        for i in (0..len).filter(|i| chosen(*i)) {
            let frame = &mut memory.slots[self.owner[i] as usize];
            self.plan[i] = 1 + *frame;
            *frame += words(ir, routines, i);
        }
        memory.find(ir, routines, self, |i| {
            let end = self.variable_end(ir, routines, i);
            end.saturating_sub(routines.frame[self.owner[i] as usize])
        });
        for i in 0..len {
            if self.plan[i] != 0 && !memory.fits[self.owner[i] as usize] {
                self.plan[i] = 0;
                self.miss(ir, i, Why::Memory);
            }
        }
        self.memory = memory;
        // A variable adds a store and a load.
        self.take(ir, |_| 2)
    }

    /// The slot after a planned variable, 0 if none is planned.
    fn variable_end(&self, ir: &Ir, routines: &Routines, i: usize) -> u32 {
        self.plan[i].checked_sub(1).map_or(0, |slot| slot + words(ir, routines, i))
    }

    /// Adds the planned variables to the frames.
    pub(super) fn grow_frames(&self, ir: &Ir, routines: &mut Routines) {
        for i in (0..ir.op.len()).filter(|i| self.plan[*i] != 0) {
            let end = self.variable_end(ir, routines, i);
            let frame = &mut routines.frame[self.owner[i] as usize];
            *frame = end.max(*frame);
        }
    }
}

/// Returns the instruction that stores the value that `i` leaves. It will be instruction `at`.
pub fn store(ir: &Ir, routines: &Routines, i: usize, slot: Slot, at: InstructionId) -> ExpandInstruction {
    access(ir, routines, i, [Op::StoreVar, Op::StoreList], slot, Some(at))
}

/// Returns the instruction that loads this value again. The expression whose value it loads begins at `start`.
pub fn load(
    ir: &Ir,
    routines: &Routines,
    i: usize,
    slot: Slot,
    start: Option<InstructionId>,
) -> ExpandInstruction {
    access(ir, routines, i, [Op::LoadVar, Op::LoadList], slot, start)
}

fn access(
    ir: &Ir,
    routines: &Routines,
    i: usize,
    [one, list]: [Op; 2],
    slot: Slot,
    start: Option<InstructionId>,
) -> ExpandInstruction {
    let words = words(ir, routines, i);
    let op = if words == 1 { one } else { list };
    ExpandInstruction {
        op: op as u32,
        arg: slot.number(),
        aux: words - 1,
        start: InstructionId::to_word(start),
        ..ExpandInstruction::of(ir, i)
    }
}
