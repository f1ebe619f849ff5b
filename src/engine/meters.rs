//! Meters of engines, for measurements.

use std::time::Duration;

use super::memory::{Memory, NeuralMemory};
use super::{EngineError, Share};

/// An engine's use of memory and transfers, and its members' shares of the work.
pub trait Meters {
    /// Returns the memory held for the last base and its mutants, and for neural compilation once that has
    /// been used.
    fn memory(&self) -> (Memory, Option<NeuralMemory>) {
        (Memory::default(), None)
    }

    /// Measures the time to copy this many bytes to the device's memory and back. Returns `None` if the engine
    /// works in the host's own memory.
    ///
    /// # Errors
    /// If the device fails.
    fn transfer(&mut self, _bytes: usize) -> Result<Option<Duration>, EngineError> {
        Ok(None)
    }

    /// Returns how many mutants of the last base each device judged; empty if one engine judges all.
    fn shares(&self) -> Vec<Share> {
        vec![]
    }
}
