//! Keys while a survivor's proof is shown.

use crossterm::event::KeyCode;

use crate::workbench::key::Key;
use crate::workbench::paint::proof;
use crate::workbench::state::{Overlay, State, Tone};
use crate::workbench::update::explain::scrolled;

impl State {
    /// Shows the proof of the chosen mutant.
    pub(super) fn show_proof(&mut self) {
        match self.chosen_proof() {
            Ok(_) => self.prompts.overlay = Some(Overlay::Proof { top: 0 }),
            Err(why) => self.say(Tone::Bad, why),
        }
    }

    /// Scrolls the proof. Returns false if the key closes it.
    pub(super) fn proof_key(&self, top: &mut usize, key: Key) -> bool {
        if matches!(key.code, KeyCode::Char('p')) {
            return false;
        }
        let Some(to) = scrolled(*top, key, self.screen.size.1) else { return false };
        *top = to.min(proof::last_top(self, self.screen.size));
        true
    }
}
