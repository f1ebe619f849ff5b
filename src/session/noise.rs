//! Noise on the newest text's tests, simulated while somebody looks.

use super::idle::{Step, Task};
use crate::engine::{Engine, EngineError};
use crate::testing::noise::{self, Settings};

/// What a look at noise simulates: enough to see what is fragile, and done in a moment.
pub const SETTINGS: Settings =
    Settings { rate: 0.001, repetitions: 500, seed: 1, bound: 0.001, confidence: 0.95 };

/// Tells a [`noise::Report`].
pub fn simulate(task: &Task, engine: &mut dyn Engine) -> Result<Step, EngineError> {
    let base = &task.judged.base;
    let told = &mut |_, _| {};
    let report = noise::measure(engine, &base.compiled, &base.entries, None, &SETTINGS, task, told)?;
    if report.left > 0 {
        return Err(EngineError::Cancelled);
    }
    task.found(report);
    Ok(Step::Done)
}
