//! Neural compilation of the current function.

use std::sync::Arc;

use super::task::{Setup, Step, Task};
use crate::engine::{Engine, EngineError};
use crate::learned::synthesis::compile::{self, Compilation};
use crate::learned::synthesis::search::SearchSettings;
use crate::network::sampling::{Candidate, Sampling};

/// The result for a function.
#[derive(Clone, Debug)]
pub enum Neural {
    /// The distinct candidates judged so far, in the order in which they were drawn.
    SamplingArgs(Vec<Candidate>),
    Done(Arc<Compilation>),
    /// The function cannot be compiled: the weights are missing, or the network does not support it.
    Refused(String),
}

/// Reports a [`Neural`] after each candidate.
pub fn compile(setup: &Setup, task: &Task, engine: &mut dyn Engine) -> Result<Step, EngineError> {
    let Some(function) = task.subject.function else { return Ok(Step::Done) };
    let weights = match setup.weights() {
        Ok(weights) => weights,
        Err(why) => {
            task.found(Neural::Refused(why));
            return Ok(Step::Done);
        }
    };
    let mut drawn = Vec::new();
    task.found(Neural::SamplingArgs(drawn.clone()));
    let mut sink = |candidate: &Candidate| {
        drawn.push(candidate.clone());
        task.found(Neural::SamplingArgs(drawn.clone()));
    };
    let settings =
        SearchSettings { sampling: Sampling { k: 64, ..Sampling::default() }, ..SearchSettings::default() };
    let compiled = &task.judged.base.compiled;
    match compile::function(engine, compiled, function, &weights, &settings, task, &mut sink) {
        Ok(compilation) => task.found(Neural::Done(Arc::new(compilation))),
        Err(compile::Refusal::Unsupported(why)) => task.found(Neural::Refused(why.to_string())),
        Err(compile::Refusal::Engine(error)) => return Err(error),
    }
    Ok(Step::Done)
}
