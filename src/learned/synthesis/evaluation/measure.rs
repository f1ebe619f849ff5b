//! Measures functions: draws candidates for each and counts the correct ones.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use super::whole::whole_steps;
use super::{EvaluationClass, EvaluationTask, Set};
use crate::compiler::program::{Compiled, Watch};
use crate::compiler::stage::execute::mix;
use crate::engine::{Engine, EngineError};
use crate::host::measure::statistics::inputs_for;
use crate::learned::synthesis::search::{Level, PlannedCheck, SearchSettings, Verifier, own_code};
use crate::network::inputs::Arguments;
use crate::network::sampling::{Agreement, Candidate, Inputs, Sampled, Sampling, Status};
use crate::network::source::{self, Source};
use crate::network::weights::Weights;
use crate::testing::decide::Decider;

/// The number of inputs on which a draw must agree with the deterministic compiler's code.
pub const INPUTS: u32 = 256;
/// Likewise if the code traps on most inputs, so that enough others remain.
const INPUTS_IF_TRAPPING: u32 = 4_096;

/// The measurements of one function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Measured {
    pub set: Set,
    pub class: EvaluationClass,
    pub program: String,
    pub function: String,
    /// The number of draws that are programs.
    pub valid: u32,
    /// The number of draws that are correct.
    pub correct: u32,
    /// Whether a draw is proved, or tested on adequate inputs, and executes fewer instructions than the deterministic
    /// compiler's code at level 1.
    pub faster_than_local: bool,
    /// Whether one executes fewer instructions than its code at level 2.
    pub faster: bool,
    /// The reason why the model cannot compile the function.
    pub out_of_reach: Option<String>,
}

/// The reason why a measurement failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MeasureError {
    pub program: String,
    pub error: EngineError,
}

impl fmt::Display for MeasureError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}: {}", self.program, self.error)
    }
}

impl std::error::Error for MeasureError {}

/// A measurement of the functions of one task.
pub type Measure<'a, Row> =
    dyn Fn(&mut dyn Engine, &EvaluationTask, &dyn Watch) -> Result<Vec<Row>, EngineError> + Sync + 'a;

/// Measures all tasks on worker threads, each with an engine from `open`. Rows are in the order of the tasks. `done`
/// receives the number of tasks done so far.
///
/// # Errors
/// The first error of a worker.
pub fn measure_all(
    tasks: &[EvaluationTask],
    weights: &Arc<Weights>,
    sampling: &Sampling,
    workers: usize,
    open: &(dyn Fn() -> Result<Box<dyn Engine>, EngineError> + Sync),
    done: &mut dyn FnMut(usize),
) -> Result<Vec<Measured>, MeasureError> {
    let measure = |engine: &mut dyn Engine, task: &EvaluationTask, watch: &dyn Watch| {
        measure(engine, task, sampling, watch)
    };
    on_workers(tasks, weights, workers, open, &measure, done)
}

/// Measures each task by `measure`, which returns rows for its functions. Otherwise like [`measure_all`].
///
/// # Errors
/// The first error of a worker.
pub fn on_workers<Row: Send>(
    tasks: &[EvaluationTask],
    weights: &Arc<Weights>,
    workers: usize,
    open: &(dyn Fn() -> Result<Box<dyn Engine>, EngineError> + Sync),
    measure: &Measure<Row>,
    done: &mut dyn FnMut(usize),
) -> Result<Vec<Row>, MeasureError> {
    let next = AtomicUsize::new(0);
    let stop = AtomicBool::new(false);
    let results = Mutex::new(Vec::new());
    let (told, tell) = std::sync::mpsc::channel::<Result<(), MeasureError>>();
    let work = |told: std::sync::mpsc::Sender<Result<(), MeasureError>>| {
        let mut engine = None;
        while !stop.load(Ordering::Relaxed) {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(task) = tasks.get(index) else { break };
            let watch = || stop.load(Ordering::Relaxed);
            let rows = ready(&mut engine, weights, open)
                .and_then(|engine| measure(engine, task, &watch))
                .map_err(|error| MeasureError { program: task.name.clone(), error });
            let failed = rows.is_err();
            let said = rows.map(|rows| {
                // A poisoned lock means that another worker panicked; the scope propagates the panic.
                if let Ok(mut results) = results.lock() {
                    results.push((index, rows));
                }
            });
            if failed {
                stop.store(true, Ordering::Relaxed);
            }
            if told.send(said).is_err() || failed {
                break;
            }
        }
    };
    let mut first_error = None;
    std::thread::scope(|scope| {
        for _ in 0..workers.max(1) {
            let told = told.clone();
            scope.spawn(|| work(told));
        }
        drop(told);
        let mut count = 0;
        for said in tell {
            match said {
                Ok(()) => count += 1,
                // After the first failure, the other workers report cancellation.
                Err(error) => first_error = first_error.take().or(Some(error)),
            }
            done(count);
        }
    });
    if let Some(error) = first_error {
        return Err(error);
    }
    let mut results = results.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    results.sort_by_key(|(index, _)| *index);
    Ok(results.into_iter().flat_map(|(_, rows)| rows).collect())
}

