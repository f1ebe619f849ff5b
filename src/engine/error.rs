//! Errors of engines.

/// The reason why an engine could not finish. The program under test is never the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EngineError {
    /// No adapter of the requested kind exists.
    NoAdapter(String),
    /// The device was lost; the engine must be rebuilt.
    Lost(String),
    /// The device failed: out of memory, a validation error, or a record of another epoch.
    Fault(String),
    /// The request exceeds the device's limits. The device's state is unchanged.
    TooLarge(String),
    /// Engines that share the work found different results. One of them is wrong, but it is not known which.
    Differs(String),
    /// A newer revision cancelled the work.
    Cancelled,
}

impl EngineError {
    /// Whether the device failed, so that another engine may finish the work. Refusing a request is not a
    /// failure.
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
            EngineError::Cancelled => f.write_str("cancelled"),
        }
    }
}

impl std::error::Error for EngineError {}
