//! What a workbench is opened with.

use std::path::PathBuf;

use crate::engine::choose::Preference;
use crate::host::measure::energy::Watts;
use crate::lang::mutation::Group;
use crate::session::Extent;
use crate::workbench::state::{State, Tone};

/// How the workbench is opened.
#[derive(Clone, Debug)]
pub struct Options {
    /// The engine that is asked for.
    pub engine: Preference,
    /// Mutants that a keystroke judges, where there are enough.
    pub budget: u32,
    /// Whether every text goes through the shaders, whichever engine serves.
    pub shaders: bool,
    /// What is done while nobody types.
    pub idle: Extent,
    /// Inputs of each property that are gone on to then.
    pub inputs: u32,
    /// Whether mutants run on every input, whatever is known without.
    pub exact: bool,
    /// Whose operators make mutants.
    pub group: Group,
    /// Stated power, for the estimate of energy.
    pub watts: Watts,
    /// Whether each key is shown to an audience.
    pub present: bool,
    /// Where the hybrid compiler's router learns; nowhere if none is said.
    pub history: Option<PathBuf>,
    /// What is to be said at once: something wrong in the configuration.
    pub notice: Option<String>,
}

impl Options {
    /// Tells a state of them.
    pub(super) fn set(&self, state: &mut State) {
        state.watts = self.watts;
        state.shaders = self.shaders;
        state.idle = self.idle;
        state.engine.wanted = self.engine;
        if self.present {
            state.present(true);
        }
        if let Some(notice) = &self.notice {
            state.say(Tone::Bad, notice.clone());
        }
    }
}
