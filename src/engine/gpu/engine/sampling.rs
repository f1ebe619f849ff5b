//! Candidates of neural compilation: drawn in batches, judged in chunks.

use std::collections::HashMap;
use std::sync::Arc;

use crate::engine::gpu::arena::{Arena, binding};
use crate::engine::gpu::neural::{Assembly, Batch, Loaded, Memory, Model, Neural, Record, record};
use crate::engine::gpu::recorder::Recorder;
use crate::engine::gpu::runs::{Progress, Runs};
use crate::engine::{EngineError, EntryResult};
use crate::lang::{NONE, limits};
use crate::layout::ExecuteParams;
use crate::layout::neural::report;
use crate::neural::sampling::{Agreement, Candidate, Inputs, Sampled, Sampler, Sampling, Status};
use crate::neural::source::Source;
use crate::neural::vocabulary::TARGET_MAX;
use crate::neural::weights::Weights;

use super::{Base, GpuEngine, SLICES, TARGET, Times};

/// A chunk of candidates: its place among the batch's, and its first row among all of this round.
#[derive(Clone, Copy)]
struct Chunk {
    place: u32,
    row: u32,
    count: u32,
}

/// What has come of a round so far.
struct Round<'a> {
    sampled: Sampled,
    /// Place in `sampled` of what a row has, and of what is invalid.
    of_row: HashMap<u32, usize>,
    invalid: Option<usize>,
    /// Of each entry whether it judges.
    judging: Vec<bool>,
    /// The function, and the number of the first row.
    function: u32,
    first: u32,
    sink: &'a mut dyn FnMut(&Candidate),
}

impl<'a> Round<'a> {
    fn new(
        entries: &[EntryResult],
        function: u32,
        first: u32,
        sink: &'a mut dyn FnMut(&Candidate),
    ) -> Round<'a> {
        let judging: Vec<bool> = entries.iter().map(|entry| entry.failing_input == NONE).collect();
        let judges = judging.iter().filter(|judges| **judges).count() as u32;
        let base_steps =
            entries.iter().filter(|entry| entry.failing_input == NONE).map(|entry| entry.steps).sum();
        Round {
            sampled: Sampled { candidates: Vec::new(), judges, base_steps },
            of_row: HashMap::new(),
            invalid: None,
            judging,
            function,
            first,
            sink,
        }
    }

    /// Whether a record is of a candidate that there is already, which then has one sample more.
    fn known(&mut self, record: &Record) -> bool {
        let place = match record.status {
            Status::Invalid => self.invalid,
            _ => self.of_row.get(&record.twin).copied(),
        };
        let candidate = place.and_then(|place| self.sampled.candidates.get_mut(place));
        candidate.map(|candidate| candidate.samples += 1).is_some()
    }

    /// Takes a new candidate; its words and code are to come.
    fn add(&mut self, row: u32, record: &Record) {
        let place = self.sampled.candidates.len();
        if record.status == Status::Invalid {
            self.invalid = Some(place);
        } else {
            self.of_row.insert(row, place);
        }
        let behind = match record.status {
            Status::Invalid => 0,
            Status::Passed => self.judging.len(),
            _ => record.differing as usize,
        };
        let passed = self.judging.iter().take(behind).filter(|judges| **judges).count() as u32;
        self.sampled.candidates.push(Candidate {
            number: self.first + row,
            samples: 1,
            words: Vec::new(),
            code: Vec::new(),
            log_p: f32::from_bits(record.log_p),
            status: record.status,
            differing: record.differing,
            passed,
            steps: record.steps,
        });
    }
}

impl Sampler for GpuEngine {
    fn weights(&mut self, weights: &Arc<Weights>) -> Result<(), EngineError> {
        if self.loaded.as_ref().is_some_and(|loaded| Arc::ptr_eq(&loaded.weights, weights)) {
            return Ok(());
        }
        // There may not be room for both.
        self.loaded = None;
        let neural = match self.neural.take() {
            Some(neural) => neural,
            None => Neural::new(&self.gpu)?,
        };
        self.loaded = Some(self.neural.insert(neural).load(&self.gpu, weights)?);
        Ok(())
    }

