//! Determines which oracles notice which mutants, while the matrix panel is open.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::judged::Judged;
use super::task::{Step, Task};
use crate::engine::EngineError;
use crate::lang::index::{Index, MutantId};
use crate::testing::mutation::{Examiner, Least, Matrix, Minimal, OracleRole};

/// Time between two polls of the shared state.
const STRETCH: Duration = Duration::from_millis(30);

/// The finished matrix and what follows from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KillMatrix {
    pub matrix: Matrix,
    /// For each oracle, in the order of the matrix: the number of mutants that it notices, and its standing.
    pub oracles: Vec<(u32, OracleRole)>,
    pub minimal: Vec<Minimal>,
    pub least: Least,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Filled {
    /// Number of first-order mutants examined, and number of all of them.
    Part(u32, u32),
    All(Arc<KillMatrix>),
}

pub struct MatrixBegun {
    judged: Arc<Judged>,
    examiner: Examiner,
    matrix: Matrix,
    next: MutantId,
}

impl KillMatrix {
    pub fn new(matrix: Matrix) -> KillMatrix {
        let oracles =
            matrix.oracles.iter().map(|entry| (matrix.kill_count(*entry), matrix.oracle_role(*entry)));
        KillMatrix { oracles: oracles.collect(), minimal: matrix.minimal(), least: matrix.least(), matrix }
    }
}

/// Continues filling the matrix; reuses `begun` if it is of this text. Reports [`Filled`].
pub fn serve(begun: &mut Option<MatrixBegun>, task: &Task) -> Result<Step, EngineError> {
    let now = match begun.take() {
        Some(begun) if begun.judged.epoch == task.judged.epoch => begun,
        _ => {
            let base = &task.judged.base;
            let examiner = Examiner::new(base.compiled.clone(), &base.entries);
            let matrix = Matrix { oracles: examiner.oracles(), rows: Vec::new() };
            MatrixBegun { judged: task.judged.clone(), examiner, matrix, next: MutantId::FIRST }
        }
    };
    let MatrixBegun { judged, examiner, matrix, next } = begun.insert(now);
    let singles = examiner.first_order().min(judged.counted.len() as u32);
    let started = Instant::now();
    while next.number() < singles && started.elapsed() < STRETCH {
        let Some(verdict) = judged.counted.get(next.position()) else { break };
        let noticed = examiner.noticed(*next, verdict, task).ok_or(EngineError::Cancelled)?;
        matrix.rows.extend((!noticed.is_empty()).then_some((*next, noticed)));
        *next = next.next();
    }
    if next.number() < singles {
        task.found(Filled::Part(next.number(), singles));
        return Ok(Step::Begun);
    }
    task.found(Filled::All(Arc::new(KillMatrix::new(std::mem::take(matrix)))));
    *begun = None;
    Ok(Step::Done)
}
