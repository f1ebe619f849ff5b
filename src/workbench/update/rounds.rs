//! Commands of the Rounds panel.

use crate::session::Rounds;
use crate::workbench::panels::{self, Panel};
use crate::workbench::rounds::{RoundMove, RoundPart};
use crate::workbench::state::{State, Tone};

impl State {
    /// Handles a recording of the shaders' rounds.
    pub(super) fn rounds_recorded(&mut self, rounds: Rounds) {
        let Some(compiled) = self.shown().map(|shown| shown.compiled.clone()) else { return };
        match rounds.recording {
            Ok(recording) => self.rounds.take(recording, &compiled),
            Err(_) => self.rounds.recording = None,
        }
    }

    pub(super) fn go_in_rounds(&mut self, way: RoundMove) {
        let Some(compiled) = self.shown().map(|shown| shown.compiled.clone()) else { return };
        let row = self.list(Panel::ROUNDS).selected;
        let token = panels::token(self, Panel::ROUNDS, row);
        if let Err(why) = self.rounds.go(way, token, &compiled) {
            return self.say(Tone::Plain, why);
        }
        // Keep the row of the same token chosen.
        let count = panels::count(self, Panel::ROUNDS);
        let same = token
            .and_then(|token| (0..count).find(|row| panels::token(self, Panel::ROUNDS, *row) == Some(token)));
        self.screen.select(Panel::ROUNDS, same.unwrap_or(row.min(count.saturating_sub(1))));
    }

    /// Shows or hides a part of the panel.
    pub(super) fn show_of_rounds(&mut self, part: RoundPart) {
        let Some(compiled) = self.shown().map(|shown| shown.compiled.clone()) else { return };
        self.rounds.toggle(part, &compiled);
    }
}
