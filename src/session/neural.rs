//! Neural compilation of the function that is looked at, whenever nothing else is asked.

use std::path::PathBuf;
use std::sync::Arc;

use super::hybrid::{Hybrid, Routing};

use crate::engine::{Engine, EngineError};
use crate::neural::sampling::{Candidate, Sampling};
use crate::neural::weights::Weights;
use crate::program::{Compiled, Watch};
use crate::synthesis::compile::{self, Compilation};
use crate::synthesis::search::Settings;

/// What the interface looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wish {
    /// Its number among the functions of the newest text.
    pub function: u32,
    /// Whether the router is looked at, and not the neural compiler.
    pub routed: bool,
}

/// What is found of it.
#[derive(Clone, Debug)]
pub enum Finding {
    /// Drawing begins.
    Begun,
    /// A candidate that the tests have judged.
    Candidate(Candidate),
    Done(Arc<Compilation>),
    /// There will be no answer: the model is not there, or the function out of its reach.
    Refused(String),
    /// What the hybrid compiler says of it.
    Routed(Routing),
}

/// Reads the weights; called when they are first needed.
pub type LoadWeights = Arc<dyn Fn() -> Result<Arc<Weights>, String> + Send + Sync>;

/// The compilers that are wished for, and what has been served.
pub struct Neural {
    load: LoadWeights,
    weights: Option<Result<Arc<Weights>, String>>,
    /// The wish and the epoch that were served last.
    served: Option<(Wish, u64)>,
    hybrid: Hybrid,
}

impl Neural {
    pub fn new(load: LoadWeights, history: Option<PathBuf>) -> Neural {
        Neural { load, weights: None, served: None, hybrid: Hybrid::new(history) }
    }

    /// Whether a wish is to be served for the text of an epoch.
    pub fn due(&self, wish: Wish, epoch: u64) -> bool {
        self.served != Some((wish, epoch))
    }

    /// Serves a wish: the base of `engine` is the program.
    pub fn serve(
        &mut self,
        wish: Wish,
        epoch: u64,
        engine: &mut dyn Engine,
        compiled: &Compiled,
        watch: &dyn Watch,
        tell: &mut dyn FnMut(Finding),
    ) -> Result<(), EngineError> {
        self.served = Some((wish, epoch));
        // A wish that is older than the text: its function is gone, and the interface will say what is looked at now.
        if wish.function >= compiled.facts.functions {
            return Ok(());
        }
        let weights = self.weights.get_or_insert_with(|| (self.load)()).clone();
        if wish.routed {
            let weights = weights.ok();
            let mut told = |routing| tell(Finding::Routed(routing));
            let served = self.hybrid.serve(wish.function, engine, compiled, weights.as_ref(), watch, &mut told);
            if served == Err(EngineError::Cancelled) {
                self.served = None;
            }
            return served;
        }
        let weights = match weights {
            Ok(weights) => weights,
            Err(why) => {
                tell(Finding::Refused(why));
                return Ok(());
            }
        };
        tell(Finding::Begun);
        let settings = Settings { sampling: Sampling { k: 64, ..Sampling::default() }, ..Settings::default() };
        let mut sink = |candidate: &Candidate| tell(Finding::Candidate(candidate.clone()));
        let result = compile::function(engine, compiled, wish.function, &weights, &settings, watch, &mut sink);
        match result {
            Ok(compilation) => tell(Finding::Done(Arc::new(compilation))),
            Err(compile::Refusal::OutOfReach(why)) => tell(Finding::Refused(why.to_string())),
            Err(compile::Refusal::Engine(error)) => {
                if error == EngineError::Cancelled {
                    self.served = None;
                }
                return Err(error);
            }
        }
        Ok(())
    }
}
