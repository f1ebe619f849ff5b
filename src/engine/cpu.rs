//! The CPU engine: the sequential algorithms of the stages on several threads.
//!
//! Mutants run in chunks. A chunk's size follows from the time of the previous chunk; a newer edit stops a
//! chunk within a few milliseconds.

mod chunk;
mod code_cache;
mod memory;
mod mount;
mod noise;
mod pool;
mod sampler;
mod spent;
pub mod spliced;
mod tester;
mod visits;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

use super::memory::{Memory, NeuralMemory};
use super::oracles::Oracle;
use super::timings::StageTimes;
use super::{
    Abilities, BaseResult, Candidate, Chunk, ChunkJudge, ChunkMode, Clock, Engine, EngineError, EngineSettings,
    EntryResult, Kind, Meters, MutantCounts, MutantResult, Noisy, ProgramTester, RunResult, Sampler, Seen,
    Tested, Timings, Transfer, oracles, refuse_whole, reuse,
};
use crate::compiler::program::{Compiled, Executable, Watch};
use crate::compiler::stage::execute::{Domain, Machine, Tally};
use crate::compiler::stage::splice::Splice;
use crate::compiler::stage::{Stage, execute, mutate};
use crate::lang::index::{EntryId, Index, Indices, MutantId, RoutineId};
use crate::lang::limits;
use crate::lang::trap::Trap;
use crate::lang::ty::Type;
use crate::lang::verdict::Verdict;
use chunk::{JudgeOptions, Slot};
use code_cache::CodeCache;
use pool::{Pool, Worker};
use spent::StageTimings;
use tester::TestCache;
use visits::CallProfile;

use rayon::prelude::*;

/// Mutants per thread in a chunk: initially, and its bounds.
const FIRST_CHUNK: usize = 16;
const CHUNK: std::ops::RangeInclusive<usize> = 4..=64;
/// The target time of a chunk, so that results arrive often enough to watch.
const CHUNK_TIME: Duration = Duration::from_millis(20);

/// The number of test steps from which finding the tests that need not run again pays off. Debug builds
/// always do this.
const WORTH_KEEPING: u64 = if cfg!(debug_assertions) { 1 } else { 1 << 15 };

/// Marks an entry that has ended, instead of its number of inputs.
const ENDED: u32 = u32::MAX;

/// An engine that compiles and runs programs on this machine's cores.
pub struct CpuEngine {
    pool: Pool,
    slots: Vec<Slot>,
    base: Option<Base>,
    /// The mutants that have been compared with each other.
    seen: Seen,
    /// The number of the last base, counted from 1.
    number: u64,
    /// Mutants per thread in the next chunk; adapts to the time of chunks.
    size: usize,
    sampler: sampler::State,
    settings: EngineSettings,
    /// The last base without errors before this one; taken when mutants are requested.
    before: Option<Base>,
    /// The last program without errors, with the results of its tests.
    last: Option<(Arc<Compiled>, Vec<EntryResult>)>,
    /// State for testing programs that are near the base.
    tester: Option<TestCache>,
}

/// The program whose mutants are judged.
struct Base {
    /// The sequence number of the base.
    number: u64,
    compiled: Arc<Compiled>,
    plan: mutate::Plan,
    /// Created with the functions' segments when the first mutant is requested.
    splice: Option<Splice>,
    segments: CodeCache,
    /// The results of its tests and properties.
    entries: Vec<EntryResult>,
    /// The passing entries, which judge mutants.
    oracles: Vec<Oracle>,
    /// The verdicts on its first mutants, as long as these were judged in order.
    verdicts: Vec<Verdict>,
    /// Recorded when the first mutant is judged. The inner `None` means that there are too many visits.
    visits: Option<Option<CallProfile>>,
}

impl Default for CpuEngine {
    fn default() -> Self {
        CpuEngine::new()
    }
}

impl CpuEngine {
    /// Creates an engine with one thread for each hardware thread.
    pub fn new() -> CpuEngine {
        CpuEngine::with_threads(std::thread::available_parallelism().map_or(1, |n| n.get()))
    }

