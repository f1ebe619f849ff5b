//! `myriad [FILE]`: opens the workbench.

use std::ffi::OsString;
use std::process::ExitCode;

use super::args::{Common, EngineChoice};
use super::exit::Failure;
use super::output;
use crate::engine::choose::Preference;
use crate::workbench::{Options, run};

/// Opens the workbench on a file, or on an empty text; the exit code is its own.
pub fn open(common: Common, file: Option<OsString>) -> ExitCode {
    let engine = match common.engine {
        EngineChoice::Auto => Preference::Auto,
        EngineChoice::Cpu => Preference::Cpu,
        EngineChoice::Gpu => Preference::Gpu,
    };
    match run(file.map(Into::into), Options { engine, ..Options::default() }) {
        Ok(code) => code,
        Err(error) => {
            let failure = Failure::call(format!("{error:#}"), "`myriad --help` lists what else there is");
            output::complain(&failure);
            failure.exit.into()
        }
    }
}
