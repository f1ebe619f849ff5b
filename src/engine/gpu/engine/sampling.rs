//! Draws candidates of neural compilation in batches and judges them in chunks.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use crate::compiler::layout::ExecuteParams;
use crate::compiler::layout::numbers::{exact, mode};
use crate::compiler::program::Watch;
use crate::engine::gpu::arena::{Arena, binding};
use crate::engine::gpu::neural::{
    self, Assembly, CandidateRecord, DeviceNetwork, Loaded, ModelMemory, NeuralBatch, NeuralModel,
};
use crate::engine::gpu::records::{GpuRecord, incomplete, records};
use crate::engine::gpu::runs::{RunWork, Runs};
use crate::engine::gpu::slices::Slices;
use crate::engine::timings::StageTimes;
use crate::engine::{DeviceFailure, EngineError, EntryResult, Sampler, Seen, oracles};
use crate::lang::index::{EntryId, RoutineId};
use crate::lang::verdict::Verdict;
use crate::lang::{NONE, limits};
use crate::network::layout::decode;
use crate::network::refuted::Refuted;
use crate::network::sampling::{Agreement, Candidate, Draft, Inputs, Sampled, Sampling, Status};
use crate::network::source::Source;
use crate::network::vocabulary::TARGET_MAX;
use crate::network::weights::Weights;

use super::{Base, GpuEngine};

/// A chunk of candidates: its index in the batch, and its first row among all candidates of the round.
#[derive(Clone, Copy)]
struct SamplingChunk {
    place: u32,
    row: u32,
    count: u32,
}

/// A round of sampling with its results so far.
struct SamplingRound<'a> {
    source: &'a Source,
    sampling: &'a Sampling,
    refuted: &'a Refuted,
    watch: &'a dyn Watch,
    sink: &'a mut dyn FnMut(&Candidate),
    sampled: Sampled,
    /// The index in `sampled` of the candidate of a row, and of the invalid candidate.
    of_row: HashMap<u32, usize>,
    invalid: Option<usize>,
    /// The entries that judge, in judging order.
    judging: Vec<EntryId>,
    function: RoutineId,
}