    /// Creates an engine with this many threads.
    pub fn with_threads(threads: usize) -> CpuEngine {
        CpuEngine {
            pool: Pool::new(threads),
            slots: Vec::new(),
            base: None,
            seen: Seen::default(),
            number: 0,
            size: FIRST_CHUNK,
            sampler: sampler::State::default(),
            settings: EngineSettings::default(),
            before: None,
            last: None,
            tester: None,
        }
    }

    /// Compiles `text` and makes it the base, without results or plan. Returns the times of the stages.
    fn begin(&mut self, text: &Arc<str>) -> (Arc<Compiled>, StageTimings) {
        // Discard times left by cancelled work.
        self.pool.take_times();
        let compiler = &mut self.pool.worker().compiler;
        compiler.back.level = self.settings.level;
        compiler.compile(text);
        let compiled = Arc::new(Compiled { group: self.settings.group, ..compiler.compiled(text) });
        let mut spent = StageTimings::default();
        spent.alone(std::mem::take(&mut compiler.times));
        self.number += 1;
        let base = Base {
            number: self.number,
            compiled: compiled.clone(),
            plan: mutate::Plan::default(),
            splice: None,
            segments: CodeCache::default(),
            entries: Vec::new(),
            oracles: Vec::new(),
            verdicts: Vec::new(),
            visits: None,
        };
        let before = self.base.replace(base).filter(|_| self.settings.reuses());
        if let Some(before) = before.filter(|before| !before.segments.is_empty()) {
            self.before = Some(before);
        }
        (self.seen, self.size) = (Seen::default(), FIRST_CHUNK);
        (compiled, spent)
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

    /// Returns the results of the last program's tests that hold for this one, so that these tests need not
    /// run.
    fn kept(&self, compiled: &Compiled) -> Vec<Option<EntryResult>> {
        let last = self.last.as_ref();
        let last = last.filter(|_| self.settings.reuses() && compiled.facts.compiles());
        let last = last.filter(|(_, results)| reuse::steps(results) >= WORTH_KEEPING);
        last.map_or_else(Vec::new, |(before, results)| reuse::kept((before, results), compiled))
    }

    /// Runs the entries of the base without a result in `kept`. Returns `None` if cancelled.
    fn results(
        &self,
        compiled: &Arc<Compiled>,
        domains: &[Domain],
        kept: &[Option<EntryResult>],
        watch: &dyn Watch,
    ) -> Option<Vec<EntryResult>> {
        let (program, number) = (&compiled.executable, self.number);
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
                    return *kept;
                }
                let Worker { compiler, mount, .. } = &mut *self.pool.worker();
                let from = Instant::now();
                mount.hold(program, number);
                let machine = &mut mount.machine;
                let routine = compiled.facts.entry(EntryId::at(entry));
                let counting = || {
                    begun[entry].fetch_add(1, Ordering::Relaxed);
                    stop.load(Ordering::Relaxed)
                };
                let tally = execute::entry(machine, program, routine, domain, limits::STEPS, &counting);
                begun[entry].store(ENDED, Ordering::Relaxed);
                compiler.record_time(Stage::Execute, from);
                entry_result(&tally)
            };
            entries.map(run).collect()
        };
        self.pool.run_unless(&report, &stop, work).filter(|_| !stop.load(Ordering::Relaxed))
    }

    /// Returns the times of work that began at `started` and has just ended.
    fn timings(&self, started: Instant, spent: StageTimings, programs: u32) -> Timings {
        let StageTimings { stages, parts } = spent;
        let (wall, threads) = (started.elapsed(), self.pool.size() as u32);
        Timings { stages, parts, transfer: Transfer::NoDevice, wall, clock: Clock::Wall, threads, programs }
    }
}

impl Engine for CpuEngine {
    fn kind(&self) -> Kind {
        Kind::Cpu
    }

    fn describe(&self) -> String {
        match self.pool.size() {
            1 => "CPU engine, 1 thread".into(),
            n => format!("CPU engine, {n} threads"),
        }
    }

    fn settings(&self) -> EngineSettings {
        self.settings
    }

    fn configure(&mut self, settings: EngineSettings) {
        if settings.reusing != self.settings.reusing {
            (self.before, self.last) = (None, None);
        }
        self.settings = settings;
    }

    fn chunks(&mut self) -> &mut dyn ChunkJudge {
        self
    }

