//! The stack machine.
//!
//! Memory is one array of words for frames and operands, as in the shader, so that both run out of memory at
//! the same word. Its length is a power of two and every index is masked, so no bounds check can fail or
//! costs a branch.

mod faults;
mod lists;
mod position;
mod reads;
mod references;
mod registers;
mod steps;
mod witness;

use crate::compiler::program::Executable;
use crate::lang::index::{Address, Index, RoutineId};
use crate::lang::limits::{CALL_DEPTH, PARAMS, STACK_WORDS};
use crate::lang::trap::Trap;
pub use faults::Faults;
use faults::NoFaults;
use position::{At, PositionEnd};
use reads::ReadTracker;
pub use reads::Reads;
use registers::Forms;
use steps::steps;
pub use witness::{CallEvent, NoObserver, ReadRecorder, RunObserver, StepState};

const WORDS: usize = STACK_WORDS as usize;
const MASK: usize = WORDS - 1;
type Words = [u32; WORDS];
type MachineCalls = [MachineCall; CALL_DEPTH as usize];

/// The end of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    pub trap: Trap,
    /// The value; for a list its length; 0 after a trap.
    pub value: u32,
    /// Instructions executed, including a trapping one.
    pub steps: u32,
    /// Address of the instruction that trapped.
    pub address: Option<Address>,
}

impl Record {
    /// A run that takes no step and passes.
    pub const PASSED: Record = Record { trap: Trap::None, value: 1, steps: 0, address: None };
}

#[derive(Clone, Copy, Debug)]
pub struct Start {
    pub routine: RoutineId,
    /// Steps that the run may execute.
    pub fuel: u32,
    /// Calls that already count as active.
    pub depth: u32,
    /// Index of its frame in memory.
    pub origin: u32,
}

impl Start {
    /// Starts a call of a function as from the expression of a test: it counts as depth 1.
    #[inline]
    pub fn call(routine: RoutineId, fuel: u32) -> Start {
        Start { routine, fuel, depth: 1, origin: 0 }
    }
}

/// Where a call continues, and its frame.
#[derive(Clone, Copy, Debug)]
pub struct Continuation {
    pub pc: Address,
    /// Index of the frame in memory.
    pub fp: u32,
}

/// The data of a routine that a call needs.
#[derive(Clone, Copy)]
struct Callee {
    address: u32,
    frame: u32,
    params: u32,
    /// Whether any parameter is a list.
    lists: bool,
    caps: [u8; PARAMS],
}

#[derive(Clone, Copy, Default)]
struct MachineCall {
    /// Where the caller continues: an address in the code, or an index of an operation of the register form.
    pc: usize,
    operation: usize,
    fp: usize,
}

/// The code and memory of a run.
struct Space<'a> {
    code: &'a [u32],
    callees: &'a [Callee],
    memory: &'a mut ExecuteMemory,
    calls: &'a mut MachineCalls,
}

/// Frames and operands.
struct ExecuteMemory {
    words: Words,
    /// For the length word of a list passed by reference, at the same index: the index of its first element.
    /// Calls pass lists so, because copying elements at each call would take long.
    elements: [u16; WORDS],
}

pub struct Machine {
    memory: Box<ExecuteMemory>,
    calls: Box<MachineCalls>,
    callees: Vec<Callee>,
    /// The routines in register form, if the program was loaded for many runs; else empty.
    forms: Forms,
    readings: ReadTracker,
    /// The functions whose code is currently exchanged, with their previous callees.
    /// A mutant is run without loading the program again.
    replaced: Vec<(RoutineId, Callee)>,
    sp: usize,
}

impl Default for Machine {
    fn default() -> Machine {
        Machine {
            memory: Box::new(ExecuteMemory { words: [0; WORDS], elements: [0; WORDS] }),
            calls: Box::new([MachineCall::default(); CALL_DEPTH as usize]),
            callees: Vec::new(),
            forms: Forms::default(),
            readings: ReadTracker::default(),
            replaced: Vec::new(),
            sp: 0,
        }
    }
}

