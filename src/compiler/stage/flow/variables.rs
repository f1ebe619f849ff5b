//! Variables: the slots of a frame that parameters (of a property, its first 16) or instructions name. The counter of a loop, which only its
//! `FOR_*` reads, is not a variable.

use super::Flow;
use crate::compiler::program::{Ir, Routines};
use crate::lang::opcode::has_slot;
use crate::lang::{NONE, limits};

/// Fills the variables of each routine, and the variable that each instruction names.
pub fn find(ir: &Ir, routines: &Routines, out: &mut Flow, number: &mut Vec<u32>) {
    let Flow { blocks, spans, accesses, variables, .. } = out;
    accesses.reset(ir.op.len(), NONE);
    variables.clear();
    for routine in 0..routines.ir.len() {
        number.clear();
        number.resize(routines.frame[routine] as usize, NONE);
        let mut slot = 0;
        for parameter in 0..routines.params[routine].min(limits::PARAMS as u32) {
            number[slot] = 0;
            slot += 1 + routines.capacity(routine, parameter) as usize;
        }
        let span = spans.blocks(routine);
        let code = blocks.first[span.start] as usize..blocks.end[span.end - 1] as usize;
        let named = |i: &usize| has_slot(ir.op[*i]);
        for i in code.clone().filter(named) {
            number[ir.arg[i] as usize] = 0;
        }
        spans.variable[routine] = variables.slot.len() as u32;
        for (slot, number) in number.iter_mut().enumerate().filter(|(_, number)| **number != NONE) {
            *number = spans.variables[routine];
            spans.variables[routine] += 1;
            variables.routine.push(routine as u32);
            variables.slot.push(slot as u32);
        }
        for i in code.filter(named) {
            accesses.variable[i] = number[ir.arg[i] as usize];
        }
    }
}
