//! Neural compilation on the devices. If a device fails, the processor draws the same candidates.

use std::collections::HashSet;
use std::sync::Arc;

use super::Automatic;
use crate::compiler::program::Watch;
use crate::engine::{EngineError, Sampler};
use crate::lang::index::RoutineId;
use crate::network::refuted::Refuted;
use crate::network::sampling::{Agreement, Candidate, Draft, Inputs, Sampled, Sampling};
use crate::network::source::Source;
use crate::network::weights::Weights;

/// A batch size that goes to a device if one exists.
const ALL: u32 = u32::MAX;

impl Sampler for Automatic {
    fn weights(&mut self, weights: &Arc<Weights>) -> Result<(), EngineError> {
        self.weights = Some(weights.clone());
        self.on(ALL, &|| false, |engine| engine.sampler()?.weights(weights))
    }

    fn sample_unrefuted(
        &mut self,
        source: &Source,
        sampling: &Sampling,
        refuted: &Refuted,
        watch: &dyn Watch,
        sink: &mut dyn FnMut(&Candidate),
    ) -> Result<Sampled, EngineError> {
        // Reports each candidate once, even if a second engine starts again from the first candidate.
        let mut reported: HashSet<Vec<u16>> = HashSet::new();
        self.on(ALL, watch, |engine| {
            engine.sampler()?.sample_unrefuted(source, sampling, refuted, watch, &mut |candidate| {
                if reported.insert(candidate.words.clone()) {
                    sink(candidate);
                }
            })
        })
    }

    fn write(
        &mut self,
        sources: &[&Source],
        sampling: &Sampling,
        watch: &dyn Watch,
    ) -> Result<Vec<Vec<Draft>>, EngineError> {
        self.on(ALL, watch, |engine| engine.sampler()?.write(sources, sampling, watch))
    }

    fn agree(
        &mut self,
        function: RoutineId,
        codes: &[&[u32]],
        inputs: Inputs,
        watch: &dyn Watch,
    ) -> Result<Vec<Agreement>, EngineError> {
        self.on(ALL, watch, |engine| engine.sampler()?.agree(function, codes, inputs, watch))
    }
}
