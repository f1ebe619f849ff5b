//! The GPU engine: compiles a base in one submission and judges mutants in chunks.
//!
//! The base's arena stays on the device. Mutants are derived from it there, compiled, compared and run; only
//! their verdicts are read back. A chunk is one submission and one wait; unfinished runs continue in further
//! submissions.

mod abilities;
mod agreeing;
mod base;
mod calling;
mod confirming;
mod mutants;
mod noise;
mod routing;
mod sampling;
mod texts;
mod tracing;
mod validating;
mod warming;

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::compiler::layout::numbers::counted;
use crate::compiler::program::{Compiled, Watch};
use crate::compiler::stage::mutate;
use crate::engine::gpu::device_cache::DeviceCache;
use crate::engine::measured::{self, Measured};
use crate::engine::news::Reporter;
use crate::engine::reuse::LastResults;
use crate::engine::timings::StageTimes;
use crate::engine::{
    self, BaseResult, Chunk, ChunkJudge, ChunkMode, Engine, EngineError, EngineSettings, Kind, MutantCounts,
    RunResult, Seen, Timings, Transfer,
};
use crate::lang::index::{Index, Indices, MutantId, RoutineId};
use crate::lang::level::OptLevel;
use crate::lang::verdict::Verdict;

use super::adapter::{AdapterQuery, AdapterSummary};
use super::chunk_size::ChunkSize;
use super::compiler::GpuCompiler;
use super::counts::Counts;
use super::device::Gpu;
use super::kernel::Kernel;
use super::neural::comparison::Comparison;
use super::neural::{DeviceNetwork, Loaded};
use super::pipelines::Pipelines;
use super::recorder::Clock;
use super::round_tracing::RoundTracer;
use super::runs::Runs;
use super::slices::Pace;
use super::splicing::Splicing;
use super::step_recorder::StepRecorder;
use super::subgroups;
use super::texts::Texts;
use super::tuning::Tuning;
use base::{Base, PreviousBase};

/// The name of the cache file for the length of slices.
const BUDGET: &str = "budget";
/// The minimum time between two writes of this file.
const KEEPING: Duration = Duration::from_secs(10);

/// An engine that compiles and runs programs on an adapter.
pub struct GpuEngine {
    gpu: Gpu,
    compiler: GpuCompiler,
    clock: Option<Clock>,
    runs: Runs,
    pace: Pace,
    /// The length of slices in the cache file, and the time of the last write.
    kept: Option<u32>,
    kept_at: Instant,
    routing: Option<routing::GpuRouting>,
    base: Option<Base>,
    /// The last judged base before this one, until its reusable results have been extracted.
    before: Option<PreviousBase>,
    last: LastResults,
    splicing: Splicing,
    /// The arena of programs to test; created on first use.
    texts: Option<Texts>,
    /// The neural path's kernels, its weights, and the kernels that compare codes; created on first use.
    neural: Option<DeviceNetwork>,
    loaded: Option<Loaded>,
    comparison: Option<Comparison>,
    /// The kernel of the machine with random faults; created on first use.
    noise: Option<Kernel>,
    /// The step recorder with its number of steps per submission; created on first use.
    step_recorder: Option<(u32, StepRecorder)>,
    /// The instrumented stages that report their rounds; created on first use.
    round_tracer: Option<RoundTracer>,
    /// The size of the next chunk of mutants.
    chunk: ChunkSize,
    /// The number of the last batch; records of other batches are refused.
    epoch: u32,
    /// Loop iterations of all threads for the tests of the last base.
    spent: u32,
    settings: EngineSettings,
}

impl GpuEngine {
    /// Opens an adapter and assembles every shader. Slow, so call it on a worker thread. Nothing is cached
    /// for the next run of the program.
    pub fn new(wanted: &AdapterQuery) -> Result<GpuEngine, EngineError> {
        GpuEngine::with(Gpu::open(wanted)?)
    }

    /// Opens an adapter with its cache files, and reports progress to `news`.
    pub fn kept(wanted: &AdapterQuery, news: &Reporter) -> Result<GpuEngine, EngineError> {
        let mut gpu = Gpu::open_with(wanted, DeviceCache::of)?;
        gpu.news = news.clone();
        GpuEngine::with(gpu)
    }

