//! A recorded run, in which time is a position that can move both ways.
//!
//! The run of one routine is recorded on the stack machine. Every engine executes this bytecode with the same steps,
//! whatever its internal form. [`record`] stores 16 bytes per step, the memory at every [`KEYFRAME`]-th step, and the
//! calls; all other facts are derived. A *position* is the number of the next step to execute. The state there results
//! from the keyframe before it by repeating the steps since ([`state`]). The origin of a value follows from the steps
//! alone, as the operands of a stack machine are exact dependences ([`provenance`]). [`walk`] moves from one position to
//! others.

mod argument;
mod buffers;
mod cause;
mod condition;
mod device;
mod index;
mod neighbour;
mod past;
mod provenance;
mod record;
mod replay;
mod run_diff;
mod state;
mod steps;
mod subject;
mod unended_loop;
mod values;
mod variables;
mod walk;

use std::sync::{Arc, OnceLock};

use crate::compiler::program::{Compiled, ExecutableInstruction, Instructions, Watch};
use crate::compiler::stage::execute::{CycleDetector, Record, RunCycle};
use crate::host::measure::Kind;
use crate::host::measure::numbers::grouped;
use crate::lang::index::{Address, CallId, Index as _, Position, RoutineId, TokenId};
use crate::lang::limits;
use crate::lang::opcode::Op;
use crate::lang::role::Role;
use crate::lang::trap::Trap;
pub use argument::{Refused, words as argument};
use buffers::{TraceBuffers, recycle_buffers, take_spare_buffers};
pub use buffers::{preallocate_buffers, preallocate_buffers_in_background};
pub use cause::cause_of_trap;
pub use condition::Condition;
pub use device::record_on;
use index::Index;
pub use neighbour::passing;
use past::Guesses;
pub use past::record_past_errors;
pub use provenance::{ProvenanceSource, written};
pub use record::KEYFRAME;
use record::TraceRecorder;
pub use replay::ReplayKey;
pub use run_diff::{Around, Divergence, RunDiff, compare};
pub use state::{StepText, TraceFrame, TraceOperand, TraceState};
use steps::Steps;
pub use steps::{Call, TraceStep};
pub use subject::{Subject, Target, entry_label, frame};
pub use unended_loop::UnendedLoop;
pub use values::{
    CallValues, GUESS, LineValues, MORE, PlaceValues, SeenValue, ValuePlace, ValuesFocus, program_of_values,
    record_for_values, short,
};
use variables::Variables;
pub use variables::{Setting, Variable};

/// A recorded run of one routine.
#[derive(Debug)]
pub struct Trace {
    pub compiled: Arc<Compiled>,
    /// The engine that made the run.
    pub by: Kind,
    /// The end of the run.
    pub record: Record,
    frame: Arc<[u32]>,
    steps: Steps,
    calls: Vec<Call>,
    /// The memory at each keyframe, and the end index of each.
    words: Vec<u32>,
    ends: Vec<u32>,
    variables: Variables,
    /// In a run past errors.
    guesses: Guesses,
    // These fields are computed on first use.
    index: OnceLock<Index>,
    cycle: OnceLock<Option<RunCycle>>,
    unended_loop: OnceLock<Option<UnendedLoop>>,
    cause: OnceLock<Option<String>>,
}

/// Records the run of a routine. `frame` holds its arguments in their slots. If the program or routine does not exist,
/// the run has no steps.
pub fn record(compiled: &Arc<Compiled>, routine: RoutineId, frame: &[u32], fuel: u32) -> Trace {
    let fuel = fuel.min(limits::STEPS);
    let again = ReplayKey { compiled: compiled.clone(), routine, frame: frame.into() };
    let mut recorder = TraceRecorder::new(routine, fuel, again.bottom(), take_spare_buffers());
    let record = again.make(recorder.fuel, &mut recorder);
    recorder.finish(record.trap == Trap::None);
    from_recording(again, record, recorder, Kind::Cpu)
}

