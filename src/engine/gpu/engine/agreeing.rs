//! Compares codes with the base's own on random inputs, in rounds. A code that has disagreed is left out of
//! later rounds.

use super::GpuEngine;
use crate::compiler::layout::ExecuteParams;
use crate::compiler::program::Watch;
use crate::engine::EngineError;
use crate::engine::gpu::neural::comparison::{self, Comparison, ComparisonFunction};
use crate::engine::gpu::records::{incomplete, records};
use crate::engine::gpu::runs::{RunWork, Runs};
use crate::engine::gpu::slices::Slices;
use crate::engine::timings::StageTimes;
use crate::lang::index::{Index, RoutineId};
use crate::network::candidates::merge;
use crate::network::sampling::{Agreement, Inputs};

/// Inputs of the first round: most codes that disagree do so on one of the first few inputs, and a code that
/// never ends should not run on many at once. Each further round has [`GROWTH`] times as many.
const FIRST: u32 = 16;
const GROWTH: u32 = 4;
/// The maximum number of codes compared in parallel.
const CODES: u32 = 4_096;

/// One round: the codes that have agreed so far, and the inputs.
struct AgreeingRound<'a> {
    /// Their indices among the programs, where the base has index 0.
    live: &'a [u32],
    inputs: Inputs,
    /// Whether the programs have yet to be created.
    fresh: bool,
}

impl GpuEngine {
    /// See [`crate::engine::Sampler::agree`].
    pub(super) fn compare(
        &mut self,
        function: RoutineId,
        codes: &[&[u32]],
        inputs: Inputs,
        watch: &dyn Watch,
    ) -> Result<Vec<Agreement>, EngineError> {
        let base = self.base.as_ref().filter(|base| base.compiled.functions().contains(function));
        let Some(compiled) = base.map(|base| base.compiled.clone()) else {
            return Err(EngineError::no_function(function));
        };
        let mut comparison = match self.comparison.take() {
            Some(comparison) => comparison,
            None => Comparison::new(&self.gpu)?,
        };
        let function = ComparisonFunction::new(&compiled, function);
        let inputs = Inputs { count: function.arguments.count(inputs), ..inputs };
        let most = self.runs.tuning.mutant_slots.min(self.runs.tuning.slots / 2).min(CODES);
        let mut sums = Vec::with_capacity(codes.len());
        let mut result = Ok(());
        while sums.len() < codes.len() && result.is_ok() {
            let rest = &codes[sums.len()..];
            result = comparison
                .take(&self.gpu, &self.compiler, &compiled, &function, rest, most)
                .and_then(|count| self.rounds(&mut comparison, &function, count, inputs, watch))
                .map(|of_these| sums.extend(of_these));
        }
        self.comparison = Some(comparison);
        result.map(|()| sums)
    }

    /// Compares codes until all inputs are tried or all codes have disagreed.
    fn rounds(
        &mut self,
        comparison: &mut Comparison,
        function: &ComparisonFunction,
        codes: u32,
        inputs: Inputs,
        watch: &dyn Watch,
    ) -> Result<Vec<Agreement>, EngineError> {
        let mut sums = vec![Agreement::NOTHING; codes as usize];
        let (mut done, mut size) = (0, FIRST);
        while done < inputs.count {
            if watch.cancelled() {
                return Err(EngineError::Cancelled);
            }
            let live: Vec<u32> = (1..=codes).filter(|&program| sums[program as usize - 1].agrees()).collect();
            if live.is_empty() {
                break;
            }
            let count = size.min(inputs.count - done).min(function.inputs(codes + 1));
            let first = inputs.first.wrapping_add(done);
            let round =
                AgreeingRound { live: &live, inputs: Inputs { first, count, ..inputs }, fresh: done == 0 };
            let later = self.compare_round(comparison, function, round, watch)?;
            for (program, later) in live.iter().zip(&later) {
                merge(&mut sums[*program as usize - 1], later);
            }
            done += count;
            size = (GROWTH * size).min(comparison::INPUTS);
        }
        Ok(sums)
    }

    /// Runs one round: first the base on all inputs, then the codes, in slices until all are done.
    fn compare_round(
        &mut self,
        comparison: &mut Comparison,
        function: &ComparisonFunction,
        round: AgreeingRound,
        watch: &dyn Watch,
    ) -> Result<Vec<Agreement>, EngineError> {
        let AgreeingRound { live, inputs, fresh } = round;
        let epoch = self.next_epoch();
        let Some(base) = &self.base else { return Err(EngineError::no_base()) };
        let (jobs, codes) = (inputs.count, live.len() as u32);
        let programs = comparison.arena()?.shape.params.programs;
        comparison.need(&self.gpu, function, programs, jobs)?;
        Runs::need(&self.gpu, &mut self.runs.best, 2 * u64::from(programs))?;
        let (comparison, arena) = (&*comparison, comparison.arena()?);
        let (gpu, runs) = (&self.gpu, &self.runs);
        // Whole units, so that no unit has slots of candidates too.
        let base_slots = jobs.min(runs.tuning.slots / 2).next_multiple_of(runs.tuning.unit);
        let lanes = (runs.tuning.mutant_slots.min(runs.tuning.slots - base_slots) / codes).clamp(1, jobs);
        let params = ExecuteParams {
            lanes,
            slots: base_slots + codes * lanes,
            // The call of the function counts as one active call.
            initial_depth: 1,
            epoch,
            jobs,
            function: function.id.number(),
            base_slots,
            elements: function.elements,
            ..runs.params(arena)
        };
        let work = comparison.work(arena, params);
        let (control, times) = (&runs.control, &mut StageTimes::default());
        let slices = Slices { gpu, control, pace: &mut self.pace, watch, clock: None, times };
        let read = slices.run(&[comparison.records(codes)], |recorder, turn| {
            if turn.first {
                if fresh {
                    comparison.encode_programs(recorder, &base.arena, arena, function.id)?;
                }
                comparison.encode_inputs(recorder, function, inputs)?;
                runs.prepare_programs(gpu, programs, live);
                runs.prepare_slots(gpu, base_slots);
                runs.clear(recorder, &params);
            }
            // Usually the first pass completes the base's runs and the second pass the codes' runs.
            runs.execute(recorder, &RunWork { behind: &[("advance", 1)], ..work }, turn)?;
            runs.execute(recorder, &RunWork { behind: &[("advance", 1), ("settle", codes)], ..work }, turn)
        })?;
        let mut found: Vec<Agreement> = records(read.first().ok_or_else(incomplete)?, epoch)?;
        for agreement in &mut found {
            agreement.differs_at = agreement.differs_at.map(|job| inputs.first.wrapping_add(job));
        }
        Ok(found)
    }
}
