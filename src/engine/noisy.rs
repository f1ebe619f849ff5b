//! Engines that simulate noise.

use std::ops::Range;

use super::EngineError;
use crate::compiler::program::Watch;
use crate::compiler::stage::execute::{Noise, NoisyRun};

/// Repeats the tests of the last base of [`super::Engine::base`] on a simulated machine with random faults.
pub trait Noisy {
    /// Runs the jobs of a range. Job `j` is repetition `j % noise.repetitions` of test
    /// `j / noise.repetitions`. Tests that fail without noise are skipped.
    ///
    /// # Errors
    /// If it is cancelled, a test does not exist, or the device fails.
    fn repeat(
        &mut self,
        noise: Noise,
        jobs: Range<u32>,
        watch: &dyn Watch,
    ) -> Result<Vec<NoisyRun>, EngineError>;
}
