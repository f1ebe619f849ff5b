//! `myriad config`: the commented default and its place; and the user's own, read for all other commands.

use serde::Serialize;

use super::args::{Common, Format};
use super::exit::{Exit, Failure};
use super::output::{complain, print};
use crate::report::document;
use crate::report::visible::visible;
use crate::workbench::config::keys::KEYS;
use crate::workbench::config::{Config, Loaded, load};

#[derive(Serialize)]
struct Document<'a> {
    version: u32,
    /// Always empty: the configuration is of no program.
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

/// Prints the default with its comments, and where it belongs. What is wrong in the user's own is complained about.
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
        Some(path) if loaded.exists => format!("{} (there is one: this is the default)", path.display()),
        Some(path) => format!("{} (there is none yet: this is what holds)", path.display()),
        None => "no place: the home folder is not known; name a file in MYRIAD_CONFIG".to_string(),
    };
    format!("# Myriad's configuration: {}\n{}", visible(&place), Config::default())
}

/// The user's configuration, for a command; all that is wrong in it is complained about.
pub fn read() -> Result<Config, Failure> {
    checked(load())
}

fn checked(loaded: Loaded) -> Result<Config, Failure> {
    let mut failures: Vec<Failure> = loaded
        .faults
        .iter()
        .map(|fault| {
            Failure::call(loaded.place(fault), format!("{} (`myriad config` prints a right one)", fault.help))
        })
        .collect();
    let Some(last) = failures.pop() else { return Ok(loaded.config) };
    failures.iter().for_each(complain);
    Err(last)
}
