//! Gauges: readable energy or power values of a device.

use super::EnergySource;

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Reading {
    /// Energy since some moment in the past, in joules; never decreases.
    Total { joules: f64, step: GaugeStep },
    /// Current power, in watts.
    Power { watts: f64 },
}

/// The resolution of a counter in joules, and its update interval in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GaugeStep {
    pub joules: f64,
    pub seconds: f64,
}

/// A gauge of one kind of device. Only one thread reads it at a time.
pub trait Gauge: Send {
    fn source(&self) -> EnergySource;

    /// # Errors
    /// If the device does not answer.
    fn read(&mut self) -> Result<Reading, String>;
}
