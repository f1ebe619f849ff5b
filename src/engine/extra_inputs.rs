//! Tests properties on more inputs than a keystroke allows.
//!
//! An engine runs [`limits::SAMPLES`] inputs of a property. If the domain has more values, [`ExtraInputs`]
//! continues with the properties that held so far, in time slices: first with all values of a small domain, which proves
//! the property. It uses the stack machine on the calling thread, so its findings do not depend on the engine.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::EntryResult;
use crate::compiler::program::{Compiled, Watch};
use crate::compiler::stage::execute::{self, Domain, Machine};
use crate::lang::index::{EntryId, Index, InputId};
use crate::lang::limits;
use crate::lang::trap::Trap;
use crate::lang::verdict::Outcome;

/// A property with inputs left to run.
struct ActiveProperty {
    /// Its index among all tests and properties.
    entry: EntryId,
    domain: Domain,
    /// The result over all inputs so far.
    sum: EntryResult,
    /// No input is begun once the sum has this many steps. A domain that is not finished by then is left as it was.
    most: u64,
}

/// Continues a program's properties on more inputs.
pub struct ExtraInputs {
    compiled: Arc<Compiled>,
    machine: Machine,
    /// The results of all tests and properties so far.
    results: Vec<EntryResult>,
    /// The unfinished properties; the last one is running.
    active: Vec<ActiveProperty>,
    /// How many entries have a different outcome than before.
    changed: u32,
}

impl ExtraInputs {
    /// Continues from `results`, to `samples` inputs of each property.
    pub fn new(compiled: &Arc<Compiled>, results: &[EntryResult], samples: u32) -> ExtraInputs {
        let Compiled { facts, executable, binders, .. } = &**compiled;
        let domains = |samples| execute::domains(facts, &executable.routines, binders, samples);
        let all = domains(samples).into_iter().zip(domains(limits::INPUTS));
        let mut active: Vec<ActiveProperty> = { EntryId::all().zip(results.iter().zip(all)) }
            .flat_map(|(entry, (result, (asked, whole)))| {
                // More random draws continue the earlier ones. An exhaustive enumeration has another order,
                // so it starts from zero.
                let nothing =
                    EntryResult { steps: 0, costliest: 0, inputs: 0, discarded: 0, unfinished: 0, ..*result };
                let most = limits::WHOLE_STEPS.saturating_sub(result.steps);
                let whole = Some((whole, limits::INPUTS, most))
                    .filter(|(whole, ..)| whole.exhaustive() && !asked.exhaustive());
                let asked = (asked, samples, u64::MAX);
                let left = |domain: &Domain| !result.outcome.fails() && domain.inputs().len() > result.inputs;
                let parts = whole.into_iter().chain([asked]).filter(|(domain, ..)| left(domain));
                let of_part = |(domain, samples, most): (Domain, u32, u64)| {
                    let begun = if domain.exhaustive() { nothing } else { *result };
                    ActiveProperty { entry, domain, sum: EntryResult { samples, ..begun }, most }
                };
                parts.map(of_part).collect::<Vec<_>>()
            })
            .collect();
        active.reverse();
        let mut machine = Machine::default();
        if !active.is_empty() {
            machine.translate(executable);
        }
        ExtraInputs { compiled: compiled.clone(), machine, results: results.to_vec(), active, changed: 0 }
    }

    /// Runs for about `stretch`; returns `None` if cancelled.
    pub fn step(&mut self, stretch: Duration, watch: &dyn Watch) -> Option<()> {
        let started = Instant::now();
        while let Some(now) = self.active.last_mut() {
            let sum = &mut now.sum;
            while sum.inputs < now.domain.inputs().len() && !fails(sum.outcome) && sum.steps < now.most {
                if watch.cancelled() {
                    return None;
                }
                if started.elapsed() > stretch {
                    return Some(());
                }
                let (input, program) = (InputId::new(sum.inputs), &self.compiled.executable);
                let record = now.domain.run(&mut self.machine, program, input, limits::STEPS);
                sum.inputs += 1;
                sum.discarded += u32::from(execute::discards(&record));
                sum.steps += u64::from(record.steps);
                sum.costliest = sum.costliest.max(record.steps);
                let outcome = execute::outcome(&record);
                sum.unfinished += u32::from(record.trap == Trap::Hole);
                if fails(outcome) || !execute::holds(&record) && sum.failing_input.is_none() {
                    sum.outcome = outcome;
                    (sum.failing_input, sum.trap_address) = (Some(input), record.address);
                }
            }
            if sum.failing_input.is_none() {
                sum.outcome = execute::passed(sum.inputs, sum.discarded);
            }
            let is_decided = fails(sum.outcome) || sum.inputs == now.domain.inputs().len();
            if let (Some(result), Some(now)) = (self.results.get_mut(now.entry.position()), self.active.pop())
                && is_decided
            {
                self.changed += u32::from(result.outcome != now.sum.outcome);
                *result = now.sum;
                // All values are tried, or one fails: no draw adds anything.
                self.active.retain(|other| other.entry != now.entry);
            }
        }
        Some(())
    }

    pub fn is_done(&self) -> bool {
        self.active.is_empty()
    }

    /// Returns the running property and the number of its inputs so far.
    pub fn at(&self) -> Option<(EntryId, u32)> {
        self.active.last().map(|now| (now.entry, now.sum.inputs))
    }

    /// Returns how many tests and properties have a different outcome than before.
    pub fn changed(&self) -> u32 {
        self.changed
    }

    /// Returns the results of all tests and properties so far.
    pub fn results(&self) -> &[EntryResult] {
        &self.results
    }
}

/// Returns whether no further input changes an outcome. One that reaches a hole does not fail.
fn fails(outcome: Outcome) -> bool {
    outcome.fails() && !outcome.is_unfinished()
}

/// Returns whether a property that passes was tried on all values of its domain, which proves it.
pub fn is_proved(compiled: &Compiled, entry: EntryId, result: &EntryResult) -> bool {
    let Compiled { facts, executable, binders, .. } = compiled;
    let routine = facts.entry(entry);
    let has_binders = executable.routine(routine).is_some_and(|routine| routine.params() > 0);
    let size = || Domain::size(&executable.routines, binders, routine);
    has_binders && result.outcome == Outcome::Pass && result.inputs == size()
}

/// Returns the results with all values of small domains tried, unless the program has errors; `None` if cancelled.
pub fn with_small_domains(
    compiled: &Arc<Compiled>,
    results: &[EntryResult],
    watch: &dyn Watch,
) -> Option<Vec<EntryResult>> {
    if !compiled.facts.compiles() {
        return Some(results.to_vec());
    }
    let mut extra = ExtraInputs::new(compiled, results, limits::SAMPLES);
    while !extra.is_done() {
        extra.step(Duration::from_secs(1), watch)?;
    }
    Some(extra.results)
}
