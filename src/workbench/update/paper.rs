//! The levers of the paper's model. Their values also appear in the status bar, because the page may be
//! scrolled.

use crate::paper::levers::{Lever, Levers};
use crate::workbench::panels::paper;
use crate::workbench::state::{State, Tone};

impl State {
    pub(super) fn choose_lever(&mut self, lever: Lever) {
        self.paper.chosen = lever;
        let range = lever.range();
        self.say(
            Tone::Plain,
            format!(
                "→ and ← turn {}, {}: {}",
                range.name,
                range.what,
                paper::values(&self.results, &self.engine, &self.paper)
            ),
        );
    }

    pub(super) fn turn_lever(&mut self, up: bool) {
        let here = self.levers_here();
        self.paper.levers.turn(self.paper.chosen, here, up);
        self.say_levers();
    }

    /// Sets all levers to the paper's values, or to this machine's.
    pub(super) fn set_levers(&mut self, as_paper: bool) {
        self.paper.levers = if as_paper { Levers::paper() } else { Levers::default() };
        self.say_levers();
    }

    fn say_levers(&mut self) {
        let values = paper::values(&self.results, &self.engine, &self.paper);
        self.say(Tone::Plain, values);
    }
}