/// Builds a trace from a finished recorder.
fn from_recording(again: ReplayKey, record: Record, recorder: TraceRecorder, by: Kind) -> Trace {
    let ReplayKey { compiled, frame, .. } = again;
    let TraceRecorder { mut steps, mut calls, words, ends, .. } = recorder;
    if steps.len() < steps.room() / 8 {
        // A short run is copied, and its buffers are kept for the next run.
        let own = (steps.fitted(), calls.clone());
        recycle_buffers(TraceBuffers {
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
        guesses: Guesses::default(),
        compiled,
        index: OnceLock::new(),
        cycle: OnceLock::new(),
        unended_loop: OnceLock::new(),
        cause: OnceLock::new(),
    }
}

/// Returns a step's number as shown on screen, counted from 1.
pub fn step_number(position: Position) -> String {
    grouped(u64::from(position.number()) + 1)
}

impl Drop for Trace {
    fn drop(&mut self) {
        recycle_buffers(TraceBuffers {
            steps: std::mem::take(&mut self.steps),
            calls: std::mem::take(&mut self.calls),
        });
    }
}

impl Trace {
    /// Computes everything that takes time linear in the number of steps, so that later queries are fast. Returns false
    /// if the work was cancelled between two parts.
    pub fn prepare(&self, watch: &dyn Watch) -> bool {
        let parts: [fn(&Trace); 3] = [
            |trace| {
                trace.index();
            },
            |trace| {
                trace.cycle();
            },
            |trace| {
                trace.unended_loop();
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
            let line = |word: &u32| TokenId::from_word(*word).map_or(0, |token| view.line(token));
            let mut ends = vec![false; code.word.len()];
            for jump in Instructions::of(&code.word).filter(|found| found.op == Op::Jump) {
                let head = TokenId::from_word(code.token[jump.at]).map(|token| view.role(token));
                ends[jump.at] = matches!(head, Some(Role::If | Role::While | Role::For));
            }
            Index::new(&self.steps, &code.word, code.token.iter().map(line).collect(), ends)
        })
    }

    /// Returns the repeated state of a run that exhausted its fuel, if it repeats one.
    pub fn cycle(&self) -> Option<RunCycle> {
        *self.cycle.get_or_init(|| {
            let again = self.replay_key().filter(|_| self.record.trap == Trap::StepLimit)?;
            let mut cycle = CycleDetector::default();
            again.make(self.record.steps, &mut cycle);
            cycle.cycle()
        })
    }

    /// Returns the loop in which a run exhausted its fuel, if the run repeats no state.
    pub fn unended_loop(&self) -> Option<UnendedLoop> {
        *self.unended_loop.get_or_init(|| unended_loop::of(self))
    }

    /// Returns the inputs to repeat the run, or `None` if its routine does not exist.
    pub fn replay_key(&self) -> Option<ReplayKey> {
        let routine = self.calls.first()?.function;
        Some(ReplayKey { compiled: self.compiled.clone(), routine, frame: self.frame.clone() })
    }

    /// Returns whether the run is of a property, which can run on other inputs.
    pub fn has_input(&self) -> bool {
        let routine = self.calls.first().and_then(|call| self.compiled.executable.routine(call.function));
        routine.is_some_and(|routine| routine.params() > 0)
    }

    /// Returns the number of steps. Positions are below it.
    pub fn len(&self) -> u32 {
        self.steps.len() as u32
    }

    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// Returns the position of the last step. If the run trapped, this is before the trapping instruction.
    pub fn last(&self) -> Position {
        Position::new(self.len().saturating_sub(1))
    }

    pub fn step(&self, position: Position) -> Option<TraceStep> {
        self.steps.get(position.position()).copied()
    }

    pub fn steps(&self) -> &[TraceStep] {
        &self.steps
    }

    /// Returns the next instruction at a position, and its source token.
    pub fn instruction(&self, position: Position) -> Option<(ExecutableInstruction, Option<TokenId>)> {
        self.compiled.executable.at(self.step(position)?.address())
    }

    pub(crate) fn op(&self, position: Position) -> Op {
        self.instruction(position).map_or(Op::Nop, |(instruction, _)| instruction.op)
    }

    /// Returns the source token of the instruction at a position.
    pub fn token(&self, position: Position) -> Option<TokenId> {
        self.instruction(position)?.1
    }

    /// Returns the line of a position, counted from 1, or 0 if it has none.
    pub fn line(&self, position: Position) -> u32 {
        self.step(position).map_or(0, |step| self.index().line_of(step.address()))
    }

    /// Returns how often a line was reached.
    pub fn times(&self, line: u32) -> u32 {
        self.index().line(line).len() as u32
    }

    pub fn steps_of(&self, line: u32) -> u32 {
        self.index().steps_of(line)
    }

    /// Returns the steps at which a line was reached, ascending.
    pub fn visits(&self, line: u32) -> &[Position] {
        self.index().line(line)
    }

    /// Returns the steps of the instruction at an address, ascending.
    pub fn executions(&self, pc: Address) -> &[Position] {
        self.index().of(pc)
    }

    /// Returns all calls in the order of their first steps. The first call is the run itself.
    pub fn calls(&self) -> &[Call] {
        &self.calls
    }

    pub fn call(&self, id: CallId) -> Option<&Call> {
        self.calls.get(id.position())
    }

    /// Returns the innermost active call at a position.
    pub fn call_at(&self, position: Position) -> CallId {
        let last = self.calls.partition_point(|call| call.start <= position).saturating_sub(1);
        let mut id = CallId::at(last);
        // The chain of callers is no longer than the call depth.
        while let Some(call) = self.call(id) {
            match call.parent.filter(|_| call.ends_by(position)) {
                Some(parent) => id = parent,
                None => break,
            }
        }
        id
    }

    /// Returns the active calls at a position, innermost first.
    pub fn active(&self, position: Position) -> Vec<CallId> {
        let first = Some(self.call_at(position)).filter(|id| self.call(*id).is_some());
        std::iter::successors(first, |id| self.call(*id)?.parent).collect()
    }

    /// Returns the call directly made by `caller` that contains a position, if any.
    pub fn child_at(&self, caller: CallId, position: Position) -> Option<CallId> {
        let mut id = self.call_at(position);
        while let Some(call) = self.call(id) {
            if call.parent == Some(caller) {
                return Some(id);
            }
            id = call.parent?;
        }
        None
    }

    /// Returns the size in bytes without the program. Counts only the used part of the step and call buffers.
    pub fn bytes(&self) -> usize {
        self.steps.len() * size_of::<TraceStep>()
            + self.calls.len() * size_of::<Call>()
            + 4 * (self.words.capacity() + self.ends.capacity())
            + self.index().bytes()
    }
}