/// Returns the worker's engine. On first use, opens it and loads its weights.
fn ready<'a>(
    engine: &'a mut Option<Box<dyn Engine>>,
    weights: &Arc<Weights>,
    open: &(dyn Fn() -> Result<Box<dyn Engine>, EngineError> + Sync),
) -> Result<&'a mut dyn Engine, EngineError> {
    let engine = match engine {
        Some(engine) => engine,
        None => {
            let mut opened = open()?;
            opened.sampler()?.weights(weights)?;
            engine.insert(opened)
        }
    };
    Ok(engine.as_mut())
}

/// Measures the functions of one program with an engine that has its weights loaded.
///
/// # Errors
/// If the engine or its sampler fails.
pub fn measure(
    engine: &mut dyn Engine,
    task: &EvaluationTask,
    sampling: &Sampling,
    watch: &dyn Watch,
) -> Result<Vec<Measured>, EngineError> {
    let compiled = engine.base(&task.text, &|| false)?.compiled;
    let program = compiled.program();
    let mut rows = Vec::new();
    for function in task.functions(&compiled) {
        let mut row = Measured {
            set: task.set,
            class: EvaluationClass::Complex,
            program: task.name.clone(),
            function: compiled.function_name(function).to_string(),
            valid: 0,
            correct: 0,
            faster_than_local: false,
            faster: false,
            out_of_reach: None,
        };
        match source::read(&program, function) {
            Ok(source) => {
                row.class = EvaluationClass::of(&source);
                count(engine, &compiled, &source, sampling, watch, &mut row)?;
            }
            Err(why) => row.out_of_reach = Some(why.to_string()),
        }
        rows.push(row);
    }
    Ok(rows)
}

/// Draws candidates for one function and counts them.
fn count(
    engine: &mut dyn Engine,
    compiled: &Compiled,
    source: &Source,
    sampling: &Sampling,
    watch: &dyn Watch,
    row: &mut Measured,
) -> Result<(), EngineError> {
    let sampler = engine.sampler()?;
    let asked = Sampling { k: sampling.k + 1, first: 0, ..*sampling };
    let Sampled { candidates, .. } = sampler.sample(source, &asked, watch, &mut |_| {})?;
    let draws = |candidate: &Candidate| candidate.samples - u32::from(candidate.number == 0);
    let own = own_code(&compiled.program(), source);
    let mut others: Vec<&Candidate> = Vec::new();
    for candidate in candidates.iter().filter(|candidate| candidate.status != Status::Invalid) {
        row.valid += draws(candidate);
        if own.as_ref() == Some(&candidate.code) {
            row.correct += draws(candidate);
        } else if draws(candidate) > 0 {
            others.push(candidate);
        }
    }
    let codes: Vec<&[u32]> = others.iter().map(|candidate| &candidate.code[..]).collect();
    let function = source.function().unwrap_or_default();
    let mut inputs = Inputs { seed: !sampling.seed, first: 0, count: INPUTS };
    let mut compare = |inputs: Inputs| -> Result<Vec<Agreement>, EngineError> {
        if codes.is_empty() {
            return Ok(Vec::new());
        }
        sampler.agree(function, &codes, inputs, watch)
    };
    let mut compared = compare(inputs)?;
    if compared.iter().any(|agreement| agreement.agrees() && 2 * agreement.trapping > agreement.compared) {
        inputs.count = INPUTS_IF_TRAPPING;
        compared = compare(inputs)?;
    }
    let mut faster: Vec<(u64, &[u32])> = Vec::new();
    for (candidate, agreement) in others.into_iter().zip(compared) {
        if agreement.agrees() && agreement.compared > 0 {
            row.correct += draws(candidate);
            if agreement.steps < agreement.base_steps {
                faster.push((agreement.steps, &candidate.code));
            }
        }
    }
    faster.sort_unstable();
    let whole = whole_steps(compiled, function, inputs, watch).ok_or(EngineError::Cancelled)?;
    let than_whole = faster.partition_point(|(steps, _)| *steps < whole);
    let faster: Vec<&[u32]> = faster.into_iter().map(|(_, code)| code).collect();
    let SearchSettings { risk, confidence, .. } = SearchSettings::default();
    let seed = mix(!sampling.seed);
    let decider = &mut Decider::new(compiled, function);
    let domain = Arguments::new(compiled, function).size;
    let mut holds = |codes: &[&[u32]]| {
        let bench = Verifier {
            sampler: &mut *sampler,
            decider: &mut *decider,
            function,
            seed,
            next: 0,
            risk,
            confidence,
            watch,
        };
        one_holds(bench, codes, domain)
    };
    row.faster_than_local = holds(&faster)?;
    row.faster = row.faster_than_local && (than_whole == faster.len() || holds(&faster[..than_whole])?);
    Ok(())
}

/// Returns whether one of the codes can be proved, or tested on adequate inputs with the default risk and confidence.
/// The chance of a false result is divided among all codes.
fn one_holds(mut bench: Verifier, codes: &[&[u32]], domain: Option<u32>) -> Result<bool, EngineError> {
    let alpha = (1.0 - bench.confidence) / codes.len().max(1) as f64;
    let Some(inputs) = inputs_for(bench.risk, 1.0 - alpha) else { return Ok(false) };
    for (claim, code) in codes.iter().enumerate() {
        let trial = match domain {
            Some(size) => bench.exhaust(code, size)?,
            None => bench.trial(code, &PlannedCheck { claim, alpha, inputs })?,
        };
        if trial.evidence.level() >= Some(Level::Tested) {
            return Ok(true);
        }
    }
    Ok(false)
}
