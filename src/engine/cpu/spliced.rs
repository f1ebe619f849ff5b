//! The bytecode of single mutants, made on the caller's thread.

use std::sync::Arc;

use super::mutable;
use super::splice::{Scratch, Splice};
use crate::program::Compiled;
use crate::program::{Bytecode, Routines};
use crate::stage::Compiler;
use crate::stage::{judge, mutate};

/// A base, and what making its mutants takes.
pub struct Spliced {
    base: Arc<Compiled>,
    plan: mutate::Plan,
    splice: Splice,
    compiler: Compiler,
    scratch: Scratch,
    code: Bytecode,
    routines: Routines,
}

impl Spliced {
    /// Of a base without errors.
    pub fn new(base: &Arc<Compiled>) -> Spliced {
        let mut plan = mutate::Plan::default();
        plan.build(mutable(base));
        Spliced {
            base: base.clone(),
            plan,
            splice: Splice::new(base),
            compiler: Compiler::default(),
            scratch: Scratch::default(),
            code: Bytecode::default(),
            routines: Routines::default(),
        }
    }

    /// All that a mutant's bytecode is, as one sequence ([`judge::sequence`]). `None` if it does not compile.
    pub fn sequence(&mut self, id: u32) -> Option<Vec<u32>> {
        let edits = self.plan.variant(mutable(&self.base), id)?;
        let Spliced { base, splice, compiler, scratch, code, routines, .. } = self;
        let compiles = splice.compile(base, edits, compiler, scratch, code, routines);
        let mut sequence = Vec::new();
        judge::sequence(code, routines, &mut sequence);
        compiles.then_some(sequence)
    }
}
