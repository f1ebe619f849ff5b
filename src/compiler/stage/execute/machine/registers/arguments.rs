//! Lists as operands, and as arguments of calls that do not copy lists that are only read.

use super::{Operation, PUSH_LIST, PUSH_VALUE, REFERENCE};
use crate::compiler::stage::execute::machine::lists::shift;
use crate::compiler::stage::execute::machine::reads::ReadTracker;
use crate::compiler::stage::execute::machine::{Callee, ExecuteMemory, MASK, WORDS};
use crate::lang::trap::Trap;

impl ExecuteMemory {
    /// Returns the index of the elements of an operation's list variable, and its length. The list may have
    /// been passed by reference.
    #[inline]
    pub(super) fn list(&self, fp: usize, operation: &Operation) -> (usize, u32) {
        let at = (fp + (operation.a & !REFERENCE) as usize) & MASK;
        let referred = operation.a & REFERENCE != 0;
        let from = if referred { usize::from(self.elements[at]) } else { at + 1 };
        (from, self.words[at])
    }

    /// Passes a call's arguments from the frame at `fp` to the callee's frame at `base`, which follows all of
    /// them.
    pub(super) fn pass(
        &mut self,
        fp: usize,
        arguments: &[Operation],
        (callee, references, base): (&Callee, u16, usize),
    ) -> Result<(), Trap> {
        let longer = |(argument, capacity): (&Operation, &u8)| {
            *capacity > 0 && self.list(fp, argument).1 > u32::from(*capacity)
        };
        if arguments.iter().zip(&callee.caps).any(longer) {
            return Err(Trap::CapacityExceeded);
        }
        if base + callee.frame as usize > WORDS {
            return Err(Trap::OutOfMemory);
        }
        let mut to = base;
        for (param, (argument, capacity)) in arguments.iter().zip(&callee.caps).enumerate() {
            self.words[to & MASK] = if *capacity > 0 {
                let (from, length) = self.list(fp, argument);
                if references >> param & 1 != 0 {
                    self.elements[to & MASK] = from as u16;
                } else {
                    shift(&mut self.words, from, to + 1, length as usize);
                }
                length
            } else if u32::from(argument.code) == PUSH_VALUE {
                argument.b
            } else {
                self.words[(fp + argument.a as usize) & MASK]
            };
            to += 1 + usize::from(*capacity);
        }
        Ok(())
    }
}

/// Records which references a frame passes on as arguments of a call. `references` is the bit set of the
/// callee's parameters that are references; the others are copies.
pub(super) fn pass_reads(readings: &mut ReadTracker, depth: usize, references: u16, arguments: &[Operation]) {
    for (param, argument) in arguments.iter().enumerate() {
        if u32::from(argument.code) == PUSH_LIST && argument.a & REFERENCE != 0 {
            readings.pass(depth, argument.param, (param, references >> param & 1 == 0));
        }
    }
}
