//! Exit codes of the program, and failures.

use std::process::ExitCode;

use crate::engine::{DeviceFailure, EngineError};
use crate::learned::synthesis::evaluation::MeasureError;

macro_rules! exits {
    ($($(#[$meta:meta])* $name:ident = $code:literal, $short:literal, $when:literal;)*) => {
        /// The exit codes; of several the greatest wins.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum Exit { $($(#[$meta])* $name = $code,)* }

        impl Exit {
            /// Each code with its meaning in a few words, and in full as the table in `docs/cli.md` has it.
            pub const TABLE: &'static [(u8, &'static str, &'static str)] = &[$(($code, $short, concat!($short, $when)),)*];
        }
    };
}

exits! {
    #[default]
    Good = 0, "all good", "; there may be warnings";
    ProgramFailed = 1, "the program under test fails",
        ": errors in it; a test, property or `run` that fails or traps; a property whose condition no input meets; no passing test for `mutate` or `noise`; a score under `--min-score`; a comment with an unknown operator (W0005); a failing program that `repair` cannot mend; a candidate of a batch that does not pass; a function that `prove` does not prove equal; a file that `fmt --check` would change; a function for which `neural` finds nothing correct; a partial result; a lesson that is invalid or cannot be completed; a tape that is wrong or whose `Wait` times out";
    Call = 2, "the call is wrong",
        ": unknown flag, command, function or code, wrong number or type of arguments, no such file, a file that cannot be read or written or is not UTF-8, a line of a batch that is not a candidate, shards that are incomplete or from different calls, weights named by `--weights` that do not fit, a wrong configuration";
    Engine = 3, "an engine failed",
        ", or `--engine gpu` without an adapter, or neural compilation in a build without matching weights; engines that disagree in `bench device` or `race`";
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit as u8)
    }
}

/// A failure of a command on a file, with advice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    pub exit: Exit,
    pub message: String,
    pub help: String,
}

impl Failure {
    /// Returns a failure with exit code 2: the call is wrong.
    pub fn call(message: impl Into<String>, help: impl Into<String>) -> Failure {
        Failure { exit: Exit::Call, message: message.into(), help: help.into() }
    }
}

impl From<EngineError> for Failure {
    fn from(error: EngineError) -> Failure {
        let help = match &error {
            EngineError::Device(DeviceFailure::Missing, _) => "`myriad engines` lists the adapters",
            EngineError::Bug(_) => "this is a bug of myriad; `--engine cpu` may avoid it",
            _ => "try again with `--engine cpu`; if that works, the driver is at fault",
        };
        Failure { exit: Exit::Engine, message: error.to_string(), help: help.to_string() }
    }
}

impl From<MeasureError> for Failure {
    fn from(failed: MeasureError) -> Failure {
        Failure { message: failed.to_string(), ..failed.error.into() }
    }
}
