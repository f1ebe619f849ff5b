//! Hybrid compilation of the current function: runs algorithm 3, then the path not taken, to learn its cost.

use std::sync::Arc;

use super::task::{Setup, Step, Task};
use crate::engine::{Engine, EngineError};
use crate::learned::hybrid::model::Model;
use crate::learned::hybrid::objective::Pricing;
use crate::learned::hybrid::paths::PathTimes;
use crate::learned::hybrid::{self, CompileEvent, CompileOutcome, Path, Router, Settings, history};

/// Results for a function so far.
#[derive(Clone, Debug, Default)]
pub struct Routing {
    /// Whether a candidate passes the tests while the final result is pending.
    pub provisional: bool,
    /// The outcome of algorithm 3.
    pub outcome: Option<Arc<CompileOutcome>>,
    /// The outcome of the neural path, if algorithm 3 did not take it.
    pub other: Option<Arc<CompileOutcome>>,
    /// Whether the result is final.
    pub done: bool,
}

pub struct SessionHybrid {
    setup: Arc<Setup>,
    router: Router,
    /// Whether the history has been read.
    learned: bool,
    /// The epoch of the text whose executions are counted, and whose paths are timed.
    priced: Option<u64>,
}

impl SessionHybrid {
    pub fn new(setup: Arc<Setup>) -> SessionHybrid {
        let router = Router::new(Settings::default(), Model::shipped().coefficients());
        SessionHybrid { setup, router, learned: false, priced: None }
    }

    /// Reports a [`Routing`] each time more is known.
    pub fn serve(&mut self, task: &Task, engine: &mut dyn Engine) -> Result<Step, EngineError> {
        let Some(function) = task.subject.function else { return Ok(Step::Done) };
        self.read_history();
        let mut known = Routing::default();
        task.found(known.clone());
        let mut heard = |event: CompileEvent| {
            if let CompileEvent::Provisional(_) = event {
                known.provisional = true;
                task.found(known.clone());
            }
        };
        let weights = self.setup.weights().ok();
        let compiled = &task.judged.base.compiled;
        if self.priced.replace(task.judged.epoch) != Some(task.judged.epoch) {
            let pricing = Pricing::of(compiled, &task.judged.verdicts, true, task);
            // A cancelled count is done again.
            self.priced = self.priced.filter(|_| pricing.is_some());
            self.router.pricing = Some(pricing.ok_or(EngineError::Cancelled)?);
            self.router.paths = PathTimes::measure(engine, compiled, &self.router.coefficients)?;
        }
        let router = &mut self.router;
        let outcome = hybrid::compile(engine, compiled, function, weights.as_ref(), router, task, &mut heard)?;
        let row = outcome.row;
        let untried = outcome.decision.path == Path::Traditional && weights.is_some();
        known.outcome = Some(Arc::new(outcome));
        task.found(known.clone());
        self.learn(row);
        if untried {
            // Forces the neural path whatever the score; `restore` undoes this.
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

    /// Trains the router on the history, on first use.
    fn read_history(&mut self) {
        if !std::mem::replace(&mut self.learned, true) {
            let rows =
                self.setup.history.as_deref().map(history::load).and_then(Result::ok).unwrap_or_default();
            self.router.coefficients = Model::shipped().learned(&rows);
        }
    }

    /// Appends a row to the history. A failed write is ignored.
    fn learn(&mut self, row: Option<history::HistoryRow>) {
        if let (Some(path), Some(row)) = (&self.setup.history, row) {
            let _ = history::append(path, &[row]);
        }
    }
}
