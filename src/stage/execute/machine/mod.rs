//! The stack machine.
//!
//! Memory is one array of words for frames and operands, as in the shader, so that what counts as memory is the same
//! to the word. Its length is a power of two and every index is masked: no check can fail, and none costs a branch.

mod faults;
mod lists;
mod steps;
mod witness;

use crate::lang::NONE;
use crate::lang::limits::{CALL_DEPTH, PARAMS, STACK_WORDS};
use crate::lang::trap::Trap;
use crate::program::Executable;
use faults::Faultless;
pub use faults::Faults;
use witness::Nobody;
pub use witness::{Called, Witness};

const WORDS: usize = STACK_WORDS as usize;
const MASK: usize = WORDS - 1;
type Memory = [u32; WORDS];

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
    pc: usize,
    fp: usize,
}

/// Memory for one run at a time.
pub struct Machine {
    memory: Box<Memory>,
    calls: Box<[Call; CALL_DEPTH as usize]>,
    callees: Vec<Callee>,
    sp: usize,
}

impl Default for Machine {
    fn default() -> Machine {
        Machine {
            memory: Box::new([0; WORDS]),
            calls: Box::new([Call::default(); CALL_DEPTH as usize]),
            callees: Vec::new(),
            sp: 0,
        }
    }
}

impl Machine {
    /// Bytes that it takes, as allocated.
    pub fn bytes(&self) -> u64 {
        let callees = self.callees.capacity() * size_of::<Callee>();
        (size_of_val(&*self.memory) + size_of_val(&*self.calls) + callees) as u64
    }

    /// Makes a program's routines known. To be called before its runs.
    pub fn load(&mut self, program: &Executable) {
        let r = &program.routines;
        self.callees.clear();
        self.callees.extend((0..r.token.len()).map(|i| {
            let mut caps = [0; PARAMS];
            for (group, word) in [r.caps0[i], r.caps1[i], r.caps2[i], r.caps3[i]].into_iter().enumerate() {
                caps[4 * group..][..4].copy_from_slice(&word.to_le_bytes());
            }
            let lists = caps.iter().any(|c| *c != 0);
            Callee { address: r.address[i], frame: r.frame[i], params: r.params[i], lists, caps }
        }));
    }

    /// The words where a run's frame will begin: its input is to be written here.
    pub fn frame(&mut self) -> &mut [u32] {
        &mut self.memory[..]
    }

    /// So many words of the memory from one on; none where it has not so many.
    pub fn words(&self, from: u32, count: u32) -> &[u32] {
        let end = from.saturating_add(count);
        self.memory.get(from as usize..end as usize).unwrap_or_default()
    }

    /// The operand stack as the last run left it, the top last.
    pub fn operands(&self) -> &[u32] {
        &self.memory[..self.sp.min(WORDS)]
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

    /// Calls a function of the program last loaded as a run comes to call it. `arguments` are as [`Called::arguments`] gives them. Of a
    /// list result the elements are left where the frame began.
    pub fn call(&mut self, program: &Executable, start: Start, arguments: &[u32]) -> Record {
        if let Some(callee) = self.callees.get(start.routine as usize) {
            let (mut at, mut rest) = (start.origin as usize, arguments);
            for capacity in &callee.caps[..(callee.params as usize).min(PARAMS)] {
                let length = if *capacity == 0 { 0 } else { rest.first().copied().unwrap_or(0) as usize };
                let (argument, behind) = rest.split_at((1 + length).min(rest.len()));
                if let Some(place) = self.memory.get_mut(at..at + argument.len()) {
                    place.copy_from_slice(argument);
                }
                at += 1 + usize::from(*capacity);
                rest = behind;
            }
        }
        self.run_with(program, start, &mut Faultless, &mut Nobody)
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
        let end = self.steps(&program.code.word, (callee, start), &mut left, faults, witness);
        let address = if end.trap == Trap::None { NONE } else { end.address as u32 };
        Record { trap: end.trap, value: end.value, steps: start.fuel - left, address }
    }
}
