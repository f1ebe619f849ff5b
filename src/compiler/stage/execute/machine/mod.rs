//! The stack machine.
//!
//! Memory is one array of words for frames and operands, as in the shader, so that what counts as memory is the same
//! to the word. Its length is a power of two and every index is masked: no check can fail, and none costs a branch.

mod faults;
mod lists;
mod reads;
mod references;
mod registers;
mod steps;
mod witness;

use crate::compiler::program::Executable;
use crate::lang::NONE;
use crate::lang::limits::{CALL_DEPTH, PARAMS, STACK_WORDS};
use crate::lang::trap::Trap;
use faults::Faultless;
pub use faults::Faults;
use reads::Readings;
pub use reads::Reads;
use registers::Forms;
use steps::{At, End, steps};
use witness::Nobody;
pub use witness::{Called, Now, Reader, Witness};

const WORDS: usize = STACK_WORDS as usize;
const MASK: usize = WORDS - 1;
type Words = [u32; WORDS];
type Calls = [Call; CALL_DEPTH as usize];

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    pub trap: Trap,
    /// The value; of a list its length; 0 after a trap.
    pub value: u32,
    /// Instructions executed, a trapping one included.
    pub steps: u32,
    /// Address of the instruction that trapped, or `NONE`.
    pub address: u32,
}

/// Where a run begins.
#[derive(Clone, Copy, Debug)]
pub struct Start {
    pub routine: u32,
    /// Steps that it may take.
    pub fuel: u32,
    /// Calls that count as active already.
    pub depth: u32,
    /// Where its frame begins in the memory.
    pub origin: u32,
}

/// What a call needs of a routine, side by side.
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
struct Call {
    /// Where it goes on: in the code, or among the operations of the register form.
    pc: usize,
    operation: usize,
    fp: usize,
}

/// What a run works on: code, and memory.
struct Space<'a> {
    code: &'a [u32],
    callees: &'a [Callee],
    memory: &'a mut Memory,
    calls: &'a mut Calls,
}

/// Frames and operands.
struct Memory {
    words: Words,
    /// Beside the length of a list that was passed by reference: where its elements begin.
    elements: [u16; WORDS],
}

/// Memory for one run at a time.
pub struct Machine {
    memory: Box<Memory>,
    calls: Box<Calls>,
    callees: Vec<Callee>,
    /// The routines in register form, of a program that was loaded for many runs; else none.
    forms: Forms,
    readings: Readings,
    /// Of a program that was loaded for many runs the functions that have other code now, and what was known of them before.
    exchanged: Vec<(u32, Callee)>,
    sp: usize,
}

impl Default for Machine {
    fn default() -> Machine {
        Machine {
            memory: Box::new(Memory { words: [0; WORDS], elements: [0; WORDS] }),
            calls: Box::new([Call::default(); CALL_DEPTH as usize]),
            callees: Vec::new(),
            forms: Forms::default(),
            readings: Readings::default(),
            exchanged: Vec::new(),
            sp: 0,
        }
    }
}

impl Machine {
    /// Bytes that it takes, as allocated.
    pub fn bytes(&self) -> u64 {
        let callees = self.callees.capacity() * size_of::<Callee>();
        (size_of_val(&*self.memory) + size_of_val(&*self.calls) + callees) as u64
            + self.forms.bytes()
            + self.readings.bytes()
    }

    /// Makes a program's routines known. To be called before its runs.
    pub fn load(&mut self, program: &Executable) {
        self.callees.clear();
        self.callees.extend((0..program.routines.token.len()).map(|i| Callee::new(program, i)));
        self.forms.clear();
        self.exchanged.clear();
    }

    /// The same for one that runs often: its routines are translated to the register form first. Records are the same.
    pub fn translate(&mut self, program: &Executable) {
        self.load(program);
        self.forms.translate(program, &self.callees);
    }

    /// Makes other code of some functions known: `program` is the one that was loaded last, but for these, whose code stands behind
    /// all other. Functions that were exchanged before are as they were.
    pub fn exchange(&mut self, program: &Executable, functions: impl IntoIterator<Item = u32>) {
        for (function, callee) in self.exchanged.drain(..) {
            self.callees[function as usize] = callee;
        }
        for function in functions {
            let index = function as usize;
            if let Some(callee) = self.callees.get_mut(index) {
                self.exchanged.push((function, *callee));
                *callee = Callee::new(program, index);
            }
        }
        self.forms.exchange(program, &self.callees, self.exchanged.iter().map(|(function, _)| *function));
    }

    /// The words where a run's frame will begin: its input is to be written here.
    pub fn frame(&mut self) -> &mut [u32] {
        &mut self.memory.words[..]
    }

    /// So many words of the memory from one on; none where it has not so many.
    pub fn words(&self, from: u32, count: u32) -> &[u32] {
        let end = from.saturating_add(count);
        self.memory.words.get(from as usize..end as usize).unwrap_or_default()
    }

    /// The operand stack as the last run left it, the top last.
    pub fn operands(&self) -> &[u32] {
        &self.memory.words[..self.sp.min(WORDS)]
    }

