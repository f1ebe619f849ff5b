//! Tests texts in batches: each is compiled and runs its tests; one record of each is read back.

use std::time::{Duration, Instant};

use crate::compiler::layout::ExecuteParams;
use crate::compiler::layout::numbers::mode;
use crate::compiler::program::Watch;
use crate::compiler::stage::Stage;
use crate::engine::gpu::records::{incomplete, records};
use crate::engine::gpu::runs::{EntryPoints, RunWork, Runs};
use crate::engine::gpu::slices::{Slices, TARGET};
use crate::engine::gpu::texts::Texts;
use crate::engine::timings::StageTimes;
use crate::engine::{EngineError, Tested, TestedCandidate};

use super::GpuEngine;

/// The range of a batch's size, if enough texts are left.
const BATCH: std::ops::RangeInclusive<u32> = 16..=1024;
/// The maximum number of slots for one text's jobs.
const LANES: u32 = 64;

impl GpuEngine {
    /// Tests programs in batches, on any adapter: see [`crate::engine::Engine::test_all`]. The base is not
    /// replaced.
    ///
    /// # Errors
    /// If the device fails.
    pub fn test_side_by_side(
        &mut self,
        candidates: &[TestedCandidate],
        watch: &dyn Watch,
    ) -> Result<Vec<Option<Tested>>, EngineError> {
        let mut texts = match self.texts.take() {
            Some(texts) => texts,
            None => Texts::new(&self.gpu, self.runs.tuning)?,
        };
        let mut tested = Vec::with_capacity(candidates.len());
        let mut result = Ok(());
        while tested.len() < candidates.len() && result.is_ok() && !watch.cancelled() {
            let batch = self.test_batch(&mut texts, &candidates[tested.len()..], watch);
            result = batch.map(|batch| tested.extend(batch.into_iter().map(Some)));
        }
        self.texts = Some(texts);
        match result {
            Ok(()) | Err(EngineError::Cancelled) => {}
            Err(error) => return Err(error),
        }
        tested.resize(candidates.len(), None);
        Ok(tested)
    }

    /// Tests the first of some texts.
    fn test_batch(
        &mut self,
        texts: &mut Texts,
        candidates: &[TestedCandidate],
        watch: &dyn Watch,
    ) -> Result<Vec<Tested>, EngineError> {
        let started = Instant::now();
        let epoch = self.next_epoch();
        texts.most = texts.most.min(self.runs.tuning.slots);
        let arena = texts.lay_out(&self.gpu, &self.compiler, candidates, epoch, self.settings.level)?;
        let count = arena.shape.params.programs;
        Runs::need(&self.gpu, &mut self.runs.best, u64::from(texts.rows))?;
        let (gpu, runs, compiler) = (&self.gpu, &self.runs, &self.compiler);
        let lanes = (runs.tuning.slots / count).clamp(1, LANES);
        let slots = count * lanes;
        let params =
            ExecuteParams { mode: mode::TEXTS, lanes, slots, lists_by_reference: 1, ..runs.params(&arena) };
        let jobs = ("entries", &texts.entries);
        let behind = &[("tally", texts.rows), ("sum", count)];
        let work = RunWork { jobs, behind, ..runs.tests(&arena, &texts.results, params) };
        let (control, times) = (&runs.control, &mut StageTimes::default());
        let mut pace = self.pace.growing();
        let slices = Slices { gpu, control, pace: &mut pace, watch, clock: None, times };
        // The time that cannot be cancelled: all stages and the first slices.
        let mut whole = Duration::ZERO;
        let read = slices.run_seen(
            |_| vec![texts.records(count)],
            |recorder, turn| {
                if turn.first {
                    compiler.encode(recorder, &arena, Stage::Lex);
                    runs.clear(recorder, &params);
                    runs.prepare_slots(gpu, slots);
                }
                let before: EntryPoints = if turn.first { &[("survey", count)] } else { &[] };
                runs.execute(recorder, &RunWork { before, ..work }, turn)
            },
            |turn, _, _| {
                if turn.first {
                    whole = started.elapsed();
                }
                Ok(())
            },
        );
        texts.give_back(arena);
        let tested = records(read?.first().ok_or_else(incomplete)?, epoch)?;
        // The next batch may take several target times, because no keystroke waits for it.
        let fitting = f64::from(count) * 4.0 * TARGET.as_secs_f64() / whole.as_secs_f64().max(1e-4);
        let (least, most) = (texts.most / 2, texts.most * 2);
        self.pace.learn(&pace);
        texts.most = (fitting as u32).clamp(least, most).clamp(*BATCH.start(), *BATCH.end());
        Ok(tested)
    }
}
