//! Draws and judges candidates of neural compilation on the CPU engine's threads.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use super::pool::Pool;
use super::{Base, CpuEngine};
use crate::compiler::program::{Executable, Watch};
use crate::engine::{EngineError, Sampler, oracles, refuse_whole};
use crate::lang::index::{Index, RoutineId};
use crate::lang::ty::Type;
use crate::network::candidates::{CandidateVerdict, Collector, InputChunk, Oracle, judge, merge, reaching};
use crate::network::infer::{Decoder, EncoderMemory, Ended, InferModel, Prompt, encode_prompt};
use crate::network::inputs::Arguments;
use crate::network::refuted::{NOTHING_REFUTED, Refuted};
use crate::network::sampling::{Agreement, Candidate, Draft, Inputs, SampleTimings, Sampled, Sampling};
use crate::network::source::Source;
use crate::network::weights::Weights;

use rayon::prelude::*;

/// Candidates that are decoded together, which bounds the memory for keys and values.
const WAVE: u32 = 1_024;
/// Inputs that a thread compares at a time; and the range of inputs per round. Disagreeing candidates are
/// dropped after a round.
const INPUTS: u32 = 32;
const ROUND: std::ops::RangeInclusive<u32> = 64..=2_048;

/// Sampling state kept between calls.
#[derive(Default)]
pub struct SamplerState {
    pub(super) weights: Option<Arc<Weights>>,
    pub(super) model: Option<InferModel>,
    /// The encoder's output for each function of a batch.
    pub(super) memories: Vec<EncoderMemory>,
    pub(super) decoder: Decoder,
}

impl Sampler for CpuEngine {
    fn weights(&mut self, weights: &Arc<Weights>) -> Result<(), EngineError> {
        let state = &mut self.sampler;
        if !state.weights.as_ref().is_some_and(|known| Arc::ptr_eq(known, weights)) {
            state.model = Some(InferModel::new(weights));
            state.weights = Some(weights.clone());
        }
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
        let CpuEngine { pool, base, sampler, .. } = self;
        let SamplerState { model, memories, decoder, .. } = sampler;
        let model = model.as_ref().ok_or_else(EngineError::no_weights)?;
        let function = source.function().unwrap_or_default();
        let base = with_function(base.as_ref(), function)?;
        let oracles = affected(base, function);
        let mut collector = Collector::new(&source.tables, base.compiled.executable.end());
        let (begun, mut verifying) = (Instant::now(), Duration::ZERO);
        let prompts = read(pool, model, &[source], memories, refuted);
        let decoding = Decoding { pool, model, prompts: &prompts, sampling, watch };
        decoding.run(decoder, &mut |decoder| {
            decoder.settle(&prompts, &mut |ended| collector.add(ended));
            if !collector.unjudged().is_empty() {
                let judging = Instant::now();
                let verdicts = verdicts(pool, base, function, &oracles, collector.unjudged(), watch);
                collector.judge(verdicts.ok_or(EngineError::Cancelled)?, sink);
                verifying += judging.elapsed();
            }
            Ok(())
        })?;
        let base_steps = oracles.iter().map(|judge| judge.steps).sum();
        // Generation and verification alternate, so generation is the remaining time.
        let spent = SampleTimings { generating: begun.elapsed().saturating_sub(verifying), verifying };
        Ok(Sampled { timings: spent, ..collector.finish(oracles.len() as u32, base_steps) })
    }

    fn write(
        &mut self,
        sources: &[&Source],
        sampling: &Sampling,
        watch: &dyn Watch,
    ) -> Result<Vec<Vec<Draft>>, EngineError> {
        let CpuEngine { pool, sampler, .. } = self;
        let SamplerState { model, memories, decoder, .. } = sampler;
        let model = model.as_ref().ok_or_else(EngineError::no_weights)?;
        let mut drafts = Vec::with_capacity(sources.len());
        for sources in sources.chunks((WAVE / sampling.k.max(1)).max(1) as usize) {
            let prompts = read(pool, model, sources, memories, &NOTHING_REFUTED);
            let mut written = vec![Vec::new(); sources.len()];
            let decoding = Decoding { pool, model, prompts: &prompts, sampling, watch };
            decoding.run(decoder, &mut |decoder| {
                decoder.settle(&prompts, &mut |ended| written[ended.prompt as usize].extend(draft(&ended)));
                Ok(())
            })?;
            drafts.extend(written.into_iter().map(Draft::gather));
        }
        Ok(drafts)
    }

