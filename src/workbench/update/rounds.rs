//! Rounds: which one is looked at, and what of it.

use crate::session::Rounds;
use crate::workbench::panels::{self, Panel};
use crate::workbench::rounds::{RoundPart, RoundWay};
use crate::workbench::state::{State, Tone};

impl State {
    /// The shaders have told of their rounds.
    pub(super) fn rounds_told(&mut self, rounds: Rounds) {
        let Some(compiled) = self.shown().map(|shown| shown.compiled.clone()) else { return };
        match rounds.recording {
            Ok(recording) => self.rounds.take(recording, &compiled),
            Err(_) => self.rounds.recording = None,
        }
    }

    /// Goes to another round.
    pub(super) fn go_in_rounds(&mut self, way: RoundWay) {
        let Some(compiled) = self.shown().map(|shown| shown.compiled.clone()) else { return };
        let row = self.list(Panel::ROUNDS).selected;
        let token = panels::token(self, Panel::ROUNDS, row);
        if let Err(why) = self.rounds.go(way, token, &compiled) {
            return self.say(Tone::Plain, why);
        }
        // The row of the token that somebody follows stays the chosen one.
        let count = panels::count(self, Panel::ROUNDS);
        let same = token
            .and_then(|token| (0..count).find(|row| panels::token(self, Panel::ROUNDS, *row) == Some(token)));
        self.lists[Panel::ROUNDS.index()].selected = same.unwrap_or(row.min(count.saturating_sub(1)));
    }

    /// Shows something of the round or leaves it out.
    pub(super) fn show_of_rounds(&mut self, part: RoundPart) {
        let Some(compiled) = self.shown().map(|shown| shown.compiled.clone()) else { return };
        self.rounds.toggle(part, &compiled);
    }
}
