//! Engines that draw candidates of neural compilation.
//!
//! A sampler draws `k` candidates for a function of the base, assembles them and runs them against the file's
//! tests and properties. It also compares chosen candidates with the base's own code on random inputs, and
//! drafts candidates for many functions as one batch without judging them. Engines may differ in logits by
//! rounding; for the same words their judgements are identical, including step counts.

use std::sync::Arc;

use super::EngineError;
use crate::compiler::program::Watch;
use crate::lang::index::RoutineId;
use crate::network::refuted::{NOTHING_REFUTED, Refuted};
use crate::network::sampling::{Agreement, Candidate, Draft, Inputs, Sampled, Sampling};
use crate::network::source::Source;
use crate::network::weights::Weights;

/// Draws and judges candidates for functions of the last base of [`super::Engine::base`].
pub trait Sampler {
    /// Sets the weights for later draws.
    ///
    /// # Errors
    /// If the weights do not fit the device.
    fn weights(&mut self, weights: &Arc<Weights>) -> Result<(), EngineError>;

    /// Draws candidates for the function of the base that `source` was made from. `sink` receives each
    /// candidate once, when it is judged, with the number of samples so far; the result has the final counts.
    /// `watch` is polled between steps.
    ///
    /// # Errors
    /// If it is cancelled, has no weights or no base with that function, or the device fails.
    fn sample(
        &mut self,
        source: &Source,
        sampling: &Sampling,
        watch: &dyn Watch,
        sink: &mut dyn FnMut(&Candidate),
    ) -> Result<Sampled, EngineError> {
        self.sample_unrefuted(source, sampling, &NOTHING_REFUTED, watch, sink)
    }

    /// Like [`Self::sample`], but draws no candidate that begins with a refuted prefix.
    ///
    /// # Errors
    /// As [`Self::sample`].
    fn sample_unrefuted(
        &mut self,
        source: &Source,
        sampling: &Sampling,
        refuted: &Refuted,
        watch: &dyn Watch,
        sink: &mut dyn FnMut(&Candidate),
    ) -> Result<Sampled, EngineError>;

    /// Drafts candidates for several functions as one batch, without judging. The candidates of each function
    /// are those that [`Self::sample`] would draw. The functions may come from any programs, and no base is
    /// needed. `watch` is polled between steps.
    ///
    /// # Errors
    /// If it is cancelled, has no weights, or the device fails.
    fn write(
        &mut self,
        sources: &[&Source],
        sampling: &Sampling,
        watch: &dyn Watch,
    ) -> Result<Vec<Vec<Draft>>, EngineError>;

    /// Runs codes, as in [`Candidate::code`], instead of the function's own code on its inputs
    /// (`network::inputs`). Returns one result per code. `watch` is polled occasionally.
    ///
    /// # Errors
    /// If it is cancelled, the base has no such function, or the device fails.
    fn agree(
        &mut self,
        function: RoutineId,
        codes: &[&[u32]],
        inputs: Inputs,
        watch: &dyn Watch,
    ) -> Result<Vec<Agreement>, EngineError>;
}
