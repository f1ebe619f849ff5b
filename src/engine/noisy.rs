//! Engines that simulate noise.

use std::ops::Range;

use super::EngineError;
use crate::compiler::program::Watch;
use crate::compiler::stage::execute::{Noise, NoisyRun};

/// Repeats the tests of the base that [`super::Engine::base`] was last given on a machine that errs.
pub trait Noisy {
    /// Job j is repetition `j % noise.repetitions` of test `j / noise.repetitions`; those of tests that do not pass without noise are
    /// not run.
    ///
    /// # Errors
    /// If it is cancelled, the base has not so many tests, or the device fails.
    fn repeat(
        &mut self,
        noise: Noise,
        jobs: Range<u32>,
        watch: &dyn Watch,
    ) -> Result<Vec<NoisyRun>, EngineError>;
}
