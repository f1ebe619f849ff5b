//! `myriad [FILE]`: opens the workbench.

use std::ffi::OsString;
use std::io::IsTerminal;
use std::path::Path;
use std::process::ExitCode;

use super::args::Common;
use super::exit::Failure;
use super::output;
use super::session::preference;
use crate::config::load;
use crate::workbench::{Options, run};

/// Opens the workbench on a file, which may be one that is to be, or on an empty text; the exit code is its own.
pub fn open(common: Common, file: Option<OsString>) -> ExitCode {
    if let Some(file) = &file
        && !Path::new(file).exists()
        && !(names_a_file(Path::new(file)) && std::io::stdout().is_terminal())
    {
        let name = output::visible(&file.to_string_lossy());
        let failure = Failure::call(
            format!("there is no file and no command `{name}`"),
            "see the commands with `myriad --help`; `myriad NAME.myr` on a terminal begins a new program",
        );
        output::complain(&failure);
        return failure.exit.into();
    }
    // What is wrong in the configuration is shown, and no reason not to begin.
    let loaded = load();
    let common = common.configured(loaded.config);
    let notice = loaded.faults.first().map(|fault| {
        let more = match loaded.faults.len() {
            1 => String::new(),
            n => format!(" (and {} more: `myriad config` lists them)", n - 1),
        };
        format!("{}; {}{more}", loaded.place(fault), fault.help)
    });
    let options = Options {
        engine: preference(common.engine),
        budget: common.config.engine.budget,
        watts: common.config.energy,
        notice,
    };
    match run(file.map(Into::into), options) {
        Ok(code) => code,
        Err(error) => {
            let failure = Failure::call(format!("{error:#}"), "`myriad --help` lists what else there is");
            output::complain(&failure);
            failure.exit.into()
        }
    }
}

/// Whether a name that nothing has may be that of a new program: commands have no folder and no extension.
fn names_a_file(path: &Path) -> bool {
    path.extension().is_some() || path.components().count() > 1
}
