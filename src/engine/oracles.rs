//! Oracles: the tests and properties that the base passes. They decide on variants. A property also judges by those of
//! its inputs that reach no hole of the base, if none fails.

use super::EntryResult;
use crate::compiler::program::{Compiled, Executable, Watch};
use crate::compiler::stage::execute;
use crate::compiler::stage::execute::{Domain, Machine, Record};
use crate::lang::index::{EntryId, Index, InputId};
use crate::lang::limits;
use crate::lang::trap::Trap;
use crate::lang::verdict::{MutantStatus, Verdict};

/// A test or property that judges variants.
#[derive(Clone, Debug)]
pub struct Oracle {
    /// Its index among all tests and properties.
    pub entry: EntryId,
    /// The instruction limit of a mutant, per input.
    pub fuel: u32,
    /// The instructions that the base executes for all its inputs.
    pub steps: u64,
    pub domain: Domain,
    /// The inputs that reach a hole of the base, in order. They do not judge.
    pub unfinished: Vec<InputId>,
}

impl Oracle {
    /// Returns whether an input judges.
    pub fn judges_by(&self, input: InputId) -> bool {
        self.unfinished.binary_search(&input).is_err()
    }

    /// Returns the verdict on a variant that this oracle kills. `trap` is the trap of the first failing
    /// input, or [`Trap::None`] if the value differs.
    pub fn killed(&self, trap: Trap) -> Verdict {
        let timeout = trap == Trap::StepLimit;
        let status = if timeout { MutantStatus::Timeout } else { MutantStatus::Killed };
        Verdict { killer: Some(self.entry), ..Verdict::of(status) }
    }
}

/// Returns the verdict on a variant that no oracle kills, and whether a run of it reaches a hole.
pub const fn left(reaches_hole: bool) -> Verdict {
    Verdict::of(if reaches_hole { MutantStatus::Unfinished } else { MutantStatus::Survived })
}

/// Returns the oracles of a program, in judging order.
pub fn oracles(compiled: &Compiled, entries: &[EntryResult]) -> Vec<Oracle> {
    let Compiled { facts, executable, binders, .. } = compiled;
    let domains = execute::domains(facts, &executable.routines, binders, limits::SAMPLES);
    of_domains(entries, domains, |_, domain| {
        let mut machine = Machine::default();
        machine.load(executable);
        execute::entry(&mut machine, executable, domain, limits::STEPS, &|| false).unfinished
    })
}

/// Returns the oracles of a program with these domains. `unfinished` returns the inputs of an entry that reach a hole.
pub fn of_domains(
    entries: &[EntryResult],
    domains: Vec<Domain>,
    mut unfinished: impl FnMut(EntryId, &Domain) -> Vec<InputId>,
) -> Vec<Oracle> {
    let mut domains: Vec<Option<Domain>> = domains.into_iter().map(Some).collect();
    let oracle = |entry: EntryId| {
        let result = entries.get(entry.position())?;
        let domain = domains.get_mut(entry.position())?.take()?;
        Some(Oracle {
            entry,
            fuel: execute::mutant_fuel(result.costliest),
            steps: result.steps,
            unfinished: if result.unfinished > 0 { unfinished(entry, &domain) } else { Vec::new() },
            domain,
        })
    };
    order(entries).into_iter().filter_map(oracle).collect()
}

/// Returns the entries that judge, in judging order: fewest steps first.
pub fn order(entries: &[EntryResult]) -> Vec<EntryId> {
    let passing = EntryId::all().zip(entries).filter(|(_, entry)| entry.judges());
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
    let mut reaches_hole = false;
    for oracle in oracles {
        let tally = execute::tally(&oracle.domain, watch, |input| match oracle.judges_by(input) {
            true => oracle.domain.run(machine, program, input, oracle.fuel),
            false => Record::PASSED,
        });
        if tally.fails() {
            return Some(oracle.killed(tally.last.trap));
        }
        if tally.inputs < oracle.domain.inputs().len() {
            return None;
        }
        reaches_hole |= !tally.unfinished.is_empty();
    }
    Some(left(reaches_hole))
}
