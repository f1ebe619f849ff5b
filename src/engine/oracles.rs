//! Oracles: the tests and properties that the program itself passes, which decide on variants.

use super::EntryResult;
use crate::lang::trap::Trap;
use crate::lang::verdict::{MutantStatus, Outcome, Verdict};
use crate::lang::{NONE, limits};
use crate::program::{Compiled, Executable, Watch};
use crate::stage::execute;
use crate::stage::execute::{Domain, Machine};

/// A test or property that the program passes.
#[derive(Clone, Debug)]
pub struct Oracle {
    /// Its place among all tests and properties.
    pub entry: u32,
    /// Its place among the program's routines, where the functions stand first.
    pub routine: u32,
    /// Instructions that a mutant may execute for each input.
    pub fuel: u32,
    /// Instructions that the program executes in it.
    pub steps: u64,
    pub domain: Domain,
}

/// Those of a program without errors whose entries ended like that.
pub fn oracles(compiled: &Compiled, entries: &[EntryResult]) -> Vec<Oracle> {
    let Compiled { facts, executable, binders, .. } = compiled;
    let domains = execute::domains(facts, &executable.routines, binders, limits::SAMPLES);
    of_domains(facts.functions, entries, domains)
}

/// The same where the entries' inputs are known already.
pub fn of_domains(functions: u32, entries: &[EntryResult], domains: Vec<Domain>) -> Vec<Oracle> {
    let passing =
        (0..).zip(entries.iter().zip(domains)).filter(|(_, (result, _))| result.outcome == Outcome::Pass);
    passing
        .map(|(entry, (result, domain))| Oracle {
            entry,
            routine: functions + entry,
            fuel: execute::mutant_fuel(result.costliest),
            steps: result.steps,
            domain,
        })
        .collect()
}

/// Runs a compiled mutant up to its killer, in the order of the tests. `None` if it has been cancelled.
pub fn verdict(
    oracles: &[Oracle],
    machine: &mut Machine,
    program: &Executable,
    watch: &dyn Watch,
) -> Option<Verdict> {
    machine.load(program);
    for oracle in oracles {
        let tally = execute::entry(machine, program, oracle.routine, &oracle.domain, oracle.fuel, watch);
        if !tally.passes() {
            let timeout = tally.last.trap == Trap::StepLimit;
            let status = if timeout { MutantStatus::Timeout } else { MutantStatus::Killed };
            return Some(Verdict { status, killer: oracle.entry, original: NONE });
        }
        if tally.inputs < oracle.domain.inputs() {
            return None;
        }
    }
    Some(Verdict { status: MutantStatus::Survived, killer: NONE, original: NONE })
}
