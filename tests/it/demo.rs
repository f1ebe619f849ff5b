//! Tapes: parsing, typing and recording.

mod cast;
mod pictures;
mod player;
mod session;
mod slides;
mod svg;
mod tape;

use std::path::Path;

use myriad::engine::choose::Preference;
use myriad::session::CompareExtent;
use myriad::workbench::Options;
use myriad::workbench::config::{Config, Engines};
use myriad::workbench::demo::find;
use myriad::workbench::demo::play::Stop;
use myriad::workbench::demo::record::{Recording, record};
use myriad::workbench::state::EditorOptions;
use myriad::workbench::tape::Tape;

/// Returns the options that `myriad demo` uses to record a tape.
fn options() -> Options {
    let mut config = Config::default();
    config.engine = Engines {
        choice: Preference::Cpu,
        shaders: false,
        idle: CompareExtent::Off,
        inputs: 1_024,
        opt: config.engine.opt.level().into(),
        ..config.engine
    };
    config.editor.0 = EditorOptions::default();
    Options { config, ..Options::default() }
}

/// Parses a tape and finds its programs.
#[track_caller]
fn tape(text: &str) -> Tape {
    let mut tape = Tape::parse(text).expect("a tape");
    tape.find(|name| find(name, Path::new(env!("CARGO_MANIFEST_DIR")))).expect("its programs");
    tape
}

fn try_record(text: &str) -> Result<Recording, Stop> {
    let folder = tempfile::tempdir().expect("a folder");
    record(&tape(text), options(), folder.path())
}

#[track_caller]
fn recorded(text: &str) -> Recording {
    try_record(text).expect("it is played to its end")
}
