//! A run, recorded: time as a position that goes both ways.
//!
//! What is recorded is the run of one routine on the stack machine, of the bytecode that is executed everywhere: every engine makes
//! these steps, whatever form the code has there. [`record`] notes 16 bytes a step, the memory at every so manieth step and the calls;
//! what else is asked follows from these. A *position* is the number of a step that is about to be made. The state there is the keyframe
//! before it with the steps since made again ([`state`]); who made a value follows from the steps alone, as operands of a stack
//! machine are exact dependences ([`who`]); [`walk`] goes from one position to others.

mod again;
mod argument;
mod beside;
mod condition;
mod device;
mod index;
mod looping;
mod neighbour;
mod record;
mod spare;
mod state;
mod steps;
mod subject;
mod variables;
mod walk;
mod who;

use std::sync::{Arc, OnceLock};

use crate::compiler::program::{Compiled, Instruction, Watch};
use crate::compiler::stage::execute::{Cycle, Record, Turn};
use crate::host::measure::Kind;
use crate::lang::limits;
use crate::lang::opcode::Op;
use crate::lang::trap::Trap;
pub use again::Again;
pub use argument::{Refused, words as argument};
pub use beside::{Around, Beside, Parting, compare};
pub use condition::Condition;
pub use device::record_on;
use index::Index;
pub use looping::Loop;
pub use neighbour::passing;
use record::Recorder;
pub use record::{Call, KEYFRAME};
use spare::{Room, keep_room, spare_room};
pub use spare::{make_room, make_room_aside};
pub use state::{Frame, Operand, Said, State};
pub use steps::Step;
use steps::Steps;
pub use subject::{Subject, Target, entry_label, frame};
use variables::Variables;
pub use variables::{Setting, Variable};
pub use who::{Source, written};

/// A run of one routine, recorded.
#[derive(Debug)]
pub struct Trace {
    pub compiled: Arc<Compiled>,
    /// The engine that made the run.
    pub by: Kind,
    /// How it ended.
    pub record: Record,
    /// What it began with.
    frame: Arc<[u32]>,
    steps: Steps,
    calls: Vec<Call>,
    /// The memory at each keyframe, and where that of each ends.
    words: Vec<u32>,
    ends: Vec<u32>,
    variables: Variables,
    // Worked out when first asked for.
    index: OnceLock<Index>,
    turn: OnceLock<Option<Turn>>,
    looping: OnceLock<Option<Loop>>,
}

/// Records the run of a routine. `frame` holds its arguments in their places. A program or a routine that is not there gives a run of
/// no steps.
pub fn record(compiled: &Arc<Compiled>, routine: u32, frame: &[u32], fuel: u32) -> Trace {
    let fuel = fuel.min(limits::STEPS);
    let again = Again { compiled: compiled.clone(), routine, frame: frame.into() };
    let mut recorder = Recorder::new(routine, fuel, again.bottom(), spare_room());
    let record = again.make(recorder.fuel, &mut recorder);
    recorder.finish(record.trap == Trap::None);
    of_notes(again, record, recorder, Kind::Cpu)
}

/// A trace of what was noted of a run.
fn of_notes(again: Again, record: Record, recorder: Recorder, by: Kind) -> Trace {
    let Again { compiled, frame, .. } = again;
    let Recorder { mut steps, mut calls, words, ends, .. } = recorder;
    if steps.len() < steps.room() / 8 {
        // A short run leaves the room to the next one.
        let own = (steps.fitted(), calls.clone());
        keep_room(Room {
            steps: std::mem::replace(&mut steps, own.0),
            calls: std::mem::replace(&mut calls, own.1),
        });
    }
    Trace {
        by,
        record,
        frame,
        steps,
        calls,
        words,
        ends,
        variables: Variables::new(&compiled),
        compiled,
        index: OnceLock::new(),
        turn: OnceLock::new(),
        looping: OnceLock::new(),
    }
}

impl Drop for Trace {
    fn drop(&mut self) {
        keep_room(Room { steps: std::mem::take(&mut self.steps), calls: std::mem::take(&mut self.calls) });
    }
}

impl Trace {
    /// Works out what takes time by the number of steps, so that nothing that is asked later does; false if it was cancelled between two
    /// parts of that.
    pub fn prepare(&self, watch: &dyn Watch) -> bool {
        let parts: [fn(&Trace); 3] = [
            |trace| {
                trace.index();
            },
            |trace| {
                trace.turn();
            },
            |trace| {
                trace.looping();
            },
        ];
        for part in parts {
            if watch.cancelled() {
                return false;
            }
            part(self);
        }
        true
    }

    fn index(&self) -> &Index {
        self.index.get_or_init(|| {
            let view = self.compiled.view();
            let code = &self.compiled.executable.code;
            Index::new(&self.steps, &code.word, code.token.iter().map(|token| view.line(*token)).collect())
        })
    }

    /// Of a run that was ended by its fuel, where it turns, if it comes back to a state that it was in.
    pub fn turn(&self) -> Option<Turn> {
        *self.turn.get_or_init(|| {
            let again = self.again().filter(|_| self.record.trap == Trap::StepLimit)?;
            let mut cycle = Cycle::default();
            again.make(self.record.steps, &mut cycle);
            cycle.turn()
        })
    }

    /// Of a run that was ended by its fuel and never came back to a state, the loop that it was in.
    pub fn looping(&self) -> Option<Loop> {
        *self.looping.get_or_init(|| looping::of(self))
    }

    /// What it takes to make the run again; none of a routine that is not there.
    pub fn again(&self) -> Option<Again> {
        let routine = self.calls.first()?.function;
        Some(Again { compiled: self.compiled.clone(), routine, frame: self.frame.clone() })
    }

    /// Whether it is the run of a property, which has other inputs.
    pub fn has_input(&self) -> bool {
        let routine = self.calls.first().and_then(|call| self.compiled.executable.routine(call.function));
        routine.is_some_and(|routine| routine.params() > 0)
    }

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
        self.step(position).map_or(0, |step| self.index().line_of(step.pc))
    }

    /// How often a line was come to.
    pub fn times(&self, line: u32) -> u32 {
        self.index().line(line).len() as u32
    }

    /// Steps that were made of a line.
    pub fn steps_of(&self, line: u32) -> u32 {
        self.index().steps_of(line)
    }

    /// The steps at which a line was come to, ascending.
    pub fn visits(&self, line: u32) -> &[u32] {
        self.index().line(line)
    }

    /// The steps of the instruction at an address, ascending.
    pub fn executions(&self, pc: u32) -> &[u32] {
        self.index().of(pc)
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

    /// Bytes that it takes beside the program, of the steps and calls those that were written to.
    pub fn bytes(&self) -> usize {
        self.steps.len() * size_of::<Step>()
            + self.calls.len() * size_of::<Call>()
            + 4 * (self.words.capacity() + self.ends.capacity())
            + self.index().bytes()
    }
}
