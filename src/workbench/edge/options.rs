//! The options of a workbench.

use std::path::PathBuf;
use std::sync::Arc;

use crate::workbench::config::Config;
use crate::workbench::keymap::Keymap;
use crate::workbench::modal::Modal;
use crate::workbench::race::stored::StoredRace;
use crate::workbench::state::{State, Tone};

#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The configuration, with what the call sets.
    pub config: Config,
    /// The keys in use; `None` for the default keys.
    pub keys: Option<Arc<Keymap>>,
    /// Whether to start in presenter's mode.
    pub present: bool,
    /// The history file from which the hybrid compiler's router learns; none if not given.
    pub history: Option<PathBuf>,
    /// The folder of the store of learned code; nothing is kept if not given.
    pub learned: Option<PathBuf>,
    /// A stored race, which is shown in place of a new one.
    pub race: Option<Arc<StoredRace>>,
    /// An error in the configuration: as a message, and in brief, which stays in sight.
    pub notice: Option<[String; 2]>,
}

impl Options {
    pub(super) fn set(&self, state: &mut State) {
        let Config { engine, energy, editor, screen, .. } = self.config;
        state.engine.watts = energy;
        state.engine.shaders = engine.shaders;
        state.engine.idle = engine.idle;
        state.engine.wanted = engine.choice;
        state.engine.level = engine.opt;
        state.document.options = editor.0;
        state.modal = Modal::new(editor.0.key_set);
        state.keys = self.keys.clone();
        state.laboratory = screen.laboratory;
        if self.present {
            state.present(true);
        }
        if let Some([whole, brief]) = &self.notice {
            state.say(Tone::Bad, whole.clone());
            state.prompts.config_error = Some(brief.clone());
        }
    }
}
