//! The run's log: a line of JSON for each stretch of steps.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::TrainError;
use super::checkpoint::replace;
use super::measure::{Measure, Sampled};
use crate::host::files;

/// A log that is longer is not read: of some hundred thousand lines.
const LARGEST: u64 = 256 << 20;

/// A stretch of steps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// Its last step.
    pub step: u64,
    /// Examples trained on so far.
    pub examples: u64,
    /// Seconds of training so far, all calls together.
    pub seconds: f64,
    pub phase: String,
    /// Part of the plateau's rate.
    pub rate: f64,
    /// Mean cross-entropy of a word in training.
    pub loss: f64,
    /// Length of the last step's gradient.
    pub gradient: f32,
    /// Examples a second.
    pub per_second: f64,
    /// The moving average's quality on held-out functions, where it was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub simple: Option<Measure>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub complex: Option<Measure>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub written: Option<Measure>,
    /// How drawn candidates of some of them did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sampled: Option<Sampled>,
}

/// The log's file.
pub struct Log {
    path: PathBuf,
    file: File,
}

impl Log {
    /// Opens the log of a run that is at `step`. Lines behind it are dropped: the steps that they tell of were lost.
    pub fn open(path: &Path, step: u64) -> Result<Log, TrainError> {
        let kept: String = read(path)?
            .iter()
            .filter(|line| line.step <= step)
            .filter_map(|line| serde_json::to_string(line).ok())
            .map(|line| line + "\n")
            .collect();
        replace(path, kept.as_bytes())?;
        let file = files::open_own(path).map_err(|why| TrainError::Write(path.into(), why.into()))?;
        Ok(Log { path: path.into(), file })
    }

    pub fn add(&mut self, line: &Line) -> Result<(), TrainError> {
        let text = serde_json::to_string(line).unwrap_or_default() + "\n";
        self.file.write_all(text.as_bytes()).map_err(|error| TrainError::Write(self.path.clone(), error))
    }
}

/// The lines of a log; none where there is no log. What is no line is passed over.
///
/// # Errors
/// If the file is there and cannot be read.
pub fn read(path: &Path) -> Result<Vec<Line>, TrainError> {
    match files::read_text(path, LARGEST) {
        Ok(text) => Ok(text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()),
        Err(why) if why.is_missing() => Ok(Vec::new()),
        Err(why) => Err(TrainError::Read(path.into(), why.into())),
    }
}
