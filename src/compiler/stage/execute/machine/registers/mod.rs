//! The register form: bytecode translated to operations whose registers are the words of a frame.
//!
//! As long as no list is on the operand stack, its height at each instruction is known statically, so every
//! operand has a fixed place in the frame, like a variable. A load becomes an operand of the next operation,
//! and a store becomes its destination; a comparison and a branch become one operation. Instructions with
//! lists on the stack are executed by the stack machine, on the same memory.
//!
//! Steps are counted by blocks, as in evmone: on entry, the fuel for all instructions of a block is paid. If
//! fuel or the memory for a call does not suffice, the stack machine continues to the end of the run. So
//! records equal those of the stack machine, including the number of steps, which a test checks.

mod arguments;
mod codes;
mod exits;
mod instructions;
mod powers;
mod steps;
mod translate;
mod translator;

use super::{Callee, WORDS};
use crate::compiler::program::Executable;
use crate::lang::NONE;
use crate::lang::arithmetic::operations;
use crate::lang::index::{Index, RoutineId};
use crate::lang::limits::STACK_WORDS;
use crate::lang::opcode::Op;

/// An operation. Registers are words of the frame, given by offset.
#[derive(Clone, Copy, Debug, Default)]
struct Operation {
    /// The number of the bytecode operation that it executes, plus [`IMMEDIATE`] or [`BRANCH`] where
    /// applicable.
    code: u8,
    /// For a list passed by reference: the number of the parameter.
    param: u8,
    a: u16,
    /// Number of instructions of the block that begins here.
    cost: u32,
    /// A register; with [`IMMEDIATE`] a value; or a number. For `FOR_*` the operation that begins a round; where
    /// the loop ends is `to`. `NEXT_*` are executed as `FOR_*`.
    b: u32,
    /// The destination register, or the operation that is the jump target.
    to: u32,
}

/// `b` is an immediate value.
const IMMEDIATE: u32 = 0x40;
/// Jumps if the comparison is true.
const BRANCH: u32 = 0x80;
/// `b` instructions for the stack machine. The stack's top is `a` words above the frame's start; with [`TOP`]
/// it is unchanged.
const STACK: u32 = BRANCH;
/// A conditional jump for the stack machine.
const STACK_BRANCH: u32 = BRANCH + 1;
/// A call whose arguments are on top of the stack; the arguments of `CALL` begin at `a`.
const CALL_TOP: u32 = BRANCH + 2;
/// A call with list arguments. The `to` arguments follow as operations: words from registers or values, lists
/// from variables. The callee's frame begins at `a`.
const CALL_WITH: u32 = BRANCH + 3;
/// Sets the stack's top to `a`.
const SET_TOP: u32 = BRANCH + 4;
/// Push a register, a value, or a list variable.
const PUSH: u32 = BRANCH + 5;
const PUSH_VALUE: u32 = BRANCH + 6;
const PUSH_LIST: u32 = BRANCH + 7;
/// Copies a list variable to another one with capacity `b`.
const COPY_LIST: u32 = BRANCH + 8;
/// Copies a list variable into a loop's variables, and starts the loop.
const ITERATE_LIST: u32 = BRANCH + 9;
/// Returns a list variable; the result's capacity is `b`.
const RETURN_VARIABLE: u32 = BRANCH + 10;
/// A jump back to a loop's instruction, which is operation `b`, combined with that instruction.
const NEXT_OF_RANGE: u32 = BRANCH + 11;
const NEXT_OF_LIST: u32 = BRANCH + 12;
/// Division by the power of two `b` + 1, and its remainder.
const DIVIDE_BY_POWER: u32 = BRANCH + 13;
const REMAINDER_BY_POWER: u32 = BRANCH + 14;
/// Loads an element of a list passed by reference; the index is a register or a value.
const LOAD_INDEX_REFERENCE: u32 = BRANCH + 15;
/// Flag in `a` for a list passed by reference, in operations that also take other lists.
const REFERENCE: u16 = 0x8000;
/// The value of an offset that means the current top of the stack.
const TOP: u16 = u16::MAX;
// Codes are unambiguous: bytecode operations are below IMMEDIATE, and the codes above are below those of
// branches.
const _: () = assert!(Op::ALL.len() <= IMMEDIATE as usize && LOAD_INDEX_REFERENCE < BRANCH + Op::Eq as u32);
const _: () = assert!(STACK_WORDS <= REFERENCE as u32);

