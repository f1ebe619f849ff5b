//! Repairs of what fails, sought as soon as a text has been judged.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::Judged;
use super::idle::{Step, Task};
use crate::engine::EngineError;
use crate::mutation::repair::{CANDIDATES, Question, Repair, Search};
use crate::program::Watch;

/// What is searched between two looks at the board.
const STRETCH: Duration = Duration::from_millis(30);

/// What has been found so far, the best first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Repairs {
    pub found: Arc<Vec<Repair>>,
    /// What tells the first of them apart.
    pub question: Option<Arc<Question>>,
    /// How many candidates were judged.
    pub searched: u64,
    pub done: bool,
}

/// A search that was begun.
pub struct Begun {
    judged: Arc<Judged>,
    search: Search,
    found: Arc<Vec<Repair>>,
    question: Option<Arc<Question>>,
    /// How many repairs `found` is of.
    known: usize,
}

/// Goes on with a search, with what was begun if that is of this text; tells [`Repairs`] where anything fails.
pub fn serve(begun: &mut Option<Begun>, task: &Task) -> Result<Step, EngineError> {
    let mut now = match begun.take() {
        Some(begun) if begun.judged.epoch == task.judged.epoch => begun,
        _ => {
            let base = &task.judged.base;
            let Some(search) = Search::new(base.compiled.clone(), &base.entries, task) else {
                return if task.cancelled() { Err(EngineError::Cancelled) } else { Ok(Step::Done) };
            };
            Begun { judged: task.judged.clone(), search, found: Arc::default(), question: None, known: 0 }
        }
    };
    let started = Instant::now();
    let mut stopped = false;
    let ended = |search: &Search| search.is_done() || search.searched() >= CANDIDATES;
    while !ended(&now.search) && !stopped && started.elapsed() < STRETCH {
        stopped = now.search.step(task).is_none();
    }
    if now.known != now.search.count() {
        let found = now.search.repairs(task);
        if task.cancelled() {
            *begun = Some(now);
            return Err(EngineError::Cancelled);
        }
        now.question = now.search.question(&found).map(Arc::new);
        (now.known, now.found) = (now.search.count(), Arc::new(found));
    }
    let done = ended(&now.search);
    let (found, question) = (now.found.clone(), now.question.clone());
    task.found(Repairs { found, question, searched: now.search.searched(), done });
    *begun = Some(now);
    match (stopped, done) {
        (true, _) => Err(EngineError::Cancelled),
        (_, true) => Ok(Step::Done),
        _ => Ok(Step::Begun),
    }
}
