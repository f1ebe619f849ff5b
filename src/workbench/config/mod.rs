//! The configuration: a TOML file of the user's, read once when the program starts.
//!
//! [`keys::KEYS`] is the one table of what may stand in it: sections, keys, what they mean, their defaults and how a
//! value is taken. `myriad config` prints it. What is wrong in the file is a [`Fault`] with its line; the rest of the
//! file counts all the same.

pub mod keys;
mod parse;

use std::fmt;
use std::path::{Path, PathBuf};

use etcetera::BaseStrategy;

use crate::engine::choose::Preference;
use crate::host::files;
use crate::host::measure::energy::Watts;
use crate::lang::limits::FURTHER_SAMPLES;
use crate::lang::mutation::Group;
use crate::learned::hybrid::router::Objective;
use crate::learned::synthesis::search::Level;
use crate::session::Extent;
pub use parse::parse;

/// Everything that can be configured; the default is what holds where nothing is said.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Config {
    pub engine: Engines,
    /// `[energy]`: stated powers.
    pub energy: Watts,
    pub router: Routing,
}

/// `[router]`
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Routing {
    /// What the hybrid compiler's final results need.
    pub evidence: Level,
    pub objective: Objective,
    /// The threshold; tuned if none is said.
    pub theta: Option<f64>,
}

/// `[engine]`
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Engines {
    pub choice: Preference,
    /// Mutants that a keystroke judges in the workbench where there are so many; all of first order always are.
    pub budget: u32,
    /// Whether every text goes through the shaders in the workbench, a software adapter's where there are no others.
    pub shaders: bool,
    /// What the workbench does while nobody types.
    pub idle: Extent,
    /// Inputs of each property that the workbench goes on to while nobody types.
    pub inputs: u32,
    /// Whether mutants run on every input, whatever is known without.
    pub exact: bool,
    /// Whether devices may scan by subgroups.
    pub subgroups: bool,
    /// Whose operators make mutants.
    pub group: Group,
}

impl Default for Engines {
    fn default() -> Engines {
        Engines {
            choice: Preference::Auto,
            budget: 1024,
            shaders: true,
            idle: Extent::Sample,
            inputs: FURTHER_SAMPLES,
            exact: false,
            subgroups: true,
            group: Group::Default,
        }
    }
}

/// Something wrong in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// From 1; `None` where it is of no line.
    pub line: Option<usize>,
    pub message: String,
    /// What to do about it.
    pub help: String,
}

/// A configuration as it was found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Loaded {
    pub config: Config,
    /// Where it is, or would be; `None` where the user has no home.
    pub path: Option<PathBuf>,
    /// Whether there is such a file.
    pub exists: bool,
    pub faults: Vec<Fault>,
}

impl Loaded {
    /// A fault with its place, for people.
    pub fn place(&self, fault: &Fault) -> String {
        let path = self.path.as_deref().unwrap_or(Path::new("config.toml")).display();
        match fault.line {
            Some(line) => format!("{path}, line {line}: {}", fault.message),
            None => format!("{path}: {}", fault.message),
        }
    }
}

/// Names the file; set by whoever wants another one than the platform's.
pub const VARIABLE: &str = "MYRIAD_CONFIG";

/// No configuration is longer.
const READ_LIMIT: u64 = 1 << 20;

/// Reads the user's configuration. There need not be one, unless the environment names it.
pub fn load() -> Loaded {
    let named = std::env::var_os(VARIABLE).filter(|name| !name.is_empty()).map(PathBuf::from);
    let must_exist = named.is_some();
    match named.or_else(usual_path) {
        Some(path) => read(path, must_exist),
        None => Loaded::default(),
    }
}

/// Where a configuration is looked for on this platform: `~/.config/myriad/config.toml` on most.
fn usual_path() -> Option<PathBuf> {
    Some(etcetera::choose_base_strategy().ok()?.config_dir().join("myriad").join("config.toml"))
}

fn read(path: PathBuf, must_exist: bool) -> Loaded {
    let (config, faults, exists) = match files::read_text(&path, READ_LIMIT) {
        Ok(text) => {
            let (config, faults) = parse(&text);
            (config, faults, true)
        }
        Err(why) if why.is_missing() && !must_exist => (Config::default(), Vec::new(), false),
        Err(why) => {
            let help = if must_exist {
                format!("{VARIABLE} names this file: mend it, or unset the variable")
            } else {
                "see that it is a text file that you may read".to_string()
            };
            let fault = Fault { line: None, message: format!("cannot be read: {why}"), help };
            (Config::default(), vec![fault], !why.is_missing())
        }
    };
    Loaded { config, path: Some(path), exists, faults }
}

impl fmt::Display for Config {
    /// As a TOML file with a comment on each key.
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let mut section = "";
        for key in keys::KEYS {
            if key.section != section {
                section = key.section;
                write!(f, "\n[{section}]\n")?;
            }
            for line in key.about.lines() {
                writeln!(f, "# {line}")?;
            }
            writeln!(f, "{} = {}", key.name, (key.show)(self))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_printed_default_is_the_default() {
        let text = Config::default().to_string();
        assert_eq!(parse(&text), (Config::default(), vec![]), "{text}");
        // And each of its keys counts: with another value it is another configuration.
        for key in keys::KEYS {
            let line = format!("{} = {}", key.name, (key.show)(&Config::default()));
            assert!(text.contains(&line), "{line} is not in {text}");
            let other = format!("[{}]\n{} = {}\n", key.section, key.name, key.other);
            let (config, faults) = parse(&other);
            assert!(faults.is_empty() && config != Config::default(), "{other}: {faults:?}");
            assert_eq!((key.show)(&config), key.other);
        }
    }

    #[test]
    fn a_file_that_is_not_there_is_no_fault_unless_it_was_named() {
        let path = PathBuf::from("/nonexistent/config.toml");
        let usual = read(path.clone(), false);
        assert!(usual.faults.is_empty() && !usual.exists && usual.config == Config::default());
        let named = read(path, true);
        assert!(named.faults[0].help.contains(VARIABLE), "{named:?}");
        assert!(named.place(&named.faults[0]).starts_with("/nonexistent/config.toml: cannot be read"));
    }

    #[test]
    fn a_file_that_is_no_text_is_a_fault() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("config.toml");
        std::fs::write(&path, [0xff, 0xfe]).unwrap();
        let loaded = read(path, false);
        assert!(loaded.exists && loaded.faults.len() == 1, "{loaded:?}");
        assert_eq!(read(folder.path().to_path_buf(), false).faults.len(), 1);
        let path = folder.path().join("long.toml");
        std::fs::write(&path, "#".repeat(READ_LIMIT as usize + 1)).unwrap();
        let fault = &read(path, false).faults[0];
        assert_eq!(fault.message, "cannot be read: it is longer than 1 MiB");
    }
}
