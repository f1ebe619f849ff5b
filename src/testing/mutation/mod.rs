//! What mutants say about tests: why one survives, which test would have noticed it, and which of those that time out never
//! end.
//!
//! All of it is about single mutants and few runs, so it is done on the CPU's stack machine, whatever engine judged: what is found
//! is the same everywhere. Runs are compared in the code *as lowered*, where each instruction comes from the token that it is
//! written as; what optimize does to it shows in neither values nor ends.

mod alike;
mod behaviour;
mod cover;
mod cycle;
mod inputs;
mod matrix;
mod pair;
mod question;
pub mod repair;
mod shrink;
mod trace;
mod tried;
mod why;

use std::collections::HashMap;
use std::sync::Arc;

use crate::compiler::program::{Compiled, Executable};
use crate::compiler::stage::chain::Compiler;
use crate::compiler::stage::emit::as_lowered;
use crate::compiler::stage::execute::Machine;
use crate::compiler::stage::mutate::{self, Edit};
use crate::compiler::variants::Variants;
use crate::engine::EntryResult;
use crate::engine::oracles::{self, Oracle};
use behaviour::Behaviour;
pub use cover::Least;
pub use matrix::{Entries, Matrix, Minimal, Standing};
use pair::Pair;
use question::Given;
pub use question::{Answer, Gives, Question};
use tried::Tried;
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
    /// What the base gives on arguments that mutants were tried on.
    tried: Tried,
    /// What the base's functions give.
    behaviour: Option<(Behaviour, [u32; 2])>,
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
            tried: Tried::default(),
            behaviour: None,
            base,
        }
    }

    /// How many single changes there are: their ids come before those of pairs.
    pub fn singles(&self) -> u32 {
        self.variants.first_order()
    }

    /// Compiles the mutant of this id, with all passes; its edits, or `None` where there is none that compiles.
    fn compile(&mut self, id: u32) -> Option<Vec<Edit>> {
        let (first, second) = self.variants.edits(id)?;
        if !mutate::apply(&self.base.tokens, first, second, &mut self.compiler.tokens) {
            return None;
        }
        self.compiler.mutant(&self.base.text, self.base.facts.names);
        self.compiler.compiles().then(|| [Some(first), second].into_iter().flatten().collect())
    }

    /// The mutant of this id beside the base; `None` where there is none that compiles.
    fn pair(&mut self, id: u32) -> Option<Pair> {
        let edits = self.compile(id)?;
        let mutant = self.compiler.compiled(&self.base.text);
        Some(Pair::new((&self.base, &self.lowered), &mutant, &edits))
    }

    /// What a mutant's functions give, as a hash: mutants of which it is equal behave alike on all that was tried. `None` where it is
    /// the base's, or there is no such mutant.
    pub fn behaviour(&mut self, id: u32) -> Option<[u32; 2]> {
        self.compile(id)?;
        let (behaviour, own) = self.behaviour.get_or_insert_with(|| {
            let mut behaviour = Behaviour::new(&self.base);
            let own = behaviour.of(&self.base.executable);
            (behaviour, own)
        });
        Some(behaviour.of(&self.compiler.back.executable)).filter(|kind| kind != own)
    }
}
