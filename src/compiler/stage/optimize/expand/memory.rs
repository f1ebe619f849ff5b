//! Bounds on the memory of routines, from the call graph.

use super::Scratch;
use crate::compiler::program::{Ir, Routines};
use crate::compiler::stage::flow::CallGraph;
use crate::lang::index::Index;
use crate::lang::limits::{CAPACITY, STACK_WORDS};
use crate::lang::opcode::{Class, Op, class};
use crate::lang::ty::Type;

/// The greatest depth of calls that is examined. Routines with deeper calls have no bound.
pub const DEPTH: u32 = 16;
/// More words than any memory has, for the shader.
pub const UNBOUNDED: u32 = 1 << 20;
/// Words of the longest list.
pub const LIST: u32 = 1 + CAPACITY;

/// Bounds the operands of each routine of lowered code. Between statements the operand stack is empty, so a
/// statement holds at most the words that it pushes.
pub fn operands(lowered: &Ir, routines: &Routines, scratch: &mut Scratch) {
    let Scratch { operands, owner, .. } = scratch;
    operands.clear();
    operands.resize(routines.ir.len(), 0);
    let mut words = 0;
    for (i, &op) in lowered.op.iter().enumerate() {
        if ends_statement(op) {
            words = 0;
        } else {
            words += pushed(lowered, routines, i);
        }
        let most = &mut operands[owner[i] as usize];
        *most = words.max(*most);
    }
}

/// Whether the operand stack is empty after an operation of lowered code.
fn ends_statement(op: u32) -> bool {
    matches!(class(op), Class::Store | Class::Jump | Class::Loop | Class::Return | Class::Stop)
        || op == Op::JumpIfFalse as u32
        || op == Op::JumpIfTrue as u32
}

/// Bounds the words that an instruction adds.
fn pushed(lowered: &Ir, routines: &Routines, i: usize) -> u32 {
    let arg = lowered.arg[i];
    match Op::from_u32(lowered.op[i]) {
        Some(Op::LoadList) => 1 + lowered.aux[i],
        Some(Op::SliceVar) => LIST,
        Some(Op::RepeatList) => 1 + arg,
        Some(Op::Call) if Type(routines.result[arg as usize]).is_list() => LIST,
        _ => 1,
    }
}

/// Bounds by routine, with the memory that they are found in.
#[derive(Default)]
pub struct Bounds {
    /// Whether all code that reaches the routine fits in memory with the plans, so that its frame may grow.
    pub fits: Vec<bool>,
    /// The first word after the frame and the variables planned so far.
    pub slots: Vec<u32>,
    calls: Vec<[u32; 2]>,
    graph: CallGraph,
    grown: Vec<u32>,
    words: Vec<u32>,
    /// The numbers of nested calls below a routine, and above it.
    below: Vec<u32>,
    above: Vec<u32>,
}

impl Bounds {
    /// Fills `fits`. `grows` is the number of words that the plan for an instruction adds to its routine.
    pub fn find(&mut self, ir: &Ir, routines: &Routines, scratch: &Scratch, grows: impl Fn(usize) -> u32) {
        let Bounds { fits, calls, graph, grown, words, below, above, .. } = self;
        let Scratch { owner, operands, plan, .. } = scratch;
        let count = operands.len();
        let is_call = |i: &usize| ir.op[*i] == Op::Call as u32;
        calls.clear();
        calls.extend((0..ir.op.len()).filter(is_call).map(|i| [owner[i], ir.arg[i]]));
        grown.clear();
        grown.resize(count, 0);
        for i in (0..ir.op.len()).filter(|i| plan[*i] != 0) {
            let most = &mut grown[owner[i] as usize];
            *most = grows(i).max(*most);
        }
        graph.find(count, calls);
        let own = |routine: usize| routines.frame[routine] + operands[routine] + grown[routine];
        graph.memory(own, [below, words]);
        above.clear();
        above.resize(count, 0);
        fits.clear();
        fits.extend((0..count).map(|row| below[row] < DEPTH && words[row] <= STACK_WORDS));
        // Callers come after what they call.
        for routine in graph.order().iter().rev() {
            let row = routine.position();
            fits[row] &= above[row] < DEPTH;
            for callee in graph.callees(*routine).iter().map(|callee| callee.position()) {
                fits[callee] &= fits[row];
                above[callee] = above[callee].max(above[row] + 1);
            }
        }
    }
}