/// Declares a code for each operation with a flag added. The code has the operation's name.
macro_rules! with {
    (
        ($a:ident) $($unary:ident => $of_one:expr;)*
        ($x:ident $y:ident) $($binary:ident => $of_two:expr $(, $trap:ident if $when:expr)?;)*
    ) => {
        /// Binary operations whose right operand is an immediate value.
        mod immediate {
            use crate::lang::opcode::number;
            $(pub const $binary: u32 = number::$binary | super::IMMEDIATE;)*
        }
    };
}
operations!(with);

/// The data that the stack machine needs to continue from an operation.
#[derive(Clone, Copy, Debug, Default)]
struct ResumePoint {
    routine: RoutineId,
    /// Offset in the routine's words of its instruction; if it has several, of the one that may trap.
    pc: u32,
    /// Likewise for the first instruction of its block.
    begin: u32,
    /// Number of instructions after it in the same block.
    rest: u32,
    /// The top of the stack when its block begins, as in [`STACK`].
    top: u16,
}

#[derive(Clone, Copy, Debug)]
struct RoutineForm {
    /// Its first operation, or `NONE` if it has no form.
    first: u32,
    /// Words from the start of its frame to the end of the highest operand.
    reach: u32,
    /// Bit set of the parameters that are references.
    references: u16,
}

impl RoutineForm {
    /// The entry of a routine without a form.
    const NONE: RoutineForm = RoutineForm { first: NONE, reach: 0, references: 0 };
}

#[derive(Clone, Debug, Default)]
pub(super) struct Forms {
    operations: Vec<Operation>,
    resume_points: Vec<ResumePoint>,
    entries: Vec<RoutineForm>,
    /// Number of operations of the program as loaded, and the original entries of the functions replaced
    /// since.
    own: usize,
    replaced: Vec<(RoutineId, RoutineForm)>,
    scratch: translator::TranslatorScratch,
}

impl Forms {
    /// Returns the entry of a routine whose frame begins at `fp`, if the routine has a form and memory for its
    /// operands. Others are run by the stack machine.
    fn entry(&self, routine: RoutineId, fp: usize) -> Option<&RoutineForm> {
        let entry = self.entries.get(routine.position())?;
        (entry.first != NONE && fp + entry.reach as usize <= WORDS).then_some(entry)
    }

    /// Allocated bytes.
    pub fn bytes(&self) -> u64 {
        let operations = self.operations.capacity() * size_of::<Operation>();
        let notes = self.resume_points.capacity() * size_of::<ResumePoint>();
        (operations + notes + self.entries.capacity() * size_of::<RoutineForm>()) as u64
    }

    /// Removes all routines.
    pub fn clear(&mut self) {
        self.operations.clear();
        self.resume_points.clear();
        self.entries.clear();
        self.replaced.clear();
        self.own = 0;
    }

    pub fn translate(&mut self, program: &Executable, callees: &[Callee]) {
        self.clear();
        for routine in program.routines() {
            let entry = self.form(program, routine.id, callees);
            self.entries.push(entry);
        }
        self.own = self.operations.len();
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Bit set of the parameters of a function that are references.
    fn references(&self, function: RoutineId) -> u16 {
        self.entries.get(function.position()).map_or(0, |entry| entry.references)
    }

    /// Translates new code of some functions, and restores the functions replaced before.
    pub fn exchange(
        &mut self,
        program: &Executable,
        callees: &[Callee],
        functions: impl Iterator<Item = RoutineId>,
    ) {
        for (function, entry) in self.replaced.drain(..) {
            self.entries[function.position()] = entry;
        }
        self.operations.truncate(self.own);
        self.resume_points.truncate(self.own);
        for function in functions {
            let form = self.form(program, function, callees);
            if let Some(entry) = self.entries.get_mut(function.position()) {
                self.replaced.push((function, std::mem::replace(entry, form)));
            }
        }
    }
}
