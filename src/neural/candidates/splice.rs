//! The base with one function's code replaced: its words, the candidate's code behind them, and the function's address there.

use crate::program::Compiled;
use crate::program::{Bytecode, Routines};
use crate::stage::execute::Program;

/// A program that differs from the base in the code of one function. Its memory is kept from candidate to candidate.
#[derive(Clone, Debug)]
pub struct Splice {
    code: Bytecode,
    routines: Routines,
    /// Words of the base: where a candidate's code begins.
    origin: usize,
    /// Address of the function in the base.
    address: u32,
    function: usize,
}

impl Splice {
    pub fn new(compiled: &Compiled, function: u32) -> Splice {
        Splice {
            code: Bytecode { word: compiled.code.word.clone(), token: Vec::new() },
            routines: compiled.routines.clone(),
            origin: compiled.code.word.len(),
            address: compiled.routines.address[function as usize],
            function: function as usize,
        }
    }

    /// The base itself.
    pub fn base(&mut self) -> Program<'_> {
        self.code.word.truncate(self.origin);
        self.routines.address[self.function] = self.address;
        Program { code: &self.code, routines: &self.routines }
    }

    /// The base with this code for the function.
    pub fn with(&mut self, code: &[u32]) -> Program<'_> {
        self.code.word.truncate(self.origin);
        self.code.word.extend_from_slice(code);
        self.routines.address[self.function] = self.origin as u32;
        Program { code: &self.code, routines: &self.routines }
    }
}