impl SamplingRound<'_> {
    /// Derives the judging order and the base's totals from the results of the base's entries.
    fn begin(&mut self, entries: &[EntryResult]) {
        let passes = |entry: &&EntryResult| entry.failing_input.is_none();
        self.judging = oracles::order(entries);
        self.sampled.oracles = entries.iter().filter(passes).count() as u32;
        self.sampled.base_steps = entries.iter().filter(passes).map(|entry| entry.steps).sum();
    }

    /// Counts a sample of a candidate that already exists. Returns whether it did.
    fn known(&mut self, record: &CandidateRecord) -> bool {
        let place = match record.status {
            Status::Invalid => self.invalid,
            _ => self.of_row.get(&record.original).copied(),
        };
        let candidate = place.and_then(|place| self.sampled.candidates.get_mut(place));
        candidate.map(|candidate| candidate.samples += 1).is_some()
    }

    /// Adds a new candidate. Its words and code are read later.
    fn add(&mut self, row: u32, record: &CandidateRecord) {
        let place = self.sampled.candidates.len();
        if record.status == Status::Invalid {
            self.invalid = Some(place);
        } else {
            self.of_row.insert(row, place);
        }
        let passed = match record.status {
            Status::Invalid => 0,
            _ => self.judging.iter().take_while(|entry| Some(**entry) != record.differing).count() as u32,
        };
        self.sampled.candidates.push(Candidate {
            number: self.sampling.first + row,
            samples: 1,
            words: Vec::new(),
            code: Vec::new(),
            log_p: f32::from_bits(record.log_p),
            shares: Vec::new(),
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
        // Drop the old weights first, as the device may not have memory for both.
        self.loaded = None;
        let neural = match self.neural.take() {
            Some(neural) => neural,
            None => DeviceNetwork::new(&self.gpu)?,
        };
        self.loaded = Some(self.neural.insert(neural).load(&self.gpu, weights)?);
        Ok(())
    }

    fn sample_unrefuted(
        &mut self,
        source: &Source,
        sampling: &Sampling,
        refuted: &Refuted,
        watch: &dyn Watch,
        sink: &mut dyn FnMut(&Candidate),
    ) -> Result<Sampled, EngineError> {
        let (Some(mut neural), Some(mut loaded)) = (self.neural.take(), self.loaded.take()) else {
            return Err(EngineError::no_weights());
        };
        let function = source.function().unwrap_or_default();
        let round = SamplingRound {
            source,
            sampling,
            refuted,
            watch,
            sink,
            sampled: Sampled::default(),
            of_row: HashMap::new(),
            invalid: None,
            judging: Vec::new(),
            function,
        };
        let result = self.round(&mut neural, &mut loaded, round);
        (self.neural, self.loaded) = (Some(neural), Some(loaded));
        // The candidates' rows have replaced those of the mutants.
        self.restart()?;
        result
    }

    fn write(
        &mut self,
        sources: &[&Source],
        sampling: &Sampling,
        watch: &dyn Watch,
    ) -> Result<Vec<Vec<Draft>>, EngineError> {
        let Some(mut loaded) = self.loaded.take() else {
            return Err(EngineError::no_weights());
        };
        let drafts = self.drafts(&mut loaded, sources, sampling, watch);
        self.loaded = Some(loaded);
        drafts
    }

    fn agree(
        &mut self,
        function: RoutineId,
        codes: &[&[u32]],
        inputs: Inputs,
        watch: &dyn Watch,
    ) -> Result<Vec<Agreement>, EngineError> {
        self.compare(function, codes, inputs, watch)
    }
}

impl GpuEngine {
    /// Drafts candidates of functions, with as many functions per batch as fit.
    fn drafts(
        &mut self,
        loaded: &mut Loaded,
        sources: &[&Source],
        sampling: &Sampling,
        watch: &dyn Watch,
    ) -> Result<Vec<Vec<Draft>>, EngineError> {
        let Sampling { first, k, .. } = *sampling;
        let room = self.runs.tuning.candidates;
        let together = (room / k.max(1)).clamp(1, decode::FUNCTIONS) as usize;
        let mut drafts = Vec::with_capacity(sources.len());
        for sources in sources.chunks(together) {
            let functions = sources.len() as u32;
            let memory = loaded.batch(&self.gpu, k.saturating_mul(functions).min(room), functions)?;
            // If the device has too little memory, handle one function after another.
            let together = if memory.capacity < functions { 1 } else { functions };
            let mut written = vec![Vec::new(); sources.len()];
            let chunks = sources.chunks(together as usize).zip(written.chunks_mut(together as usize));
            for (sources, written) in chunks {
                let functions = sources.len() as u32;
                let mut done = 0;
                while done < k {
                    let each = (memory.capacity / functions).clamp(1, k - done);
                    let batch = NeuralBatch { first: first + done, each, functions, epoch: self.next_epoch() };
                    loaded.model.prepare(&self.gpu, &memory, sources, sampling, batch);
                    loaded.model.write(&self.gpu, &memory, batch, watch)?;
                    let drafts = loaded.model.written(&self.gpu, &memory, batch)?;
                    written.iter_mut().zip(drafts).for_each(|(all, drafts)| all.extend(drafts));
                    done += each;
                }
            }
            loaded.memory = Some(memory);
            drafts.extend(written.into_iter().map(Draft::gather));
        }
        Ok(drafts)
    }

    /// Runs one round of sampling.
    fn round(
        &mut self,
        neural: &mut DeviceNetwork,
        loaded: &mut Loaded,
        mut round: SamplingRound,
    ) -> Result<Sampled, EngineError> {
        let function = round.function;
        let Some(base) = self.base.as_mut().filter(|base| {
            let facts = &base.compiled.facts;
            facts.compiles() && facts.functions().contains(function)
        }) else {
            return Err(EngineError::no_function(function));
        };
        round.begin(&base.entries);
        // Make room for all rows, with only the base in the table.
        base.seen = Seen::default();
        self.preallocate_buffers(round.sampling.k.saturating_add(1))?;
        let memory = loaded.batch(&self.gpu, round.sampling.k.min(self.runs.tuning.candidates), 1)?;
        let result = self.batches(neural, &loaded.model, &memory, &mut round);
        loaded.memory = Some(memory);
        result.map(|()| round.sampled)
    }

    /// Writes and judges the batches of a round.
    fn batches(
        &mut self,
        neural: &mut DeviceNetwork,
        model: &NeuralModel,
        memory: &ModelMemory,
        round: &mut SamplingRound,
    ) -> Result<(), EngineError> {
        let Sampling { first, k, .. } = *round.sampling;
        let mut row = 0;
        while row < k {
            let count = memory.capacity.min(k - row);
            let batch = NeuralBatch { first: first + row, each: count, functions: 1, epoch: self.next_epoch() };
            let writing = Instant::now();
            model.prepare(&self.gpu, memory, &[round.source], round.sampling, batch);
            model.refute(&self.gpu, memory, round.refuted);
            model.write(&self.gpu, memory, batch, round.watch)?;
            round.sampled.timings.generating += writing.elapsed();
            let judging = Instant::now();
            let mut place = 0;
            while place < count {
                let chunk = SamplingChunk { place, row: row + place, count: count - place };
                place += self.judge_candidates(neural, memory, chunk, round)?;
            }
            round.sampled.timings.verifying += judging.elapsed();
            row += count;
        }
        Ok(())
    }

    /// Assembles and judges the first candidates of a chunk; returns their number.
    fn judge_candidates(
        &mut self,
        neural: &mut DeviceNetwork,
        memory: &ModelMemory,
        chunk: SamplingChunk,
        round: &mut SamplingRound,
    ) -> Result<u32, EngineError> {
        self.run_base(round.watch)?;
        let epoch = self.next_epoch();
        let Some(base) = &self.base else { return Err(EngineError::no_base()) };
        let passing = base.entries.iter().filter(|entry| entry.failing_input.is_none());
        let jobs: u32 = passing.map(|entry| entry.inputs).sum();
        let count = Assembly::chunk(self.runs.tuning.mutant_slots, jobs).min(chunk.count);
        let shape = Assembly::shape(&self.gpu, &base.compiled, count, epoch);
        let count = shape.params.programs;
        let (lanes, awake) = self.runs.tuning.lanes(count);
        let arena = self.compiler.arena(&self.gpu, neural.arena.take(), shape)?;
        // The verdicts are followed by the steps of each job.
        let words = u64::from(count) * (u64::from(Verdict::WORDS) + u64::from(jobs));
        Runs::need(&self.gpu, &mut self.runs.verdicts, words)?;
        let next = 2 * count.max(limits::TESTS as u32);
        Runs::need(&self.gpu, &mut self.runs.best, u64::from(next + count))?;
        neural.assembly.need(&self.gpu, count)?;

        let (gpu, runs, assembly) = (&self.gpu, &self.runs, &neural.assembly);
        let params = runs.params(&arena);
        let slots = count * lanes;
        let params = ExecuteParams {
            mode: mode::MUTANTS,
            lanes,
            initially_active: awake,
            slots,
            next,
            counted: 1,
            exact: exact::ALL,
            ..params
        };
        let behind = &[("verdict", count.div_ceil(64))];
        let work = RunWork { behind, ..runs.tests(&arena, &runs.verdicts, params) };
        let of = neural::CandidateChunk { function: round.function, first: chunk.place, jobs };
        let (control, watch, times) = (&runs.control, round.watch, &mut StageTimes::default());
        let slices = Slices { gpu, control, pace: &mut self.pace, watch, clock: None, times };
        let read = slices.run(&[assembly.records(count)], |recorder, turn| {
            if turn.first {
                assembly.assemble(recorder, memory, &base.arena, &arena, of)?;
                runs.judge(recorder, &arena, chunk.row + 1, awake)?;
                runs.clear(recorder, &params);
            }
            runs.execute(recorder, &work, turn)?;
            assembly.report(recorder, memory, &arena, runs)
        })?;
        let drawn = records(read.first().ok_or_else(incomplete)?, epoch)?;
        self.gather(memory, &arena, chunk, &drawn, round)?;
        neural.arena = Some(arena);
        Ok(count)
    }

    /// Adds a chunk's candidates to the round, and reads words and code of the new ones.
    fn gather(
        &self,
        memory: &ModelMemory,
        arena: &Arena,
        chunk: SamplingChunk,
        drawn: &[CandidateRecord],
        round: &mut SamplingRound,
    ) -> Result<(), EngineError> {
        let Some(Base { compiled, .. }) = &self.base else { return Ok(()) };
        let origin = compiled.executable.code.word.len() as u32;
        let known = round.sampled.candidates.len();
        let mut parts = Vec::new();
        for (i, record) in drawn.iter().enumerate() {
            let program = &arena.shape.programs[i];
            if record.length > TARGET_MAX as u32 || record.code > program.code_room {
                return Err(DeviceFailure::Results.because("a candidate is longer than its room"));
            }
            if round.known(record) {
                continue;
            }
            if record.original != NONE {
                return Err(DeviceFailure::Results.because("a candidate equals one that does not exist"));
            }
            round.add(chunk.row + i as u32, record);
            let place = u64::from(chunk.place) + i as u64;
            let words = (place * TARGET_MAX as u64, u64::from(record.length));
            parts.extend([(&memory.words, words.0, words.1), (&memory.shares, words.0, words.1)]);
            let code = u64::from(record.code.saturating_sub(origin));
            parts.push((&arena.buffers[binding::CODE], u64::from(program.code_base + origin), code));
        }
        if parts.is_empty() {
            return Ok(());
        }
        let mut read = self.gpu.read(self.gpu.encoder(), &parts)?.into_iter();
        for candidate in &mut round.sampled.candidates[known..] {
            candidate.words = read.next().unwrap_or_default().into_iter().map(|word| word as u16).collect();
            candidate.shares = read.next().unwrap_or_default().into_iter().map(f32::from_bits).collect();
            candidate.code = read.next().unwrap_or_default();
            (round.sink)(candidate);
        }
        Ok(())
    }
}