impl Machine {
    /// Allocated bytes.
    pub fn bytes(&self) -> u64 {
        let callees = self.callees.capacity() * size_of::<Callee>();
        (size_of_val(&*self.memory) + size_of_val(&*self.calls) + callees) as u64
            + self.forms.bytes()
            + self.readings.bytes()
    }

    /// Loads a program's routines. Must be called before its runs.
    pub fn load(&mut self, program: &Executable) {
        self.callees.clear();
        self.callees.extend(program.routines().map(|routine| Callee::new(program, routine.id)));
        self.forms.clear();
        self.replaced.clear();
    }

    /// Like [`Self::load`], but also translates the routines to the register form, for a program with many
    /// runs. Records are the same.
    pub fn translate(&mut self, program: &Executable) {
        self.load(program);
        self.forms.translate(program, &self.callees);
    }

    /// Exchanges the code of some functions. `program` is the program loaded last, with the new code of these
    /// functions appended. Functions exchanged before are restored.
    pub fn exchange(&mut self, program: &Executable, functions: impl IntoIterator<Item = RoutineId>) {
        for (function, callee) in self.replaced.drain(..) {
            self.callees[function.position()] = callee;
        }
        for function in functions {
            if let Some(callee) = self.callees.get_mut(function.position()) {
                self.replaced.push((function, *callee));
                *callee = Callee::new(program, function);
            }
        }
        self.forms.exchange(program, &self.callees, self.replaced.iter().map(|(function, _)| *function));
    }

    /// The words of a run's future frame, where its input must be written.
    pub fn frame(&mut self) -> &mut [u32] {
        &mut self.memory.words[..]
    }

    /// Returns `count` words of memory from `from` on; empty if out of range.
    pub fn words(&self, from: u32, count: u32) -> &[u32] {
        let end = from.saturating_add(count);
        self.memory.words.get(from as usize..end as usize).unwrap_or_default()
    }

    /// The operand stack as the last run left it, its top last.
    pub fn operands(&self) -> &[u32] {
        &self.memory.words[..self.sp.min(WORDS)]
    }

    /// Runs a routine of the program loaded last, with its arguments in [`Self::frame`]. `depth` calls
    /// already count as active.
    pub fn run(&mut self, program: &Executable, routine: RoutineId, fuel: u32, depth: u32) -> Record {
        self.run_with(program, Start { routine, fuel, depth, origin: 0 }, &mut NoFaults, &mut NoObserver)
    }

    /// Runs with faults. The frame must be 0 except for the arguments.
    pub fn run_with_faults(&mut self, program: &Executable, start: Start, faults: &mut impl Faults) -> Record {
        self.run_with(program, start, faults, &mut NoObserver)
    }

    /// Runs and reports calls, and steps if required, to `witness`.
    pub fn run_before(&mut self, program: &Executable, start: Start, witness: &mut impl RunObserver) -> Record {
        self.run_with(program, start, &mut NoFaults, witness)
    }

    /// Resumes a run of the program loaded last for `fuel` more steps, with `words` as its memory. `callers`
    /// are those of the active calls, outermost first.
    pub fn resume(
        &mut self,
        program: &Executable,
        at: Continuation,
        words: &[u32],
        callers: impl IntoIterator<Item = Continuation>,
        fuel: u32,
    ) -> Record {
        let sp = words.len().min(WORDS);
        self.memory.words[..sp].copy_from_slice(&words[..sp]);
        let mut depth = 0;
        for (call, Continuation { pc, fp }) in self.calls.iter_mut().zip(callers) {
            *call = MachineCall { pc: pc.position(), fp: fp as usize, operation: 0 };
            depth += 1;
        }
        let from = At { pc: at.pc.position(), fp: at.fp as usize, sp, depth, bottom: 0 };
        let mut left = fuel;
        let Machine { memory, calls, callees, .. } = self;
        let space = &mut Space { code: &program.code.word, callees, memory, calls };
        let (end, sp) = steps(space, from, &mut left, &mut NoFaults, &mut NoObserver);
        self.sp = sp;
        let address = (end.trap != Trap::None).then(|| Address::at(end.address));
        Record { trap: end.trap, value: end.value, steps: fuel - left, address }
    }

