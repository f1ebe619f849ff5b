//! Tests programs: whole, or with the stored results of their codes.

use std::sync::atomic::{AtomicBool, Ordering};

use super::Shown;
use super::test_cache::{CacheEntry, CacheKey, NONE_OF, TestCache};
use crate::compiler::stage::execute;
use crate::engine::cpu::fuel::{Fuel, FuelEnd};
use crate::engine::cpu::pool::Worker;
use crate::engine::cpu::visits::Passing;
use crate::engine::{TestTotals, Tested};
use crate::lang::index::{EntryId, Index, RoutineId};
use crate::lang::level::OptLevel;
use crate::lang::limits;

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
        let fuel = Fuel { expected: if self.exact { limits::STEPS } else { Fuel::LONG } };
        let mut sum = TestTotals::EMPTY;
        for domain in &domains {
            let FuelEnd { outcome, steps } = fuel.end(machine, program, domain, stop)?;
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
    for (id, entry) in EntryId::all().zip(&cache.entries) {
        let reached = reached(cache, codes, &functions, entry);
        let key = key(id, &reached);
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
fn reached(cache: &TestCache, codes: &[u32], functions: &[RoutineId], entry: &CacheEntry) -> Vec<u32> {
    let mut reach = entry.reach;
    let mut found = Vec::new();
    // Changed code may call functions whose changed code is then reachable as well.
    for _ in 0..codes.len() {
        let before = found.len();
        for (code, function) in codes.iter().zip(functions) {
            if reach.contains(*function) && !found.contains(code) {
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
fn key(entry: EntryId, reached: &[u32]) -> Option<CacheKey> {
    match *reached {
        [one] => Some((entry, [one, NONE_OF])),
        [one, other] => Some((entry, [one, other])),
        _ => None,
    }
}

/// Runs a test or property on the mounted program.
fn run(
    cache: &TestCache,
    entry: &CacheEntry,
    functions: &[RoutineId],
    worker: &mut Worker,
    stop: &AtomicBool,
) -> Option<FuelEnd> {
    let CacheEntry { domain, costliest, passes, .. } = entry;
    let mount = &mut worker.mount;
    match (passes, &cache.visits) {
        (Some((place, before)), Some(visits)) => {
            let passing = Passing { place: *place, domain, costliest: *costliest, before };
            visits.end(mount, functions, &passing, &mut worker.tried, stop)
        }
        _ => {
            let fuel = Fuel { expected: Fuel::LONG };
            fuel.end(&mut mount.machine, &mount.program, domain, stop)
        }
    }
}
