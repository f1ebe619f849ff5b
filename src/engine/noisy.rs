//! Engines that simulate noise.

use super::EngineError;
use crate::compiler::program::Watch;
use crate::compiler::stage::execute::{Noise, NoisyRun};
use crate::lang::index::{Indices, JobId};

/// Repeats the tests of the last base of [`super::Engine::base`] on a simulated machine with random faults.
pub trait Noisy {
    /// Runs the jobs of a range, which [`Noise::run`] describes. Tests that fail without noise are skipped.
    ///
    /// # Errors
    /// If it is cancelled, a test does not exist, or the device fails.
    fn repeat(
        &mut self,
        noise: Noise,
        jobs: Indices<JobId>,
        watch: &dyn Watch,
    ) -> Result<Vec<NoisyRun>, EngineError>;
}
