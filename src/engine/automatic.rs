//! The engine for users who leave the choice open: the processor, and devices for work that they do faster.
//!
//! Devices are opened when the first batch large enough for them arrives. From then on the times of each program decide
//! which engine judges its mutants (`times`). A device that fails in the middle
//! of its work is given up: the processor compiles the same base and continues with the first mutant that has
//! no verdict. The user reads one notice. Both engines return the same results, so nothing else changes.

mod judging;
mod network;
mod programs;
mod times;

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::choose::LEAST;
use super::cpu::CpuEngine;
use super::leveled::LeveledBase;
use super::measured::Measured;
use super::memory::{Memory, NeuralMemory};
use super::news::Reporter;
use super::time_limit;
use super::{
    Abilities, BaseResult, Chunk, ChunkJudge, Engine, EngineError, EngineSettings, Kind, MutantCounts,
    MutantResult, RunResult, Sampler, Share, Tested, TestedCandidate, Timings,
};
use crate::compiler::program::{Compiled, Watch};
use crate::compiler::stage::execute::{Noise, NoisyRun};
use crate::compiler::stage::route::score::{Coefficients, Scored};
use crate::fill::scanner::Scanner;
use crate::lang::index::{Indices, JobId, MutantId, RoutineId};
use crate::network::weights::Weights;
pub use programs::{Functions, Programs};

/// The number of expressions tried from which on a search goes on with a device. The processor has tried them in about the
/// time that opening a device takes.
const LONG_SEARCH: u64 = 1 << 32;

/// Opened devices, as one engine.
pub struct Opened {
    pub engine: Box<dyn Engine>,
    /// The smallest batch, in programs, that goes to the devices; 0 if all work does.
    pub from: u32,
    /// The speed of the fastest of them, if it was measured.
    pub measured: Option<Measured>,
}

/// Finds and opens devices. Returns `None` if no device is worth using.
pub type Opener = Box<dyn FnOnce() -> Result<Option<Opened>, EngineError> + Send>;

/// Returns the seconds since some moment.
pub type Seconds = Arc<dyn Fn() -> f64 + Send + Sync>;

enum Device {
    Unopened(Opener),
    Open(Opened),
    /// No device exists, or the devices have failed.
    Closed,
}

/// The last base, with the engines that have compiled it.
struct CurrentBase {
    text: Arc<str>,
    /// The results of its tests; `None` if the program was only compiled.
    tested: Option<BaseResult>,
    /// Whether the processor and the device have compiled it.
    cpu: bool,
    device: bool,
    functions: Functions,
}

impl CurrentBase {
    /// Compiles the base on an engine that does not have it yet. Fails if the results differ.
    fn take_over(&self, engine: &mut dyn Engine, watch: &dyn Watch) -> Result<(), EngineError> {
        let Some(known) = &self.tested else { return engine.compile(&self.text, watch).map(drop) };
        let found = engine.base(&self.text, watch)?;
        match found.difference_from(known) {
            Some(difference) => Err(EngineError::Differs(format!("{difference} on {}", engine.describe()))),
            None => Ok(()),
        }
    }
}

/// The CPU engine, with devices for work that they do faster.
pub struct Automatic {
    cpu: Box<dyn Engine>,
    device: Device,
    settings: EngineSettings,
    held: Option<CurrentBase>,
    weights: Option<Arc<Weights>>,
    /// Whether the device did the last work.
    by_device: bool,
    programs: Programs,
    /// How many mutants of the base the processor and the device judged, and the size of the last batch.
    judged: [u32; 2],
    batch: u32,
    clock: Seconds,
    news: Reporter,
}

impl Automatic {
    pub fn new(opener: Opener, news: Reporter) -> Automatic {
        let started = Instant::now();
        let clock = Arc::new(move || started.elapsed().as_secs_f64());
        Automatic::with(Box::new(CpuEngine::new()), opener, clock, news)
    }

    /// Creates the engine with a replacement for the CPU engine, and with a clock.
    pub fn with(cpu: Box<dyn Engine>, opener: Opener, clock: Seconds, news: Reporter) -> Automatic {
        Automatic {
            cpu,
            device: Device::Unopened(opener),
            settings: EngineSettings::default(),
            held: None,
            weights: None,
            by_device: false,
            programs: Programs::default(),
            judged: [0; 2],
            batch: 0,
            clock,
            news,
        }
    }