    fn base(&mut self, text: &Arc<str>, watch: &dyn Watch) -> Result<BaseResult, EngineError> {
        let started = Instant::now();
        let (compiled, mut spent) = self.begin(text);
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
        let kept = self.kept(&compiled);
        let entries = self.results(&compiled, &domains, &kept, watch).ok_or(EngineError::Cancelled)?;
        spent.together(self.pool.take_times(), running.elapsed());
        let from = Instant::now();
        if let Some(base) = self.base.as_mut().filter(|_| compiled.facts.compiles()) {
            base.plan.build(compiled.view(), compiled.group);
            base.entries.clone_from(&entries);
            if self.settings.reusing {
                self.last = Some((compiled.clone(), entries.clone()));
            }
            base.oracles = oracles::of_domains(&compiled.facts, &entries, domains);
        }
        spent.alone(only(Stage::Mutate, from.elapsed()));
        Ok(BaseResult { compiled, entries, timings: self.timings(started, spent, 1) })
    }

    fn compile(&mut self, text: &Arc<str>, _: &dyn Watch) -> Result<(Arc<Compiled>, Timings), EngineError> {
        let started = Instant::now();
        let (compiled, spent) = self.begin(text);
        // Compilation uses one thread.
        let timings = Timings { threads: 1, ..self.timings(started, spent, 1) };
        Ok((compiled, timings))
    }

    fn variants(&self) -> MutantCounts {
        let plan = self.base.as_ref().map(|base| &base.plan);
        plan.map_or(MutantCounts::default(), |plan| MutantCounts {
            first_order: plan.first_order(),
            all: plan.all(),
        })
    }

    fn run(&mut self, function: RoutineId, arguments: &[u32], _: &dyn Watch) -> Result<RunResult, EngineError> {
        let base = self.base.as_ref().filter(|base| base.compiled.functions().contains(function));
        let Some(Base { compiled, .. }) = base else {
            return Err(EngineError::Call(format!("no function has the number {function}")));
        };
        let program = &compiled.executable;
        Ok(call(&mut self.pool.worker().machine, program, function, arguments))
    }
}

impl ChunkJudge for CpuEngine {
    fn recall(&mut self, ids: Indices<MutantId>) -> Option<MutantResult> {
        let started = Instant::now();
        let base = self.base.as_ref().filter(|_| self.settings.reuses())?;
        let known = base.verdicts.get(ids.start().position()..base.verdicts.len().min(ids.end().position()))?;
        let (verdicts, reused) = (known.to_vec(), known.len() as u32);
        let timings = self.timings(started, StageTimings::default(), 0);
        (reused > 0).then_some(MutantResult { first: ids.start(), verdicts, reused, timings })
    }

    fn prepare(&mut self, _: MutantId) -> Result<Seen, EngineError> {
        self.base.as_ref().map_or(Ok(()), |base| refuse_whole(&base.compiled))?;
        if let Some(base) = self.base.as_mut().filter(|base| base.splice.is_none()) {
            let (splice, edits) = (Splice::new(&base.compiled), base.plan.first_order());
            let (compiled, plan) = (&base.compiled, &base.plan);
            let before = self.before.take().and_then(|before| {
                let cut = Splice::new(&before.compiled);
                let old = (&*before.compiled, &cut, &before.plan.sites.first[..]);
                let unchanged_functions =
                    reuse::UnchangedFunctions::of(old, (compiled, &splice, &plan.sites.first[..]))?;
                Some(before.segments.next(compiled, &splice, edits, &unchanged_functions))
            });
            if base.segments.is_empty() {
                base.segments = before.unwrap_or_else(|| CodeCache::new(compiled, &splice, edits));
            }
            base.splice = Some(splice);
        }
        if self.seen.end == MutantId::FIRST {
            self.forget()?;
        }
        Ok(self.seen)
    }

    fn forget(&mut self) -> Result<(), EngineError> {
        self.seen = Seen::default();
        if let Some(base) = &mut self.base {
            base.segments.forget();
        }
        Ok(())
    }