    fn with(mut gpu: Gpu) -> Result<GpuEngine, EngineError> {
        gpu.subgroups = !confirming::subgroups_failed(&gpu) && subgroups::serve(&gpu)?;
        GpuEngine::on(gpu)
    }

    /// Creates the engine on an open device.
    pub fn on(gpu: Gpu) -> Result<GpuEngine, EngineError> {
        let compiler = GpuCompiler::new(&gpu)?;
        let clock = Clock::new(&gpu)?;
        let tuning = Tuning::of(gpu.adapter.software).within(&gpu.device.limits());
        let kept = if gpu.adapter.software {
            Some(tuning.budget)
        } else {
            gpu.cache.as_ref().and_then(|cache| cache.load(BUDGET))
        };
        let pace = match gpu.counts.lanes() {
            true => Pace::new(Some(counted::STEPS), counted::STEPS),
            false => Pace::new(kept, tuning.budget),
        };
        let runs = Runs::new(&gpu, tuning)?;
        let splicing = Splicing::new(&gpu)?;
        Ok(GpuEngine {
            gpu,
            compiler,
            clock,
            runs,
            pace,
            kept,
            kept_at: Instant::now(),
            routing: None,
            base: None,
            before: None,
            last: LastResults::default(),
            splicing,
            texts: None,
            neural: None,
            loaded: None,
            comparison: None,
            noise: None,
            step_recorder: None,
            round_tracer: None,
            chunk: ChunkSize::new(&tuning),
            epoch: 0,
            spent: 0,
            settings: EngineSettings::default(),
        })
    }

    /// Whether threads scan with subgroup operations.
    pub fn scans_by_subgroups(&self) -> bool {
        self.gpu.subgroups
    }

    /// Destroys the device, as if it were lost: all later calls fail with a [lost device](EngineError::is_lost).
    pub fn lose(&self) {
        self.gpu.device.destroy();
    }

    /// Returns a function that destroys the device at any time, even while it works.
    pub fn device_destroyer(&self) -> impl Fn() + use<> {
        let device = self.gpu.device.clone();
        move || device.destroy()
    }

    /// Returns the work of the last base's tests on the device: loop iterations of all threads, slightly more
    /// than instructions, modulo 2³². This measures work, not time, and depends on the schedule, so it
    /// differs between adapters.
    pub fn spent(&self) -> u32 {
        self.spent
    }

    /// Whether the device's speed need not be measured: it is in the cache, the cache is off, or the adapter
    /// is software, whose speed is the processor's.
    pub fn is_measured(&self) -> bool {
        let known = |cache: &DeviceCache| cache.load::<Measured>(measured::FILE).is_some();
        self.gpu.adapter.software || self.gpu.cache.as_ref().is_none_or(known)
    }

    /// Returns the loop iterations that a slice currently allows each thread. They follow from the speed of
    /// the device.
    pub fn slice_budget(&self) -> u32 {
        self.pace.budget()
    }

    /// Lets slices grow to this many loop iterations at most. A software adapter that is treated as hardware needs
    /// it, because it ends long loops silently.
    pub fn bound_slices(&mut self, most: u32) {
        self.runs.tuning.budget = most;
        self.pace = Pace::new(self.kept, most);
    }

    /// Returns the counts of the device's work.
    pub fn counts(&self) -> &Counts {
        &self.gpu.counts
    }

    pub fn adapter(&self) -> &AdapterSummary {
        &self.gpu.adapter
    }

    /// Whether verdicts of earlier bases are reused.
    fn reuses(&self) -> bool {
        self.settings.reuses()
    }

    /// Stores the length of slices for the next run of the program.
    fn keep_pace(&mut self) {
        let budget = self.pace.budget();
        let cache = self.gpu.cache.as_ref().filter(|_| !self.gpu.adapter.software && self.kept != Some(budget));
        if let Some(cache) = cache {
            cache.store(BUDGET, &budget);
            (self.kept, self.kept_at) = (Some(budget), Instant::now());
        }
    }

