//! Compiles a base and runs its tests on all threads.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Instant;

use rayon::prelude::*;

use super::code_cache::CodeCache;
use super::pool::{Pool, Worker};
use super::spent::StageTimings;
use super::visits::{CallProfile, EntryCalls, Room, Visits};
use super::{CpuEngine, FIRST_CHUNK, only};
use crate::compiler::program::{Compiled, Watch};
use crate::compiler::stage::execute::Domain;
use crate::compiler::stage::splice::Splice;
use crate::compiler::stage::{Stage, execute, mutate};
use crate::engine::oracles::Oracle;
use crate::engine::{BaseResult, EngineError, EntryResult, Seen, oracles, reuse};
use crate::lang::index::{EntryId, Index, InputId};
use crate::lang::limits;
use crate::lang::verdict::Verdict;

/// The number of test steps from which finding the tests that need not run again pays off. Debug builds
/// always do this.
const WORTH_KEEPING: u64 = if cfg!(debug_assertions) { 1 } else { 1 << 15 };

/// Marks an entry that has ended, instead of its number of inputs.
const ENDED: u32 = u32::MAX;

/// The runs of an entry, in addition to their result.
#[derive(Default)]
pub(super) struct Ran {
    calls: Option<EntryCalls>,
    /// The inputs that reach a hole.
    unfinished: Vec<InputId>,
}

/// The program whose mutants are judged.
pub struct Base {
    pub number: u64,
    pub compiled: Arc<Compiled>,
    pub plan: mutate::Plan,
    /// Created with the functions' segments when the first mutant is requested.
    pub splice: Option<Splice>,
    pub segments: CodeCache,
    /// The results of its tests and properties.
    pub entries: Vec<EntryResult>,
    /// The passing entries, which judge mutants.
    pub oracles: Vec<Oracle>,
    /// The verdicts on its first mutants, as long as these were judged in order.
    pub verdicts: Vec<Verdict>,
    /// Recorded when the first mutant is judged.
    pub visits: Visits,
}

impl CpuEngine {
    /// Compiles a text, runs its tests and keeps it as the base: see [`crate::engine::Engine::base`].
    pub(super) fn make_base(&mut self, text: &Arc<str>, watch: &dyn Watch) -> Result<BaseResult, EngineError> {
        let started = Instant::now();
        let begun = self.begin(text);
        self.tested(begun, started, false, watch)
    }

    /// Runs the tests of the base that was just compiled, at time `started`. With `recording`, their visits are
    /// recorded for its mutants as well.
    pub(super) fn tested(
        &mut self,
        (compiled, mut spent): (Arc<Compiled>, StageTimings),
        started: Instant,
        recording: bool,
        watch: &dyn Watch,
    ) -> Result<BaseResult, EngineError> {
        if let Some(entries) = self.carry_over(&compiled) {
            return Ok(BaseResult { compiled, entries, timings: self.timings(started, spent, 1) });
        }
        let domains = execute::domains(
            &compiled.facts,
            &compiled.executable.routines,
            &compiled.binders,
            limits::SAMPLES,
        );
        let running = Instant::now();
        let reuses = self.settings.reuses() && compiled.facts.lowers() && self.last.cost(WORTH_KEEPING);
        let kept = if reuses { self.last.kept(&compiled) } else { Vec::new() };
        let number = self.base.as_ref().map_or(0, |base| base.number);
        let ran = self.results((&compiled, number), &domains, &kept, recording, watch);
        let (entries, mut ran): (Vec<EntryResult>, Vec<Ran>) =
            ran.ok_or(EngineError::Cancelled)?.into_iter().unzip();
        spent.together(self.pool.take_times(), running.elapsed());
        let from = Instant::now();
        if self.settings.reusing && compiled.facts.lowers() {
            self.last.set(&compiled, &entries);
        }
        if let Some(base) = self.base.as_mut().filter(|_| compiled.facts.lowers()) {
            base.plan.build_for(&compiled);
            base.entries.clone_from(&entries);
            let unfinished = |entry: EntryId, _: &_| std::mem::take(&mut ran[entry.position()].unfinished);
            base.oracles = oracles::of_domains(&entries, domains, unfinished);
            base.visits = Visits::Unrecorded(ran.into_iter().map(|ran| ran.calls).collect());
        }
        spent.alone(only(Stage::Mutate, from.elapsed()));
        Ok(BaseResult { compiled, entries, timings: self.timings(started, spent, 1) })
    }

