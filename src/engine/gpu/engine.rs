//! The engine itself: a base in one submission, mutants in chunks.
//!
//! The base's arena stays on the device; mutants are made from it there, compiled, compared and run, and only their
//! verdicts come back. A chunk is one submission and a wait; runs that are not done by then go on in further ones.

mod agreeing;
mod base;
mod mutants;
mod noise;
mod routing;
mod sampling;
mod warming;

use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::engine::memory::{Memory, NeuralMemory};
use crate::engine::{
    self, BaseResult, Engine, EngineError, EntryResult, Kind, MutantResult, Part, RunResult, Timings, Transfer,
    Variants, Watch,
};
use crate::lang::limits;
use crate::lang::trap::Trap;
use crate::lang::ty::Type;
use crate::layout::ExecuteParams;
use crate::neural::sampling::Sampler;
use crate::program::Compiled;
use crate::stage::Stage;
use crate::stage::execute::{Noise, NoisyRun};
use crate::stage::route::score::{Coefficients, Scored};

use super::arena::{Arena, Room, storage};
use super::device::{Gpu, Wanted};
use super::kernels::{Kernel, Kernels};
use super::neural::comparison::Comparison;
use super::neural::{Loaded, Neural};
use super::recorder::{Clock, Recorder};
use super::runs::{Progress, Runs, Tuning};

/// What one submission may take before chunks and slices become smaller.
const TARGET: Duration = Duration::from_millis(50);
/// Slices encoded in one submission.
const SLICES: u32 = super::runs::LEAST_SLICES;

/// Compiles and runs on an adapter.
pub struct GpuEngine {
    gpu: Gpu,
    kernels: Kernels,
    clock: Option<Clock>,
    runs: Runs,
    routing: Option<routing::Buffers>,
    base: Option<Base>,
    mutants: Option<Arena>,
    /// Once they are asked for: the neural path's kernels, its weights, and what compares codes.
    neural: Option<Neural>,
    loaded: Option<Loaded>,
    comparison: Option<Comparison>,
    /// The machine that errs, once it is asked for.
    noise: Option<Kernel>,
    /// Mutants of the next chunk; adapts to what chunks take.
    chunk: u32,
    /// Number of the last batch; records of another are refused.
    epoch: u32,
    /// Loop iterations of all threads that the runs of the last base took.
    spent: u32,
}

struct Base {
    compiled: Arc<Compiled>,
    arena: Arena,
    /// Its tests and properties, as they ended.
    entries: Vec<EntryResult>,
    first_order: u32,
    /// What every mutant needs at most.
    room: Room,
    /// Ids that have been judged: all below this one.
    seen: u32,
    /// Of which it has not judged all, as others have judged some.
    holes: bool,
    /// Ids that directory and table have room for; 0 until mutants are asked for.
    capacity: u32,
}

type Times = [Duration; Stage::ALL.len()];

impl GpuEngine {
    /// Opens an adapter and compiles every shader. Slow: to be called on a worker's thread.
    pub fn new(wanted: &Wanted) -> Result<GpuEngine, EngineError> {
        let gpu = Gpu::open(wanted)?;
        let kernels = Kernels::new(&gpu)?;
        let clock = Clock::new(&gpu)?;
        let tuning = Tuning::of(gpu.adapter.software);
        let runs = Runs::new(&gpu, tuning)?;
        Ok(GpuEngine {
            gpu,
            kernels,
            clock,
            runs,
            routing: None,
            base: None,
            mutants: None,
            neural: None,
            loaded: None,
            comparison: None,
            noise: None,
            chunk: tuning.programs,
            epoch: 0,
            spent: 0,
        })
    }

    /// Gives the device up, as if it were lost: all that follows fails with [`EngineError::Lost`].
    pub fn lose(&self) {
        self.gpu.device.destroy();
    }

    /// What the tests of the last base took on the device: loop iterations of all threads, hardly more than instructions, modulo
    /// 2³². A figure of the work, not of time, and of the schedule: it is another on each adapter.
    pub fn spent(&self) -> u32 {
        self.spent
    }

    /// The adapter in use.
    pub fn adapter(&self) -> &super::device::AdapterSummary {
        &self.gpu.adapter
    }

