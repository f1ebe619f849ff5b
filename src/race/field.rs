//! What is raced: a program, the first k of its variants, and the tests that judge them.

use std::fmt;
use std::sync::Arc;

use crate::engine::cpu::CpuEngine;
use crate::engine::{Compiled, Engine, EngineError, Outcome};
use crate::lang::limits;
use crate::lang::trap::Trap;
use crate::race::Fate;
use crate::stage::execute::{self, Domain, Machine, Program};
use crate::variants::Variants;

/// A test or property that the program passes.
#[derive(Clone, Debug)]
pub struct Judge {
    /// Its place among all tests and properties.
    pub entry: u32,
    /// Instructions that a variant may execute for each input.
    pub fuel: u32,
    pub domain: Domain,
}

/// A program whose variants race.
pub struct Field {
    pub program: Arc<Compiled>,
    pub judges: Vec<Judge>,
    /// Variants that race: those with the ids below.
    pub k: u32,
    variants: Variants<Arc<Compiled>>,
}

/// Why there is no race.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refused {
    Errors,
    /// No test passes, so none judges.
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
    /// If it has errors, no test that passes, or nothing to change.
    pub fn new(text: &Arc<str>, k: u32) -> Result<Field, Refused> {
        let base = CpuEngine::new().base(text).map_err(Refused::Engine)?;
        let program = base.compiled;
        if program.facts.errors > 0 || program.facts.stopped() {
            return Err(Refused::Errors);
        }
        let domains = execute::domains(&program.facts, &program.routines, &program.binders, limits::SAMPLES);
        let passing = base
            .entries
            .iter()
            .zip(domains)
            .enumerate()
            .filter(|(_, (entry, _))| entry.outcome == Outcome::Pass);
        let judges: Vec<Judge> = passing
            .map(|(i, (entry, domain))| Judge {
                entry: i as u32,
                fuel: execute::mutant_fuel(entry.costliest),
                domain,
            })
            .collect();
        let variants = Variants::new(program.clone());
        match (judges.is_empty(), variants.all()) {
            (true, _) => Err(Refused::NoJudge),
            (_, 0) => Err(Refused::NoVariants),
            (_, all) => Ok(Field { judges, k: k.min(all), variants, program }),
        }
    }

    /// The text of a variant; none where its two changes overlap, which no text can have.
    pub fn text(&self, id: u32) -> Option<String> {
        let changes = self.variants.describe(id)?.changes;
        let overlap = changes.windows(2).any(|pair| pair[1].lo < pair[0].hi);
        if overlap { None } else { self.variants.source(id) }
    }

    /// The functions that a variant changes.
    pub fn changed(&self, id: u32) -> Vec<u32> {
        let heads = &self.program.routines.token[..self.program.facts.functions as usize];
        let of = |site: u32| heads.partition_point(|head| *head <= site).saturating_sub(1) as u32;
        let changes = self.variants.describe(id).map_or(vec![], |description| description.changes);
        let mut functions: Vec<u32> = changes.iter().map(|change| of(change.site)).collect();
        functions.sort_unstable();
        functions.dedup();
        functions
    }

    /// Runs the tests on a compiled variant, in order, up to the first that it does not pass. `None` if it is no longer `wanted`.
    pub fn judge(&self, machine: &mut Machine, program: Program, wanted: &dyn Fn() -> bool) -> Option<Fate> {
        machine.load(program);
        for judge in &self.judges {
            let routine = self.program.facts.functions + judge.entry;
            let tally = execute::entry(machine, program, routine, &judge.domain, judge.fuel, wanted);
            if !tally.passes() {
                return Some(if tally.last.trap == Trap::StepLimit { Fate::Timeout } else { Fate::Killed });
            }
            if tally.inputs < judge.domain.inputs() {
                return None;
            }
        }
        Some(Fate::Survived)
    }
}
