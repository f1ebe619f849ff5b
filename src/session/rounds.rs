//! How the device sees a text: the rounds of the stages that compile it, told by their shaders.

use std::sync::Arc;

use super::idle::{Step, Task};
use crate::engine::{Engine, EngineError};
use crate::rounds::Recording;

/// The rounds of a text, or why there are none.
#[derive(Clone, Debug)]
pub struct Rounds {
    pub recording: Result<Arc<Recording>, String>,
}

/// Has the engine tell of the rounds of what has been judged; tells [`Rounds`].
pub fn serve(task: &Task, engine: &mut dyn Engine) -> Result<Step, EngineError> {
    let told = engine.told().and_then(|told| told.rounds(&task.judged.base.compiled, task));
    let recording = match told {
        Ok(recording) => Ok(Arc::new(recording)),
        Err(EngineError::Fault(why)) => Err(why),
        Err(error) => return Err(error),
    };
    task.found(Rounds { recording });
    Ok(Step::Done)
}
