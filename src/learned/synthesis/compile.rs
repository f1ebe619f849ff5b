//! Compiles one function by the neural path, for the command line and the workbench.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::compiler::program::{Compiled, Watch};
use crate::engine::{Engine, EngineError};
use crate::lang::index::RoutineId;
use crate::learned::synthesis::search;
use crate::learned::synthesis::search::{SearchResult, SearchSettings, SearchSubject};
use crate::network::inputs::Arguments;
use crate::network::sampling::Candidate;
use crate::network::source::{Source, Unsupported};
use crate::network::weights::Weights;
use crate::network::{source, target};
use crate::testing::decide::Decider;
use crate::testing::equivalence::CodeProver;

/// A function as the model reads it, and the result of the search.
#[derive(Clone, Debug, PartialEq)]
pub struct Compilation {
    pub source: Source,
    /// The deterministic compiler's code in target words, or `None` if these cannot express it.
    pub own_words: Option<Vec<u16>>,
    pub found: SearchResult,
    /// The elapsed time for the caller.
    pub wall: Duration,
}

/// Why a function was not compiled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The model cannot compile the function; nothing else failed.
    Unsupported(Unsupported),
    /// The engine failed, or the work was cancelled.
    Engine(EngineError),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Refusal::Unsupported(why) => why.fmt(f),
            Refusal::Engine(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Refusal {}

impl From<EngineError> for Refusal {
    fn from(error: EngineError) -> Refusal {
        Refusal::Engine(error)
    }
}

/// Compiles a function of `compiled`, which must be the last base of [`Engine::base`] and have no errors. `sink`
/// receives candidates as the tests judge them. `watch` is polled for cancellation.
///
/// # Errors
/// If the function is out of the model's reach, the engine fails, or the work is cancelled.
pub fn function(
    engine: &mut dyn Engine,
    compiled: &Compiled,
    function: RoutineId,
    weights: &Arc<Weights>,
    settings: &SearchSettings,
    watch: &dyn Watch,
    sink: &mut dyn FnMut(&Candidate),
) -> Result<Compilation, Refusal> {
    let started = Instant::now();
    let program = compiled.program();
    source::check_taught(&program, function).map_err(Refusal::Unsupported)?;
    let source = source::read(&program, function).map_err(Refusal::Unsupported)?;
    let own_words = target::write(&program, function, &source.tables).ok();
    let own = search::own_code(&program, &source);
    let sampler = engine.sampler()?;
    sampler.weights(weights)?;
    let domain = Arguments::new(compiled, function).size;
    let prover = CodeProver::new(compiled, function);
    let subject = SearchSubject { source: &source, own: own.as_deref(), domain, prover: prover.as_ref() };
    let mut decider = Decider::new(compiled, function);
    let found = search::search(sampler, &mut decider, subject, settings, watch, sink)?;
    Ok(Compilation { source, own_words, found, wall: started.elapsed() })
}
