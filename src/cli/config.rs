//! `myriad config`: prints the commented default and the path of the file. Also reads the user's file for all
//! other commands.

use serde::Serialize;

use super::args::{Common, Format};
use super::exit::{Exit, Failure};
use super::output::{print, report_failure};
use crate::report::document;
use crate::report::visible::visible;
use crate::workbench::config::keys::KEYS;
use crate::workbench::config::{Config, Loaded, load};

#[derive(Serialize)]
struct Document<'a> {
    version: u32,
    /// Always empty: the configuration concerns no program.
    files: [(); 0],
    config: Section<'a>,
}

#[derive(Serialize)]
struct Section<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    exists: bool,
    keys: Vec<Row<'a>>,
    /// The default file, with its comments.
    default: String,
}

#[derive(Serialize)]
struct Row<'a> {
    section: &'a str,
    key: &'a str,
    /// As TOML.
    value: String,
    default: String,
    about: String,
}

/// Prints the default with its comments and the path of the file. Mistakes in the user's file are reported.
pub fn config(common: Common) -> Result<Exit, Failure> {
    let loaded = load();
    let text = default_text(&loaded);
    let printed = match common.format {
        Format::Text => text,
        Format::Json => {
            let keys = KEYS.iter().map(|key| Row {
                section: key.section,
                key: key.name,
                value: (key.show)(&loaded.config),
                default: (key.show)(&Config::default()),
                about: key.about.replace('\n', " "),
            });
            let path = loaded.path.as_ref().map(|path| path.display().to_string());
            let config = Section { path, exists: loaded.exists, keys: keys.collect(), default: text };
            document::json(&Document { version: document::VERSION, files: [], config }) + "\n"
        }
    };
    print(&printed)?;
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