    /// Calls a function of the program loaded last as a run would. `arguments` are in the format of
    /// [`CallEvent::arguments`]. The elements of a list result are left where the frame began.
    pub fn call(&mut self, program: &Executable, start: Start, arguments: &[u32]) -> Record {
        self.call_before(program, start, arguments, &mut NoObserver)
    }

    /// Like [`Self::call`], but reports to `witness`.
    pub fn call_before(
        &mut self,
        program: &Executable,
        start: Start,
        arguments: &[u32],
        witness: &mut impl RunObserver,
    ) -> Record {
        if let Some(callee) = self.callees.get(start.routine.position()) {
            let (mut at, mut rest) = (start.origin as usize, arguments);
            for capacity in callee.places() {
                let length = if *capacity == 0 { 0 } else { rest.first().copied().unwrap_or(0) as usize };
                let (argument, behind) = rest.split_at((1 + length).min(rest.len()));
                if let Some(place) = self.memory.words.get_mut(at..at + argument.len()) {
                    place.copy_from_slice(argument);
                }
                at += 1 + usize::from(*capacity);
                rest = behind;
            }
        }
        self.run_with(program, start, &mut NoFaults, witness)
    }

    /// Returns the value of the last call: the elements of a list, or one word. Returns `None` if it trapped.
    #[inline]
    pub fn value<'m>(&'m self, record: &'m Record, is_list: bool) -> Option<&'m [u32]> {
        match record.trap {
            Trap::None if is_list => Some(self.words(0, record.value)),
            Trap::None => Some(std::slice::from_ref(&record.value)),
            _ => None,
        }
    }

    /// Returns which elements of its list parameters the last run or call with [`RunObserver::READS`] read.
    /// `depth` is its depth.
    pub fn reads(&self, depth: u32) -> &Reads {
        self.readings.of(depth as usize)
    }

    fn run_with<F: Faults, W: RunObserver>(
        &mut self,
        program: &Executable,
        start: Start,
        faults: &mut F,
        witness: &mut W,
    ) -> Record {
        let Some(callee) = self.callees.get(start.routine.position()).copied() else {
            return Record { trap: Trap::None, value: 0, steps: 0, address: None };
        };
        // As `CALL` would check it; the trap has 0 steps, because no instruction was executed.
        if start.origin.saturating_add(callee.frame) > STACK_WORDS {
            return Record {
                trap: Trap::OutOfMemory,
                value: 0,
                steps: 0,
                address: Some(Address::new(callee.address)),
            };
        }
        let mut left = start.fuel;
        let (fp, depth) = (start.origin as usize, start.depth as usize);
        let sp = fp + callee.frame as usize;
        let from = At { pc: callee.address as usize, fp, sp, depth, bottom: depth };
        let Machine { memory, calls, callees, forms, readings, .. } = self;
        let space = &mut Space { code: &program.code.word, callees, memory, calls };
        // Faults and observers are about single instructions, which the register form does not have.
        let (end, sp): (PositionEnd, usize) = match F::ON || W::STEPS || forms.is_empty() {
            true => {
                if W::READS {
                    readings.read_everything(depth..=depth);
                }
                steps(space, from, &mut left, faults, witness)
            }
            false => forms.run(space, readings, start.routine, from, &mut left, witness),
        };
        self.sp = sp;
        let address = (end.trap != Trap::None).then(|| Address::at(end.address));
        Record { trap: end.trap, value: end.value, steps: start.fuel - left, address }
    }
}

impl Callee {
    fn new(program: &Executable, routine: RoutineId) -> Callee {
        let (r, row) = (&program.routines, routine.position());
        let mut caps = [0; PARAMS];
        let words = [&r.caps0, &r.caps1, &r.caps2, &r.caps3];
        for (group, column) in words.into_iter().enumerate() {
            caps[4 * group..][..4].copy_from_slice(&column[row].to_le_bytes());
        }
        let lists = caps.iter().any(|c| *c != 0);
        Callee { address: r.address[row], frame: r.frame[row], params: r.params[row], lists, caps }
    }

    /// The capacities of its parameters; 0 for a parameter that is not a list.
    fn places(&self) -> &[u8] {
        &self.caps[..(self.params as usize).min(PARAMS)]
    }
}
