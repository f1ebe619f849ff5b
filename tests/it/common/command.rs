//! Calls the program like a user.

use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

pub use super::repository::samples;

/// The result of a call.
#[derive(Debug)]
pub struct Called {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Called {
    /// Returns standard output as JSON.
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error} in {self:?}"))
    }

    /// Returns the entry of the first file.
    pub fn file(&self) -> serde_json::Value {
        self.json()["files"][0].clone()
    }
}

/// Calls `myriad` in the project's root, with `input` as standard input.
pub fn myriad<S: AsRef<OsStr>>(arguments: &[S], input: &[u8]) -> Called {
    called_with(arguments, input, &no_config(), Path::new(""))
}

/// Calls it with `words`, split at blanks, and a configuration file.
pub fn with_config(words: &str, config: &Path) -> Called {
    called_with(&words.split_whitespace().collect::<Vec<_>>(), b"", config, Path::new(""))
}

/// Calls it with a history file for the router.
pub fn myriad_learning<S: AsRef<OsStr>>(arguments: &[S], input: &[u8], history: &Path) -> Called {
    called_with(arguments, input, &no_config(), history)
}

/// An empty configuration, so that the user's own has no effect on the tests.
fn no_config() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/common/config.toml")
}

/// Calls it with environment variables.
pub fn myriad_in<S: AsRef<OsStr>>(arguments: &[S], environment: &[(String, PathBuf)]) -> Called {
    called_in(arguments, b"", &no_config(), Path::new(""), environment)
}

/// An empty history name disables the history, so that tests leave no trace in the user's own.
fn called_with<S: AsRef<OsStr>>(arguments: &[S], input: &[u8], config: &Path, history: &Path) -> Called {
    called_in(arguments, input, config, history, &[])
}

fn called_in<S: AsRef<OsStr>>(
    arguments: &[S],
    input: &[u8],
    config: &Path,
    history: &Path,
    environment: &[(String, PathBuf)],
) -> Called {
    let mut child = Command::new(env!("CARGO_BIN_EXE_myriad"))
        .args(arguments)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env_remove("NO_COLOR")
        .env_remove("CLICOLOR_FORCE")
        .env("MYRIAD_CONFIG", config)
        .env("MYRIAD_HISTORY", history)
        .env("MYRIAD_LEARNED", "")
        // No device measurements are kept either.
        .env("MYRIAD_CACHE", "")
        .envs(environment.iter().map(|(name, value)| (name, value)))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    // A call may end before it has read its input, which closes the pipe.
    let _ = child.stdin.take().expect("a pipe").write_all(input);
    let output = child.wait_with_output().expect("the program ends");
    Called {
        code: output.status.code().expect("no signal ends it"),
        stdout: String::from_utf8(output.stdout).expect("UTF-8"),
        stderr: String::from_utf8(output.stderr).expect("UTF-8"),
    }
}

/// Calls it with `words`, split at blanks.
pub fn call(words: &str) -> Called {
    myriad(&words.split_whitespace().collect::<Vec<_>>(), b"")
}

/// Calls it with a program on standard input.
pub fn call_with(words: &str, program: &str) -> Called {
    myriad(&words.split_whitespace().collect::<Vec<_>>(), program.as_bytes())
}

/// Returns the diagnostic codes of a file's entry, in order.
pub fn codes(file: &serde_json::Value) -> Vec<String> {
    let diagnostics = file["diagnostics"].as_array().expect("diagnostics");
    diagnostics.iter().map(|d| d["code"].as_str().expect("a code").to_string()).collect()
}
