//! Measures all ways to get the code of functions.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use super::{Case, actual};
use crate::compiler::program::{Compiled, Watch};
use crate::engine::{Engine, EngineError};
use crate::lang::index::{Indices, RoutineId};
use crate::lang::level::OptLevel;
use crate::lang::random::Rng;
use crate::lang::samples;
use crate::learned::hybrid::compile::compile;
use crate::learned::hybrid::objective::hindsight::{Calls, Levels};
use crate::learned::hybrid::objective::workload::{all_instructions, instructions};
use crate::learned::hybrid::objective::{Executions, History, Pricing, Profile, Times, Workload};
use crate::learned::hybrid::router::Router;
use crate::learned::synthesis::evaluation::{self, Set};
use crate::network::weights::Weights;

/// The folder of the written functions that are measured.
const WRITTEN: &str = "assets/neural/written/";
/// The seed by which generated functions get numbers of executions.
const SEED: u64 = 0x7265_6772_6574;

/// A program whose functions are measured.
#[derive(Clone, Debug)]
pub struct Subject {
    pub set: Set,
    pub name: String,
    pub text: Arc<str>,
    /// The function and its executions; `None` for all functions, whose executions are counted.
    pub function: Option<(RoutineId, Executions)>,
}

/// The written programs, with their tests.
pub fn written() -> Vec<Subject> {
    let programs = evaluation::written_programs().into_iter();
    let own = programs.filter(|program| program.name.starts_with(WRITTEN));
    own.map(|program| Subject {
        set: Set::Written,
        name: program.name,
        text: program.text.into(),
        function: None,
    })
    .collect()
}

/// Generated complex functions. Their executions are drawn from `executions`.
pub fn hard(functions: u32, executions: &[Executions]) -> Vec<Subject> {
    from_corpus(evaluation::SEED, functions, executions)
}

/// The functions from which the router learns: generated ones of another seed, and the samples.
pub fn training(functions: u32, executions: &[Executions]) -> Vec<Subject> {
    let mut all = from_corpus(crate::learned::hybrid::training::SEED, functions, executions);
    all.extend(samples::all().into_iter().map(|sample| Subject {
        set: Set::Written,
        name: format!("samples/{}", sample.name),
        text: sample.text.into(),
        function: None,
    }));
    all
}

fn from_corpus(seed: u64, functions: u32, executions: &[Executions]) -> Vec<Subject> {
    // Half of the generated functions are complex.
    let tasks = evaluation::generated_from(seed, functions.saturating_mul(2)).into_iter();
    let complex = tasks.filter(|task| task.name.contains(evaluation::Class::Complex.ident()));
    let subject = |(number, task): (usize, evaluation::Task)| {
        let drawn = Rng::new(SEED, number as u64).pick(executions).copied().unwrap_or_default();
        Some(Subject {
            set: Set::Generated,
            name: task.name,
            text: task.text,
            function: Some((task.function?, drawn)),
        })
    };
    complex.enumerate().filter_map(subject).collect()
}

/// The executions of each function of the samples, as the workbench would run them: by tests, by the inputs of properties,
/// and by the mutants of other functions.
///
/// # Errors
/// If the engine fails, or the work is cancelled.
pub fn executions_of_samples(
    engine: &mut dyn Engine,
    watch: &dyn Watch,
) -> Result<Vec<Executions>, EngineError> {
    let mut all = Vec::new();
    for sample in samples::all() {
        let compiled = engine.base(&sample.text.into(), watch)?.compiled;
        if compiled.facts.compiles() {
            let profile = profile(engine, &compiled, watch)?;
            all.extend(profile.functions().map(|(_, workload)| workload.executions));
        }
    }
    Ok(all)
}

/// Judges the first-order mutants of the engine's base, and counts the executions of its functions.
fn profile(engine: &mut dyn Engine, compiled: &Compiled, watch: &dyn Watch) -> Result<Profile, EngineError> {
    let mut verdicts = Vec::new();
    let ids = Indices::first(engine.variants().first_order);
    engine.mutants(ids, watch, &mut |part| verdicts.extend(part.verdicts))?;
    Profile::of(compiled, &verdicts, watch).ok_or(EngineError::Cancelled)
}

/// Measures all ways for each function. `done` receives the number of programs done. Without `weights`, the network is not
/// tried.
///
/// # Errors
/// If the engine fails, or the work is cancelled.
pub fn gather(
    engine: &mut dyn Engine,
    subjects: &[Subject],
    weights: Option<&Arc<Weights>>,
    router: &mut Router,
    watch: &dyn Watch,
    done: &mut dyn FnMut(usize, usize),
) -> Result<Vec<Case>, EngineError> {
    let times = Times::here(watch).ok_or(EngineError::Cancelled)?;
    let mut cases = Vec::new();
    for (number, subject) in subjects.iter().enumerate() {
        done(number, subjects.len());
        let compiled = engine.base(&subject.text, watch)?.compiled;
        if !compiled.facts.compiles() {
            continue;
        }
        let levels = Levels::of(&compiled);
        let counted = match &subject.function {
            None => Some(profile(engine, &compiled, watch)?),
            Some(_) => None,
        };
        let functions = match &subject.function {
            None => compiled.functions(),
            Some((function, _)) => Indices::one(*function),
        };
        router.forget_routes();
        for function in functions {
            let calls = Calls::of(&compiled, function, watch).ok_or(EngineError::Cancelled)?;
            let steps = levels.steps(function, &calls, watch).ok_or(EngineError::Cancelled)?;
            let name = compiled.function_name(function).to_string();
            let own = counted.as_ref().and_then(|profile| profile.workload(&name)).map(|own| own.executions);
            let executions = subject.function.map(|(_, drawn)| drawn).or(own).unwrap_or_default();
            let instructions = instructions(&compiled, function);
            let local = OptLevel::Local.number() as usize;
            let workload = Workload { executions, steps: steps[local], instructions };
            let profile = Profile::new(BTreeMap::from([(name.clone(), workload)]), all_instructions(&compiled));
            router.pricing = Some(Pricing { times, history: History::shipped(), profile, any_level: true });
            let began = Instant::now();
            let scored = engine.score(&compiled, Indices::one(function), &router.coefficients)?;
            let Some(scored) = scored.first().copied() else { continue };
            let expected = router.route(&name, &scored, compiled.level, engine.kind());
            let routing = began.elapsed().as_secs_f64();
            let Some(expected) = expected.comparison else { continue };
            let tried = match weights {
                None => None,
                Some(weights) => {
                    // The network is tried in any case.
                    let kept = router.force(f64::INFINITY);
                    let tried = compile(engine, &compiled, function, Some(weights), router, watch, &mut |_| {});
                    router.restore(kept);
                    Some(tried?)
                }
            };
            cases.push(Case {
                set: subject.set,
                program: subject.name.clone(),
                function: name,
                features: scored.features,
                score: scored.score,
                expected,
                actual: actual(&expected, levels.part(function), steps, tried.as_ref()),
                routing,
            });
        }
    }
    Ok(cases)
}
