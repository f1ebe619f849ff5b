//! Accumulates the stage times of a base or of a chunk.

use std::time::Duration;

use crate::engine::timings::{StageTimes, within};

/// Times by stage: summed over threads, and as parts of the wall.
#[derive(Clone, Copy, Debug, Default)]
pub struct StageTimings {
    pub stages: StageTimes,
    pub parts: StageTimes,
}

impl StageTimings {
    /// Adds the times of one thread while no other worked.
    pub fn alone(&mut self, stages: StageTimes) {
        self.add(stages, stages);
    }

    /// Adds the times of threads that worked in parallel for `wall`.
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
