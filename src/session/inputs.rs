//! Properties on more inputs than a keystroke pays for, as soon as a text has been judged.

use std::sync::Arc;
use std::time::Duration;

use super::Judged;
use super::idle::{Setup, Step, Task};
use crate::engine::explain::{Explanation, explain};
use crate::engine::further::Further;
use crate::engine::{EngineError, EntryResult};

/// What is run between two looks at the board.
const STRETCH: Duration = Duration::from_millis(20);

/// How tests and properties end on more inputs, so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Inputs {
    /// Of all of them, in source order.
    pub ended: Vec<EntryResult>,
    /// Of those that fail on an input that is new, why.
    pub explained: Vec<(usize, Explanation)>,
    pub done: bool,
}

/// Work that was begun.
pub struct Begun {
    judged: Arc<Judged>,
    further: Further,
    found: Inputs,
}

/// Goes on with what was begun, if that is of this text; tells [`Inputs`] where a property has more of them.
pub fn serve(setup: &Setup, begun: &mut Option<Begun>, task: &Task) -> Result<Step, EngineError> {
    let base = &task.judged.base;
    let mut now = match begun.take() {
        Some(begun) if begun.judged.epoch == task.judged.epoch => begun,
        _ => {
            let further = Further::new(&base.compiled, &base.entries, setup.inputs);
            if further.is_done() {
                return Ok(Step::Done);
            }
            Begun { judged: task.judged.clone(), further, found: Inputs::default() }
        }
    };
    let stopped = now.further.step(STRETCH, task).is_none();
    let ended = now.further.results();
    for (entry, (result, before)) in ended.iter().zip(&base.entries).enumerate() {
        let known = now.found.explained.iter().any(|(explained, _)| *explained == entry);
        if result.outcome.fails() && !before.outcome.fails() && !known {
            now.found.explained.push((entry, explain(&base.compiled, entry, result)));
        }
    }
    let done = now.further.is_done();
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
