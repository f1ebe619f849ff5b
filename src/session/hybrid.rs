//! Hybrid compilation of the function that is looked at: algorithm 3, and then the path that it did not take, to know what that costs.

use std::sync::Arc;

use super::idle::{Setup, Step, Task};
use crate::engine::{Engine, EngineError};
use crate::learned::hybrid::history;
use crate::learned::hybrid::model::Model;
use crate::learned::hybrid::{self, Event, Outcome, Path, Router, Settings};

/// What is found of a function so far.
#[derive(Clone, Debug, Default)]
pub struct Routing {
    /// A candidate passes the tests; the final result is to come.
    pub provisional: bool,
    /// What algorithm 3 made of it.
    pub outcome: Option<Arc<Outcome>>,
    /// What the neural path makes of it, where it was not taken.
    pub other: Option<Arc<Outcome>>,
    /// There is no more to come.
    pub done: bool,
}

/// The router of a session, and where it learns.
pub struct Hybrid {
    setup: Arc<Setup>,
    router: Router,
    /// Whether the history has been read.
    learned: bool,
}

impl Hybrid {
    pub fn new(setup: Arc<Setup>) -> Hybrid {
        let router = Router::new(Settings::default(), Model::shipped().coefficients());
        Hybrid { setup, router, learned: false }
    }

    /// Tells [`Routing`], each time that more is known.
    pub fn serve(&mut self, task: &Task, engine: &mut dyn Engine) -> Result<Step, EngineError> {
        let Some(function) = task.subject.function else { return Ok(Step::Done) };
        self.read_history();
        let mut known = Routing::default();
        task.found(known.clone());
        let mut heard = |event: Event| {
            if let Event::Provisional(_) = event {
                known.provisional = true;
                task.found(known.clone());
            }
        };
        let weights = self.setup.weights().ok();
        let compiled = &task.judged.base.compiled;
        let router = &mut self.router;
        let outcome = hybrid::compile(engine, compiled, function, weights.as_ref(), router, task, &mut heard)?;
        let row = outcome.row;
        let untried = outcome.decision.path == Path::Traditional && weights.is_some();
        known.outcome = Some(Arc::new(outcome));
        task.found(known.clone());
        self.learn(row);
        if untried {
            // The neural path, whatever the score; the function's own route stays as it was.
            let kept = self.router.force(f64::INFINITY);
            let router = &mut self.router;
            let other =
                hybrid::compile(engine, compiled, function, weights.as_ref(), router, task, &mut |_| {});
            self.router.restore(kept);
            let other = other?;
            self.learn(other.row);
            known.other = Some(Arc::new(other));
        }
        known.done = true;
        task.found(known);
        Ok(Step::Done)
    }

    /// Learns from the history, once it is needed.
    fn read_history(&mut self) {
        if !std::mem::replace(&mut self.learned, true) {
            let rows =
                self.setup.history.as_deref().map(history::load).and_then(Result::ok).unwrap_or_default();
            self.router.coefficients = Model::shipped().learned(&rows);
        }
    }

    /// Adds to the history; that it cannot be written hinders nothing.
    fn learn(&mut self, row: Option<history::Row>) {
        if let (Some(path), Some(row)) = (&self.setup.history, row) {
            let _ = history::append(path, &[row]);
        }
    }
}
