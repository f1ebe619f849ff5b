//! Oracles: the tests and properties that the base passes. They decide on variants.

use super::EntryResult;
use crate::compiler::program::{Compiled, Executable, Watch};
use crate::compiler::stage::execute;
use crate::compiler::stage::execute::{Domain, Machine};
use crate::lang::index::{EntryId, Index};
use crate::lang::limits;
use crate::lang::trap::Trap;
use crate::lang::verdict::{MutantStatus, Outcome, Verdict};

/// A test or property that the base passes.
#[derive(Clone, Debug)]
pub struct Oracle {
    /// Its index among all tests and properties.
    pub entry: EntryId,
    /// The instruction limit of a mutant, per input.
    pub fuel: u32,
    /// The instructions that the base executes for all its inputs.
    pub steps: u64,
    pub domain: Domain,
}

impl Oracle {
    /// Returns the verdict on a variant that this oracle kills. `trap` is the trap of the first failing
    /// input, or [`Trap::None`] if the value differs.
    pub fn killed(&self, trap: Trap) -> Verdict {
        let timeout = trap == Trap::StepLimit;
        let status = if timeout { MutantStatus::Timeout } else { MutantStatus::Killed };
        Verdict { killer: Some(self.entry), ..Verdict::of(status) }
    }
}

/// The verdict on a variant that no oracle kills.
pub const SURVIVED: Verdict = Verdict::of(MutantStatus::Survived);

/// Returns the oracles of a program without errors, in judging order.
pub fn oracles(compiled: &Compiled, entries: &[EntryResult]) -> Vec<Oracle> {
    let Compiled { facts, executable, binders, .. } = compiled;
    let domains = execute::domains(facts, &executable.routines, binders, limits::SAMPLES);
    of_domains(entries, domains)
}

pub fn of_domains(entries: &[EntryResult], domains: Vec<Domain>) -> Vec<Oracle> {
    let mut domains: Vec<Option<Domain>> = domains.into_iter().map(Some).collect();
    let oracle = |entry: EntryId| {
        let result = entries.get(entry.position())?;
        Some(Oracle {
            entry,
            fuel: execute::mutant_fuel(result.costliest),
            steps: result.steps,
            domain: domains.get_mut(entry.position())?.take()?,
        })
    };
    order(entries).into_iter().filter_map(oracle).collect()
}

/// Returns the passing entries in judging order: fewest steps first.
pub fn order(entries: &[EntryResult]) -> Vec<EntryId> {
    let passing = EntryId::all().zip(entries).filter(|(_, entry)| entry.outcome == Outcome::Pass);
    let mut order: Vec<(u64, EntryId)> = passing.map(|(id, entry)| (entry.steps, id)).collect();
    order.sort_unstable();
    order.into_iter().map(|(_, id)| id).collect()
}

/// Runs a compiled mutant against the oracles in order, until one kills it. Returns `None` if cancelled.
pub fn verdict(
    oracles: &[Oracle],
    machine: &mut Machine,
    program: &Executable,
    watch: &dyn Watch,
) -> Option<Verdict> {
    machine.load(program);
    run(oracles, machine, program, watch)
}

/// Like [`verdict`], on a machine that has loaded the mutant.
pub fn run(
    oracles: &[Oracle],
    machine: &mut Machine,
    program: &Executable,
    watch: &dyn Watch,
) -> Option<Verdict> {
    for oracle in oracles {
        let tally = execute::entry(machine, program, &oracle.domain, oracle.fuel, watch);
        if !tally.passes() {
            return Some(oracle.killed(tally.last.trap));
        }
        if tally.inputs < oracle.domain.inputs().len() {
            return None;
        }
    }
    Some(SURVIVED)
}
