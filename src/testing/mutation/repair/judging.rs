//! Judges batches of candidates and keeps the useful ones.

use rayon::prelude::*;

use super::compile::JudgeBuffers;
use super::judge::{Fate, Fuel, Judgement};
use super::{RepairCandidate, Search};
use crate::compiler::program::Watch;
use crate::engine::{Engine, EngineError, Patch};

/// The number of candidates that are judged again between two checks for cancellation.
const AGAIN: usize = 16;
const KEPT: usize = 200;

impl Search {
    /// Judges candidates. An engine validates those that it can build, the host's threads judge the others.
    pub(super) fn judge(
        &mut self,
        batch: Vec<RepairCandidate>,
        engine: Option<&mut dyn Engine>,
        watch: &(dyn Watch + Sync),
    ) -> Result<(), EngineError> {
        let (mut fates, mut own) = (vec![None; batch.len()], 0);
        if let Some(engine) = engine {
            let patches: Vec<Patch> = batch.iter().map(|candidate| self.catalogue.patch(candidate)).collect();
            let validated = engine.validate(&self.suite, &patches, watch)?;
            own = validated.iter().flatten().count() as u64;
            for (fate, validated) in fates.iter_mut().zip(&validated) {
                *fate = validated.as_ref().map(|validated| self.judge.judged(validated));
            }
        }
        let judged = self.judge_here(&batch, &fates, Fuel::Estimated, watch)?;
        self.searched += batch.len() as u64;
        self.validated += own;
        for (candidate, Judgement { fate, hash, out_of_fuel }) in batch.into_iter().zip(judged) {
            if out_of_fuel && self.known.insert((hash, Fate::Useless)) {
                self.out_of_fuel.push(candidate.clone());
            }
            if fate != Fate::Useless && self.known.insert((hash, fate)) {
                self.keep(candidate, fate);
            }
        }
        Ok(())
    }

    /// Judges the candidates of a batch that have no result yet on the host's threads.
    fn judge_here(
        &self,
        batch: &[RepairCandidate],
        known: &[Option<Judgement>],
        fuel: Fuel,
        watch: &(dyn Watch + Sync),
    ) -> Result<Vec<Judgement>, EngineError> {
        let of = |bench: &mut JudgeBuffers, (candidate, known): (&RepairCandidate, &Option<Judgement>)| {
            if watch.cancelled() {
                return Judgement::USELESS;
            }
            let (judge, ground, own) = (&self.judge, &self.ground, self.catalogue.rewrites(candidate));
            match *known {
                None => judge.judge(bench, ground, &own, fuel, watch),
                Some(known)
                    if known.fate == Fate::Mends(judge.all())
                        && judge.fails_on_small_domains(bench, ground, &own, watch) =>
                {
                    Judgement { fate: Fate::Useless, ..known }
                }
                Some(known) => known,
            }
        };
        let judged = batch.par_iter().zip(known).map_init(JudgeBuffers::default, of).collect();
        if watch.cancelled() { Err(EngineError::Cancelled) } else { Ok(judged) }
    }

    /// Judges some candidates that ran out of estimated fuel once more, with full fuel.
    pub(super) fn judge_with_full_fuel(&mut self, watch: &(dyn Watch + Sync)) -> Result<(), EngineError> {
        let waiting = self.out_of_fuel.iter().filter(|candidate| self.deserves_full_fuel(candidate));
        let batch: Vec<RepairCandidate> = waiting.take(AGAIN).cloned().collect();
        let fuel = if self.found.is_empty() { Fuel::Full } else { Fuel::FullForAll };
        let judged = self.judge_here(&batch, &vec![None; batch.len()], fuel, watch)?;
        self.out_of_fuel.retain(|candidate| !batch.contains(candidate));
        for (candidate, Judgement { fate, hash, .. }) in batch.into_iter().zip(judged) {
            if fate != Fate::Useless && self.known.insert((hash, fate)) {
                self.keep(candidate, fate);
            }
        }
        Ok(())
    }

    /// Keeps a useful candidate, unless enough similar ones are kept.
    fn keep(&mut self, candidate: RepairCandidate, fate: Fate) {
        let all = self.judge.all();
        match fate {
            Fate::Mends(set) if set == all && self.found.len() < KEPT => self.found.push(candidate),
            Fate::Mends(set) if set != all => self.parts.keep(set, candidate),
            Fate::Moved(set) if candidate.len() == 1 => self.moved.push((set, candidate[0])),
            _ => {}
        }
    }
}