    fn next_epoch(&mut self) -> u32 {
        self.epoch = self.epoch.wrapping_add(1).max(1);
        self.epoch
    }

    /// Returns the times of work that began at `started` and has just ended. [`Gpu::take_moved`] must have
    /// been called at its start, because transfers are counted from there.
    fn timings(&self, started: Instant, stages: StageTimes, programs: u32) -> Timings {
        // A device clock that has measured nothing is unusable.
        let timed = self.clock.is_some() && stages.iter().any(|time| !time.is_zero());
        let clock = if timed { engine::Clock::Timestamps } else { engine::Clock::Wall };
        let software = self.gpu.adapter.software;
        let transfer = match self.gpu.take_moved() {
            Some(Duration::ZERO) => Transfer::NoDevice,
            Some(_) if !timed => Transfer::Untimed,
            Some(time) => Transfer::Measured { time, software },
            None => Transfer::Untimed,
        };
        // The device executes the stages one after another.
        let (parts, wall, threads) = (stages, started.elapsed(), 1);
        Timings { stages, parts, transfer, wall, clock, threads, programs, ..Timings::default() }
    }
}

impl Drop for GpuEngine {
    fn drop(&mut self) {
        self.keep_pace();
        self.gpu.pipelines.iter().for_each(Pipelines::save);
    }
}

impl Engine for GpuEngine {
    fn kind(&self) -> Kind {
        Kind::Gpu
    }

    fn describe(&self) -> String {
        let adapter = &self.gpu.adapter;
        format!("{} ({})", adapter.name, adapter.backend)
    }

    fn power_source(&self) -> Kind {
        if self.gpu.adapter.software { Kind::Cpu } else { Kind::Gpu }
    }

    fn settings(&self) -> EngineSettings {
        self.settings
    }

    fn configure(&mut self, settings: EngineSettings) {
        if settings.reusing != self.settings.reusing {
            (self.before, self.last) = (None, LastResults::default());
        }
        self.settings = settings;
    }

    fn chunks(&mut self) -> &mut dyn ChunkJudge {
        self
    }

    fn base(&mut self, text: &Arc<str>, watch: &dyn Watch) -> Result<BaseResult, EngineError> {
        if self.kept_at.elapsed() > KEEPING {
            self.keep_pace();
        }
        if self.settings.level == OptLevel::Learned {
            return self.learned_base(text, watch);
        }
        self.confirmed_base(text, watch)
    }

    fn compile(&mut self, text: &Arc<str>, watch: &dyn Watch) -> Result<(Arc<Compiled>, Timings), EngineError> {
        if self.settings.level == OptLevel::Learned {
            return self.learned_base(text, watch).map(|base| (base.compiled, base.timings));
        }
        self.make_base(text, false, watch).map(|base| (base.compiled, base.timings))
    }

    fn variants(&self) -> MutantCounts {
        let first_order = self.base.as_ref().map_or(0, Base::first_order);
        MutantCounts { first_order, all: mutate::all(first_order) }
    }

    fn run(
        &mut self,
        function: RoutineId,
        arguments: &[u32],
        watch: &dyn Watch,
    ) -> Result<RunResult, EngineError> {
        self.call(function, arguments, watch)
    }
}

impl ChunkJudge for GpuEngine {
    fn known(&self) -> &[Verdict] {
        self.base.as_ref().filter(|_| self.reuses()).map_or(&[], |base| base.verdict_cache.whole())
    }

    fn prepare(&mut self, end: MutantId) -> Result<Seen, EngineError> {
        self.preallocate_buffers(end.number())?;
        Ok(self.base.as_ref().map_or(Seen::default(), |base| base.seen))
    }

    fn forget(&mut self) -> Result<(), EngineError> {
        self.restart()
    }

    fn chunk(
        &mut self,
        ids: Indices<MutantId>,
        ask: ChunkMode,
        watch: &dyn Watch,
    ) -> Result<Chunk, EngineError> {
        self.judge_chunk(ids, ask, watch)
    }
}
