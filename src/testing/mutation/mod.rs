//! Examines mutants to assess tests: why a mutant survives, which test would kill it, and which timeouts never end.
//!
//! These questions concern single mutants and few runs, so they are answered on the CPU's stack machine. The answers
//! are therefore the same on every engine. Runs are compared in the *unoptimized* code, where each instruction comes
//! from its source token. Optimization changes neither values nor outcomes.

mod behaviour;
mod call_cache;
mod calls;
mod cover;
mod cycle;
mod inputs;
pub(super) mod instruction_match;
mod matrix;
mod pair;
mod question;
pub mod repair;
mod trace;
mod why;

use std::collections::HashMap;
use std::sync::Arc;

use crate::compiler::program::{Compiled, Executable, PART};
use crate::compiler::stage::chain::Compiler;
use crate::compiler::stage::emit::emit_unoptimized;
use crate::compiler::stage::execute::Machine;
use crate::compiler::stage::mutate::{self, Edit};
use crate::compiler::variants::Variants;
use crate::engine::EntryResult;
use crate::engine::oracles::{self, Oracle};
use crate::lang::index::{MutantId, RoutineId};
pub use crate::lang::set::Entries;
use crate::testing::decide::{Given, Pool};
use behaviour::Behaviour;
use call_cache::CallCache;
pub use cover::Least;
pub use matrix::{Matrix, Minimal, OracleRole};
use pair::ComparedMutant;
pub use question::{MutationQuestion, QuestionAnswer, call_text, kills, literals, test_of};
use why::EnteredFunctions;
pub use why::{Infection, KillReason, MaskedBy};

/// Examines the mutants of one program.
pub struct Examiner {
    base: Arc<Compiled>,
    /// The base's code before any optimization pass.
    lowered: Executable,
    oracles: Vec<Oracle>,
    variants: Variants<Arc<Compiled>>,
    compiler: Compiler,
    /// [`Facts::holes`](crate::compiler::program::Facts) of the mutants: 0 if the base has no errors.
    holes: u32,
    /// The machines for the base and for the mutant.
    machines: [Machine; 2],
    entered: Option<EnteredFunctions>,
    /// For each function, the arguments with which oracles call it.
    calls: HashMap<RoutineId, Vec<Given>>,
    /// For each function, values of the program, and inputs of the domain that its tests show.
    near: HashMap<RoutineId, Arc<(Pool, Vec<Given>)>>,
    /// The base's results on arguments that mutants were tried on.
    call_cache: CallCache,
    /// The behaviour of the base's functions, with its hash.
    behaviour: Option<(Behaviour, [u32; 2])>,
}

impl Examiner {
    pub fn variants(&self) -> &Variants<Arc<Compiled>> {
        &self.variants
    }

    /// Creates an examiner for a program with the results of its entries.
    pub fn new(base: Arc<Compiled>, entries: &[EntryResult]) -> Examiner {
        let mut compiler = Compiler::default();
        let holes = match base.facts.compiles() {
            true => 0,
            false => {
                compiler.tokens.clone_from(&base.tokens);
                compiler.part = PART;
                compiler.mutant(&base.text, base.facts.names, base.level);
                PART + compiler.facts.errors
            }
        };
        Examiner {
            lowered: emit_unoptimized(&base),
            oracles: oracles::oracles(&base, entries),
            variants: Variants::new(base.clone()),
            compiler,
            holes,
            machines: Default::default(),
            entered: None,
            calls: HashMap::new(),
            near: HashMap::new(),
            call_cache: CallCache::default(),
            behaviour: None,
            base,
        }
    }

    /// Returns the number of first-order mutants. Their ids precede those of pairs.
    pub fn first_order(&self) -> u32 {
        self.variants.first_order()
    }

    /// Compiles a mutant with all passes. Returns its edits, or `None` if no such mutant exists or it does not compile.
    fn compile(&mut self, id: MutantId) -> Option<Vec<Edit>> {
        let edits = self.variants.edits(id)?;
        if !mutate::apply(&self.base.tokens, edits, &mut self.compiler.tokens) {
            return None;
        }
        self.compiler.part = self.holes;
        self.compiler.mutant(&self.base.text, self.base.facts.names, self.base.level);
        self.compiler.compiles().then(|| edits.iter().collect())
    }

    /// Returns a mutant paired with the base, or `None` if no such mutant exists or it does not compile.
    fn pair(&mut self, id: MutantId) -> Option<ComparedMutant> {
        let edits = self.compile(id)?;
        let mutant = self.compiler.compiled(&self.base.text);
        Some(ComparedMutant::new(&self.base, &self.lowered, &mutant, &edits))
    }

    /// Returns a hash of the results of a mutant's functions. Mutants with equal hashes behave alike on all tried
    /// inputs. Returns `None` if the hash equals the base's, or the mutant does not exist or compile.
    pub fn behaviour(&mut self, id: MutantId) -> Option<[u32; 2]> {
        self.compile(id)?;
        let (behaviour, own) = self.behaviour.get_or_insert_with(|| {
            let mut behaviour = Behaviour::new(&self.base);
            let own = behaviour.of(&self.base.executable);
            (behaviour, own)
        });
        Some(behaviour.of(&self.compiler.back.executable)).filter(|kind| kind != own)
    }
}
