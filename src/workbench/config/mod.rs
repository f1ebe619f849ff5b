//! The configuration: a TOML file of the user, read once at startup.
//!
//! [`keys::KEYS`] is the table of all keys: section, name, description, default, and how a value is read.
//! `myriad config` prints it. Each mistake in the file is a [`ConfigFault`] with its line; the rest of the file still
//! takes effect.

pub mod bindings;
pub mod keys;
mod parse;

use std::fmt;
use std::path::{Path, PathBuf};

use etcetera::BaseStrategy;

use crate::engine::choose::Preference;
use crate::host::files;
use crate::host::measure::energy::Watts;
use crate::lang::level::LevelChoice;
use crate::lang::limits::IDLE_SAMPLES;
use crate::lang::mutation::Group;
use crate::learned::hybrid::router::{Objective, Route};
use crate::learned::synthesis::search::Level;
use crate::session::CompareExtent;
use crate::workbench::state::EditorOptions;
use crate::workbench::theme::Palette;
pub use bindings::Bindings;
pub use parse::parse;

/// All settings; the default applies where the file sets nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Config {
    pub engine: Engines,
    /// `[energy]`: stated powers.
    pub energy: Watts,
    pub router: ConfigRouting,
    pub editor: Editor,
    pub screen: Colours,
}

/// `[screen]`
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Colours {
    /// The palette; `None` to follow the terminal's background.
    pub theme: Option<Palette>,
    /// Whether the tabs and keys of the laboratory are shown.
    pub laboratory: bool,
}

/// `[editor]`
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Editor(pub EditorOptions);

impl Default for Editor {
    fn default() -> Editor {
        Editor(EditorOptions { close_brackets: true, suggest_names: true, ..EditorOptions::default() })
    }
}

/// `[router]`
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ConfigRouting {
    /// The evidence that final results of the hybrid compiler need.
    pub evidence: Level,
    pub objective: Objective,
    pub route: Route,
    /// The threshold; `None` to tune it.
    pub theta: Option<f64>,
}

/// `[engine]`
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Engines {
    pub choice: Preference,
    /// Number of mutants judged on each keystroke in the workbench, if there are as many. First-order mutants
    /// are always judged.
    pub budget: u32,
    /// Whether the workbench sends every text through the shaders, on a software adapter if there is no
    /// hardware.
    pub shaders: bool,
    /// How much the workbench does while the user is idle.
    pub idle: CompareExtent,
    /// Number of inputs that each property is tested on while the user is idle.
    pub inputs: u32,
    /// Whether mutants run on every input, even on inputs whose result is already known.
    pub exact: bool,
    /// Who chooses the level that programs are optimized to.
    pub opt: LevelChoice,
    /// Whether devices may use subgroup operations for scans.
    pub subgroups: bool,
    /// The operator group that generates mutants.
    pub group: Group,
    /// The longest time that the language server seeks an expression for a `?`, in seconds.
    pub fill_seconds: u32,
}

impl Default for Engines {
    fn default() -> Engines {
        Engines {
            choice: Preference::Auto,
            budget: 1024,
            shaders: true,
            idle: CompareExtent::Sample,
            inputs: IDLE_SAMPLES,
            exact: false,
            opt: LevelChoice::default(),
            subgroups: true,
            group: Group::Default,
            fill_seconds: 2,
        }
    }
}

/// A mistake in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigFault {
    /// Line number, from 1; `None` if the fault concerns no particular line.
    pub line: Option<usize>,
    pub message: String,
    /// How to correct it.
    pub help: String,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Loaded {
    pub config: Config,
    /// The keys of commands that the file changes.
    pub keys: Bindings,
    /// The path of the file, even if it does not exist; `None` if the user has no home directory.
    pub path: Option<PathBuf>,
    pub exists: bool,
    pub faults: Vec<ConfigFault>,
}

impl Loaded {
    /// Returns the message with the file and line, for display.
    pub fn place(&self, fault: &ConfigFault) -> String {
        let path = self.path.as_deref().unwrap_or(Path::new("config.toml")).display();
        match fault.line {
            Some(line) => format!("{path}, line {line}: {}", fault.message),
            None => format!("{path}: {}", fault.message),
        }
    }

