//! Runs tests to their end, counting steps exactly.

use std::sync::atomic::{AtomicBool, Ordering};

use super::Shown;
use super::test_cache::{Entry, InputSums, Key, NONE_OF, TestCache};
use crate::compiler::program::Executable;
use crate::compiler::stage::execute::{self, Domain, Machine, Record};
use crate::engine::cpu::pool::Worker;
use crate::engine::{TestTotals, Tested};
use crate::lang::index::{Index, RoutineId};
use crate::lang::level::OptLevel;
use crate::lang::limits;
use crate::lang::trap::Trap;
use crate::lang::verdict::Outcome;

/// The assumed steps of a run when nothing is known about it.
const LONG: u32 = 4_096;

/// The result of a test or property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct End {
    pub outcome: Outcome,
    pub steps: u64,
}

/// A test or property that the base passes.
pub struct Passing<'a> {
    /// Its index among the oracles whose visits are recorded.
    pub place: u32,
    pub routine: RoutineId,
    pub domain: &'a Domain,
    pub costliest: u32,
    /// The base's sums over the inputs before each input.
    before: &'a [InputSums],
}

impl Passing<'_> {
    /// Returns the base's sums over the inputs before this one.
    pub fn before(&self, input: u32) -> InputSums {
        self.before.get(input as usize).copied().unwrap_or_default()
    }

    /// Whether this input does not meet the condition on the base.
    pub fn discards(&self, input: u32) -> bool {
        self.before(input + 1).discarded > self.before(input).discarded
    }
}

/// The language's step limit, applied in two stages. A run much longer than expected may never end, which is
/// often detected before the whole limit is used.
#[derive(Clone, Copy)]
pub struct Fuel {
    /// The expected steps of a run; [`limits::STEPS`] to always use the whole limit.
    pub expected: u32,
}

impl Fuel {
    /// Runs an entry on one input with the language's step limit.
    pub fn run(
        self,
        machine: &mut Machine,
        program: &Executable,
        routine: RoutineId,
        domain: &Domain,
        input: u32,
    ) -> Record {
        let soon = execute::mutant_fuel(self.expected);
        domain.write(input, machine.frame());
        let record = machine.run(program, routine, soon, 0);
        if record.trap != Trap::StepLimit || soon == limits::STEPS {
            return record;
        }
        execute::run_with_cycle_check(machine, program, routine, domain, input)
    }

    /// Runs a test or property on its inputs, up to the first failing one. Returns `None` if stopped.
    fn end(
        self,
        machine: &mut Machine,
        program: &Executable,
        (routine, domain): (RoutineId, &Domain),
        stop: &AtomicBool,
    ) -> Option<End> {
        let mut sum = InputSums::default();
        for input in 0..domain.inputs() {
            if stop.load(Ordering::Relaxed) {
                return None;
            }
            let record = self.run(machine, program, routine, domain, input);
            sum.steps += u64::from(record.steps);
            sum.discarded += u32::from(execute::discards(&record));
            if !execute::holds(&record) {
                return Some(End { outcome: execute::outcome(&record), steps: sum.steps });
            }
        }
        Some(End { outcome: execute::passed(domain.inputs(), sum.discarded), steps: sum.steps })
    }
}

/// How programs are tested from scratch.
#[derive(Clone, Copy)]
pub struct Whole {
    /// Whether runs use the whole step limit.
    pub exact: bool,
    pub level: OptLevel,
}

