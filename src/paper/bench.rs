//! The means of a measurement of the network.

use std::sync::Arc;

use crate::engine::{Engine, EngineError};
use crate::host::measure::energy::Meter;
use crate::network::weights::Weights;

/// An engine with what its measurements need.
pub struct Bench<'a> {
    pub engine: &'a mut dyn Engine,
    pub weights: &'a Arc<Weights>,
    pub meter: &'a Meter,
    /// Receives a description of each step. An error ends the measurement.
    pub step: &'a mut dyn FnMut(&str) -> Result<(), EngineError>,
}
