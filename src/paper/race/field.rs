//! The subject of a race: a program, the first k of its variants, and the tests that judge them.

use std::fmt;
use std::sync::Arc;

use crate::compiler::program::{Compiled, Executable, Routine, Watch};
use crate::compiler::stage::execute::Machine;
use crate::compiler::variants::Variants;
use crate::engine::cpu::CpuEngine;
use crate::engine::oracles::Oracle;
use crate::engine::{Engine, EngineError, EntryResult, oracles};
use crate::lang::index::{Index, Indices, MutantId, RoutineId, TokenId};
use crate::paper::race::Fate;

/// A program whose variants are raced.
pub struct Field {
    pub program: Arc<Compiled>,
    /// The results of its tests and properties.
    pub entries: Vec<EntryResult>,
    pub oracles: Vec<Oracle>,
    /// The number of variants that race: those with lower ids.
    pub k: u32,
    variants: Variants<Arc<Compiled>>,
}

/// The reason why a race is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refused {
    Errors,
    /// No test passes, so none can judge.
    NoJudge,
    NoVariants,
    Engine(EngineError),
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Refused::Errors => f.write_str("the program has errors"),
            Refused::NoJudge => f.write_str("no test passes, so none can judge a variant"),
            Refused::NoVariants => f.write_str("nothing in the program can be changed"),
            Refused::Engine(error) => error.fmt(f),
        }
    }
}

impl Field {
    /// Compiles a program and runs its tests.
    ///
    /// # Errors
    /// If the program has errors, no passing test, or nothing to change.
    pub fn new(text: &Arc<str>, k: u32) -> Result<Field, Refused> {
        Field::within(text, k, &|| false)
    }

    /// Likewise, until the watch cancels the work.
    ///
    /// # Errors
    /// As [`Field::new`].
    pub fn within(text: &Arc<str>, k: u32, watch: &dyn Watch) -> Result<Field, Refused> {
        let base = CpuEngine::new().base(text, watch).map_err(Refused::Engine)?;
        let program = base.compiled;
        if !program.facts.compiles() {
            return Err(Refused::Errors);
        }
        let oracles = oracles::oracles(&program, &base.entries);
        let variants = Variants::new(program.clone());
        match (oracles.is_empty(), variants.all()) {
            (true, _) => Err(Refused::NoJudge),
            (_, 0) => Err(Refused::NoVariants),
            (_, all) => Ok(Field { entries: base.entries, oracles, k: k.min(all), variants, program }),
        }
    }

    /// Returns the number of first-order variants, whether they race or not. Greater ids are second-order variants.
    pub fn first_order(&self) -> u32 {
        self.variants.first_order()
    }

    /// Returns the racing variants.
    pub fn ids(&self) -> Indices<MutantId> {
        Indices::first(self.k)
    }

    /// Returns the text of a variant, or `None` if its two changes overlap, which no text can represent.
    pub fn text(&self, id: MutantId) -> Option<String> {
        let overlaps = self.variants.describe(id)?.overlaps();
        if overlaps { None } else { self.variants.source(id) }
    }

    /// Returns the functions that a variant changes.
    pub fn changed(&self, id: MutantId) -> Vec<RoutineId> {
        let functions = self.program.executable.routines().take(self.program.facts.functions as usize);
        let heads: Vec<TokenId> = functions.map(Routine::head).collect();
        let of = |site: TokenId| RoutineId::at(heads.partition_point(|head| *head <= site).saturating_sub(1));
        let changes = self.variants.describe(id).map_or(vec![], |description| description.changes);
        let mut functions: Vec<RoutineId> = changes.iter().map(|change| of(change.site)).collect();
        functions.sort_unstable();
        functions.dedup();
        functions
    }

    /// Runs the tests on a compiled variant, in order, up to the first that it does not pass. Returns `None` if the
    /// work was cancelled.
    pub fn judge(&self, machine: &mut Machine, program: &Executable, watch: &dyn Watch) -> Option<Fate> {
        let verdict = oracles::verdict(&self.oracles, machine, program, watch)?;
        Some(Fate::of(verdict, |_| None))
    }
}
