//! Tests properties on more inputs than a keystroke allows, after a text has been judged.

use std::sync::Arc;
use std::time::Duration;

use super::judged::Judged;
use super::task::{Setup, Step, Task};
use crate::engine::explain::{Explanation, explain};
use crate::engine::extra_inputs::ExtraInputs;
use crate::engine::{EngineError, EntryResult};
use crate::lang::index::{EntryId, Index};
use crate::testing::trace::cause_of_trap;

/// Time between two polls of the shared state.
const STRETCH: Duration = Duration::from_millis(20);

/// Results of tests and properties on more inputs, so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Inputs {
    /// One result for each test and property, in source order.
    pub ended: Vec<EntryResult>,
    /// The explanation of each entry that fails on a new input, and the cause if it traps.
    pub explained: Vec<(EntryId, Explanation, Option<String>)>,
    pub done: bool,
}

/// Work in progress.
pub struct InputBegun {
    judged: Arc<Judged>,
    extra: ExtraInputs,
    found: Inputs,
}

/// Tests more inputs; continues `begun` if it is of this text. Reports [`Inputs`] if a property has more inputs
/// to test.
pub fn serve(setup: &Setup, begun: &mut Option<InputBegun>, task: &Task) -> Result<Step, EngineError> {
    let base = &task.judged.shown;
    let mut now = match begun.take() {
        Some(begun) if begun.judged.epoch == task.judged.epoch => begun,
        _ => {
            let extra = ExtraInputs::new(&base.compiled, &base.entries, setup.inputs);
            if extra.is_done() {
                return Ok(Step::Done);
            }
            InputBegun { judged: task.judged.clone(), extra, found: Inputs::default() }
        }
    };
    let stopped = now.extra.step(STRETCH, task).is_none();
    let ended = now.extra.results();
    for (entry, (result, before)) in EntryId::all().zip(ended.iter().zip(&base.entries)) {
        let known = now.found.explained.iter().any(|(explained, ..)| *explained == entry);
        if result.outcome.fails() && !before.outcome.fails() && !known {
            let cause = cause_of_trap(&base.compiled, entry, result);
            now.found.explained.push((entry, explain(&base.compiled, entry, result), cause));
        }
    }
    let done = now.extra.is_done();
    if now.found.ended != ended || now.found.done != done {
        (now.found.ended, now.found.done) = (ended.to_vec(), done);
        setup.keep_ended(task.judged.epoch, &now.found.ended);
        task.found(now.found.clone());
    }
    *begun = Some(now);
    match (stopped, done) {
        (true, _) => Err(EngineError::Cancelled),
        (_, true) => Ok(Step::Done),
        _ => Ok(Step::Begun),
    }
}
