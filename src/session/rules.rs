//! Decides the rules in the text's comments, and applies them to the program: at level 0 for the lines of the text, at
//! the program's own level for the panels of code.

use std::sync::Arc;

use super::task::{Setup, Step, Task};
use crate::engine::EngineError;
use crate::host::files;
use crate::testing::rules::{AppliedRules, ProgramRules};

/// The largest program that is read for its rules, in bytes.
const LARGEST: u64 = 1 << 20;

/// Reports [`ProgramRules`]. Those of a file of rules fire in the program of another file, if that can be read.
pub fn serve(setup: &Setup, task: &Task) -> Result<Step, EngineError> {
    let text = &task.judged.shown.compiled.text;
    let file = task.shared.lock().wanted.text.as_ref().and_then(|edit| edit.fires_in.clone());
    let program = file.and_then(|file| files::read_text(&file, LARGEST).ok());
    let program = program.map_or_else(|| text.clone(), Arc::from);
    let rules = setup.rules(|known| ProgramRules::of(text, &program, known, task));
    task.found(rules.ok_or(EngineError::Cancelled)?);
    Ok(Step::Done)
}

/// Reports [`AppliedRules`].
pub fn apply(setup: &Setup, task: &Task) -> Result<Step, EngineError> {
    let rules = setup.rules(|known| ProgramRules::on(&task.judged.shown.compiled, known, task));
    task.found(AppliedRules(Arc::new(rules.ok_or(EngineError::Cancelled)?)));
    Ok(Step::Done)
}