    /// Runs a routine of the program last loaded, its arguments being in [`Self::frame`]. `depth` calls count as active already.
    pub fn run(&mut self, program: &Executable, routine: u32, fuel: u32, depth: u32) -> Record {
        self.run_with(program, Start { routine, fuel, depth, origin: 0 }, &mut Faultless, &mut Nobody)
    }

    /// The same with faults. What the frame holds beside the arguments must be 0 then.
    pub fn run_with_faults(&mut self, program: &Executable, start: Start, faults: &mut impl Faults) -> Record {
        self.run_with(program, start, faults, &mut Nobody)
    }

    /// The same, and tells of its calls.
    pub fn run_before(&mut self, program: &Executable, start: Start, witness: &mut impl Witness) -> Record {
        self.run_with(program, start, &mut Faultless, witness)
    }

    /// Goes on with a run of the program last loaded for so many steps more: it stands at `pc` in the frame that begins at `fp`, with these
    /// words of memory; `callers` are the calls that are active, the outermost first, each by where its caller goes on and by its frame.
    pub fn resume(
        &mut self,
        program: &Executable,
        (pc, fp, words): (u32, u32, &[u32]),
        callers: impl IntoIterator<Item = (u32, u32)>,
        fuel: u32,
    ) -> Record {
        let sp = words.len().min(WORDS);
        self.memory.words[..sp].copy_from_slice(&words[..sp]);
        let mut depth = 0;
        for (call, (pc, fp)) in self.calls.iter_mut().zip(callers) {
            *call = Call { pc: pc as usize, fp: fp as usize, operation: 0 };
            depth += 1;
        }
        let from = At { pc: pc as usize, fp: fp as usize, sp, depth, bottom: 0 };
        let mut left = fuel;
        let Machine { memory, calls, callees, .. } = self;
        let space = &mut Space { code: &program.code.word, callees, memory, calls };
        let (end, sp) = steps(space, from, &mut left, &mut Faultless, &mut Nobody);
        self.sp = sp;
        let address = if end.trap == Trap::None { NONE } else { end.address as u32 };
        Record { trap: end.trap, value: end.value, steps: fuel - left, address }
    }

    /// Calls a function of the program last loaded as a run comes to call it. `arguments` are as [`Called::arguments`] gives them. Of a
    /// list result the elements are left where the frame began.
    pub fn call(&mut self, program: &Executable, start: Start, arguments: &[u32]) -> Record {
        self.call_before(program, start, arguments, &mut Nobody)
    }

    /// The same, and tells of it.
    pub fn call_before(
        &mut self,
        program: &Executable,
        start: Start,
        arguments: &[u32],
        witness: &mut impl Witness,
    ) -> Record {
        if let Some(callee) = self.callees.get(start.routine as usize) {
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
        self.run_with(program, start, &mut Faultless, witness)
    }

    /// What a run or call of [`Witness::READS`] has read of its list parameters, which began at this depth and ended last.
    pub fn reads(&self, depth: u32) -> &Reads {
        self.readings.of(depth as usize)
    }

    fn run_with<F: Faults, W: Witness>(
        &mut self,
        program: &Executable,
        start: Start,
        faults: &mut F,
        witness: &mut W,
    ) -> Record {
        let Some(callee) = self.callees.get(start.routine as usize).copied() else {
            return Record { trap: Trap::None, value: 0, steps: 0, address: NONE };
        };
        if start.origin.saturating_add(callee.frame) > STACK_WORDS {
            return Record { trap: Trap::OutOfMemory, value: 0, steps: 0, address: callee.address };
        }
        let mut left = start.fuel;
        let (fp, depth) = (start.origin as usize, start.depth as usize);
        let sp = fp + callee.frame as usize;
        let from = At { pc: callee.address as usize, fp, sp, depth, bottom: depth };
        let Machine { memory, calls, callees, forms, readings, .. } = self;
        let space = &mut Space { code: &program.code.word, callees, memory, calls };
        let (end, sp): (End, usize) = match F::ON || W::STEPS || forms.is_empty() {
            true => {
                if W::READS {
                    readings.read_everything(depth..=depth);
                }
                steps(space, from, &mut left, faults, witness)
            }
            false => forms.run(space, readings, start.routine, from, &mut left, witness),
        };
        self.sp = sp;
        let address = if end.trap == Trap::None { NONE } else { end.address as u32 };
        Record { trap: end.trap, value: end.value, steps: start.fuel - left, address }
    }
}

impl Callee {
    fn new(program: &Executable, routine: usize) -> Callee {
        let r = &program.routines;
        let mut caps = [0; PARAMS];
        let words = [&r.caps0, &r.caps1, &r.caps2, &r.caps3];
        for (group, column) in words.into_iter().enumerate() {
            caps[4 * group..][..4].copy_from_slice(&column[routine].to_le_bytes());
        }
        let lists = caps.iter().any(|c| *c != 0);
        Callee { address: r.address[routine], frame: r.frame[routine], params: r.params[routine], lists, caps }
    }

    /// The capacities of its parameters, 0 of those that are no lists.
    fn places(&self) -> &[u8] {
        &self.caps[..(self.params as usize).min(PARAMS)]
    }
}
