//! The engine itself: a base in one submission, mutants in chunks.
//!
//! The base's arena stays on the device; mutants are made from it there, compiled, compared and run, and only their
//! verdicts come back. A chunk is one submission and a wait; runs that are not done by then go on in further ones.

mod agreeing;
mod noise;
mod routing;
mod sampling;
mod warming;

use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::engine::memory::{Memory, NeuralMemory};
use crate::engine::{
    self, BaseResult, Compiled, Engine, EngineError, EntryResult, Kind, MutantResult, MutantStatus, Outcome,
    Part, RunResult, Stage, Timings, Variants, Verdict,
};
use crate::hybrid::score::{Coefficients, Scored};
use crate::lang::limits;
use crate::lang::trap::Trap;
use crate::lang::ty::Type;
use crate::layout::{ENTRY_WORDS, ExecuteParams, JudgeParams, MutateParams};
use crate::neural::sampling::Sampler;
use crate::stage::execute::{Noise, NoisyRun};

use super::arena::{Arena, Room, Shape, storage};
use super::device::{Gpu, Wanted};
use super::kernels::{Clock, Kernels, Recorder};
use super::neural::comparison::Comparison;
use super::neural::{Loaded, Neural};
use super::runs::{ENTRY_TABLE, Progress, Runs, Tuning};