    /// Opens the devices, unless that has been tried.
    pub fn open_now(&mut self) {
        match std::mem::replace(&mut self.device, Device::Closed) {
            Device::Unopened(open) => match open() {
                Ok(Some(mut opened)) => {
                    opened.engine.configure(self.settings);
                    self.by_device = opened.from == 0;
                    self.device = Device::Open(opened);
                }
                Ok(None) => {}
                Err(error) if error.is_missing() => {}
                Err(error) => self.news.notice(&format!("the CPU engine goes on; {error}")),
            },
            known => self.device = known,
        }
    }

    /// Does work on a batch of `batch` programs. The devices do it if they are faster; otherwise, or if they
    /// fail, the processor does.
    fn on<T>(
        &mut self,
        batch: u32,
        watch: &dyn Watch,
        work: impl FnMut(&mut dyn Engine) -> Result<T, EngineError>,
    ) -> Result<T, EngineError> {
        if batch >= LEAST {
            self.open_now();
        }
        let by = if matches!(&self.device, Device::Open(opened) if batch >= opened.from) {
            Kind::Gpu
        } else {
            Kind::Cpu
        };
        self.by(by, watch, work)
    }

    /// Does work on the devices or on the processor, and on the processor if the devices fail.
    fn by<T>(
        &mut self,
        kind: Kind,
        watch: &dyn Watch,
        mut work: impl FnMut(&mut dyn Engine) -> Result<T, EngineError>,
    ) -> Result<T, EngineError> {
        if let Device::Open(opened) = &mut self.device
            && kind == Kind::Gpu
        {
            self.by_device = true;
            let engine = &mut *opened.engine;
            let done = match self.held.as_mut().filter(|held| !held.device) {
                Some(held) => held.take_over(engine, watch).map(|()| held.device = true),
                None => Ok(()),
            };
            match done.and_then(|()| work(engine)) {
                Err(error) if error.is_failure() => self.give_up(&error),
                done => return done,
            }
        }
        work(self.processor(watch)?)
    }

    /// Returns the CPU engine with the current base compiled.
    fn processor(&mut self, watch: &dyn Watch) -> Result<&mut dyn Engine, EngineError> {
        self.by_device = false;
        if let Some(held) = self.held.as_mut().filter(|held| !held.cpu) {
            held.take_over(&mut *self.cpu, watch)?;
            held.cpu = true;
        }
        Ok(&mut *self.cpu)
    }

    /// Closes the devices after a failure and reports it.
    fn give_up(&mut self, error: &EngineError) {
        let Device::Open(opened) = std::mem::replace(&mut self.device, Device::Closed) else { return };
        self.news.notice(&format!("the CPU engine goes on; {}: {error}", opened.engine.describe()));
        if let Some(weights) = &self.weights {
            // If memory for the weights is missing, sampling fails later and reports that.
            let _ = self.cpu.sampler().and_then(|sampler| sampler.weights(weights));
        }
        // Closing a broken device may take long or never return.
        let _ = time_limit::detach(move || drop(opened));
    }

    /// Returns the engine that did the last work.
    fn last(&self) -> &dyn Engine {
        match &self.device {
            Device::Open(opened) if self.by_device => &*opened.engine,
            _ => &*self.cpu,
        }
    }

    fn last_mut(&mut self) -> &mut dyn Engine {
        match &mut self.device {
            Device::Open(opened) if self.by_device => &mut *opened.engine,
            _ => &mut *self.cpu,
        }
    }

    /// Makes `text` the base. The engine that did the last work has compiled it.
    fn hold(&mut self, text: &Arc<str>, tested: Option<BaseResult>) {
        let device = self.by_device;
        let functions = Functions::of(text);
        self.held = Some(CurrentBase { text: text.clone(), tested, cpu: !device, device, functions });
        (self.judged, self.batch) = ([0; 2], 0);
    }
}

impl Engine for Automatic {
    fn kind(&self) -> Kind {
        self.last().kind()
    }

    fn describe(&self) -> String {
        self.last().describe()
    }

    fn power_source(&self) -> Kind {
        self.last().power_source()
    }

    fn settings(&self) -> EngineSettings {
        self.settings
    }

