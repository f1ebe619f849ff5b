//! How the program ends, and what it says when that is not well.

use std::process::ExitCode;

use crate::engine::EngineError;

/// The exit codes; of several the greatest wins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Exit {
    /// All good, warnings included.
    #[default]
    Good = 0,
    /// The program under test falls short.
    Short = 1,
    /// The call is wrong.
    Call = 2,
    /// An engine failed, or the one asked for is not there.
    Engine = 3,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit as u8)
    }
}

/// Why a command could not do its work on a file, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    pub exit: Exit,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub help: String,
}

impl Failure {
    /// The call is wrong.
    pub fn call(message: impl Into<String>, help: impl Into<String>) -> Failure {
        Failure { exit: Exit::Call, message: message.into(), help: help.into() }
    }
}

impl From<EngineError> for Failure {
    fn from(error: EngineError) -> Failure {
        let help = match &error {
            EngineError::NoAdapter(_) => "`myriad engines` lists what is there",
            _ => "try again with `--engine cpu`; if that works, the driver is at fault",
        };
        Failure { exit: Exit::Engine, message: error.to_string(), help: help.to_string() }
    }
}