    fn chunk(
        &mut self,
        ids: Indices<MutantId>,
        ask: ChunkMode,
        watch: &dyn Watch,
    ) -> Result<Chunk, EngineError> {
        let started = Instant::now();
        let stop = AtomicBool::new(false);
        let CpuEngine { pool, base, slots, settings, .. } = self;
        let how = JudgeOptions { ask, exact: settings.exact, reusing: settings.reusing };
        let Some(base) = base else { return Err(EngineError::Call("there is no base".into())) };
        let (ids, _) = ids.split_at((self.size * pool.size()) as u32);
        let (first, count) = (ids.start(), ids.len() as usize);
        if slots.len() < count {
            slots.resize_with(count, Slot::default);
        }
        let slots = &mut slots[..count];
        pool.take_times();
        let judged = || chunk::judge_all(pool, base, ids, slots, how, &stop);
        let spent = pool.run_unless(watch, &stop, judged).filter(|_| !stop.load(Ordering::Relaxed));
        let spent = spent.ok_or(EngineError::Cancelled)?;
        let (verdicts, hashes): (Vec<Verdict>, _) =
            slots.iter().map(|slot| (slot.verdict, slot.hash())).unzip();
        let reused = slots.iter().filter(|slot| slot.reused).count() as u32;
        if ask == ChunkMode::Judge
            && !self.seen.holes
            && [self.seen.end, first] == [MutantId::at(base.verdicts.len()); 2]
        {
            base.verdicts.extend_from_slice(&verdicts);
        }
        self.seen.add(ids);
        let timings = self.timings(started, spent, count as u32);
        let scale = CHUNK_TIME.as_secs_f64() / timings.wall.as_secs_f64().max(1e-6);
        self.size = ((self.size as f64 * scale) as usize).clamp(*CHUNK.start(), *CHUNK.end());
        Ok(Chunk { result: MutantResult { first, verdicts, reused, timings }, hashes })
    }
}

impl ProgramTester for CpuEngine {
    fn tests_incrementally(&self) -> bool {
        !self.settings.exact
    }

    fn test_all(
        &mut self,
        candidates: &[Candidate],
        watch: &dyn Watch,
    ) -> Result<Vec<Option<Tested>>, EngineError> {
        self.test_candidates(candidates, watch)
    }
}

impl Meters for CpuEngine {
    fn memory(&self) -> (Memory, Option<NeuralMemory>) {
        (self.held(), self.sampler.held(&self.pool))
    }
}

impl Abilities for CpuEngine {
    fn sampler(&mut self) -> Result<&mut dyn Sampler, EngineError> {
        Ok(self)
    }

    fn noisy(&mut self) -> Result<&mut dyn Noisy, EngineError> {
        Ok(self)
    }
}

impl Base {
    /// Runs the oracles once more on the pool's threads to record their visits, unless that has been done.
    fn visit(&mut self, pool: &Pool, stop: &AtomicBool) {
        let Base { number, compiled, oracles, visits, .. } = self;
        if visits.is_none() {
            let functions = compiled.facts.functions;
            oracles.iter_mut().for_each(|oracle| oracle.domain.prepare());
            let recorded = CallProfile::record(pool, (&compiled.executable, *number), functions, oracles, stop);
            *visits = Some(recorded).filter(|_| !stop.load(Ordering::Relaxed));
        }
    }
}

/// Calls a function of a program on argument words, laid out as the start of its frame.
pub fn call(machine: &mut Machine, program: &Executable, function: RoutineId, arguments: &[u32]) -> RunResult {
    machine.load(program);
    for (word, argument) in machine.frame().iter_mut().zip(arguments) {
        *word = *argument;
    }
    let record = machine.run(program, function, limits::STEPS, 1);
    let result = program.routines.result.get(function.position()).copied().unwrap_or(0);
    let value = match record.trap {
        Trap::None if Type(result).is_list() => machine.frame()[..record.value as usize].to_vec(),
        Trap::None => vec![record.value],
        _ => vec![],
    };
    RunResult { trap: record.trap, trap_address: record.address, steps: record.steps, value }
}

/// Returns times that are zero for all other stages.
fn only(stage: Stage, time: Duration) -> StageTimes {
    let mut times = StageTimes::default();
    times[stage as usize] = time;
    times
}

fn entry_result(tally: &Tally) -> EntryResult {
    EntryResult {
        outcome: tally.outcome(),
        steps: tally.steps,
        costliest: tally.costliest,
        inputs: tally.inputs,
        discarded: tally.discarded,
        samples: limits::SAMPLES,
        failing_input: tally.failing_input,
        trap_address: tally.last.address,
    }
}