    fn agree(
        &mut self,
        function: RoutineId,
        codes: &[&[u32]],
        inputs: Inputs,
        watch: &dyn Watch,
    ) -> Result<Vec<Agreement>, EngineError> {
        let CpuEngine { pool, base, .. } = self;
        let compiled = &with_function(base.as_ref(), function)?.compiled;
        let arguments = Arguments::new(compiled, function);
        let list = Type(compiled.executable.routines.result[function.position()]).is_list();
        let count = arguments.count(inputs);
        let mut sums = vec![Agreement::NOTHING; codes.len()];
        let (mut done, mut round) = (0, *ROUND.start());
        while done < count && sums.iter().any(Agreement::agrees) {
            if watch.cancelled() {
                return Err(EngineError::Cancelled);
            }
            let live: Vec<Option<&[u32]>> =
                sums.iter().zip(codes).map(|(sum, code)| sum.agrees().then_some(*code)).collect();
            let end = count.min(done + round);
            let stop = AtomicBool::new(false);
            let chunks = pool.run_unless(watch, &stop, || {
                let chunk = |candidate: &mut Executable, from: u32| {
                    let first = inputs.first.wrapping_add(from);
                    let inputs = Inputs { seed: inputs.seed, first, count: INPUTS.min(end - from) };
                    let chunk = InputChunk { arguments: &arguments, function, list, inputs };
                    chunk.run(&mut pool.worker().machine, (&compiled.executable, candidate), &live, &stop)
                };
                let firsts: Vec<u32> = (done..end).step_by(INPUTS as usize).collect();
                firsts
                    .into_par_iter()
                    .map_init(|| compiled.executable.clone(), chunk)
                    .collect::<Option<Vec<_>>>()
            });
            for chunk in chunks.flatten().ok_or(EngineError::Cancelled)? {
                sums.iter_mut().zip(&chunk).for_each(|(sum, later)| merge(sum, later));
            }
            done = end;
            round = (2 * round).min(*ROUND.end());
        }
        Ok(sums)
    }
}

/// Encodes the functions of a batch, one per thread at a time.
fn read<'a>(
    pool: &Pool,
    model: &InferModel,
    sources: &[&'a Source],
    memories: &'a mut Vec<EncoderMemory>,
    refuted: &'a Refuted,
) -> Vec<Prompt<'a>> {
    if memories.len() < sources.len() {
        memories.resize_with(sources.len(), EncoderMemory::default);
    }
    let each = sources.par_iter().zip(&mut memories[..]).with_max_len(1);
    pool.run(|| {
        each.for_each(|(source, memory)| encode_prompt(model, source, &mut pool.worker().scratch, memory))
    });
    let prompt =
        |(source, memory): (&&'a Source, &'a EncoderMemory)| Prompt { memory, tables: &source.tables, refuted };
    sources.iter().zip(&*memories).map(prompt).collect()
}

struct Decoding<'a> {
    pool: &'a Pool,
    model: &'a InferModel,
    prompts: &'a [Prompt<'a>],
    sampling: &'a Sampling,
    watch: &'a dyn Watch,
}

impl Decoding<'_> {
    /// Decodes all candidates, a few at a time. `settle` is called after each step.
    fn run(
        &self,
        decoder: &mut Decoder,
        settle: &mut dyn FnMut(&mut Decoder) -> Result<(), EngineError>,
    ) -> Result<(), EngineError> {
        let Decoding { pool, model, prompts, sampling, watch } = *self;
        let end = sampling.first.saturating_add(sampling.k);
        for first in (sampling.first..end).step_by(WAVE as usize) {
            decoder.begin(model, prompts, first..end.min(first.saturating_add(WAVE)));
            while !decoder.is_done() {
                if watch.cancelled() {
                    return Err(EngineError::Cancelled);
                }
                pool.run(|| decoder.compute(model, prompts, sampling));
                settle(decoder)?;
            }
        }
        Ok(())
    }
}

/// Makes a draft of candidates that have ended with the same words.
fn draft(ended: &Ended) -> Option<Draft> {
    let Ended { words, numbers, log_p, whole, .. } = *ended;
    let number = *numbers.first()?;
    Some(Draft { number, samples: numbers.len() as u32, words: words.to_vec(), log_p, whole })
}

fn with_function(base: Option<&Base>, function: RoutineId) -> Result<&Base, EngineError> {
    let base = base.filter(|base| base.compiled.functions().contains(function));
    let base = base.ok_or_else(|| EngineError::no_function(function))?;
    refuse_whole(&base.compiled).map(|()| base)
}

/// Returns the oracles of the base, marking those that can reach the function.
fn affected<'a>(base: &'a Base, function: RoutineId) -> Vec<Oracle<'a>> {
    let reaching = reaching(&base.compiled, function);
    let with = |own: &'a oracles::Oracle| {
        let affected = reaching.get(own.domain.routine.position()).copied().unwrap_or(true);
        let &oracles::Oracle { entry, fuel, steps, ref domain, .. } = own;
        Oracle { entry, domain, fuel, steps, affected }
    };
    base.oracles.iter().map(with).collect()
}

/// Runs candidates against the tests. A candidate without code has no verdict. Returns `None` if cancelled.
fn verdicts(
    pool: &Pool,
    base: &Base,
    function: RoutineId,
    oracles: &[Oracle],
    candidates: &[Candidate],
    watch: &dyn Watch,
) -> Option<Vec<Option<CandidateVerdict>>> {
    let stop = AtomicBool::new(false);
    let verdicts = pool.run_unless(watch, &stop, || {
        let verdict = |program: &mut Executable, candidate: &Candidate| {
            if candidate.code.is_empty() {
                return Some(None);
            }
            let machine = &mut pool.worker().machine;
            program.set_function(function, base.compiled.executable.end(), &candidate.code);
            machine.exchange(program, [function]);
            judge(machine, program, oracles, &stop).map(Some)
        };
        let candidates = candidates.par_iter().with_max_len(4);
        let begin = || {
            pool.worker().machine.translate(&base.compiled.executable);
            base.compiled.executable.clone()
        };
        candidates.map_init(begin, verdict).collect()
    });
    verdicts.flatten()
}

#[cfg(test)]
mod tests;
