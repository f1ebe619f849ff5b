//! Inputs of properties beyond those that a keystroke pays for.
//!
//! An engine runs [`limits::SAMPLES`] inputs of a property. Where its domain has more values, [`Further`] goes on with the properties
//! that held so far, a stretch at a time, on the stack machine of this thread: so what it finds is the same whatever engine judged.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::EntryResult;
use crate::compiler::program::{Compiled, Watch};
use crate::compiler::stage::execute::{self, Domain, Machine};
use crate::lang::{NONE, limits};

/// A property that goes on.
struct Going {
    /// Its place among all tests and properties.
    entry: usize,
    domain: Domain,
    /// What its inputs have come to so far.
    sum: EntryResult,
}

/// A program's properties on more inputs.
pub struct Further {
    compiled: Arc<Compiled>,
    machine: Machine,
    /// How each test and property has ended so far.
    results: Vec<EntryResult>,
    /// Those that are not done; the last one is at work.
    going: Vec<Going>,
    /// How many have ended otherwise than before.
    changed: u32,
}

impl Further {
    /// For a program whose tests ended like that, on so many inputs of each property.
    pub fn new(compiled: &Arc<Compiled>, results: &[EntryResult], samples: u32) -> Further {
        let Compiled { facts, executable, binders, .. } = &**compiled;
        let domains = execute::domains(facts, &executable.routines, binders, samples);
        let mut going: Vec<Going> = { results.iter().zip(domains).enumerate() }
            .filter(|(_, (result, domain))| !result.outcome.fails() && domain.inputs() > result.inputs)
            .map(|(entry, (result, domain))| {
                // What was drawn so far is what more draws begin with; where all values are tried now, they come in another order.
                let nothing = EntryResult { steps: 0, costliest: 0, inputs: 0, discarded: 0, ..*result };
                let begun = if domain.exhaustive() { nothing } else { *result };
                Going { entry, domain, sum: EntryResult { samples, ..begun } }
            })
            .collect();
        going.reverse();
        let mut machine = Machine::default();
        if !going.is_empty() {
            machine.translate(executable);
        }
        Further { compiled: compiled.clone(), machine, results: results.to_vec(), going, changed: 0 }
    }

    /// Goes on for about so long; `None` if it was stopped.
    pub fn step(&mut self, stretch: Duration, watch: &dyn Watch) -> Option<()> {
        let started = Instant::now();
        while let Some(now) = self.going.last_mut() {
            let routine = self.compiled.facts.functions + now.entry as u32;
            let sum = &mut now.sum;
            while sum.inputs < now.domain.inputs() && !sum.outcome.fails() {
                if watch.cancelled() {
                    return None;
                }
                if started.elapsed() > stretch {
                    return Some(());
                }
                let input = sum.inputs;
                now.domain.write(input, self.machine.frame());
                let record = self.machine.run(&self.compiled.executable, routine, limits::STEPS, 0);
                sum.inputs += 1;
                sum.discarded += u32::from(execute::discards(&record));
                sum.steps += u64::from(record.steps);
                sum.costliest = sum.costliest.max(record.steps);
                if !execute::holds(&record) {
                    sum.outcome = execute::outcome(&record);
                    (sum.failing_input, sum.trap_address) = (input, record.address);
                }
            }
            if sum.failing_input == NONE {
                sum.outcome = execute::passed(sum.inputs, sum.discarded);
            }
            if let (Some(result), Some(now)) = (self.results.get_mut(now.entry), self.going.pop()) {
                self.changed += u32::from(result.outcome != now.sum.outcome);
                *result = now.sum;
            }
        }
        Some(())
    }

    pub fn is_done(&self) -> bool {
        self.going.is_empty()
    }

    /// The property that is at work, and how many inputs it has run on.
    pub fn at(&self) -> Option<(u32, u32)> {
        self.going.last().map(|now| (now.entry as u32, now.sum.inputs))
    }

    /// How many tests and properties have ended otherwise than before.
    pub fn changed(&self) -> u32 {
        self.changed
    }

    /// How each test and property has ended so far.
    pub fn results(&self) -> &[EntryResult] {
        &self.results
    }
}
