//! Compiles single mutants to bytecode on the calling thread.

use std::sync::Arc;

use crate::compiler::program::{Compiled, Executable};
use crate::compiler::stage::splice::{Splice, SpliceScratch};
use crate::compiler::stage::{Compiler, judge, mutate};
use crate::lang::index::MutantId;

/// A base with the state for compiling its mutants.
pub struct Spliced {
    base: Arc<Compiled>,
    plan: mutate::Plan,
    splice: Splice,
    compiler: Compiler,
    scratch: SpliceScratch,
    executable: Executable,
}

impl Spliced {
    /// For a base without errors.
    pub fn new(base: &Arc<Compiled>) -> Spliced {
        let mut plan = mutate::Plan::default();
        plan.build_for(base);
        Spliced {
            base: base.clone(),
            plan,
            splice: Splice::new(base),
            compiler: Compiler::default(),
            scratch: SpliceScratch::default(),
            executable: Executable::default(),
        }
    }

    /// Returns a mutant's complete bytecode as one sequence ([`judge::sequence`]), or `None` if it does not
    /// compile.
    pub fn sequence(&mut self, id: MutantId) -> Option<Vec<u32>> {
        let edits = self.plan.variant(self.base.view(), id)?;
        let Spliced { base, splice, compiler, scratch, executable, .. } = self;
        let compiles = splice.compile(base, edits, compiler, scratch, executable);
        let mut sequence = Vec::new();
        judge::sequence(executable, &mut sequence);
        compiles.then_some(sequence)
    }
}
