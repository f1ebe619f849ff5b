//! The course of a run, and where it parts from the course of another code on the same input.
//!
//! Two codes may differ in shape: in the order of operands, in temporaries, in the layout of their blocks. So their steps
//! are not compared one by one. A run is divided into *statements*: it begins a new one when the operand stack is empty
//! and the frame's variables differ from those at the last such point. Within a statement, the order of computations
//! does not count. The runs part at the first of these steps of the compared code:
//!
//! - it computes a value that the function's own code does not compute in the same statement;
//! - it leaves a statement with other variables than the function's own code;
//! - it ends, while the function's own code does not end in the same statement with the same result.
//!
//! Loads of constants and variables are not computations. Calls are: their results count, their steps do not.

use crate::compiler::program::{Executable, ExecutableInstruction, Routine};
use crate::compiler::stage::execute::{RunObserver, StepState};
use crate::lang::hash::quick;
use crate::lang::index::{Address, Index, RoutineId};
use crate::lang::opcode::{Class, Op};

/// The maximum number of events that are recorded of one run. Later ones are not compared.
const MOST: usize = 1 << 14;

/// An observation of a run, with a hash of the values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CourseEvent {
    /// An instruction has computed this value.
    Value(u64),
    /// A statement has ended with these variables.
    Statement(u64),
    /// The run has ended with this result.
    End(u64),
}

/// The events of one run, each with the furthest address that was executed up to it.
#[derive(Debug, Default)]
pub struct Course {
    events: Vec<(CourseEvent, u32)>,
}

impl Course {
    /// Returns the furthest address executed when a run parts from `own`, or `None` if it does not.
    pub fn parts_from(&self, own: &Course) -> Option<u32> {
        let mut statements = own.statements();
        let mut statement = statements.next().unwrap_or_default();
        for &(event, furthest) in &self.events {
            let known = match event {
                CourseEvent::Value(_) => statement.iter().any(|(own, _)| *own == event),
                CourseEvent::Statement(_) | CourseEvent::End(_) => {
                    statement.last().is_some_and(|(own, _)| *own == event)
                }
            };
            if !known {
                // A recording that was cut short does not refute what follows it.
                let whole = statement.last().is_some_and(|(own, _)| !matches!(own, CourseEvent::Value(_)));
                return whole.then_some(furthest);
            }
            if matches!(event, CourseEvent::Statement(_)) {
                statement = statements.next().unwrap_or_default();
            }
        }
        None
    }

    /// Returns the events of each statement, with its end.
    fn statements(&self) -> impl Iterator<Item = &[(CourseEvent, u32)]> {
        self.events.split_inclusive(|(event, _)| !matches!(event, CourseEvent::Value(_)))
    }
}

/// Records the course of a run of one function, without the functions that it calls.
pub struct CourseRecorder<'a> {
    program: &'a Executable,
    /// The number of words of the function's frame.
    frame: usize,
    /// The depth of the function's call.
    depth: usize,
    /// Whether the instruction executed last leaves a value that it computed, and whether this is a list.
    computed: Option<bool>,
    furthest: u32,
    variables: Option<u64>,
    course: Course,
}

impl<'a> CourseRecorder<'a> {
    /// Creates a recorder for a call of `routine` of `program`, at this depth of calls.
    pub fn new(program: &'a Executable, routine: RoutineId, depth: u32) -> CourseRecorder<'a> {
        let course = Course::default();
        let frame = program.routine(routine).map_or(0, Routine::frame) as usize;
        let depth = depth as usize;
        CourseRecorder { program, frame, depth, computed: None, furthest: 0, variables: None, course }
    }

    /// Returns the course of a run that ended with a result.
    pub fn end(mut self, trap: u32, value: &[u32]) -> Course {
        let result = hash(1 + u64::from(trap), value);
        self.add(CourseEvent::End(result));
        self.course
    }

    fn add(&mut self, event: CourseEvent) {
        if self.course.events.len() < MOST {
            self.course.events.push((event, self.furthest));
        }
    }
}

impl RunObserver for CourseRecorder<'_> {
    const STEPS: bool = true;

    fn step(&mut self, now: StepState) {
        if now.depth != self.depth || self.course.events.len() >= MOST {
            return;
        }
        let words = now.words();
        if let Some(list) = self.computed {
            // A list is its elements and, on top, its length.
            let elements = if list { now.operand(0) as usize } else { 0 };
            let from = words.len().saturating_sub(1 + elements);
            self.add(CourseEvent::Value(hash(1, words.get(from..).unwrap_or_default())));
        }
        let base = now.fp + self.frame;
        if now.sp == base {
            let variables = hash(2, words.get(now.fp..base).unwrap_or_default());
            let before = self.variables.replace(variables);
            if before.is_some_and(|before| before != variables) {
                self.add(CourseEvent::Statement(variables));
            }
        }
        self.furthest = self.furthest.max(now.pc as u32);
        self.computed =
            self.program.at(Address::at(now.pc)).and_then(|(instruction, _)| self.computes(instruction));
    }
}

impl CourseRecorder<'_> {
    /// Returns whether an instruction leaves a list that it computed, or `None` if it computes nothing.
    fn computes(&self, instruction: ExecutableInstruction) -> Option<bool> {
        let op = instruction.op;
        match op.class() {
            Class::Unary | Class::Binary => Some(false),
            Class::Call => Some(self.program.routine(instruction.function())?.result().is_list()),
            Class::List if op != Op::LoadList => Some(op.effect().left_lists != 0),
            _ => (op == Op::ListLenVar).then_some(false),
        }
    }
}

/// Hashes words. The seed must not be 0, or leading zeros would not count.
fn hash(seed: u64, words: &[u32]) -> u64 {
    words.iter().fold(quick(0, seed), |hash, word| quick(hash, u64::from(*word)))
}
