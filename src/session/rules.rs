//! Decides the rules in the text's comments, and applies them to the program.

use super::task::{Step, Task};
use crate::engine::EngineError;
use crate::testing::rules::{KnownRules, ProgramRules};

/// Reports [`ProgramRules`]. `known` has the verdicts on earlier texts.
pub fn serve(known: &mut KnownRules, task: &Task) -> Result<Step, EngineError> {
    let rules = ProgramRules::of(&task.judged.shown.compiled.text, known, task);
    task.found(rules.ok_or(EngineError::Cancelled)?);
    Ok(Step::Done)
}
