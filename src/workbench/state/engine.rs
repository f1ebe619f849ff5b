//! The engine in use, and the settings of its work.

use crate::engine::Kind;
use crate::engine::choose::Preference;
use crate::host::measure::energy::Watts;
use crate::lang::level::LevelChoice;
use crate::session::{CompareExtent, Device, VisibleJobs};

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
