//! Algorithm 3: compiles simple functions by the neural path. The traditional compiler compiles the others and those
//! for which the neural path fails.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::cost::Fallback;
use super::history::{self, HistoryRow};
use super::objective::Way;
use super::objective::steps::is_slower;
use super::router::{Decision, Path, Router};
use crate::compiler::program::{Compiled, Executable, Watch};
use crate::compiler::stage::route::features::{Feature, Features};
use crate::engine::{Engine, EngineError};
use crate::lang::index::{Indices, RoutineId};
use crate::lang::level::OptLevel;
use crate::learned::synthesis::compile::{self as neural, Compilation, Refusal};
use crate::learned::synthesis::search::{Evidence, Level, Proof};
use crate::learned::synthesis::times::NeuralTime;
use crate::network::sampling::{Candidate, Status};
use crate::network::source;
use crate::network::weights::Weights;

/// The progress of compiling one function.
#[derive(Clone, Copy, Debug)]
pub enum CompileEvent<'a> {
    Routed(&'a Decision),
    /// A candidate that the tests have judged.
    Candidate(&'a Candidate),
    /// The first candidate that passes the tests, to be shown until the final result is available.
    Provisional(&'a Provisional),
}

/// A preliminary result, which has only passed the tests.
#[derive(Clone, Debug, PartialEq)]
pub struct Provisional {
    pub candidate: Candidate,
    /// The time until it was available.
    pub after: Duration,
}

#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "an outcome has one, and outcomes are not stored in lists")]
pub enum HybridCode {
    /// The whole program, compiled by the traditional compiler.
    Traditional(Executable),
    /// The code of the function alone, to be placed after the program's code.
    Neural(Vec<u32>),
}

/// Instructions executed on the compared inputs, by the result and by the traditional compiler's code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Steps {
    pub own: u64,
    pub base: u64,
}

/// Measured times. A path that was not taken has `None`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Times {
    pub routing: Duration,
    /// The neural path, including its evidence.
    pub neural: Option<Duration>,
    /// The share of the candidates of its first round: T_gen and T_verify.
    pub candidates: Option<NeuralTime>,
    pub traditional: Option<Duration>,
    /// The elapsed time for the caller.
    pub wall: Duration,
}

/// The result of compiling a function.
#[derive(Clone, Debug, PartialEq)]
pub struct CompileOutcome {
    /// The path whose code is used.
    pub path: Path,
    pub decision: Decision,
    pub features: Features,
    /// The reason for that path, in words.
    pub reason: String,
    /// The reason why the neural path's code is not used, if that path was taken.
    pub failure: Option<String>,
    pub evidence: Evidence,
    pub code: HybridCode,
    /// Present if candidates were compared.
    pub steps: Option<Steps>,
    pub times: Times,
    pub provisional: Option<Provisional>,
    /// The result of the neural path, if it was taken.
    pub compilation: Option<Compilation>,
    /// The row that the router can learn from.
    pub row: Option<HistoryRow>,
}

impl CompileOutcome {
    /// Returns the program with this code for the function.
    pub fn executable(&self, compiled: &Compiled, function: RoutineId) -> Executable {
        match &self.code {
            HybridCode::Traditional(executable) => executable.clone(),
            HybridCode::Neural(code) => compiled.executable.with_function(function, code),
        }
    }

    /// Returns the code words of the function alone.
    pub fn words(&self, function: RoutineId) -> Vec<u32> {
        match &self.code {
            HybridCode::Neural(code) => code.clone(),
            HybridCode::Traditional(executable) => {
                executable.routine(function).map_or_else(Vec::new, |routine| routine.words().to_vec())
            }
        }
    }
}

