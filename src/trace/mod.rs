//! A run, recorded: time as a position that goes both ways.
//!
//! What is recorded is the run of one routine on the stack machine, of the bytecode that is executed everywhere: every engine makes
//! these steps, whatever form the code has there. [`record`] notes 16 bytes a step, the memory at every so manieth step and the calls;
//! what else is asked follows from these. A *position* is the number of a step that is about to be made. The state there is the keyframe
//! before it with the steps since made again ([`state`]); who made a value follows from the steps alone, as operands of a stack
//! machine are exact dependences ([`who`]); [`walk`] goes from one position to others.

mod argument;
mod condition;
mod index;
mod record;
mod state;
mod subject;
mod variables;
mod walk;
mod who;

use std::sync::Arc;

use crate::lang::limits;
use crate::lang::opcode::Op;
use crate::lang::trap::Trap;
use crate::program::{Compiled, Instruction};
use crate::stage::execute::{Cycle, Machine, Record, Start, Turn};
pub use argument::{Refused, words as argument};
pub use condition::Condition;
use index::Index;
use record::Recorder;
pub use record::{Call, KEYFRAME, Step};
pub use state::{Frame, Operand, State};
pub use subject::{Subject, Target, entry_label, frame};
use variables::Variables;
pub use variables::{Setting, Variable};
pub use who::{Source, written};

/// A run of one routine, recorded.
#[derive(Debug)]
pub struct Trace {
    pub compiled: Arc<Compiled>,
    /// How it ended.
    pub record: Record,
    /// Of a run that did not end, where it turns, if it comes back to a state that it was in.
    pub turn: Option<Turn>,
    steps: Vec<Step>,
    calls: Vec<Call>,
    /// The memory at each keyframe, and where that of each ends.
    words: Vec<u32>,
    ends: Vec<u32>,
    index: Index,
    variables: Variables,
}

/// Records the run of a routine. `frame` holds its arguments in their places. A program or a routine that is not there gives a run of
/// no steps.
pub fn record(compiled: &Arc<Compiled>, routine: u32, frame: &[u32], fuel: u32) -> Trace {
    let fuel = fuel.min(limits::STEPS);
    let mut machine = Machine::default();
    machine.load(&compiled.executable);
    let mut recorder = Recorder::new(routine, fuel);
    let start = Start { routine, fuel, depth: 0, origin: 0 };
    put(&mut machine, frame);
    let record = machine.run_before(&compiled.executable, start, &mut recorder);
    recorder.finish(record.trap == Trap::None);
    let turn = (record.trap == Trap::StepLimit).then(|| {
        let mut cycle = Cycle::default();
        put(&mut machine, frame);
        machine.run_before(&compiled.executable, start, &mut cycle);
        cycle.turn()
    });
    let view = compiled.view();
    let lines = compiled.executable.code.token.iter().map(|token| view.line(*token)).collect();
    let Recorder { steps, calls, words, ends, .. } = recorder;
    let index = Index::new(&steps, lines);
    let variables = Variables::new(compiled);
    let compiled = compiled.clone();
    Trace { compiled, record, turn: turn.flatten(), steps, calls, words, ends, index, variables }
}

/// Writes a frame to the machine's memory, as far as there is room: a run whose frame has none traps at once.
fn put(machine: &mut Machine, frame: &[u32]) {
    let memory = machine.frame();
    let count = frame.len().min(memory.len());
    memory[..count].copy_from_slice(&frame[..count]);
}

impl Trace {
    /// How many steps were made; positions are below that.
    pub fn len(&self) -> u32 {
        self.steps.len() as u32
    }

    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// The position of the last step: of a run that trapped, before what trapped.
    pub fn last(&self) -> u32 {
        self.len().saturating_sub(1)
    }

    pub fn step(&self, position: u32) -> Option<Step> {
        self.steps.get(position as usize).copied()
    }

    /// The steps in their order.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The instruction that is about to be executed, and the token that it comes from.
    pub fn instruction(&self, position: u32) -> Option<(Instruction, u32)> {
        self.compiled.executable.at(self.step(position)?.pc)
    }

    pub(crate) fn op(&self, position: u32) -> Op {
        self.instruction(position).map_or(Op::Nop, |(instruction, _)| instruction.op)
    }

    /// The token that the instruction at a position comes from.
    pub fn token(&self, position: u32) -> Option<u32> {
        Some(self.instruction(position)?.1)
    }

    /// The line of a position, from 1; 0 where there is none.
    pub fn line(&self, position: u32) -> u32 {
        self.step(position).map_or(0, |step| self.index.line_of(step.pc))
    }

    /// How often a line was come to.
    pub fn times(&self, line: u32) -> u32 {
        self.index.line(line).len() as u32
    }

    /// The steps at which a line was come to, ascending.
    pub fn visits(&self, line: u32) -> &[u32] {
        self.index.line(line)
    }

    /// The steps of the instruction at an address, ascending.
    pub fn executions(&self, pc: u32) -> &[u32] {
        self.index.of(pc)
    }

    /// All calls in the order in which they began; the first is the run itself.
    pub fn calls(&self) -> &[Call] {
        &self.calls
    }

    pub fn call(&self, id: u32) -> Option<&Call> {
        self.calls.get(id as usize)
    }

    /// The innermost call that is active at a position.
    pub fn call_at(&self, position: u32) -> u32 {
        let mut id = self.calls.partition_point(|call| call.start <= position).saturating_sub(1) as u32;
        // The chain of callers is no longer than the depth of calls.
        while let Some(call) = self.call(id) {
            if position < call.end {
                break;
            }
            id = call.parent;
        }
        id
    }

    /// The calls that are active at a position, the innermost first.
    pub fn active(&self, position: u32) -> Vec<u32> {
        let first = self.call_at(position);
        std::iter::successors(Some(first), |id| self.call(*id).map(|call| call.parent))
            .take_while(|id| self.call(*id).is_some())
            .collect()
    }

    /// The call of a caller that a position lies in, if it lies in one.
    pub fn child_at(&self, caller: u32, position: u32) -> Option<u32> {
        let mut id = self.call_at(position);
        while let Some(call) = self.call(id) {
            if call.parent == caller {
                return Some(id);
            }
            id = call.parent;
        }
        None
    }

    /// Bytes that it takes beside the program.
    pub fn bytes(&self) -> usize {
        self.steps.capacity() * size_of::<Step>()
            + self.calls.capacity() * size_of::<Call>()
            + 4 * (self.words.capacity() + self.ends.capacity())
            + self.index.bytes()
    }
}
