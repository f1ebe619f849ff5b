//! Simulates noise on the tests of the newest text, while the panel is open.

use super::task::{Step, Task};
use crate::engine::{Engine, EngineError};
use crate::testing::noise::{self, NoiseSettings};

/// Settings for interactive use: enough repetitions to find fragile tests, few enough to finish in a moment.
pub const SETTINGS: NoiseSettings =
    NoiseSettings { rate: 0.001, repetitions: 500, seed: 1, bound: 0.001, confidence: 0.95 };

/// Reports a [`noise::Report`].
pub fn simulate(task: &Task, engine: &mut dyn Engine) -> Result<Step, EngineError> {
    let base = &task.judged.base;
    let told = &mut |_, _| {};
    let report = noise::measure(engine, base, None, &SETTINGS, task, told)?;
    if report.left > 0 {
        return Err(EngineError::Cancelled);
    }
    task.found(report);
    Ok(Step::Done)
}
