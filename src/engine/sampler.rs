//! Engines that draw candidates of neural compilation.
//!
//! A sampler draws `k` candidates for a function of the base, assembles them, runs them against the file's tests
//! and properties, and compares chosen ones with the base's own code on random inputs. For whoever judges by other means it
//! writes candidates for many functions as one batch. Engines may differ in logits
//! by rounding; given the same words they judge alike, to the last step.

use std::sync::Arc;

use super::EngineError;
use crate::compiler::program::Watch;
use crate::network::sampling::{Agreement, Candidate, Draft, Inputs, Sampled, Sampling};
use crate::network::source::Source;
use crate::network::weights::Weights;

/// Draws and judges candidates for functions of the program that [`super::Engine::base`] was last given.
pub trait Sampler {
    /// Takes the weights that candidates are drawn with from now on.
    ///
    /// # Errors
    /// If they do not fit the device.
    fn weights(&mut self, weights: &Arc<Weights>) -> Result<(), EngineError>;

    /// Draws candidates for a function of the base, which `source` was read from. `sink` gets each candidate as it is
    /// judged, once, with the samples known by then; the result has the final counts. `watch` is asked between steps.
    ///
    /// # Errors
    /// If it is cancelled, has no weights or no base with that function, or the device fails.
    fn sample(
        &mut self,
        source: &Source,
        sampling: &Sampling,
        watch: &dyn Watch,
        sink: &mut dyn FnMut(&Candidate),
    ) -> Result<Sampled, EngineError>;

    /// Writes candidates for several functions as one batch, and judges none: for each function what
    /// [`Self::sample`] would draw for it. The functions may be of any programs; no base is needed. `watch` is asked between steps.
    ///
    /// # Errors
    /// If it is cancelled, has no weights, or the device fails.
    fn write(
        &mut self,
        sources: &[&Source],
        sampling: &Sampling,
        watch: &dyn Watch,
    ) -> Result<Vec<Vec<Draft>>, EngineError>;

    /// Runs codes, as of [`Candidate::code`], in place of a function's own on inputs for it (`neural::inputs`).
    /// One result per code. `watch` is asked now and then.
    ///
    /// # Errors
    /// If it is cancelled, the base has no such function, or the device fails.
    fn agree(
        &mut self,
        function: u32,
        codes: &[&[u32]],
        inputs: Inputs,
        watch: &dyn Watch,
    ) -> Result<Vec<Agreement>, EngineError>;
}