/// What one submission may take before chunks and slices become smaller.
const TARGET: Duration = Duration::from_millis(50);
/// Words of a row of judge's directory; the third and the fourth are the hash. See `shaders/judge.wgsl`.
const DIRECTORY_WORDS: usize = 8;
/// Slices encoded in one submission.
const SLICES: u32 = 4;
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
    /// Mutants of the next chunk; adapts to what chunks take.
    chunk: u32,
    /// Number of the last batch; records of another are refused.
    epoch: u32,
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
            chunk: tuning.programs,
            epoch: 0,
        })
    }

    /// Gives the device up, as if it were lost: all that follows fails with [`EngineError::Lost`].
    pub fn lose(&self) {
        self.gpu.device.destroy();
    }

    /// The adapter in use.
    pub fn adapter(&self) -> &super::device::AdapterSummary {
        &self.gpu.adapter
    }

    fn next_epoch(&mut self) -> u32 {
        self.epoch = self.epoch.wrapping_add(1).max(1);
        self.epoch
    }

    fn timings(&self, started: Instant, stages: Times, programs: u32) -> Timings {
        let clock = match self.clock {
            Some(_) => engine::Clock::Timestamps,
            None => engine::Clock::Wall,
        };
        Timings { stages, wall: started.elapsed(), clock, programs }
    }

    /// Puts a text's arena on the device, in the buffers of the last one if there is one.
    fn base_arena(&mut self, text: &str) -> Result<Arena, EngineError> {
        let mut shape = Shape::default();
        // What is too long is refused by its length alone.
        let kept = if text.len() > limits::SOURCE_BYTES { "" } else { text };
        let at = shape.push_text(kept);
        shape.push(Room::of_text(kept), at, text.len() as u32);
        shape.params.epoch = self.next_epoch();
        match self.base.take() {
            Some(mut base) => {
                base.arena.reuse(&self.gpu, &self.kernels.layout, shape)?;
                Ok(base.arena)
            }
            None => Arena::new(&self.gpu, &self.kernels.layout, shape),
        }
    }

    /// Encodes the compile stages from `first` on.
    fn encode_stages(&self, recorder: &mut Recorder, arena: &Arena, first: Stage) {
        for pipeline in self.kernels.compile.iter().filter(|p| p.stage as u32 >= first as u32) {
            recorder.pass(pipeline.stage, |pass| {
                pass.set_bind_group(0, &arena.group, &[]);
                pipeline.encode(pass, &arena.shape);
            });
        }
    }

    /// Encodes judge on the base alone: the first row of an empty directory.
    fn judge_base(&self, recorder: &mut Recorder, arena: &Arena) {
        recorder.encoder.clear_buffer(&self.runs.control, 0, None);
        recorder.encoder.clear_buffer(&self.runs.table, 0, None);
        let params = self.judge_params(arena, 0, 0, false);
        self.runs.judge(&self.gpu, &self.kernels, recorder, params, arena, false);
    }

    fn judge_params(&self, arena: &Arena, first: u32, lanes: u32, execute: bool) -> JudgeParams {
        let params = &arena.shape.params;
        JudgeParams {
            programs: params.programs,
            token_capacity: params.token_capacity,
            code_capacity: params.code_capacity,
            epoch: params.epoch,
            first,
            // A power of two below the table's words.
            mask: (self.runs.table.size() as u32 / 4 + 1).next_power_of_two() / 2 - 1,
            archive_room: (self.runs.archive.size() / 4) as u32,
            lanes,
            execute: execute as u32,
            ..Default::default()
        }
    }

    /// Makes room for mutants up to `end`: archive, directory and table. The base's row is made anew.
    fn make_room(&mut self, end: u32) -> Result<(), EngineError> {
        let Some(base) = &mut self.base else { return Ok(()) };
        if end < base.capacity && base.seen > 0 {
            return Ok(());
        }
        let capacity = (end.max(base.first_order) + 4096).checked_next_power_of_two().filter(|c| *c <= 1 << 22);
        let capacity =
            capacity.ok_or_else(|| EngineError::Fault(format!("{end} mutants are too many for one base")))?;
        let sequence = base.compiled.code.word.len() + 8 * base.compiled.routines.token.len() + 64;
        let limit = self.gpu.device.limits().max_storage_buffer_binding_size / 4;
        let words = (capacity as u64 * sequence as u64).clamp(1 << 20, (1u64 << 24).min(limit));
        Runs::need(&self.gpu, &mut self.runs.archive, words)?;
        Runs::need(&self.gpu, &mut self.runs.directory, 8 * capacity as u64)?;
        Runs::need(&self.gpu, &mut self.runs.table, 2 * capacity as u64)?;
        base.capacity = capacity;
        self.restart()
    }

    /// Forgets all mutants judged; the next are compared with the base alone.
    fn restart(&mut self) -> Result<(), EngineError> {
        let Some(base) = &mut self.base else { return Ok(()) };
        base.seen = 0;
        base.holes = false;
        let Some(base) = &self.base else { return Ok(()) };
        let mut recorder = Recorder::new(&self.gpu, None);
        self.judge_base(&mut recorder, &base.arena);
        self.gpu.finish(recorder.encoder)
    }

    /// Compiles a text, runs its tests if they are to be `executed`, and keeps it as the base.
    fn make_base(&mut self, text: &Arc<str>, executed: bool) -> Result<BaseResult, EngineError> {
        let started = Instant::now();
        let mut times = Times::default();
        let arena = self.base_arena(text)?;
        let rows = arena.shape.params.token_capacity as u64 + 1;
        Runs::need(&self.gpu, &mut self.runs.sites, 3 * rows)?;
        let slots = self.runs.tuning.slots;
        let params = ExecuteParams { lanes: slots, slots, ..self.runs.params(&arena) };
        let mut compiled = Compiled { text: text.clone(), ..Default::default() };
        let entries;
        let mut first_order = 0;
        let mut first = true;
        loop {
            let submitted = Instant::now();
            let (gpu, kernels, runs) = (&self.gpu, &self.kernels, &self.runs);
            let mut recorder = Recorder::new(gpu, self.clock.as_ref());
            gpu.scoped(|| {
                if first {
                    self.encode_stages(&mut recorder, &arena, Stage::Lex);
                    self.judge_base(&mut recorder, &arena);
                    let mutate =
                        MutateParams { base_capacity: arena.shape.params.token_capacity, ..Default::default() };
                    let count = [("clear", 1), ("mark", 1), ("count", 1)];
                    runs.mutate(gpu, kernels, &mut recorder, mutate, &arena, &arena, &count);
                    runs.clear(&mut recorder);
                }
                let params = ExecuteParams { budget: runs.budget, ..params };
                let before = [("survey", 1)];
                let before = if first && executed { &before[..] } else { &[] };
                let behind = [("tally", limits::TESTS as u32), ("schedule", 1)];
                let behind = if executed { &behind[..] } else { &[] };
                let slices = if executed { SLICES } else { 0 };
                let work = runs.tests(kernels, &arena, &runs.records);
                runs.execute(gpu, kernels, &mut recorder, params, work, slices, before, behind);
            })?;
            let mut parts = vec![(&runs.control, 0, 8), (&runs.entries, 0, ENTRY_TABLE)];
            if first {
                parts.extend(arena.readable());
            }
            let read = recorder.read(gpu, &parts, &mut times)?;
            let [control, table, ..] = &read[..] else {
                return Err(EngineError::Fault("results are incomplete".into()));
            };
            let progress = Progress::of(control);
            if first {
                first_order = progress.first_order;
                arena.unpack(&read[2..], 0, Stage::Emit, &mut compiled)?;
            } else {
                self.runs.adapt(submitted.elapsed(), TARGET);
            }
            first = false;
            if !executed {
                entries = Vec::new();
                break;
            }
            if progress.done {
                entries = entry_results(table, arena.shape.params.epoch)?;
                break;
            }
        }
        if compiled.facts.stopped() || compiled.facts.errors > 0 {
            first_order = 0;
        }
        let compiled = Arc::new(compiled);
        self.base = Some(Base {
            room: Room::of_variant(&compiled),
            compiled: compiled.clone(),
            arena,
            entries: entries.clone(),
            first_order,
            seen: 0,
            holes: false,
            capacity: 0,
        });
        Ok(BaseResult { compiled, entries, timings: self.timings(started, times, 1) })
    }

    /// Judges `count` mutants from `first` on; `None` if called off meanwhile.
    fn judge_chunk(
        &mut self,
        first: u32,
        count: u32,
        execute: bool,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Option<Part>, EngineError> {
        let started = Instant::now();
        let mut times = Times::default();
        let epoch = self.next_epoch();
        let Some(base) = &self.base else { return Ok(None) };
        let mut shape = Shape::default();
        let at = shape.push_text(&base.compiled.text);
        let limits = self.gpu.device.limits();
        for _ in 0..count {
            if shape.params.programs > 0 && !shape.fits_with(base.room, 0, &limits) {
                break;
            }
            shape.push(base.room, at, base.compiled.text.len() as u32);
        }
        shape.params.epoch = epoch;
        let count = shape.params.programs;
        let lanes = (self.runs.tuning.mutant_slots / count).clamp(1, 64);

        let mut arena = match self.mutants.take() {
            Some(mut arena) => {
                arena.reuse(&self.gpu, &self.kernels.layout, shape)?;
                arena
            }
            None => Arena::new(&self.gpu, &self.kernels.layout, shape)?,
        };
        Runs::need(&self.gpu, &mut self.runs.verdicts, 4 * count as u64)?;
        Runs::need(&self.gpu, &mut self.runs.best, 2 * (count.max(limits::TESTS as u32)) as u64)?;
        let params = ExecuteParams { mode: 1, lanes, slots: count * lanes, ..self.runs.params(&arena) };
        let (mut verdicts, mut rows) = (Vec::new(), Vec::new());
        let mut slices = 0;
        loop {
            let submitted = Instant::now();
            let (gpu, kernels, runs) = (&self.gpu, &self.kernels, &self.runs);
            let mut recorder = Recorder::new(gpu, self.clock.as_ref());
            gpu.scoped(|| {
                if slices == 0 {
                    let mutate = MutateParams {
                        base_capacity: base.arena.shape.params.token_capacity,
                        token_capacity: arena.shape.params.token_capacity,
                        first,
                        spare: 0,
                    };
                    runs.mutate(gpu, kernels, &mut recorder, mutate, &base.arena, &arena, &[("vary", count)]);
                    self.encode_stages(&mut recorder, &arena, Stage::Parse);
                    let judge = self.judge_params(&arena, first + 1, lanes, execute);
                    runs.judge(gpu, kernels, &mut recorder, judge, &arena, true);
                    runs.clear(&mut recorder);
                }
                let params = ExecuteParams { budget: runs.budget, ..params };
                let last = [("verdict", count.div_ceil(64))];
                let last = if execute { &last[..] } else { &[] };
                let slices = if execute { SLICES } else { 0 };
                let work = runs.tests(kernels, &arena, &runs.verdicts);
                runs.execute(gpu, kernels, &mut recorder, params, work, slices, &[], last);
            })?;
            let row = DIRECTORY_WORDS as u64;
            let parts = [
                (&runs.control, 0, 8),
                (&runs.verdicts, 0, 4 * count as u64),
                (&runs.directory, (first as u64 + 1) * row, count as u64 * row),
            ];
            let read = recorder.read(gpu, &parts, &mut times)?;
            let done = read.first().is_some_and(|words| Progress::of(words).done);
            slices += 1;
            if slices > 1 {
                self.runs.adapt(submitted.elapsed(), TARGET);
            }
            if done || !execute {
                [_, verdicts, rows] = read.try_into().unwrap_or_default();
                break;
            }
            if cancelled() {
                break;
            }
        }
        arena.shape.programs.clear();
        self.mutants = Some(arena);
        if verdicts.is_empty() {
            return Ok(None);
        }
        let verdicts =
            verdicts.chunks_exact(4).map(|record| verdict(record, epoch)).collect::<Result<Vec<_>, _>>()?;
        let timings = self.timings(started, times, count);
        // The next chunk has as many mutants as fit in the target.
        let taken = timings.wall.as_secs_f64().max(1e-4);
        let fitting = count as f64 * TARGET.as_secs_f64() / taken;
        if execute {
            self.chunk = (fitting as u32).clamp(self.chunk / 2, self.chunk * 2).clamp(16, 4096);
        }
        let hashes = rows.chunks_exact(DIRECTORY_WORDS).map(|row| [row[2], row[3]]).collect();
        Ok(Some(Part { result: MutantResult { first, verdicts, timings }, hashes }))
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

    fn base(&mut self, text: &Arc<str>) -> Result<BaseResult, EngineError> {
        self.make_base(text, true)
    }

    fn compile(&mut self, text: &Arc<str>) -> Result<(Arc<Compiled>, Timings), EngineError> {
        let base = self.make_base(text, false)?;
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

    fn run(&mut self, function: u32, arguments: &[u32]) -> Result<RunResult, EngineError> {
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
            gpu.scoped(|| {
                let work = runs.tests(kernels, &base.arena, &runs.records);
                runs.execute(gpu, kernels, &mut recorder, params, work, SLICES, &[], &[]);
            })?;
            let mut parts = vec![(&runs.control, 0, 8), (&runs.records, 0, 5)];
            parts.extend(runs.large_words(if list { limits::CAPACITY } else { 0 }));
            let read = recorder.read(gpu, &parts, &mut Times::default())?;
            if !read.first().is_some_and(|words| Progress::of(words).done) {
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

/// A mutant's verdict from its record.
fn verdict(record: &[u32], epoch: u32) -> Result<Verdict, EngineError> {
    let &[status, killer, twin, written] = record else {
        return Err(EngineError::Fault("results are incomplete".into()));
    };
    if written != epoch {
        return Err(EngineError::Fault("a record of another batch".into()));
    }
    let all = [
        MutantStatus::Pending,
        MutantStatus::Killed,
        MutantStatus::Timeout,
        MutantStatus::Survived,
        MutantStatus::Equivalent,
        MutantStatus::Duplicate,
        MutantStatus::Invalid,
    ];
    let status = all.into_iter().find(|s| *s as u32 == status);
    let status = status.ok_or_else(|| EngineError::Fault("no such verdict".into()))?;
    Ok(Verdict { status, killer, twin })
}

/// The results of the base's entries from their table: see `shaders/execute/tables.wgsl`.
fn entry_results(table: &[u32], epoch: u32) -> Result<Vec<EntryResult>, EngineError> {
    let mut rows = table.chunks_exact(ENTRY_WORDS as usize);
    let (count, written) = rows.next().map_or((0, 0), |head| (head[0], head[3]));
    if written != epoch || count > limits::TESTS as u32 {
        return Err(EngineError::Fault("a record of another batch".into()));
    }
    rows.take(count as usize)
        .map(|row| {
            let outcome = match row[8] {
                0 => Outcome::Pass,
                1 => Outcome::Fail,
                n => Outcome::Trap(
                    Trap::from_u32(n - 2).ok_or_else(|| EngineError::Fault("no such trap".into()))?,
                ),
            };
            Ok(EntryResult {
                outcome,
                steps: row[9] as u64,
                costliest: row[10],
                inputs: row[11],
                failing_input: row[12],
                trap_address: row[13],
            })
        })
        .collect()
}
