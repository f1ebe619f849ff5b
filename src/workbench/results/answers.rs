//! Answer times of texts, and the cost of judging them.

use std::time::Duration;

use crate::engine::Timings;
use crate::host::measure::energy::Energy;

/// Why a text was sent to the engine or judged again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextOrigin {
    /// A person typed, pasted or undid something.
    Typed,
    /// The text was loaded from a file: opened, reloaded or recovered.
    Opened,
    /// The text is unchanged; another engine judges it.
    Rejudged,
}

/// The times at which a text was answered.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EngineAnswer {
    pub revision: u64,
    /// The time from the key press, or from reading the text, to the base's panels.
    pub base: Duration,
    /// The time to the last verdict; `None` until it arrives, or if the text has no mutants to judge.
    pub all: Option<Duration>,
    /// Whether `all` may still arrive.
    pub awaited: bool,
    /// The time to the shaders' result for the base, if it comes after the last verdict.
    pub shaders: Option<Duration>,
    /// The energy for the base and its mutants.
    pub energy: Option<Energy>,
}

/// A base with all its mutants, completely judged, and their total cost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AnswerBatch {
    pub cause: TextOrigin,
    pub energy: Energy,
    /// The duration over which the energy was metered.
    pub wall: Duration,
    /// Includes the number of programs that the energy covers.
    pub timings: Timings,
}

/// The maximum number of keystrokes kept.
pub const HISTORY: usize = 240;
