//! Decides the rules in the text's comments, and applies them to the program: at level 0 for the lines of the text, at
//! the program's own level for the panels of code.

use std::sync::Arc;

use super::task::{Setup, Step, Task};
use crate::engine::EngineError;
use crate::testing::rules::{AppliedRules, ProgramRules};

/// Reports [`ProgramRules`].
pub fn serve(setup: &Setup, task: &Task) -> Result<Step, EngineError> {
    let rules = setup.rules(|known| ProgramRules::of(&task.judged.shown.compiled.text, known, task));
    task.found(rules.ok_or(EngineError::Cancelled)?);
    Ok(Step::Done)
}

/// Reports [`AppliedRules`].
pub fn apply(setup: &Setup, task: &Task) -> Result<Step, EngineError> {
    let rules = setup.rules(|known| ProgramRules::on(&task.judged.shown.compiled, known, task));
    task.found(AppliedRules(Arc::new(rules.ok_or(EngineError::Cancelled)?)));
    Ok(Step::Done)
}
