//! A gauge: something of a device that can be read at any moment.

use super::Source;

/// What a gauge shows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Reading {
    /// Energy since some moment in the past, in joules; it never falls.
    Total { joules: f64, step: Step },
    /// Power now, in watts.
    Power { watts: f64 },
}

/// How finely a counter counts: by so many joules, renewed every so many seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    pub joules: f64,
    pub seconds: f64,
}

/// A gauge of one kind of device. It is read from one thread at a time.
pub trait Gauge: Send {
    fn source(&self) -> Source;

    /// # Errors
    /// If the device does not answer.
    fn read(&mut self) -> Result<Reading, String>;
}
