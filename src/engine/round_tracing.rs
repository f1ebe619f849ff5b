//! Engines that report the rounds of their shaders.

use super::EngineError;
use crate::compiler::program::{Compiled, Watch};
use crate::compiler::rounds::Recording;

/// Compiles a program with shaders that report each round.
pub trait RoundTracing {
    /// Returns the rounds of all stages that compile this program. `compiled` provides the sizes of the columns.
    ///
    /// # Errors
    /// If it is cancelled, the program is too large to trace, or the device fails.
    fn rounds(&mut self, compiled: &Compiled, watch: &dyn Watch) -> Result<Recording, EngineError>;
}