    fn next_epoch(&mut self) -> u32 {
        self.epoch = self.epoch.wrapping_add(1).max(1);
        self.epoch
    }

    /// What work that began at `started` and is done now took. Transfers count from [`Gpu::take_moved`] on, which is to
    /// be called at its beginning.
    fn timings(&self, started: Instant, stages: Times, programs: u32) -> Timings {
        let clock = match self.clock {
            Some(_) => engine::Clock::Timestamps,
            None => engine::Clock::Wall,
        };
        let software = self.gpu.adapter.software;
        let transfer = match self.gpu.take_moved() {
            Some(time) => Transfer::Measured { time, software },
            None => Transfer::Untimed,
        };
        // The device does one thing after the other.
        let (parts, wall, threads) = (stages, started.elapsed(), 1);
        Timings { stages, parts, transfer, wall, clock, threads, programs }
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

    fn transfer(&mut self, bytes: usize) -> Result<Option<Duration>, EngineError> {
        let words = bytes.div_ceil(4).max(1);
        let buffer = self.gpu.scoped(|| storage(&self.gpu, "transfer", words as u64))?;
        let there = vec![0u32; words];
        let started = Instant::now();
        self.gpu.queue.write_buffer(&buffer, 0, bytemuck::cast_slice(&there));
        let encoder = self.gpu.device.create_command_encoder(&Default::default());
        self.gpu.read(encoder, &[(&buffer, 0, words as u64)])?;
        Ok(Some(started.elapsed()))
    }

    fn memory(&self) -> (Memory, Option<NeuralMemory>) {
        let mut memory = Memory { execution: self.runs.bytes(), ..Memory::default() };
        let base = self.base.as_ref().map(|base| &base.arena);
        base.into_iter().chain(&self.mutants).for_each(|arena| arena.add_to(&mut memory));
        let neural = self.loaded.as_ref().map(|loaded| {
            let (cache, activations) =
                loaded.memory.as_ref().map_or((0, 0), |memory| loaded.model.memory_bytes(memory));
            let mut programs = Memory::default();
            let arena = self.neural.as_ref().and_then(|neural| neural.arena.as_ref());
            arena.into_iter().for_each(|arena| arena.add_to(&mut programs));
            self.comparison.iter().for_each(|comparison| comparison.add_to(&mut programs));
            let weights = loaded.model.weight_bytes();
            NeuralMemory { weights, activations, cache, candidates: programs.total() }
        });
        (memory, neural)
    }

    fn powered_by(&self) -> Kind {
        if self.gpu.adapter.software { Kind::Cpu } else { Kind::Gpu }
    }

    fn base(&mut self, text: &Arc<str>, watch: &dyn Watch) -> Result<BaseResult, EngineError> {
        self.make_base(text, true, watch)
    }

    fn compile(&mut self, text: &Arc<str>, watch: &dyn Watch) -> Result<(Arc<Compiled>, Timings), EngineError> {
        let base = self.make_base(text, false, watch)?;
        if let Some(base) = &mut self.base {
            base.first_order = 0;
        }
        Ok((base.compiled, base.timings))
    }

    fn route(
        &mut self,
        _: &Compiled,
        functions: Range<u32>,
        coefficients: &Coefficients,
    ) -> Result<Vec<Scored>, EngineError> {
        self.score(functions, coefficients)
    }

    fn sampler(&mut self) -> Result<&mut dyn Sampler, EngineError> {
        Ok(self)
    }

    fn variants(&self) -> Variants {
        let first_order = self.base.as_ref().map_or(0, |base| base.first_order);
        let n = first_order as u64;
        Variants { first_order, all: first_order + (n * n.saturating_sub(1) / 2) as u32 }
    }

    fn mutants(
        &mut self,
        first: u32,
        count: u32,
        cancelled: &dyn Fn() -> bool,
        sink: &mut dyn FnMut(MutantResult),
    ) -> Result<(), EngineError> {
        let end = first.saturating_add(count).min(self.variants().all);
        if end == 0 {
            return Ok(());
        }
        self.make_room(end)?;
        if self.base.as_ref().is_some_and(|base| first < base.seen || base.holes) {
            self.restart()?;
        }
        while let Some(seen) = self.base.as_ref().map(|base| base.seen).filter(|seen| *seen < end) {
            if cancelled() {
                return Err(EngineError::Cancelled);
            }
            let wanted = seen >= first;
            let limit = if wanted { end } else { first };
            let count = self.chunk.min(self.runs.tuning.mutant_slots).min(limit - seen);
            let Some(Part { result, .. }) = self.judge_chunk(seen, count, wanted, cancelled)? else {
                // Its rows are in the table already; they are made anew next time.
                self.restart()?;
                return Err(EngineError::Cancelled);
            };
            if let Some(base) = &mut self.base {
                base.seen += result.verdicts.len() as u32;
            }
            if wanted {
                sink(result);
            }
        }
        Ok(())
    }

    fn part(
        &mut self,
        first: u32,
        count: u32,
        cancelled: &(dyn Fn() -> bool + Sync),
    ) -> Result<Part, EngineError> {
        self.make_room(first.saturating_add(count))?;
        if self.base.as_ref().is_some_and(|base| first < base.seen) {
            self.restart()?;
        }
        if let Some(base) = &mut self.base {
            base.holes |= first > base.seen;
            base.seen = first;
        }
        let count = count.min(self.runs.tuning.mutant_slots);
        let Some(part) = self.judge_chunk(first, count, true, cancelled)? else {
            self.restart()?;
            return Err(EngineError::Cancelled);
        };
        if let Some(base) = &mut self.base {
            base.seen += part.result.verdicts.len() as u32;
        }
        Ok(part)
    }

    fn noise(
        &mut self,
        noise: Noise,
        jobs: Range<u32>,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Vec<NoisyRun>, EngineError> {
        self.repeat(noise, jobs, cancelled)
    }

    fn run(&mut self, function: u32, arguments: &[u32], watch: &dyn Watch) -> Result<RunResult, EngineError> {
        let epoch = self.next_epoch();
        let base = self.base.as_ref().filter(|base| function < base.compiled.facts.functions);
        let Some(base) = base else {
            return Err(EngineError::Fault(format!("no function has the number {function}")));
        };
        let routines = &base.compiled.routines;
        let (address, frame) = (routines.address[function as usize], routines.frame[function as usize]);
        if frame > limits::STACK_WORDS {
            let trap = Trap::OutOfMemory;
            return Ok(RunResult { trap, trap_address: address, steps: 0, value: vec![] });
        }
        let list = Type(routines.result[function as usize]).is_list();
        let params = ExecuteParams {
            mode: 2,
            lanes: 1,
            slots: 1,
            bottom: 1,
            epoch,
            budget: self.runs.tuning.budget,
            ..self.runs.params(&base.arena)
        };
        let (gpu, kernels, runs) = (&self.gpu, &self.kernels, &self.runs);
        gpu.scoped(|| runs.prepare_call(gpu, address, frame, arguments))?;
        loop {
            let mut recorder = Recorder::new(gpu, None);
            gpu.attempt(|| {
                let work = runs.tests(kernels, &base.arena, &runs.records);
                runs.execute(gpu, kernels, &mut recorder, params, work, SLICES, &[], &[])
            })?;
            let mut parts = vec![(&runs.control, 0, 8), (&runs.records, 0, 5)];
            parts.extend(runs.large_words(if list { limits::CAPACITY } else { 0 }));
            let read = recorder.read(gpu, &parts, &mut Times::default())?;
            if !read.first().is_some_and(|words| Progress::of(words).done) {
                if watch.cancelled() {
                    return Err(EngineError::Cancelled);
                }
                continue;
            }
            let &[trap, value, steps, address, written] = &read[1][..] else {
                return Err(EngineError::Fault("results are incomplete".into()));
            };
            if written != epoch {
                return Err(EngineError::Fault("a record of another batch".into()));
            }
            let trap = Trap::from_u32(trap).ok_or_else(|| EngineError::Fault("no such trap".into()))?;
            let value = match trap {
                Trap::None if list => read[2..].iter().take(value as usize).flatten().copied().collect(),
                Trap::None => vec![value],
                _ => vec![],
            };
            return Ok(RunResult { trap, trap_address: address, steps, value });
        }
    }
}
