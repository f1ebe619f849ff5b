//! Codes compared with the base's own on random inputs, in rounds: what has disagreed takes no part in the next.

use std::time::Instant;

use super::{GpuEngine, SLICES, TARGET, Times};
use crate::engine::EngineError;
use crate::engine::gpu::neural::comparison::{self, Comparison, Function};
use crate::engine::gpu::recorder::Recorder;
use crate::engine::gpu::runs::{Progress, Runs};
use crate::layout::ExecuteParams;
use crate::layout::neural::agreement;
use crate::neural::candidates::merge;
use crate::neural::sampling::{Agreement, Inputs};

/// Inputs of the first round: most codes that disagree do so on one of the first few, and one that never ends should not do
/// so on many at once. Each further round has four times as many.
const FIRST: u32 = 16;
const GROWTH: u32 = 4;
/// Codes that are compared side by side.
const CODES: u32 = 4_096;

/// The codes of a round that have agreed so far, and its inputs.
struct Round<'a> {
    /// Their numbers among the programs, where the base is 0.
    live: &'a [u32],
    inputs: Inputs,
    /// Whether the programs are to be made yet.
    fresh: bool,
}

impl GpuEngine {
    /// See [`crate::neural::sampling::Sampler::agree`].
    pub(super) fn compare(
        &mut self,
        function: u32,
        codes: &[&[u32]],
        inputs: Inputs,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Vec<Agreement>, EngineError> {
        let base = self.base.as_ref().filter(|base| function < base.compiled.facts.functions);
        let Some(compiled) = base.map(|base| base.compiled.clone()) else {
            return Err(EngineError::Fault(format!("no function has the number {function}")));
        };
        let mut comparison = match self.comparison.take() {
            Some(comparison) => comparison,
            None => Comparison::new(&self.gpu)?,
        };
        let function = Function::new(&compiled, function);
        let inputs = Inputs { count: function.arguments.count(inputs), ..inputs };
        let most = self.runs.tuning.mutant_slots.min(self.runs.tuning.slots / 2).min(CODES);
        let mut sums = Vec::with_capacity(codes.len());
        let mut result = Ok(());
        while sums.len() < codes.len() && result.is_ok() {
            let rest = &codes[sums.len()..];
            result = comparison
                .take(&self.gpu, &self.kernels, &compiled, &function, rest, most)
                .and_then(|count| self.rounds(&mut comparison, &function, count, inputs, cancelled))
                .map(|of_these| sums.extend(of_these));
        }
        self.comparison = Some(comparison);
        result.map(|()| sums)
    }

    /// Compares the codes that were taken, until all inputs are tried or all codes have disagreed.
    fn rounds(
        &mut self,
        comparison: &mut Comparison,
        function: &Function,
        codes: u32,
        inputs: Inputs,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Vec<Agreement>, EngineError> {
        let mut sums = vec![Agreement::NOTHING; codes as usize];
        let (mut done, mut size) = (0, FIRST);
        while done < inputs.count {
            let live: Vec<u32> = (1..=codes).filter(|&program| sums[program as usize - 1].agrees()).collect();
            if live.is_empty() {
                break;
            }
            let count = size.min(inputs.count - done).min(function.inputs(codes + 1));
            let first = inputs.first.wrapping_add(done);
            let round = Round { live: &live, inputs: Inputs { first, count, ..inputs }, fresh: done == 0 };
            let later = self.compare_round(comparison, function, round, cancelled)?;
            for (program, later) in live.iter().zip(&later) {
                merge(&mut sums[*program as usize - 1], later);
            }
            done += count;
            size = (GROWTH * size).min(comparison::INPUTS);
        }
        Ok(sums)
    }

    /// One round: the base on all inputs, then the codes, in slices until all are done.
    fn compare_round(
        &mut self,
        comparison: &mut Comparison,
        function: &Function,
        round: Round,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Vec<Agreement>, EngineError> {
        let Round { live, inputs, fresh } = round;
        let epoch = self.next_epoch();
        let Some(base) = &self.base else { return Err(EngineError::Fault("there is no base".into())) };
        let (jobs, codes) = (inputs.count, live.len() as u32);
        let programs = comparison.arena()?.shape.params.programs;
        comparison.need(&self.gpu, function, programs, jobs)?;
        Runs::need(&self.gpu, &mut self.runs.best, 2 * u64::from(programs))?;
        let (comparison, arena) = (&*comparison, comparison.arena()?);
        let work = comparison.work(arena);
        let tuning = self.runs.tuning;
        let base_slots = jobs.min(tuning.slots / 2);
        let lanes = (tuning.mutant_slots.min(tuning.slots - base_slots) / codes).clamp(1, jobs);
        let params = ExecuteParams {
            lanes,
            slots: base_slots + codes * lanes,
            // A call of the function counts as one.
            bottom: 1,
            epoch,
            jobs,
            function: function.number,
            base_slots,
            elements: function.elements,
            ..self.runs.params(arena)
        };
        let mut first = true;
        loop {
            if cancelled() {
                return Err(EngineError::Cancelled);
            }
            let submitted = Instant::now();
            let (gpu, kernels, runs) = (&self.gpu, &self.kernels, &self.runs);
            let mut recorder = Recorder::new(gpu, None);
            gpu.attempt(|| {
                if first {
                    if fresh {
                        comparison.encode_programs(gpu, &mut recorder, &base.arena, arena, function.number)?;
                    }
                    comparison.encode_inputs(gpu, &mut recorder, function, inputs)?;
                    runs.prepare_programs(gpu, programs, live);
                    runs.prepare_slots(gpu, base_slots);
                    runs.clear(&mut recorder);
                }
                let params = ExecuteParams { budget: runs.budget, ..params };
                // Mostly the base's runs are done by the first slices, and the codes' by the second ones.
                for last in [&[("advance", 1)][..], &[("advance", 1), ("settle", codes)]] {
                    runs.execute(gpu, kernels, &mut recorder, params, work, SLICES, &[], last)?;
                }
                Ok(())
            })?;
            let parts = [(&runs.control, 0, 8), comparison.records(codes)];
            let read = recorder.read(gpu, &parts, &mut Times::default())?;
            let [control, records] = &read[..] else {
                return Err(EngineError::Fault("results are incomplete".into()));
            };
            if Progress::of(control).done {
                let records = records.chunks_exact(agreement::WORDS as usize);
                return records.map(|words| comparison::agreement(words, epoch, inputs.first)).collect();
            }
            if !first {
                self.runs.adapt(submitted.elapsed(), TARGET);
            }
            first = false;
        }
    }
}
