//! What the stages of a base or of a chunk took, as it comes to be known.

use std::time::Duration;

use crate::engine::timings::{StageTimes, within};

/// Times by stage: all threads', and as parts of the wall.
#[derive(Clone, Copy, Debug, Default)]
pub struct Spent {
    pub stages: StageTimes,
    pub parts: StageTimes,
}

impl Spent {
    /// Adds what one thread did while no other worked: its time is the wall's.
    pub fn alone(&mut self, stages: StageTimes) {
        self.add(stages, stages);
    }

    /// Adds what the threads did at once, and how long that was on the wall.
    pub fn together(&mut self, stages: StageTimes, wall: Duration) {
        self.add(stages, within(stages, wall));
    }

    fn add(&mut self, stages: StageTimes, parts: StageTimes) {
        for stage in 0..stages.len() {
            self.stages[stage] += stages[stage];
            self.parts[stage] += parts[stage];
        }
    }
}
