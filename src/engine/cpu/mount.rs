//! A thread's copy of the base, in which functions are exchanged for those of a mutant.
//!
//! A mutant's code stands behind all other, so nothing of the base has to move, and the base's register form serves all mutants. Verdicts do not tell
//! addresses, so they are those of the mutant as it is compiled.

use crate::compiler::program::Executable;
use crate::compiler::stage::execute::Machine;
use crate::compiler::stage::splice::Segment;

/// A program on a machine, ready to be run.
#[derive(Default)]
pub struct Mount {
    pub machine: Machine,
    pub program: Executable,
    /// The number of the base that it holds; 0 for none.
    base: u64,
    /// Words of the base's code.
    words: usize,
    /// The functions that have other code, with their address and frame in the base.
    exchanged: Vec<(usize, u32, u32)>,
}

impl Mount {
    /// Holds the base with this number, as it is.
    pub fn hold(&mut self, base: &Executable, number: u64) {
        if self.base != number {
            self.program.clone_from(base);
            self.machine.translate(base);
            (self.base, self.words) = (number, base.code.word.len());
            self.exchanged.clear();
        } else if !self.exchanged.is_empty() {
            self.exchange([]);
        }
    }

    /// Gives functions other code; those that had other code before have their own again.
    pub fn exchange<'a>(&mut self, segments: impl IntoIterator<Item = &'a Segment>) {
        let Executable { code, routines } = &mut self.program;
        code.word.truncate(self.words);
        for (function, address, frame) in self.exchanged.drain(..) {
            (routines.address[function], routines.frame[function]) = (address, frame);
        }
        for segment in segments {
            let function = segment.function;
            let own = (function, routines.address[function], routines.frame[function]);
            self.exchanged.push(own);
            (routines.address[function], routines.frame[function]) = (code.word.len() as u32, segment.frame);
            segment.place(&mut code.word);
        }
        let functions = self.exchanged.iter().map(|(function, ..)| *function as u32);
        self.machine.exchange(&self.program, functions);
    }

    /// Bytes that it takes, as allocated.
    pub fn bytes(&self) -> u64 {
        self.machine.bytes() + self.program.bytes()
    }
}