/// Compiles a function of `compiled`, which must be the last base of [`Engine::base`] and have no errors. Without
/// weights, the traditional compiler is used. `router` decides, and records what the paths took. `watch` is polled for
/// cancellation.
///
/// # Errors
/// If the function does not exist, the engine fails, or the work is cancelled.
pub fn compile(
    engine: &mut dyn Engine,
    compiled: &Compiled,
    function: RoutineId,
    weights: Option<&Arc<Weights>>,
    router: &mut Router,
    watch: &dyn Watch,
    sink: &mut dyn FnMut(CompileEvent),
) -> Result<CompileOutcome, EngineError> {
    let started = Instant::now();
    let scored = engine.score(compiled, Indices::one(function), &router.coefficients)?;
    let Some(scored) = scored.first().copied() else {
        return Err(EngineError::no_function(function));
    };
    let name = compiled.function_name(function);
    let program = compiled.program();
    let read = source::check_taught(&program, function).and_then(|()| source::read(&program, function));
    let decision = router.route(name, &scored, read.err(), compiled.level, engine.kind());
    let level = decision.level(compiled.level);
    let mut times = Times { routing: started.elapsed(), ..Times::default() };
    sink(CompileEvent::Routed(&decision));

    let tried = match weights.filter(|_| decision.path == Path::Neural) {
        Some(weights) => {
            let subject = CompileSubject { compiled, function, weights, started, level };
            Some(try_neural(engine, &subject, router, watch, sink, &mut times)?)
        }
        None => None,
    };
    let found = tried.as_ref().and_then(|tried| tried.result.as_ref().ok());
    let accepted = found.and_then(|compilation| {
        let best = compilation.found.best()?;
        let enough = best.evidence.level() >= Some(router.settings.evidence);
        enough.then(|| (best.evidence, best.candidate.code.clone()))
    });
    // By cost, the code with fewer steps is taken; both must be there.
    let compares = decision.way() == Some(Way::Network) && level > compiled.level;
    if (accepted.is_none() || compares) && times.traditional.is_none() {
        times.traditional = Some(router.traditional.compile_at(compiled, level));
    }
    let (mut accepted, mut slower) = (accepted, false);
    if let Some((_, code)) = accepted.as_ref().filter(|_| compares) {
        let network = compiled.executable.with_function(function, code);
        let codes = [&network, &router.traditional.executable];
        slower = is_slower(compiled, codes, function, watch).ok_or(EngineError::Cancelled)?;
    }
    accepted = accepted.filter(|_| !slower);
    let failure = match &tried {
        None if decision.path == Path::Neural => {
            Some("there are no weights to draw candidates with".to_string())
        }
        None => None,
        Some(_) if slower => Some(format!("its code takes more steps than that of level {}", level.number())),
        Some(tried) => tried.failure(accepted.is_some(), router.settings.evidence),
    };
    let reason = match (&failure, &accepted) {
        (Some(failure), _) => format!("{decision}; {failure}"),
        (None, Some((evidence, _))) => format!("{decision}; {evidence}"),
        (None, None) => decision.to_string(),
    };
    let (path, evidence, code) = match accepted {
        Some((evidence, code)) => (Path::Neural, evidence, HybridCode::Neural(code)),
        None => {
            let code = HybridCode::Traditional(router.traditional.executable.clone());
            (Path::Traditional, Evidence::Proved(Proof::SameBytecode), code)
        }
    };
    let steps = found.and_then(|compilation| {
        let (best, base) = (compilation.found.best()?, compilation.found.base_steps);
        Some(Steps { own: if path == Path::Neural { best.steps() } else { base }, base })
    });
    // If tests are the only evidence, nothing is known about correctness.
    let learns = router.settings.evidence != Level::Tests;
    let drawn = found.filter(|_| learns).zip(weights);
    let row = drawn.map(|(compilation, weights)| HistoryRow {
        features: scored.features,
        drawn: compilation.found.drawn(),
        correct: compilation.found.correct(),
        draws: history::draws(&compilation.source, &router.settings.sampling, weights),
    });
    times.wall = started.elapsed();
    if let Some(time) = times.neural {
        router.searched(scored.features[Feature::Length as usize], time);
    }
    let (provisional, compilation) = match tried {
        Some(tried) => (tried.provisional, tried.result.ok()),
        None => (None, None),
    };
    let features = scored.features;
    Ok(CompileOutcome {
        path,
        decision,
        features,
        reason,
        failure,
        evidence,
        code,
        steps,
        times,
        provisional,
        compilation,
        row,
    })
}

struct CompileSubject<'a> {
    level: OptLevel,
    compiled: &'a Compiled,
    function: RoutineId,
    weights: &'a Arc<Weights>,
    started: Instant,
}

/// The result of the neural path.
struct CompileTried {
    /// The compilation, or the reason why the model cannot compile the function, in words.
    result: Result<Compilation, String>,
    provisional: Option<Provisional>,
}

/// Takes the neural path. Runs the traditional compiler in parallel if its result is needed in any case.
fn try_neural(
    engine: &mut dyn Engine,
    subject: &CompileSubject,
    router: &mut Router,
    watch: &dyn Watch,
    sink: &mut dyn FnMut(CompileEvent),
    times: &mut Times,
) -> Result<CompileTried, EngineError> {
    let CompileSubject { compiled, function, weights, started, level } = *subject;
    let search = router.settings.search();
    let beside = router.settings.fallback() == Fallback::Parallel;
    let traditional = &mut router.traditional;
    let mut provisional = None;
    let mut heard = |candidate: &Candidate| {
        sink(CompileEvent::Candidate(candidate));
        if beside && provisional.is_none() && candidate.status == Status::Passed {
            let first = Provisional { candidate: candidate.clone(), after: started.elapsed() };
            sink(CompileEvent::Provisional(&first));
            provisional = Some(first);
        }
    };
    let began = Instant::now();
    let result = std::thread::scope(|scope| {
        // If the thread cannot be started, the traditional compiler runs after the neural path.
        let worker = beside.then(|| {
            std::thread::Builder::new().spawn_scoped(scope, || traditional.compile_at(compiled, level)).ok()
        });
        let result = neural::function(engine, compiled, function, weights, &search, watch, &mut heard);
        times.neural = result.is_ok().then(|| began.elapsed());
        times.candidates = result.as_ref().ok().and_then(|found| NeuralTime::of(&found.found));
        times.traditional = worker.flatten().and_then(|worker| worker.join().ok());
        result
    });
    let result = match result {
        Ok(compilation) => Ok(compilation),
        Err(Refusal::Unsupported(why)) => Err(why.to_string()),
        Err(Refusal::Engine(error)) => return Err(error),
    };
    Ok(CompileTried { result, provisional })
}

impl CompileTried {
    /// Returns why the neural code is not used, or `None` if it is.
    fn failure(&self, accepted: bool, wanted: Level) -> Option<String> {
        let found = match &self.result {
            Ok(compilation) => &compilation.found,
            Err(why) => return Some(format!("out of the model's reach: {why}")),
        };
        let (k, correct) = (found.drawn(), found.correct());
        match found.leading() {
            Some(_) if accepted => None,
            Some(best) => Some(format!(
                "the best of {k} candidates is {}, but `{}` is required",
                best.evidence,
                wanted.ident()
            )),
            None => Some(format!("{correct} of {k} candidates are correct")),
        }
    }
}
