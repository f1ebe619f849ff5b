//! Training data of the shipped coefficients: functions of the corpus, and how often the neural path succeeds on each.

use std::sync::Arc;

use crate::compiler::stage::compile;
use crate::engine::{Engine, EngineError};
use crate::learned::synthesis::evaluation::{self, EvaluationTask, MeasureError};
use crate::network::sampling::Sampling;
use crate::network::weights::Weights;

use super::history::HistoryRow;
use super::router::K;
use crate::compiler::stage::route::features::{self, Features};

/// The corpus seed of these functions. It differs from that of `--eval` and those of training weights.
pub const SEED: u64 = 0x726f_7574_6572_2121;

/// Returns rows for functions of the corpus: a quarter simple, a quarter complex, and half of them hard, where failures
/// are. Each has [`K`] candidates drawn.
/// Functions out of the model's reach are left out. `workers` engines from `open` share the work; `done` receives the
/// number of functions done so far.
///
/// # Errors
/// The first error of a worker.
pub fn rows(
    functions: u32,
    weights: &Arc<Weights>,
    workers: usize,
    open: &(dyn Fn() -> Result<Box<dyn Engine>, EngineError> + Sync),
    done: &mut dyn FnMut(usize),
) -> Result<Vec<HistoryRow>, MeasureError> {
    let mut tasks = evaluation::generated_from(SEED, functions / 2);
    tasks.extend(evaluation::hard_from(SEED, functions - functions / 2));
    let sampling = Sampling { k: K, ..Sampling::default() };
    let measured = evaluation::measure_all(&tasks, weights, &sampling, workers, open, done)?;
    let features = tasks.iter().flat_map(features_of);
    let rows = features.zip(&measured).filter(|(_, row)| row.out_of_reach.is_none());
    Ok(rows.map(|(features, row)| HistoryRow { features, drawn: K, correct: row.correct, draws: 0 }).collect())
}

/// Returns the features of a task's functions, in order.
fn features_of(task: &EvaluationTask) -> Vec<Features> {
    let program = compile(&task.text);
    task.functions(&program).iter().filter_map(|function| features::of(&program, function)).collect()
}
