//! The run's log: a line of JSON per interval of steps.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::TrainError;
use super::checkpoint::replace;
use super::measure::{Measure, Sampled};
use crate::host::files;

/// The maximum size of a log that is read: some hundred thousand lines.
const LARGEST: u64 = 256 << 20;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LogLine {
    /// The last step of the interval.
    pub step: u64,
    pub examples: u64,
    /// The seconds of training so far, over all calls.
    pub seconds: f64,
    pub phase: String,
    /// The learning rate as a fraction of the plateau's rate.
    pub rate: f64,
    /// The mean training cross-entropy per word.
    pub loss: f64,
    /// The gradient norm of the last step.
    pub gradient: f32,
    pub per_second: f64,
    /// The quality of the moving average on held-out functions, if measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub simple: Option<Measure>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub complex: Option<Measure>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub written: Option<Measure>,
    /// The results of candidates drawn for some of these functions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sampled: Option<Sampled>,
}

pub struct Log {
    path: PathBuf,
    file: File,
}

impl Log {
    /// Opens the log of a run that is at `step`. Later lines are dropped, because their steps were lost.
    pub fn open(path: &Path, step: u64) -> Result<Log, TrainError> {
        let kept: String = read(path)?
            .iter()
            .filter(|line| line.step <= step)
            .filter_map(|line| serde_json::to_string(line).ok())
            .map(|line| line + "\n")
            .collect();
        replace(path, kept.as_bytes())?;
        let file =
            files::open_append_private(path).map_err(|why| TrainError::Write(path.into(), why.into()))?;
        Ok(Log { path: path.into(), file })
    }

    pub fn add(&mut self, line: &LogLine) -> Result<(), TrainError> {
        let text = serde_json::to_string(line).unwrap_or_default() + "\n";
        self.file.write_all(text.as_bytes()).map_err(|error| TrainError::Write(self.path.clone(), error))
    }
}

/// Returns the lines of a log, or no lines if it does not exist. Skips malformed lines.
///
/// # Errors
/// If the file exists but cannot be read.
pub fn read(path: &Path) -> Result<Vec<LogLine>, TrainError> {
    match files::read_text(path, LARGEST) {
        Ok(text) => Ok(text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()),
        Err(why) if why.is_missing() => Ok(Vec::new()),
        Err(why) => Err(TrainError::Read(path.into(), why.into())),
    }
}
