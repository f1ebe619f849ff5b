//! `myriad config`: prints the commented default and the path of the file. Also reads the user's file for all
//! other commands.

use super::args::Common;
use super::exit::{Exit, Failure};
use super::output::{print_result, report_failure};
use crate::report::document::Object;
use crate::report::visible::visible;
use crate::workbench::config::keys::{ConfigKey, KEYS};
use crate::workbench::config::{Config, Loaded, load};

/// Prints the default with its comments and the path of the file. Mistakes in the user's file are reported.
pub fn config(common: Common) -> Result<Exit, Failure> {
    let loaded = load();
    let text = default_text(&loaded);
    let key = |key: &ConfigKey| {
        let own = Object::new().field("section", key.section).field("key", key.name);
        let own =
            own.field("value", (key.show)(&loaded.config)).field("default", (key.show)(&Config::default()));
        own.field("about", key.about.replace('\n', " "))
    };
    let path = loaded.path.as_ref().map(|path| path.display().to_string());
    let section = Object::new().option("path", path).field("exists", loaded.exists);
    let section = section.list("keys", KEYS.iter().map(key)).field("default", &text);
    print_result(common.format, &text, &Object::of_call().field("config", section))?;
    checked(loaded).map(|_| Exit::Good)
}

fn default_text(loaded: &Loaded) -> String {
    let place = match &loaded.path {
        Some(path) if loaded.exists => format!("{} (the file exists; this is the default)", path.display()),
        Some(path) => format!("{} (no such file yet; this is the default)", path.display()),
        None => "unknown: there is no home folder; name a file in MYRIAD_CONFIG".to_string(),
    };
    format!("# Myriad's configuration: {}\n{}", visible(&place), Config::default())
}

/// Reads the user's configuration for a command; all its mistakes are reported.
pub fn read() -> Result<Config, Failure> {
    checked(load())
}

fn checked(loaded: Loaded) -> Result<Config, Failure> {
    let mut failures: Vec<Failure> = loaded
        .faults
        .iter()
        .map(|fault| {
            Failure::call(loaded.place(fault), format!("{} (`myriad config` prints a valid one)", fault.help))
        })
        .collect();
    let Some(last) = failures.pop() else { return Ok(loaded.config) };
    failures.iter().for_each(report_failure);
    Err(last)
}
