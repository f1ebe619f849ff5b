//! Hybrid compilation of the function that is looked at: algorithm 3, and then the path that it did not take, to know what that costs.

use std::path::PathBuf;
use std::sync::Arc;

use crate::engine::{Engine, EngineError};
use crate::hybrid::history;
use crate::hybrid::model::Model;
use crate::hybrid::{self, Event, Outcome, Path, Router, Settings};
use crate::neural::weights::Weights;
use crate::program::{Compiled, Watch};

/// What is found of a function.
#[derive(Clone, Debug)]
pub enum Routing {
    /// It is begun.
    Begun,
    /// A candidate passes the tests; the final result is to come.
    Provisional,
    Final(Arc<Outcome>),
    /// What the neural path makes of it, where it was not taken.
    Counterfactual(Arc<Outcome>),
    /// There is no more to come.
    Done,
}

/// The router of a session, and where it learns.
pub struct Hybrid {
    router: Router,
    history: Option<PathBuf>,
    /// Whether the history has been read.
    learned: bool,
}

impl Hybrid {
    pub fn new(history: Option<PathBuf>) -> Hybrid {
        Hybrid {
            router: Router::new(Settings::default(), Model::shipped().coefficients()),
            history,
            learned: false,
        }
    }

    /// Serves a wish: the base of `engine` is the program.
    pub fn serve(
        &mut self,
        function: u32,
        engine: &mut dyn Engine,
        compiled: &Compiled,
        weights: Option<&Arc<Weights>>,
        watch: &dyn Watch,
        tell: &mut dyn FnMut(Routing),
    ) -> Result<(), EngineError> {
        self.read_history();
        tell(Routing::Begun);
        let router = &mut self.router;
        let mut heard = |event: Event| {
            if let Event::Provisional(_) = event {
                tell(Routing::Provisional);
            }
        };
        let outcome = hybrid::compile(engine, compiled, function, weights, router, watch, &mut heard)?;
        let row = outcome.row;
        let untried = outcome.decision.path == Path::Traditional && weights.is_some();
        tell(Routing::Final(Arc::new(outcome)));
        self.learn(row);
        if untried {
            let other = self.forced(engine, compiled, function, weights, watch)?;
            self.learn(other.row);
            tell(Routing::Counterfactual(Arc::new(other)));
        }
        tell(Routing::Done);
        Ok(())
    }

    /// The neural path, whatever the score; the function's own route stays as it was.
    fn forced(
        &mut self,
        engine: &mut dyn Engine,
        compiled: &Compiled,
        function: u32,
        weights: Option<&Arc<Weights>>,
        watch: &dyn Watch,
    ) -> Result<Outcome, EngineError> {
        let kept = self.router.force(f64::INFINITY);
        let outcome =
            hybrid::compile(engine, compiled, function, weights, &mut self.router, watch, &mut |_| {});
        self.router.restore(kept);
        outcome
    }

    /// Learns from the history, once it is needed.
    fn read_history(&mut self) {
        if !std::mem::replace(&mut self.learned, true) {
            let rows = self.history.as_deref().map(history::load).and_then(Result::ok).unwrap_or_default();
            self.router.coefficients = Model::shipped().learned(&rows);
        }
    }

    /// Adds to the history; that it cannot be written hinders nothing.
    fn learn(&mut self, row: Option<history::Row>) {
        if let (Some(path), Some(row)) = (&self.history, row) {
            let _ = history::append(path, &[row]);
        }
    }
}
