//! Choosing the colours. The screen has those of the chosen row while the list is open.

use crossterm::event::KeyCode;

use crate::workbench::key::Key;
use crate::workbench::state::{Overlay, State, ThemeView, Tone};
use crate::workbench::theme::Palette;

impl State {
    pub(super) fn choose_theme(&mut self) {
        let chosen = Palette::CHOICES.iter().position(|(_, palette)| *palette == self.palette).unwrap_or(0);
        self.prompts.overlay = Some(Overlay::Theme(ThemeView { chosen, before: self.palette }));
    }

    /// Handles a key in the list. Returns false if the key closes it.
    pub(super) fn theme_key(&mut self, view: &mut ThemeView, key: Key) -> bool {
        let step = match key.code {
            KeyCode::Char('j') => Some(true),
            KeyCode::Char('k') => Some(false),
            _ => key.step(),
        };
        match (key.code, step) {
            (KeyCode::Esc | KeyCode::Char('q'), _) => {
                self.palette = view.before;
                return false;
            }
            (KeyCode::Enter, _) => {
                let name = Palette::CHOICES[view.chosen].0;
                self.say(Tone::Plain, format!("theme: {name}; the setting `theme` in `[screen]` keeps it"));
                return false;
            }
            (_, Some(is_down)) => {
                let last = Palette::CHOICES.len() - 1;
                view.chosen = if is_down { (view.chosen + 1).min(last) } else { view.chosen.saturating_sub(1) };
                self.palette = Palette::CHOICES[view.chosen].1;
            }
            _ => {}
        }
        true
    }
}
