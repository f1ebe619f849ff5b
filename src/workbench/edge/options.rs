//! The options of a workbench.

use std::path::PathBuf;
use std::sync::Arc;

use crate::engine::choose::Preference;
use crate::host::measure::energy::Watts;
use crate::lang::level::LevelChoice;
use crate::lang::mutation::Group;
use crate::session::CompareExtent;
use crate::workbench::keymap::Keymap;
use crate::workbench::modal::Modal;
use crate::workbench::state::{EditorOptions, State, Tone};
use crate::workbench::theme::Palette;

/// The options that a workbench is opened with.
#[derive(Clone, Debug)]
pub struct Options {
    /// The requested engine.
    pub engine: Preference,
    /// The maximum number of mutants judged per keystroke.
    pub budget: u32,
    /// Whether every text also runs through the shaders, whichever engine serves.
    pub shaders: bool,
    /// The amount of idle work.
    pub idle: CompareExtent,
    /// The number of inputs of each property tested in idle time.
    pub inputs: u32,
    /// Whether mutants run on every input, without shortcuts.
    pub exact: bool,
    /// The operators that make mutants.
    pub group: Group,
    /// Who chooses the level that programs are optimized to.
    pub level: LevelChoice,
    /// The assumed power, for estimates of energy.
    pub watts: Watts,
    pub editor: EditorOptions,
    /// The keys in use; `None` for the default keys.
    pub keys: Option<Arc<Keymap>>,
    /// The palette; `None` to follow the terminal's background.
    pub theme: Option<Palette>,
    /// Whether to start in presenter's mode.
    pub present: bool,
    /// The history file from which the hybrid compiler's router learns; none if not given.
    pub history: Option<PathBuf>,
    /// The folder of the store of learned code; nothing is kept if not given.
    pub learned: Option<PathBuf>,
    /// An error in the configuration: as a message, and in brief, which stays in sight.
    pub notice: Option<[String; 2]>,
}

impl Options {
    /// Applies the options to a state.
    pub(super) fn set(&self, state: &mut State) {
        state.engine.watts = self.watts;
        state.engine.shaders = self.shaders;
        state.engine.idle = self.idle;
        state.engine.wanted = self.engine;
        state.engine.level = self.level;
        state.document.options = self.editor;
        state.modal = Modal::new(self.editor.key_set);
        state.keys = self.keys.clone();
        if self.present {
            state.present(true);
        }
        if let Some([whole, brief]) = &self.notice {
            state.say(Tone::Bad, whole.clone());
            state.prompts.config_error = Some(brief.clone());
        }
    }
}