    fn sample(
        &mut self,
        source: &Source,
        sampling: &Sampling,
        cancelled: &dyn Fn() -> bool,
        sink: &mut dyn FnMut(&Candidate),
    ) -> Result<Sampled, EngineError> {
        let (Some(mut neural), Some(mut loaded)) = (self.neural.take(), self.loaded.take()) else {
            return Err(EngineError::Fault("no weights were given".into()));
        };
        let result = self.round(&mut neural, &mut loaded, source, sampling, cancelled, sink);
        (self.neural, self.loaded) = (Some(neural), Some(loaded));
        // The candidates' rows stand where mutants' would.
        self.restart()?;
        result
    }

    fn agree(
        &mut self,
        function: u32,
        codes: &[&[u32]],
        inputs: Inputs,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Vec<Agreement>, EngineError> {
        self.compare(function, codes, inputs, cancelled)
    }
}

impl GpuEngine {
    /// One round of sampling.
    fn round(
        &mut self,
        neural: &mut Neural,
        loaded: &mut Loaded,
        source: &Source,
        sampling: &Sampling,
        cancelled: &dyn Fn() -> bool,
        sink: &mut dyn FnMut(&Candidate),
    ) -> Result<Sampled, EngineError> {
        let function = source.tables.callees.first().map_or(NONE, |own| own.function);
        let Some(base) = self.base.as_mut().filter(|base| {
            let facts = &base.compiled.facts;
            !facts.stopped() && facts.errors == 0 && function < facts.functions
        }) else {
            return Err(EngineError::Fault(format!("no function has the number {function}")));
        };
        let mut round = Round::new(&base.entries, function, sampling.first, sink);
        // Room for all rows, and only the base's in them.
        base.seen = 0;
        self.make_room(sampling.k.saturating_add(1))?;
        let memory = loaded.batch(&self.gpu, sampling.k.min(self.runs.tuning.candidates))?;
        let result = self.batches(neural, &loaded.model, &memory, source, sampling, cancelled, &mut round);
        loaded.memory = Some(memory);
        result.map(|()| round.sampled)
    }

    /// The batches of a round, each written, then judged.
    #[allow(clippy::too_many_arguments, reason = "all that a round is made of")]
    fn batches(
        &mut self,
        neural: &mut Neural,
        model: &Model,
        memory: &Memory,
        source: &Source,
        sampling: &Sampling,
        cancelled: &dyn Fn() -> bool,
        round: &mut Round,
    ) -> Result<(), EngineError> {
        let mut row = 0;
        while row < sampling.k {
            let count = memory.capacity.min(sampling.k - row);
            let batch = Batch { first: sampling.first + row, candidates: count, epoch: self.next_epoch() };
            model.prepare(&self.gpu, memory, source, sampling, batch);
            model.write(&self.gpu, memory, batch, cancelled)?;
            let mut place = 0;
            while place < count {
                let chunk = Chunk { place, row: row + place, count: count - place };
                place += self.judge_candidates(neural, memory, chunk, cancelled, round)?;
            }
            row += count;
        }
        Ok(())
    }