    /// Returns the correction, then the message, without the file's folder, for a line that may be cut.
    pub fn brief(&self, fault: &ConfigFault) -> String {
        let name = self
            .path
            .as_deref()
            .and_then(Path::file_name)
            .map_or("config.toml".into(), |name| name.to_string_lossy());
        let line = fault.line.map_or(String::new(), |line| format!(":{line}"));
        format!("{name}{line}: {} – {}", fault.help, fault.message)
    }
}

/// Environment variable that names the file to read instead of the platform's default.
pub const VARIABLE: &str = "MYRIAD_CONFIG";

/// Size limit of the file, in bytes.
const READ_LIMIT: u64 = 1 << 20;

/// Loads the user's configuration. The file is optional, unless the environment variable names it.
pub fn load() -> Loaded {
    let named = std::env::var_os(VARIABLE).filter(|name| !name.is_empty()).map(PathBuf::from);
    let must_exist = named.is_some();
    match named.or_else(usual_path) {
        Some(path) => read(path, must_exist),
        None => Loaded::default(),
    }
}

/// Returns the default path on this platform: `~/.config/myriad/config.toml` on most.
fn usual_path() -> Option<PathBuf> {
    Some(etcetera::choose_base_strategy().ok()?.config_dir().join("myriad").join("config.toml"))
}

fn read(path: PathBuf, must_exist: bool) -> Loaded {
    let (config, keys, faults, exists) = match files::read_text(&path, READ_LIMIT) {
        Ok(text) => {
            let (config, keys, faults) = parse(&text);
            (config, keys, faults, true)
        }
        Err(why) if why.is_missing() && !must_exist => Default::default(),
        Err(why) => {
            let help = if must_exist {
                format!("{VARIABLE} names this file: correct the file, or unset the variable")
            } else {
                "it must be a text file that you have permission to read".to_string()
            };
            let fault = ConfigFault { line: None, message: format!("cannot be read: {why}"), help };
            (Config::default(), Bindings::default(), vec![fault], !why.is_missing())
        }
    };
    Loaded { config, keys, path: Some(path), exists, faults }
}

impl fmt::Display for Config {
    /// Prints a TOML file with a comment above each key.
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
        bindings::write(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printed_default_configuration_parses_to_the_default() {
        let text = Config::default().to_string();
        assert_eq!(parse(&text), (Config::default(), Bindings::default(), vec![]), "{text}");
        // Each key takes effect: another value yields another configuration.
        for key in keys::KEYS {
            let line = format!("{} = {}", key.name, (key.show)(&Config::default()));
            assert!(text.contains(&line), "{line} is not in {text}");
            let other = format!("[{}]\n{} = {}\n", key.section, key.name, key.other);
            let (config, _, faults) = parse(&other);
            assert!(faults.is_empty() && config != Config::default(), "{other}: {faults:?}");
            assert_eq!((key.show)(&config), key.other);
        }
    }

    #[test]
    fn brief_fault_begins_with_the_correction() {
        let (_, _, faults) = parse("[engine]\nbugdet = 5\n");
        let loaded = Loaded { path: Some("/a/very/long/path/config.toml".into()), ..Loaded::default() };
        let brief = loaded.brief(&faults[0]);
        assert_eq!(brief, "config.toml:2: did you mean `budget`? – [engine] has no key `bugdet`");
    }

    #[test]
    fn missing_configuration_is_a_fault_only_if_named() {
        let path = PathBuf::from("/nonexistent/config.toml");
        let usual = read(path.clone(), false);
        assert!(usual.faults.is_empty() && !usual.exists && usual.config == Config::default());
        let named = read(path, true);
        assert!(named.faults[0].help.contains(VARIABLE), "{named:?}");
        assert!(named.place(&named.faults[0]).starts_with("/nonexistent/config.toml: cannot be read"));
    }

    #[test]
    fn unreadable_configuration_is_a_fault() {
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
