//! Engines that tell how their shaders work.

use super::EngineError;
use crate::compiler::program::{Compiled, Watch};
use crate::compiler::rounds::Recording;

/// Compiles a program with shaders that tell of each round.
pub trait Told {
    /// The rounds of all stages that compile this program, which says how much of each thing there is.
    ///
    /// # Errors
    /// If it is cancelled, the program is too large to be told of, or the device fails.
    fn rounds(&mut self, compiled: &Compiled, watch: &dyn Watch) -> Result<Recording, EngineError>;
}
