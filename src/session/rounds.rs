//! How the device compiles a text: the rounds of each stage, recorded by the shaders.

use std::sync::Arc;

use super::task::{Step, Task};
use crate::compiler::rounds::Recording;
use crate::engine::{Engine, EngineError};

/// The recorded rounds of a text, or the reason why they are missing.
#[derive(Clone, Debug)]
pub struct Rounds {
    pub recording: Result<Arc<Recording>, EngineError>,
}

/// Records the rounds of the judged text; reports [`Rounds`].
pub fn serve(task: &Task, engine: &mut dyn Engine) -> Result<Step, EngineError> {
    let told = engine.round_tracing().and_then(|told| told.rounds(&task.judged.base.compiled, task));
    if matches!(told, Err(EngineError::Cancelled)) {
        return Err(EngineError::Cancelled);
    }
    let lost = told.as_ref().err().filter(|error| matches!(error, EngineError::Lost(_))).cloned();
    task.found(Rounds { recording: told.map(Arc::new) });
    // The worker must learn that its device is lost.
    lost.map_or(Ok(Step::Done), Err)
}
