//! What keeps an engine from an answer.

/// Why an engine could not finish. The program under test is never the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EngineError {
    /// No adapter of the kind asked for.
    NoAdapter(String),
    /// The device went away; the engine is to be built anew.
    Lost(String),
    /// The device refused or broke: out of memory, a validation error, a record of another epoch.
    Fault(String),
    /// What was asked for is more than the device is to hold. The device itself is as it was.
    TooLarge(String),
    /// Engines that share the work found different things. One of them is wrong, and nobody knows which.
    Differs(String),
    /// The work was cancelled by a newer revision.
    Cancelled,
}

impl EngineError {
    /// Whether the device has failed, so that another engine may finish the work. A device that refuses a request has not.
    pub fn is_failure(&self) -> bool {
        matches!(self, EngineError::NoAdapter(_) | EngineError::Lost(_) | EngineError::Fault(_))
    }
}

impl std::fmt::Display for EngineError {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            EngineError::NoAdapter(what) => write!(f, "no adapter: {what}"),
            EngineError::Lost(what) => write!(f, "the device was lost: {what}"),
            EngineError::Fault(what) => write!(f, "engine fault: {what}"),
            EngineError::TooLarge(what) => write!(f, "too large for the device: {what}"),
            EngineError::Differs(place) => write!(f, "the engines disagree: {place}"),
            EngineError::Cancelled => f.write_str("called off"),
        }
    }
}

impl std::error::Error for EngineError {}