impl Whole {
    /// Compiles and tests a program. Returns `None` if stopped.
    pub fn test(self, worker: &mut Worker, text: &str, stop: &AtomicBool) -> Option<Tested> {
        let Worker { compiler, machine, .. } = worker;
        if stop.load(Ordering::Relaxed) {
            return None;
        }
        compiler.back.level = self.level;
        compiler.compile(text);
        if !compiler.compiles() {
            return Some(Tested::Invalid);
        }
        let (facts, back) = (&compiler.facts, &compiler.back);
        let program = &back.executable;
        let domains = execute::domains(facts, &program.routines, &back.binders, limits::SAMPLES);
        machine.translate(program);
        let fuel = Fuel { expected: if self.exact { limits::STEPS } else { LONG } };
        let mut sum = TestTotals::EMPTY;
        for (routine, domain) in facts.entry_routines().zip(&domains) {
            let End { outcome, steps } = fuel.end(machine, program, (routine, domain), stop)?;
            sum.add(outcome, steps);
        }
        Some(Tested::Ended(sum))
    }
}

/// Tests the base with other code for some functions. Returns `None` if stopped.
pub fn near(cache: &TestCache, codes: &[u32], worker: &mut Worker, stop: &AtomicBool) -> Option<Shown> {
    if codes.is_empty() {
        return Some((cache.base(), Vec::new()));
    }
    let segments = codes.iter().filter_map(|code| cache.kept.get(*code as usize));
    let functions: Vec<RoutineId> = segments.clone().map(|kept| kept.segment.function).collect();
    let (mut sum, mut shown, mut mounted) = (TestTotals::EMPTY, Vec::new(), false);
    for (index, entry) in (0..).zip(&cache.entries) {
        let reached = reached(cache, codes, &functions, entry);
        let key = key(index, &reached);
        let end = match key {
            _ if reached.is_empty() => entry.end,
            Some(key) if let Some(end) = cache.ended(&key) => end,
            _ => {
                if !mounted {
                    worker.mount.hold(&cache.compiled.executable, cache.number);
                    worker.mount.exchange(segments.clone().map(|kept| &*kept.segment));
                    if let Some(visits) = &cache.visits {
                        visits.forget(&functions, &mut worker.tried);
                    }
                    mounted = true;
                }
                let end = run(cache, entry, &functions, worker, stop)?;
                shown.extend(key.map(|key| (key, end)));
                end
            }
        };
        sum.add(end.outcome, end.steps);
    }
    Some((Tested::Ended(sum), shown))
}

/// Returns the changed codes that an entry can reach.
fn reached(cache: &TestCache, codes: &[u32], functions: &[RoutineId], entry: &Entry) -> Vec<u32> {
    let mut reach = entry.reach;
    let mut found = Vec::new();
    // Changed code may call functions whose changed code is then reachable as well.
    for _ in 0..codes.len() {
        let before = found.len();
        for (code, function) in codes.iter().zip(functions) {
            if reach.has(*function) && !found.contains(code) {
                found.push(*code);
                for called in cache.kept.get(*code as usize).into_iter().flat_map(|kept| &kept.calls) {
                    reach.join(&cache.reach.get(called.position()).copied().unwrap_or_default());
                }
            }
        }
        if found.len() == before {
            break;
        }
    }
    found.sort_unstable();
    found
}

/// Returns the key for storing an entry's result; `None` if it reaches more than two changed codes.
fn key(index: u32, reached: &[u32]) -> Option<Key> {
    match *reached {
        [one] => Some((index, [one, NONE_OF])),
        [one, other] => Some((index, [one, other])),
        _ => None,
    }
}

/// Runs a test or property on the mounted program.
fn run(
    cache: &TestCache,
    entry: &Entry,
    functions: &[RoutineId],
    worker: &mut Worker,
    stop: &AtomicBool,
) -> Option<End> {
    let Entry { routine, domain, costliest, passes, .. } = entry;
    let mount = &mut worker.mount;
    match (passes, &cache.visits) {
        (Some((place, before)), Some(visits)) => {
            let (routine, costliest) = (*routine, *costliest);
            let passing = Passing { place: *place, routine, domain, costliest, before };
            visits.end(mount, functions, &passing, &mut worker.tried, stop)
        }
        _ => {
            let fuel = Fuel { expected: LONG };
            fuel.end(&mut mount.machine, &mount.program, (*routine, domain), stop)
        }
    }
}
