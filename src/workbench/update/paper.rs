//! The levers of the paper's model.

use crate::paper::levers::{Lever, Levers};
use crate::workbench::state::State;

impl State {
    pub(super) fn choose_lever(&mut self, lever: Lever) {
        self.paper.chosen = lever;
        // The sliders stand on top.
        self.select_row(|_, _| 0);
    }

    pub(super) fn turn_lever(&mut self, up: bool) {
        let here = self.levers_here();
        self.paper.levers.turn(self.paper.chosen, here, up);
    }

    /// Sets all of them to the paper's values, or to what this machine has.
    pub(super) fn set_levers(&mut self, as_paper: bool) {
        self.paper.levers = if as_paper { Levers::paper() } else { Levers::default() };
    }
}
