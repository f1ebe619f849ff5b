//! Keys while a survivor's proof is shown.

use crossterm::event::KeyCode;

use crate::workbench::key::Key;
use crate::workbench::paint::proof;
use crate::workbench::state::{Overlay, State, Tone};

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
        let page = usize::from(self.screen.size.1).saturating_sub(2).max(1);
        let to = match key.code {
            KeyCode::Esc | KeyCode::Char('q' | 'p') => return false,
            KeyCode::Up | KeyCode::Char('k') => top.saturating_sub(1),
            KeyCode::Down | KeyCode::Char('j') => *top + 1,
            KeyCode::PageUp => top.saturating_sub(page),
            KeyCode::PageDown | KeyCode::Char(' ') => *top + page,
            KeyCode::Home | KeyCode::Char('g') => 0,
            KeyCode::End | KeyCode::Char('G') => usize::MAX,
            _ => *top,
        };
        *top = to.min(proof::last_top(self, self.screen.size));
        true
    }
}
