//! How soon texts are answered, and what judging them takes.

use std::time::Duration;

use crate::engine::Timings;
use crate::host::measure::energy::Energy;

/// Why a text was sent to the engine, or judged there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// A person typed, pasted or took something back.
    Typed,
    /// The text came from a file: opened, read again, recovered.
    Opened,
    /// No text came: another engine judges the one that is there.
    Again,
}

/// How soon a text was answered.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Answer {
    pub revision: u64,
    /// From the key, or from when the text was read, to the base's panels.
    pub base: Duration,
    /// The same to the last verdict, once it is in; never where the text has no mutants to judge.
    pub all: Option<Duration>,
    /// Whether that may still come.
    pub awaited: bool,
    /// The same to what the shaders make of the base, where that follows the last verdict.
    pub shaders: Option<Duration>,
    /// What base and mutants took.
    pub energy: Option<Energy>,
}

/// A base and all its mutants, judged to the end: what they took together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Batch {
    pub cause: Cause,
    pub energy: Energy,
    /// How long the energy was metered.
    pub wall: Duration,
    /// With the number of programs that the energy is of.
    pub timings: Timings,
}

/// Keystrokes remembered.
pub const HISTORY: usize = 240;
