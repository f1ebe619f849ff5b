//! How the device compiles a text: the rounds of each stage, recorded by the shaders.

use std::sync::Arc;

use super::task::{Step, Task};
use crate::compiler::rounds::Recording;
use crate::engine::{Engine, EngineError};
use crate::lang::level::OptLevel;

/// The recorded rounds of a text, or the reason why they are missing.
#[derive(Clone, Debug)]
pub struct Rounds {
    pub recording: Result<Arc<Recording>, EngineError>,
}

/// Records the rounds of the judged text, at the level that is shown, or at that of mutants if that is 3; reports
/// [`Rounds`].
pub fn serve(task: &Task, engine: &mut dyn Engine) -> Result<Step, EngineError> {
    // Shaders do not apply what was learned.
    let judged = &task.judged;
    let learned = judged.shown.compiled.level == OptLevel::Learned;
    let compiled = if learned { &judged.base.compiled } else { &judged.shown.compiled };
    let recording = engine.rounds(compiled, task);
    if matches!(recording, Err(EngineError::Cancelled)) {
        return Err(EngineError::Cancelled);
    }
    let lost = recording.as_ref().err().filter(|error| error.is_lost()).cloned();
    task.found(Rounds { recording: recording.map(Arc::new) });
    // The worker must learn that its device is lost.
    lost.map_or(Ok(Step::Done), Err)
}
