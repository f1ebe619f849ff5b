//! `myriad [FILE]`: opens the workbench.

use std::ffi::OsString;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::args::{Common, Look};
use super::exit::Failure;
use super::session::settings;
use super::{improve, output, suggestions};
use crate::engine::gpu::subgroups;
use crate::lang::level::OptLevel;
use crate::learned::hybrid::history;
use crate::learned::improve::store;
use crate::workbench::config::load;
use crate::workbench::open::names_a_file;
use crate::workbench::{NewTape, Options, Start, run, tape};

/// Opens the workbench on an existing or new file, or with a list of files if none is given. The session is written to the tape
/// `record`, if it is given. Returns the exit code.
pub fn open(common: Common, file: Option<OsString>, look: Look, record: Option<PathBuf>) -> ExitCode {
    let start = file.as_ref().map_or(Start::Nothing, |file| Start::named(Path::new(file)));
    if record.is_some() && !matches!(start, Start::File { .. }) {
        let failure = Failure::call(
            "`--record` needs a program",
            "name an existing or new one: `myriad FILE --record TAPE`",
        );
        output::report_failure(&failure);
        return failure.exit.into();
    }
    if let (Start::File { path, .. }, Some(file)) = (&start, &file)
        && !path.exists()
        && !(names_a_file(path) && std::io::stdout().is_terminal())
    {
        let failure = suggestions::no_such_command(&file.to_string_lossy());
        output::report_failure(&failure);
        return failure.exit.into();
    }
    begin(common, &start, look, record)
}

/// Opens the workbench on `start`. The session is written to the tape `record`, if it is given.
pub fn begin(common: Common, start: &Start, look: Look, record: Option<PathBuf>) -> ExitCode {
    // Mistakes in the configuration are shown and do not prevent the start.
    let loaded = load();
    let common = common.configured(loaded.config);
    subgroups::allow(common.config.engine.subgroups);
    let notice = loaded.faults.first().map(|fault| {
        let more = match loaded.faults.len() {
            1 => String::new(),
            n => format!(" (and {} more: `myriad config` lists them)", n - 1),
        };
        [format!("{}; {}{more}", loaded.place(fault), fault.help), loaded.brief(fault)]
    });
    // The level can be changed later, so learned code is loaded in any case: meanwhile, unless it is needed now or no
    // thread can be started.
    let meanwhile =
        || std::thread::Builder::new().name("learned".into()).spawn(|| improve::use_store(false)).is_ok();
    if common.level() == OptLevel::Learned || !meanwhile() {
        improve::use_store(false);
    }
    let mut config = settings(&common);
    config.screen.laboratory |= look.lab;
    let tape = record.map(|path| NewTape { path, config: tape::config::write(&config, &loaded.keys) });
    let options = Options {
        config,
        keys: loaded.keys.map(),
        present: look.present,
        history: history::place(),
        learned: store::place(),
        race: None,
        notice,
    };
    match run(start, options, tape) {
        Ok(code) => code,
        Err(error) => {
            let failure = Failure::call(format!("{error:#}"), "`myriad --help` lists all commands");
            output::report_failure(&failure);
            failure.exit.into()
        }
    }
}