    fn configure(&mut self, settings: EngineSettings) {
        self.settings = settings;
        self.cpu.configure(settings);
        if let Device::Open(opened) = &mut self.device {
            opened.engine.configure(settings);
        }
    }

    fn base(&mut self, text: &Arc<str>, watch: &dyn Watch) -> Result<BaseResult, EngineError> {
        self.held = None;
        let base = self.on(1, watch, |engine| engine.base(text, watch))?;
        self.hold(text, Some(base.clone()));
        Ok(base)
    }

    fn leveled(
        &mut self,
        text: &Arc<str>,
        watch: &dyn Watch,
        show: &mut dyn FnMut(&BaseResult),
    ) -> Result<LeveledBase, EngineError> {
        self.held = None;
        let base = self.on(1, watch, |engine| engine.leveled(text, watch, show))?;
        self.hold(text, Some(base.judged.clone()));
        Ok(base)
    }

    fn compile(&mut self, text: &Arc<str>, watch: &dyn Watch) -> Result<(Arc<Compiled>, Timings), EngineError> {
        self.held = None;
        let compiled = self.on(1, watch, |engine| engine.compile(text, watch))?;
        self.hold(text, None);
        Ok(compiled)
    }

    fn run(
        &mut self,
        function: RoutineId,
        arguments: &[u32],
        watch: &dyn Watch,
    ) -> Result<RunResult, EngineError> {
        self.on(1, watch, |engine| engine.run(function, arguments, watch))
    }

    fn variants(&self) -> MutantCounts {
        self.last().variants()
    }

    /// Passes on single chunks without a replacement for a failed device, unlike `mutants` and `part`.
    fn chunks(&mut self) -> &mut dyn ChunkJudge {
        self.last_mut().chunks()
    }

    fn mutants(
        &mut self,
        ids: Indices<MutantId>,
        watch: &dyn Watch,
        sink: &mut dyn FnMut(MutantResult),
    ) -> Result<(), EngineError> {
        self.judge_all(self.variants().clip(ids), watch, sink)
    }

    fn part(&mut self, ids: Indices<MutantId>, watch: &dyn Watch) -> Result<Chunk, EngineError> {
        self.on(ids.len(), watch, |engine| engine.part(ids, watch))
    }
}

impl Abilities for Automatic {
    fn tests_incrementally(&self) -> bool {
        self.last().tests_incrementally()
    }

    fn at_once(&self) -> usize {
        self.last().at_once()
    }

    fn test_all(
        &mut self,
        candidates: &[TestedCandidate],
        watch: &dyn Watch,
    ) -> Result<Vec<Option<Tested>>, EngineError> {
        let tested = self.on(candidates.len() as u32, watch, |engine| engine.test_all(candidates, watch));
        // An engine that tests each program as a base has lost the previous base.
        let near = self.tests_incrementally();
        if let Some(held) = self.held.as_mut().filter(|_| !near) {
            *(if self.by_device { &mut held.device } else { &mut held.cpu }) = false;
        }
        tested
    }

    fn memory(&self) -> (Memory, Option<NeuralMemory>) {
        self.last().memory()
    }

    fn transfer(&mut self, bytes: usize) -> Result<Option<Duration>, EngineError> {
        match self.last_mut().transfer(bytes) {
            Err(error) if error.is_failure() && self.by_device => {
                self.give_up(&error);
                self.processor(&|| false)?.transfer(bytes)
            }
            done => done,
        }
    }

    fn shares(&self) -> Vec<Share> {
        self.judged_shares()
    }

    fn choice(&self) -> Option<String> {
        self.program_choice()
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
        self.on(jobs.len(), watch, |engine| engine.repeat(noise, jobs, watch))
    }

    fn fill_scanner(&mut self, tried: u64) -> Result<Option<Box<dyn Scanner>>, EngineError> {
        if tried >= LONG_SEARCH {
            self.open_now();
        }
        match &mut self.device {
            Device::Open(opened) if tried >= LONG_SEARCH => opened.engine.fill_scanner(tried),
            _ => Ok(None),
        }
    }

    fn score(
        &mut self,
        compiled: &Compiled,
        functions: Indices<RoutineId>,
        coefficients: &Coefficients,
    ) -> Result<Vec<Scored>, EngineError> {
        self.on(1, &|| false, |engine| engine.score(compiled, functions, coefficients))
    }
}
