//! Errors of engines.

use crate::compiler::program::Compiled;
use crate::lang::index::RoutineId;
use crate::lang::level::OptLevel;

/// The reason why an engine could not finish. The program under test is never the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EngineError {
    /// A newer revision cancelled the work.
    Cancelled,
    /// A device failed: the part that failed, and the details.
    Device(DeviceFailure, String),
    /// The request exceeds the device's limits. The device's state is unchanged.
    TooLarge(String),
    /// Engines that share the work found different results. One of them is wrong, but it is not known which.
    Differs(String),
    /// The call is wrong, on any engine: without a base, or with a number that does not exist.
    Call(String),
    /// A bug of this program.
    Bug(String),
}

/// The part of a device that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeviceFailure {
    /// No adapter of the requested kind exists.
    Missing,
    /// Listing, opening or preparing it failed, or took too long.
    Opening,
    /// The system starts no thread for it.
    Threads,
    /// Its memory does not suffice.
    Memory,
    Command,
    /// It returned results that cannot be right.
    Results,
    /// It was lost; the engine must be rebuilt.
    Lost,
}

impl DeviceFailure {
    pub fn because(self, what: impl Into<String>) -> EngineError {
        EngineError::Device(self, what.into())
    }
}

/// Refuses a base whose variants cannot be judged: at level 2, a function's code is also in its callers.
pub(super) fn refuse_whole(base: &Compiled) -> Result<(), EngineError> {
    match base.level {
        OptLevel::Lowered | OptLevel::Local => Ok(()),
        level @ (OptLevel::Whole | OptLevel::Learned) => {
            Err(EngineError::Call(format!("variants of a program of level {} are not judged", level.number())))
        }
    }
}

impl EngineError {
    /// The call needs a base.
    pub fn no_base() -> EngineError {
        EngineError::Call("there is no base".into())
    }

    /// The base lacks the function.
    pub fn no_function(function: RoutineId) -> EngineError {
        EngineError::Call(format!("no function has the number {function}"))
    }

    /// The call needs weights.
    pub fn no_weights() -> EngineError {
        EngineError::Call("no weights were given".into())
    }

    /// Whether another engine may finish the work. A refused or wrong request fails everywhere.
    pub fn is_failure(&self) -> bool {
        matches!(self, EngineError::Device(..) | EngineError::Bug(_))
    }

    /// Whether the device was lost, so that the engine must be rebuilt.
    pub fn is_lost(&self) -> bool {
        matches!(self, EngineError::Device(DeviceFailure::Lost, _))
    }

    /// Whether no adapter of the requested kind exists.
    pub fn is_missing(&self) -> bool {
        matches!(self, EngineError::Device(DeviceFailure::Missing, _))
    }
}

impl std::fmt::Display for EngineError {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        use EngineError::{Bug, Call, Cancelled, Device, Differs, TooLarge};
        match self {
            Cancelled => f.write_str("cancelled"),
            Device(DeviceFailure::Missing, what) => write!(f, "no adapter: {what}"),
            Device(DeviceFailure::Lost, what) => write!(f, "the device was lost: {what}"),
            Device(_, what) | Call(what) | Bug(what) => write!(f, "engine fault: {what}"),
            TooLarge(what) => write!(f, "too large for the device: {what}"),
            Differs(place) => write!(f, "the engines disagree: {place}"),
        }
    }
}

impl std::error::Error for EngineError {}
