//! The progress of the tour.

/// The progress of the tour. Its steps are in [`crate::workbench::panels::tour`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TourView {
    /// The index of the current step; the number of steps after the last one.
    pub step: usize,
    /// The number of goals of the current step that are reached.
    pub reached: usize,
    /// The indices of completed steps.
    pub done: Vec<usize>,
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

    /// Goes to the next step, whether or not the current one is completed.
    pub fn go_on(&mut self) {
        self.step += 1;
        self.reached = 0;
    }
}
