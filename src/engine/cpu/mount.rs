//! A thread's copy of the base, in which functions can be replaced by those of a mutant.
//!
//! A mutant's code is appended, so the base's code does not move and its register form serves all mutants.
//! Addresses therefore differ from a compiled mutant's, but verdicts contain no addresses.

use crate::compiler::program::Executable;
use crate::compiler::stage::execute::Machine;
use crate::compiler::stage::splice::Segment;
use crate::lang::index::{Index, RoutineId};

#[derive(Default)]
pub struct PatchedProgram {
    pub machine: Machine,
    pub program: Executable,
    /// The number of the loaded base; 0 for none.
    base: u64,
    /// The length of the base's code in words.
    words: usize,
    /// The replaced functions, with their address and frame size in the base.
    exchanged: Vec<(RoutineId, u32, u32)>,
}

impl PatchedProgram {
    /// Loads the base with this number and undoes all replacements.
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

    /// Replaces the code of functions. Functions replaced before get their own code back.
    pub fn exchange<'a>(&mut self, segments: impl IntoIterator<Item = &'a Segment>) {
        let Executable { code, routines } = &mut self.program;
        code.word.truncate(self.words);
        for (function, address, frame) in self.exchanged.drain(..) {
            let row = function.position();
            (routines.address[row], routines.frame[row]) = (address, frame);
        }
        for segment in segments {
            let row = segment.function.position();
            let own = (segment.function, routines.address[row], routines.frame[row]);
            self.exchanged.push(own);
            (routines.address[row], routines.frame[row]) = (code.word.len() as u32, segment.frame);
            segment.place(&mut code.word);
        }
        let functions = self.exchanged.iter().map(|(function, ..)| *function);
        self.machine.exchange(&self.program, functions);
    }

    /// Returns the allocated size in bytes.
    pub fn bytes(&self) -> u64 {
        self.machine.bytes() + self.program.bytes()
    }
}
