//! The register form: what the stack machine's bytecode comes to where the words of a frame are registers.
//!
//! As long as no list stands on the operand stack, its height at each instruction is known beforehand, so every operand has a place in
//! the frame like a variable. A load then is no operation of its own but an operand of what follows, and a store is where the result goes;
//! comparing and branching are one operation. Lists on the stack are left to the stack machine, which runs these instructions on the same memory.
//!
//! Steps are counted by blocks, as evmone does: on entry all of a block's instructions are paid for. Where there is not enough fuel, or
//! not enough memory for a call, the stack machine goes on from there to the end of the run. So every record is to the step what that
//! machine gives for the same program, which a test compares.

mod arguments;
mod exits;
mod instructions;
mod steps;
mod translate;

use super::Callee;
use crate::compiler::program::Executable;
use crate::lang::NONE;
use crate::lang::arithmetic::operations;
use crate::lang::limits::STACK_WORDS;
use crate::lang::opcode::Op;

/// One operation. Registers are words of the frame, by their offset.
#[derive(Clone, Copy, Debug, Default)]
struct Operation {
    /// The number of the bytecode's operation that it does, with [`IMMEDIATE`] or [`BRANCH`] added where these apply.
    code: u8,
    /// Of a list that was passed by reference: which parameter it is.
    param: u8,
    /// A register.
    a: u16,
    /// Instructions of the block that begins here.
    cost: u32,
    /// A register; a value, with [`IMMEDIATE`]; a number.
    b: u32,
    /// The register that is written, or the operation that is jumped to.
    to: u32,
}

/// `b` is the value itself.
const IMMEDIATE: u32 = 0x40;
/// Jumps if the comparison holds.
const BRANCH: u32 = 0x80;
/// Instructions for the stack machine, `b` of them; the stack's top is `a` words from the frame's begin, or where it is, with [`TOP`].
const STACK: u32 = BRANCH;
/// A conditional jump for the stack machine.
const STACK_BRANCH: u32 = BRANCH + 1;
/// A call whose arguments stand on top of the stack; that of `CALL` begin at `a`.
const CALL_TOP: u32 = BRANCH + 2;
/// A call with lists among its arguments, which follow, `to` of them: words from registers or values, lists from variables. Its frame begins at `a`.
const CALL_WITH: u32 = BRANCH + 3;
/// The stack's top is at `a` from now on.
const SET_TOP: u32 = BRANCH + 4;
/// A register, a value or a list variable onto the stack.
const PUSH: u32 = BRANCH + 5;
const PUSH_VALUE: u32 = BRANCH + 6;
const PUSH_LIST: u32 = BRANCH + 7;
/// From a list variable into another; no more than `b` elements.
const COPY_LIST: u32 = BRANCH + 8;
/// A list variable into a loop's, which then begins.
const ITERATE_LIST: u32 = BRANCH + 9;
/// Returns a list variable; no more than `b` elements.
const RETURN_VARIABLE: u32 = BRANCH + 10;
/// A jump back to a loop's instruction, which is the operation `b`, together with that.
const NEXT_OF_RANGE: u32 = BRANCH + 11;
const NEXT_OF_LIST: u32 = BRANCH + 12;
/// Division by a power of two, of which `b` is one less, and what it leaves.
const DIVIDE_BY_POWER: u32 = BRANCH + 13;
const REMAINDER_BY_POWER: u32 = BRANCH + 14;
/// An element of a list that was passed by reference; the index is a register, or a value.
const LOAD_INDEX_REFERENCE: u32 = BRANCH + 15;
/// Added to the register of a list that was passed by reference, where an operation takes others, too.
const REFERENCE: u16 = 0x8000;
/// Instead of an offset: where the stack's top is.
const TOP: u16 = u16::MAX;
// No operation's number is as high as what is added to it, and none that branches as low as those above.
const _: () = assert!(Op::ALL.len() <= IMMEDIATE as usize && LOAD_INDEX_REFERENCE < BRANCH + Op::Eq as u32);
const _: () = assert!(STACK_WORDS <= REFERENCE as u32);

/// Numbers of operations with something added, by the same names.
macro_rules! with {
    (
        ($a:ident) $($unary:ident => $of_one:expr;)*
        ($x:ident $y:ident) $($binary:ident => $of_two:expr $(, $trap:ident if $when:expr)?;)*
    ) => {
        /// Operations of two operands whose right one is a value.
        mod immediate {
            use crate::lang::opcode::number;
            $(pub const $binary: u32 = number::$binary | super::IMMEDIATE;)*
        }
    };
}
operations!(with);

/// What the stack machine needs to go on from an operation.
#[derive(Clone, Copy, Debug, Default)]
struct Note {
    routine: u32,
    /// Where its instruction is, in words from the routine's begin; of one that stands for several the one that may trap.
    pc: u32,
    /// The same of its block's first instruction.
    begin: u32,
    /// Instructions behind that one in the same block.
    rest: u32,
    /// Where the top of the stack is when its block begins, as in [`STACK`].
    top: u16,
}

/// Where a routine's form begins.
#[derive(Clone, Copy, Debug)]
struct Entry {
    /// Its first operation, or `NONE` where it has no form.
    first: u32,
    /// Words from its frame's begin to the highest place of an operand.
    reach: u32,
    /// Which of its parameters are references.
    references: u16,
}

impl Entry {
    /// Of a routine without a form.
    const NONE: Entry = Entry { first: NONE, reach: 0, references: 0 };
}

/// The routines of a program in register form.
#[derive(Clone, Debug, Default)]
pub(super) struct Forms {
    operations: Vec<Operation>,
    notes: Vec<Note>,
    entries: Vec<Entry>,
    /// Operations of the program as it was loaded, and the functions that were exchanged since, as they were.
    own: usize,
    exchanged: Vec<(u32, Entry)>,
    scratch: translate::Scratch,
}

impl Forms {
    /// Bytes that they take, as allocated.
    pub fn bytes(&self) -> u64 {
        let operations = self.operations.capacity() * size_of::<Operation>();
        let notes = self.notes.capacity() * size_of::<Note>();
        (operations + notes + self.entries.capacity() * size_of::<Entry>()) as u64
    }

    /// Forgets all routines.
    pub fn clear(&mut self) {
        self.operations.clear();
        self.notes.clear();
        self.entries.clear();
        self.exchanged.clear();
        self.own = 0;
    }

    /// Translates all routines of a program.
    pub fn translate(&mut self, program: &Executable, callees: &[Callee]) {
        self.clear();
        for routine in program.routines() {
            let entry = self.form(program, routine.index, callees);
            self.entries.push(entry);
        }
        self.own = self.operations.len();
    }

    /// Whether no routines are known.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Which parameters of a function are references.
    fn references(&self, function: u32) -> u16 {
        self.entries.get(function as usize).map_or(0, |entry| entry.references)
    }

    /// Translates other code of some functions; those exchanged before are as they were.
    pub fn exchange(&mut self, program: &Executable, callees: &[Callee], functions: impl Iterator<Item = u32>) {
        for (function, entry) in self.exchanged.drain(..) {
            self.entries[function as usize] = entry;
        }
        self.operations.truncate(self.own);
        self.notes.truncate(self.own);
        for function in functions {
            let form = self.form(program, function, callees);
            if let Some(entry) = self.entries.get_mut(function as usize) {
                self.exchanged.push((function, std::mem::replace(entry, form)));
            }
        }
    }
}
