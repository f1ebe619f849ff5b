//! Repairs of what fails, sought as soon as a text has been judged.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::Judged;
use super::idle::{Step, Task};
use crate::compiler::program::Watch;
use crate::engine::reuse::same_tokens;
use crate::engine::{Engine, EngineError, Kind};
use crate::testing::mutation::repair::{CANDIDATES, Question, Repair, Search};

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

impl Begun {
    fn new(task: &Task) -> Option<Begun> {
        let (judged, base) = (task.judged.clone(), &task.judged.base);
        let search = Search::new(base.compiled.clone(), &base.entries, task)?;
        Some(Begun { judged, search, found: Arc::default(), question: None, known: (0, false) })
    }

    /// Whether it is a search in this text, or could be made one: of a text that is the same program in another writing.
    fn goes_on_in(&mut self, judged: &Arc<Judged>) -> bool {
        if self.judged.epoch == judged.epoch {
            return true;
        }
        let (before, now) = (&self.judged.base, &judged.base);
        let same = before.entries == now.entries && same_tokens(&before.compiled, &now.compiled);
        if same {
            self.search.rewritten(&now.compiled);
            // What was found stands elsewhere now.
            (self.judged, self.known) = (judged.clone(), (0, false));
        }
        same
    }

    fn is_done(&self) -> bool {
        self.search.is_done() || self.search.searched() >= CANDIDATES
    }

    fn tell(&self, task: &Task, question: Option<&Arc<Question>>) {
        let (by, instead) = self.search.judged_by();
        task.found(Repairs {
            found: self.found.clone(),
            question: question.cloned(),
            searched: self.search.searched(),
            by,
            instead: instead.cloned(),
            done: self.is_done(),
        });
    }

    /// Searches for some time, or until there is a first repair, and tells what there is then. `None` if it was stopped.
    fn go_on(&mut self, task: &Task, engine: &mut dyn Engine) -> Option<()> {
        let (started, waited) = (Instant::now(), self.known.0 == 0);
        while !self.is_done() && started.elapsed() < STRETCH {
            self.search.step_on(engine, task).ok()?;
            if waited && self.search.count() > 0 {
                break;
            }
        }
        let known = (self.search.count(), self.search.is_early());
        if known != self.known {
            self.found = Arc::new(self.search.repairs(task));
            if task.cancelled() {
                return None;
            }
            // Whoever waits for a first repair reads it while the question is sought.
            if waited {
                self.tell(task, None);
            }
            self.question = self.search.question(&self.found).map(Arc::new);
            self.known = known;
        }
        self.tell(task, self.question.as_ref());
        Some(())
    }
}

/// Goes on with a search on the engine that serves, with what was begun if that is of this text; tells [`Repairs`] where anything fails. Where
/// the device refuses or is lost, the host's threads go on.
pub fn serve(begun: &mut Option<Begun>, task: &Task, engine: &mut dyn Engine) -> Result<Step, EngineError> {
    if begun.as_mut().is_none_or(|begun| !begun.goes_on_in(&task.judged)) {
        *begun = Begun::new(task);
    }
    let Some(now) = begun else {
        return if task.cancelled() { Err(EngineError::Cancelled) } else { Ok(Step::Done) };
    };
    let stopped = now.go_on(task, engine).is_none();
    // Whoever works with a device that is gone has to hear of it.
    if let (_, Some(lost @ EngineError::Lost(_))) = now.search.judged_by() {
        return Err(lost.clone());
    }
    match (stopped, now.is_done()) {
        (true, _) => Err(EngineError::Cancelled),
        (_, true) => Ok(Step::Done),
        _ => Ok(Step::Begun),
    }
}
