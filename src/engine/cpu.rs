//! The CPU engine: the sequential algorithms of the stages on several threads.
//!
//! Mutants run in chunks. A chunk's size follows from the time of the previous chunk; a newer edit stops a
//! chunk within a few milliseconds.

mod base;
mod call_answers;
mod chunk;
mod code_cache;
mod fuel;
mod leveled;
mod memory;
mod mount;
mod noise;
mod pool;
mod sampler;
mod shelf;
mod spent;
pub mod spliced;
mod tester;
mod visits;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::leveled::LeveledBase;
use super::memory::{Memory, NeuralMemory};
use super::reuse::{ComparedBase, LastResults, UnchangedFunctions};
use super::timings::StageTimes;
use super::{
    Abilities, BaseResult, Chunk, ChunkJudge, ChunkMode, Engine, EngineError, EngineSettings, Kind,
    MutantCounts, MutantResult, RunResult, Sampler, Seen, Tested, TestedCandidate, Timings, refuse_whole,
};
use crate::compiler::program::{Compiled, Executable, Watch};
use crate::compiler::stage::Stage;
use crate::compiler::stage::execute::{Machine, Noise, NoisyRun};
use crate::compiler::stage::splice::Splice;
use crate::lang::index::{Index, Indices, JobId, MutantId, RoutineId};
use crate::lang::limits;
use crate::lang::trap::Trap;
use crate::lang::ty::Type;
use crate::lang::verdict::Verdict;
use base::Base;
use chunk::{JudgeOptions, Slot};
use code_cache::CodeCache;
use leveled::LongTests;
use pool::Pool;
use shelf::Shelf;
use spent::StageTimings;
use tester::TestCache;

/// Mutants per thread in a chunk: initially, and its bounds.
const FIRST_CHUNK: usize = 16;
const CHUNK: std::ops::RangeInclusive<usize> = 4..=64;
/// The target time of a chunk, so that results arrive often enough to watch.
const CHUNK_TIME: Duration = Duration::from_millis(20);

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
    sampler: sampler::SamplerState,
    settings: EngineSettings,
    /// The last base without errors before this one; taken when mutants are requested.
    before: Option<Base>,
    last: LastResults,
    /// The last base at level 2, if its tests are long.
    long: LongTests,
    /// State for testing programs that are near the base.
    tester: Option<TestCache>,
    /// Other bases.
    shelf: Shelf,
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
            sampler: sampler::SamplerState::default(),
            settings: EngineSettings::default(),
            before: None,
            last: LastResults::default(),
            long: LongTests::default(),
            tester: None,
            shelf: Shelf::default(),
        }
    }

    /// Returns the times of work that began at `started` and has just ended.
    fn timings(&self, started: Instant, spent: StageTimings, programs: u32) -> Timings {
        let StageTimings { stages, parts } = spent;
        let (wall, threads) = (started.elapsed(), self.pool.size() as u32);
        Timings { stages, parts, wall, threads, programs, ..Timings::default() }
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
        // Measurements must treat every base like the first.
        if settings.reusing != self.settings.reusing {
            (self.before, self.last, self.long) = (None, LastResults::default(), LongTests::default());
        }
        self.settings = settings;
    }

    fn chunks(&mut self) -> &mut dyn ChunkJudge {
        self
    }

    fn base(&mut self, text: &Arc<str>, watch: &dyn Watch) -> Result<BaseResult, EngineError> {
        self.make_base(text, watch)
    }

    fn leveled(
        &mut self,
        text: &Arc<str>,
        watch: &dyn Watch,
        show: &mut dyn FnMut(&BaseResult),
    ) -> Result<LeveledBase, EngineError> {
        self.make_leveled(text, watch, show)
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
            return Err(EngineError::no_function(function));
        };
        let program = &compiled.executable;
        Ok(call(&mut self.pool.worker().machine, program, function, arguments))
    }
}

impl ChunkJudge for CpuEngine {
    fn known(&self) -> &[Verdict] {
        self.base.as_ref().filter(|_| self.settings.reuses()).map_or(&[], |base| &base.verdicts)
    }

    fn prepare(&mut self, _: MutantId) -> Result<Seen, EngineError> {
        self.base.as_ref().map_or(Ok(()), |base| refuse_whole(&base.compiled))?;
        if let Some(base) = self.base.as_mut().filter(|base| base.splice.is_none()) {
            let (splice, edits) = (Splice::new(&base.compiled), base.plan.first_order());
            let (compiled, plan) = (&base.compiled, &base.plan);
            let before = self.before.take_if(|_| compiled.facts.compiles()).and_then(|before| {
                let cut = Splice::new(&before.compiled);
                let old =
                    ComparedBase { compiled: &before.compiled, splice: &cut, sites: &before.plan.sites.first };
                let new = ComparedBase { compiled, splice: &splice, sites: &plan.sites.first };
                let unchanged_functions = UnchangedFunctions::of(old, new)?;
                Some(before.segments.next(compiled, &splice, edits, &unchanged_functions))
            });
            if base.segments.is_empty() {
                // Codes of functions that the edit left alone are known from the base before.
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
        let Some(base) = base else { return Err(EngineError::no_base()) };
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
        if self.seen.continues(ids, ask) && first.position() == base.verdicts.len() {
            base.verdicts.extend_from_slice(&verdicts);
        }
        self.seen.add(ids);
        let timings = self.timings(started, spent, count as u32);
        let scale = CHUNK_TIME.as_secs_f64() / timings.wall.as_secs_f64().max(1e-6);
        self.size = ((self.size as f64 * scale) as usize).clamp(*CHUNK.start(), *CHUNK.end());
        Ok(Chunk { result: MutantResult { first, verdicts, reused, timings }, hashes })
    }
}

impl Abilities for CpuEngine {
    fn tests_incrementally(&self) -> bool {
        !self.settings.exact
    }

    fn shelve(&mut self) -> Option<u64> {
        self.put_aside()
    }

    fn recall(&mut self, number: u64) -> bool {
        self.take_back(number)
    }

    fn test_all(
        &mut self,
        candidates: &[TestedCandidate],
        watch: &dyn Watch,
    ) -> Result<Vec<Option<Tested>>, EngineError> {
        self.test_candidates(candidates, watch)
    }

    fn sampler(&mut self) -> Result<&mut dyn Sampler, EngineError> {
        Ok(self)
    }

    fn repeat(
        &mut self,
        noise: Noise,
        jobs: Indices<JobId>,
        watch: &dyn Watch,
    ) -> Result<Vec<NoisyRun>, EngineError> {
        self.repeat_jobs(noise, jobs, watch)
    }

    fn memory(&self) -> (Memory, Option<NeuralMemory>) {
        (self.held(), self.sampler.held(&self.pool))
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
