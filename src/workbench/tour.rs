//! The progress of the tour.

use std::collections::BTreeMap;

/// The progress of the tour. Its steps are in [`crate::workbench::panels::tour`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TourView {
    /// The index of the current step; the number of steps after the last one.
    pub step: usize,
    /// The number of goals of the current step that are reached.
    pub reached: usize,
    /// The indices of completed steps.
    pub done: Vec<usize>,
    /// By index of another step: the number of its goals that are reached.
    pub elsewhere: BTreeMap<usize, usize>,
}

impl TourView {
    /// Records that the next goal of the current step is reached. `goals` is the number of its goals. Returns whether this
    /// completes the step; the next step is then the current one.
    pub fn reach(&mut self, goals: usize) -> bool {
        self.reached += 1;
        let completes = self.reached >= goals;
        if completes {
            if !self.done.contains(&self.step) {
                self.done.push(self.step);
            }
            self.go_on();
        }
        completes
    }

    /// Records that the next goal of another step is reached. Returns whether this completes that step.
    pub fn reach_elsewhere(&mut self, step: usize, goals: usize) -> bool {
        let reached = self.elsewhere.entry(step).or_default();
        *reached += 1;
        let completes = *reached >= goals;
        if completes {
            self.done.push(step);
        }
        completes
    }

    /// Goes to the next step that is not completed, whether or not the current one is.
    pub fn go_on(&mut self) {
        self.step += 1;
        while self.done.contains(&self.step) {
            self.step += 1;
        }
        self.reached = self.elsewhere.remove(&self.step).unwrap_or(0);
    }
}
