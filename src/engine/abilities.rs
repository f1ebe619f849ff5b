//! Abilities that only some engines have.

use super::{EngineError, Noisy, RoundTracing, RouteScorer, Sampler, StepTracing, Validator};

/// Leads to the abilities that only some engines have.
pub trait Abilities {
    /// Returns the part of the engine that draws and judges candidates of neural compilation.
    ///
    /// # Errors
    /// If it has none.
    fn sampler(&mut self) -> Result<&mut dyn Sampler, EngineError> {
        Err(EngineError::Call("this engine does not sample".into()))
    }

    /// Returns the part of the engine that simulates noise.
    ///
    /// # Errors
    /// If it has none.
    fn noisy(&mut self) -> Result<&mut dyn Noisy, EngineError> {
        Err(EngineError::Call("this engine does not simulate noise".into()))
    }

    /// Returns the part of the engine that reports the rounds of its shaders.
    ///
    /// # Errors
    /// If it has none.
    fn round_tracing(&mut self) -> Result<&mut dyn RoundTracing, EngineError> {
        Err(EngineError::Call("this engine has no shaders".into()))
    }

    /// Returns the part of the engine that records the steps of a run; `None` if the host records them.
    fn step_tracing(&mut self) -> Option<&mut dyn StepTracing> {
        None
    }

    /// Returns the part of the engine that validates patches; `None` if the host's threads validate them.
    fn validator(&mut self) -> Option<&mut dyn Validator> {
        None
    }

    /// Returns the part of the engine that scores functions for the router; `None` if the host scores them.
    fn route_scorer(&mut self) -> Option<&mut dyn RouteScorer> {
        None
    }
}
