//! Choosing and keeping arrangements of the screen, and moving borders.

use crossterm::event::KeyCode;

use crate::workbench::event::Effect;
use crate::workbench::key::Key;
use crate::workbench::panels::Panel;
use crate::workbench::panels::layout::{Border, least_place};
use crate::workbench::state::{Arrangement, Arrangements, Kept, Overlay, State, Tone};

impl State {
    /// Lists the arrangements.
    pub(super) fn choose_arrangement(&mut self) {
        let chosen = Arrangement::ALL.iter().position(|one| *one == self.arrangements.chosen).unwrap_or(0);
        self.prompts.overlay = Some(Overlay::Arrange(chosen));
    }

    /// Handles a key in the list. Returns false if the key closes it.
    pub(super) fn arrange_key(&mut self, chosen: &mut usize, key: Key, effects: &mut Vec<Effect>) -> bool {
        let last = Arrangement::ALL.len() - 1;
        match key.code {
            KeyCode::Esc | KeyCode::Char('q') => return false,
            KeyCode::Enter => {
                let one = Arrangement::ALL[(*chosen).min(last)];
                if one == Arrangement::Own && self.arrangements.own.is_none() {
                    self.say(Tone::Plain, "none is kept yet: k keeps the present arrangement");
                    return false;
                }
                self.arrange(one);
                self.say(Tone::Plain, format!("arrangement: {}", one.name()));
                effects.push(Effect::KeepArrangements(self.arrangements.clone()));
                return false;
            }
            KeyCode::Char('k') => {
                self.arrangements = Arrangements { chosen: Arrangement::Own, own: Some(self.screen.kept()) };
                self.say(Tone::Good, "kept: the panels in front and the borders; alt-Z brings them back");
                effects.push(Effect::KeepArrangements(self.arrangements.clone()));
                return false;
            }
            _ => *chosen = key.row_after(*chosen, last).unwrap_or(*chosen),
        }
        true
    }

    fn arrange(&mut self, one: Arrangement) {
        self.arrangements.chosen = one;
        let front = match one {
            Arrangement::Standard => Vec::new(),
            Arrangement::Teach => vec![Panel::MUTANTS, Panel::TESTS, Panel::IR, Panel::AST],
            Arrangement::Test => vec![Panel::MATRIX, Panel::MUTANTS, Panel::MUTANT],
            Arrangement::Perf => vec![Panel::ENERGY, Panel::LATENCY, Panel::BYTECODE],
            Arrangement::Own => return self.screen.arrange(&self.arrangements.own.clone().unwrap_or_default()),
        };
        self.screen.arrange(&Kept { front, ..Kept::default() });
    }

    /// Handles the arrangements that were kept by an earlier run.
    pub(super) fn know_arrangements(&mut self, kept: Arrangements) {
        self.arrangements = kept;
        if self.arrangements.chosen != Arrangement::Standard {
            self.arrange(self.arrangements.chosen);
        }
    }

    pub(super) fn move_border(&mut self, border: Border, column: u16, row: u16) {
        let (at, start, length) = match border.is_column {
            true => (column, border.area.x, border.area.width),
            false => (row, border.area.y, border.area.height),
        };
        let least = least_place(border.is_column, length);
        let at = at.saturating_sub(start).clamp(least, (length - least).max(least));
        self.screen.borders[border.number] = Some((u32::from(at) * 1_000 / u32::from(length.max(1))) as u16);
    }
}
