//! The engine in use, and the settings of its work.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::engine::Kind;
use crate::engine::choose::Preference;
use crate::host::measure::energy::Watts;
use crate::lang::level::LevelChoice;
use crate::session::{CompareExtent, Device, VisibleJobs};
use crate::workbench::state::Panel;

/// The number of variants that were compiled and tested.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct JudgedCount {
    /// Since the program started.
    pub ever: u64,
    /// Of the text that is being judged, whose revision this is.
    revision: u64,
    here: u64,
    /// Of the last text whose variants are all judged, and the time for them.
    pub last: Option<(u64, Duration)>,
}

impl JudgedCount {
    pub fn add(&mut self, revision: u64, count: u64) {
        if self.revision != revision {
            (self.revision, self.here) = (revision, 0);
        }
        self.ever += count;
        self.here += count;
    }

    /// Handles the end of a text's batch. A batch without a variant changes nothing.
    pub fn done(&mut self, revision: u64, wall: Duration) {
        if self.revision == revision && self.here > 0 {
            self.last = Some((self.here, wall));
        }
    }

    /// Returns the number for a second of the last batch.
    pub fn rate(&self) -> Option<f64> {
        self.last.filter(|(_, wall)| !wall.is_zero()).map(|(count, wall)| count as f64 / wall.as_secs_f64())
    }
}

/// The engine in use, according to its last message, and the settings of its work.
#[derive(Clone, Debug, Default)]
pub struct EngineInfo {
    pub kind: Option<Kind>,
    pub description: String,
    pub reason: String,
    /// The meter that measures the engine's energy, or why it has none.
    pub meter: String,
    /// The progress of the GPU engine, whichever engine serves.
    pub device: Device,
    /// The progress of what the GPU engine prepares, or empty.
    pub preparing: String,
    /// The user's last choice.
    pub wanted: Preference,
    /// Who chooses the level of bases, as the user last said.
    pub level: LevelChoice,
    /// Whether the engine judges all variants of the program on screen at each key.
    pub all: bool,
    pub judged: JudgedCount,
    /// For each panel that awaits an answer: the revision since which, and whether that takes longer than it may silently.
    pub awaited: BTreeMap<Panel, (u64, bool)>,
    /// The engine thread has ended.
    pub stopped: bool,
    /// The assumed power.
    pub watts: Watts,
    /// Whether every text also runs through the shaders, whichever engine serves.
    pub shaders: bool,
    /// The amount of idle work.
    pub idle: CompareExtent,
    /// The last message to the engine about what is on display.
    pub looked: VisibleJobs,
}