    /// Compiles `text` and makes it the base, without results or plan. Returns the times of the stages.
    pub(super) fn begin(&mut self, text: &Arc<str>) -> (Arc<Compiled>, StageTimings) {
        let number = self.next_number();
        // Discard times left by cancelled work.
        self.pool.take_times();
        let compiler = &mut self.pool.worker().compiler;
        compiler.back.level = self.settings.level;
        compiler.holes = self.settings.holes;
        compiler.compile(text);
        compiler.holes = false;
        let compiled = Arc::new(Compiled { group: self.settings.group, ..compiler.compiled(text) });
        let mut spent = StageTimings::default();
        spent.alone(std::mem::take(&mut compiler.times));
        let base = Base {
            number,
            compiled: compiled.clone(),
            plan: mutate::Plan::default(),
            splice: None,
            segments: CodeCache::default(),
            entries: Vec::new(),
            oracles: Vec::new(),
            verdicts: Vec::new(),
            visits: Visits::default(),
        };
        let before = self.base.replace(base).filter(|_| self.settings.reuses());
        let leaves = |before: &Base| !before.segments.is_empty() && before.compiled.facts.compiles();
        if let Some(before) = before.filter(leaves) {
            self.before = Some(before);
        }
        (self.seen, self.size) = (Seen::default(), FIRST_CHUNK);
        (compiled, spent)
    }

    /// Returns the number of the next program that threads hold.
    pub(super) fn next_number(&mut self) -> u64 {
        self.number += 1;
        self.number
    }

    /// Carries all results of the previous base over to the new one if both have the same tokens. Returns the
    /// results of its entries.
    fn carry_over(&mut self, compiled: &Arc<Compiled>) -> Option<Vec<EntryResult>> {
        let before = self.before.as_ref()?;
        if compiled.facts.errors > 0 || !reuse::same_tokens(&before.compiled, compiled) {
            return None;
        }
        let mut before = self.before.take()?;
        let entries = before.entries.clone();
        // Parts point into the text.
        before.segments.forget();
        self.base = Some(Base { compiled: compiled.clone(), splice: None, ..before });
        Some(entries)
    }

    /// Runs the entries of the program with this number that have no result in `kept`. With `recording`, their calls are
    /// recorded. Returns `None` if cancelled.
    pub(super) fn results(
        &self,
        (compiled, number): (&Arc<Compiled>, u64),
        domains: &[Domain],
        kept: &[Option<EntryResult>],
        recording: bool,
        watch: &dyn Watch,
    ) -> Option<Vec<(EntryResult, Ran)>> {
        let program = &compiled.executable;
        let room = Room::new(domains.iter());
        let stop = AtomicBool::new(false);
        // For each entry, the number of inputs started, or `ENDED`.
        let kept = |entry: usize| kept.get(entry).and_then(Option::as_ref);
        let inputs = |entry| if kept(entry).is_some() { ENDED } else { 0 };
        let begun: Vec<AtomicU32> = (0..domains.len()).map(|entry| AtomicU32::new(inputs(entry))).collect();
        let report = || {
            let inputs = EntryId::all().zip(begun.iter().map(|inputs| inputs.load(Ordering::Relaxed)));
            if let Some((entry, inputs)) = { inputs }.find(|(_, inputs)| *inputs != ENDED) {
                watch.running(compiled, entry, inputs.saturating_sub(1));
            }
            watch.cancelled()
        };
        let work = || {
            let entries = domains.par_iter().enumerate().with_max_len(1);
            let run = |(entry, domain): (usize, &Domain)| {
                if let Some(kept) = kept(entry) {
                    return (*kept, Ran::default());
                }
                let Worker { compiler, mount, .. } = &mut *self.pool.worker();
                let from = Instant::now();
                mount.hold(program, number);
                let machine = &mut mount.machine;
                let counting = || {
                    begun[entry].fetch_add(1, Ordering::Relaxed);
                    stop.load(Ordering::Relaxed)
                };
                let (tally, calls) = if recording {
                    let recorder = room.recorder(program, compiled.facts.functions, domain);
                    recorder.entry(machine, program, (domain, limits::STEPS), &counting)
                } else {
                    (execute::entry(machine, program, domain, limits::STEPS, &counting), None)
                };
                begun[entry].store(ENDED, Ordering::Relaxed);
                compiler.record_time(Stage::Execute, from);
                (EntryResult::new(&tally), Ran { calls, unfinished: tally.unfinished })
            };
            entries.map(run).collect()
        };
        self.pool.run_unless(&report, &stop, work).filter(|_| !stop.load(Ordering::Relaxed))
    }
}

impl Base {
    /// Runs the oracles once more on the pool's threads to record their visits, unless that has been done.
    pub fn visit(&mut self, pool: &Pool, stop: &AtomicBool) {
        let Base { number, compiled, oracles, visits, .. } = self;
        if let Visits::Unrecorded(calls) = visits {
            oracles.iter_mut().for_each(|oracle| oracle.domain.prepare());
            let calls = std::mem::take(calls);
            let recorded = CallProfile::record(pool, (compiled, *number), oracles, calls, stop);
            if !stop.load(Ordering::Relaxed) {
                *visits = recorded.map_or(Visits::TooMany, Visits::Recorded);
            }
        }
    }
}
