//! How the device sees a text: the rounds of the stages that compile it, told by their shaders.

use std::sync::Arc;

use super::idle::{Step, Task};
use crate::compiler::rounds::Recording;
use crate::engine::{Engine, EngineError};

/// The rounds of a text, or why there are none.
#[derive(Clone, Debug)]
pub struct Rounds {
    pub recording: Result<Arc<Recording>, EngineError>,
}

/// Has the engine tell of the rounds of what has been judged; tells [`Rounds`].
pub fn serve(task: &Task, engine: &mut dyn Engine) -> Result<Step, EngineError> {
    let told = engine.told().and_then(|told| told.rounds(&task.judged.base.compiled, task));
    if matches!(told, Err(EngineError::Cancelled)) {
        return Err(EngineError::Cancelled);
    }
    let lost = told.as_ref().err().filter(|error| matches!(error, EngineError::Lost(_))).cloned();
    task.found(Rounds { recording: told.map(Arc::new) });
    // Whoever works with a device that is gone has to hear of it.
    lost.map_or(Ok(Step::Done), Err)
}
