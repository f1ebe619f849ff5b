//! What mutants say about tests: why one survives, which test would have noticed it, and which of those that time out never
//! end.
//!
//! All of it is about single mutants and few runs, so it is done on the CPU's stack machine, whatever engine judged: what is found
//! is the same everywhere. Runs are compared in the code *as lowered*, where each instruction comes from the token that it is
//! written as; what optimize does to it shows in neither values nor ends.

mod alike;
mod cycle;
mod inputs;
mod pair;
mod question;
pub mod repair;
mod shrink;
mod trace;
mod why;

use std::collections::HashMap;
use std::sync::Arc;

use crate::engine::EntryResult;
use crate::engine::oracles::{self, Oracle};
use crate::program::{Compiled, Executable};
use crate::stage::chain::Compiler;
use crate::stage::emit::as_lowered;
use crate::stage::execute::Machine;
use crate::stage::mutate;
use crate::variants::Variants;
pub use cycle::{Cycle, Turn};
use pair::Pair;
use question::Given;
pub use question::{Answer, Gives, Question};
use why::Entered;
pub use why::{Differing, Hidden, Why};

/// Looks into the mutants of one program.
pub struct Examiner {
    base: Arc<Compiled>,
    /// The base's code before any pass.
    lowered: Executable,
    oracles: Vec<Oracle>,
    variants: Variants<Arc<Compiled>>,
    compiler: Compiler,
    /// For the base, and for the mutant.
    machines: [Machine; 2],
    entered: Option<Entered>,
    /// Of functions the arguments with which oracles call them.
    calls: HashMap<u32, Vec<Given>>,
}

impl Examiner {
    /// Of a program without errors whose entries ended like that.
    pub fn new(base: Arc<Compiled>, entries: &[EntryResult]) -> Examiner {
        Examiner {
            lowered: as_lowered(&base),
            oracles: oracles::oracles(&base, entries),
            variants: Variants::new(base.clone()),
            compiler: Compiler::default(),
            machines: Default::default(),
            entered: None,
            calls: HashMap::new(),
            base,
        }
    }

    /// How many single changes there are: their ids come before those of pairs.
    pub fn singles(&self) -> u32 {
        self.variants.first_order()
    }

    /// The mutant of this id beside the base; `None` where there is none that compiles.
    fn pair(&mut self, id: u32) -> Option<Pair> {
        let (first, second) = self.variants.edits(id)?;
        if !mutate::apply(&self.base.tokens, first, second, &mut self.compiler.tokens) {
            return None;
        }
        self.compiler.mutant(&self.base.text, self.base.facts.names);
        if !self.compiler.compiles() {
            return None;
        }
        let mutant = self.compiler.compiled(&self.base.text);
        let edits = [Some(first), second].into_iter().flatten().collect::<Vec<_>>();
        Some(Pair::new((&self.base, &self.lowered), &mutant, &edits))
    }
}