    /// Assembles and judges the first candidates of a chunk; gives their number.
    fn judge_candidates(
        &mut self,
        neural: &mut Neural,
        memory: &Memory,
        chunk: Chunk,
        cancelled: &dyn Fn() -> bool,
        round: &mut Round,
    ) -> Result<u32, EngineError> {
        let epoch = self.next_epoch();
        let Some(base) = &self.base else { return Err(EngineError::Fault("there is no base".into())) };
        let passing = base.entries.iter().filter(|entry| entry.failing_input == NONE);
        let jobs: u32 = passing.map(|entry| entry.inputs).sum();
        let count = Assembly::chunk(self.runs.tuning.mutant_slots, jobs).min(chunk.count);
        let shape = Assembly::shape(&self.gpu, &base.compiled, count, epoch);
        let count = shape.params.programs;
        let lanes = (self.runs.tuning.mutant_slots / count).clamp(1, 64);
        let arena = self.kernels.arena(&self.gpu, neural.arena.take(), shape)?;
        Runs::need(&self.gpu, &mut self.runs.verdicts, u64::from(count) * (4 + u64::from(jobs)))?;
        Runs::need(&self.gpu, &mut self.runs.best, 2 * u64::from(count.max(limits::TESTS as u32)))?;
        let params =
            ExecuteParams { mode: 1, lanes, slots: count * lanes, counted: 1, ..self.runs.params(&arena) };
        let mut first = true;
        let records = loop {
            let (gpu, kernels, runs) = (&self.gpu, &self.kernels, &self.runs);
            let submitted = std::time::Instant::now();
            let mut recorder = Recorder::new(gpu, None);
            gpu.attempt(|| {
                if first {
                    let assembly = &neural.assembly;
                    assembly.assemble(
                        gpu,
                        &mut recorder,
                        memory,
                        &base.arena,
                        &arena,
                        round.function,
                        chunk.place,
                        jobs,
                    )?;
                    let judge = self.judge_params(&arena, chunk.row + 1, lanes, true);
                    runs.judge(gpu, kernels, &mut recorder, judge, &arena, true)?;
                    runs.clear(&mut recorder);
                }
                let params = ExecuteParams { budget: runs.budget, ..params };
                let last = [("verdict", count.div_ceil(64))];
                let work = runs.tests(kernels, &arena, &runs.verdicts);
                runs.execute(gpu, kernels, &mut recorder, params, work, SLICES, &[], &last)?;
                neural.assembly.report(gpu, &mut recorder, memory, &arena, runs)
            })?;
            let parts = [(&runs.control, 0, 8), neural.assembly.records(count)];
            let read = recorder.read(gpu, &parts, &mut Times::default())?;
            let done = read.first().is_some_and(|words| Progress::of(words).done);
            if done {
                break read.into_iter().nth(1).unwrap_or_default();
            }
            if !first {
                self.runs.adapt(submitted.elapsed(), TARGET);
            }
            first = false;
            if cancelled() {
                return Err(EngineError::Cancelled);
            }
        };
        self.gather(memory, &arena, chunk, &records, epoch, round)?;
        neural.arena = Some(arena);
        Ok(count)
    }

    /// Adds a chunk's candidates to the round, and fetches words and code of those that are new.
    fn gather(
        &self,
        memory: &Memory,
        arena: &Arena,
        chunk: Chunk,
        records: &[u32],
        epoch: u32,
        round: &mut Round,
    ) -> Result<(), EngineError> {
        let Some(Base { compiled, .. }) = &self.base else { return Ok(()) };
        let origin = compiled.code.word.len() as u32;
        let known = round.sampled.candidates.len();
        let mut parts = Vec::new();
        for (i, words) in records.chunks_exact(report::WORDS as usize).enumerate() {
            let record = record(words, epoch)?;
            let program = &arena.shape.programs[i];
            if record.length > TARGET_MAX as u32 || record.code > program.code_room {
                return Err(EngineError::Fault("a candidate is longer than its room".into()));
            }
            if round.known(&record) {
                continue;
            }
            if record.twin != NONE {
                return Err(EngineError::Fault("a candidate like one that is not there".into()));
            }
            round.add(chunk.row + i as u32, &record);
            let place = u64::from(chunk.place) + i as u64;
            parts.push((&memory.words, place * TARGET_MAX as u64, u64::from(record.length)));
            let code = u64::from(record.code.saturating_sub(origin));
            parts.push((&arena.buffers[binding::CODE], u64::from(program.code_base + origin), code));
        }
        if parts.is_empty() {
            return Ok(());
        }
        let mut read = self.gpu.read(self.gpu.encoder(), &parts)?.into_iter();
        for candidate in &mut round.sampled.candidates[known..] {
            candidate.words = read.next().unwrap_or_default().into_iter().map(|word| word as u16).collect();
            candidate.code = read.next().unwrap_or_default();
            (round.sink)(candidate);
        }
        Ok(())
    }
}
