//! Repairs of what fails, sought as soon as a text has been judged.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::Judged;
use super::idle::{Step, Task};
use crate::engine::{Engine, EngineError, Kind};
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
    /// Who judged the last of them, and why the engine that serves did not, where it might have.
    pub by: Kind,
    pub instead: Option<EngineError>,
    pub done: bool,
}

/// A search that was begun.
pub struct Begun {
    judged: Arc<Judged>,
    search: Search,
    found: Arc<Vec<Repair>>,
    question: Option<Arc<Question>>,
    /// How many repairs `found` is of, and whether they are early ones.
    known: (usize, bool),
}

/// Goes on with a search on the engine that serves, with what was begun if that is of this text; tells [`Repairs`] where anything fails. Where
/// the device refuses or is lost, the host's threads go on.
pub fn serve(begun: &mut Option<Begun>, task: &Task, engine: &mut dyn Engine) -> Result<Step, EngineError> {
    let mut now = match begun.take() {
        Some(begun) if begun.judged.epoch == task.judged.epoch => begun,
        _ => {
            let base = &task.judged.base;
            let Some(search) = Search::new(base.compiled.clone(), &base.entries, task) else {
                return if task.cancelled() { Err(EngineError::Cancelled) } else { Ok(Step::Done) };
            };
            Begun {
                judged: task.judged.clone(),
                search,
                found: Arc::default(),
                question: None,
                known: (0, false),
            }
        }
    };
    let started = Instant::now();
    let mut stopped = false;
    let ended = |search: &Search| search.is_done() || search.searched() >= CANDIDATES;
    while !ended(&now.search) && !stopped && started.elapsed() < STRETCH {
        stopped = now.search.step_on(engine, task).is_err();
    }
    if now.known != (now.search.count(), now.search.is_early()) {
        let found = now.search.repairs(task);
        if task.cancelled() {
            *begun = Some(now);
            return Err(EngineError::Cancelled);
        }
        now.question = now.search.question(&found).map(Arc::new);
        now.known = (now.search.count(), now.search.is_early());
        now.found = Arc::new(found);
    }
    let done = ended(&now.search);
    let (found, question) = (now.found.clone(), now.question.clone());
    let (by, instead) = now.search.judged_by();
    let instead = instead.cloned();
    // Whoever works with a device that is gone has to hear of it.
    let lost = instead.clone().filter(|error| matches!(error, EngineError::Lost(_)));
    task.found(Repairs { found, question, searched: now.search.searched(), by, instead, done });
    *begun = Some(now);
    if let Some(lost) = lost {
        return Err(lost);
    }
    match (stopped, done) {
        (true, _) => Err(EngineError::Cancelled),
        (_, true) => Ok(Step::Done),
        _ => Ok(Step::Begun),
    }
}
