//! Searches for better code of the judged text's functions and tests, while the user is idle and works at level 3.

use std::sync::Arc;

use super::judged::Judged;
use super::task::{Setup, Step, Task};
use crate::compiler::program::Compiled;
use crate::compiler::stage::Compiler;
use crate::compiler::stage::optimize::learned::{current, set_current};
use crate::engine::EngineError;
use crate::lang::index::RoutineId;
use crate::lang::level::OptLevel;
use crate::learned::improve::store::Store;
use crate::learned::improve::{Outcome, learn, name, routines};

/// The progress of the searches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Learning {
    /// The routines with better code, each with the steps of the tests on few inputs, before and after.
    pub better: Vec<(String, [u64; 2])>,
    /// Routines that were searched, and all.
    pub done: usize,
    pub all: usize,
    /// Why better code could not be kept for later sessions.
    pub failed: Option<String>,
}

/// Searches in progress.
pub struct Begun {
    judged: Arc<Judged>,
    /// The program at level 2.
    program: Compiled,
    /// The routines left, the next one last.
    left: Vec<RoutineId>,
    found: Learning,
}

impl Begun {
    fn new(judged: Arc<Judged>) -> Begun {
        let base = &judged.base.compiled;
        let mut compiler = Compiler::default();
        compiler.tokens.clone_from(&base.tokens);
        compiler.tokens_at(&base.text, base.facts.names, OptLevel::Whole);
        let program = compiler.compiled(&base.text);
        let mut left = routines(&program);
        left.reverse();
        let found = Learning { all: left.len(), ..Learning::default() };
        Begun { judged, program, left, found }
    }
}

/// Searches for better code of the next function; continues `begun` if it is of this text. Later texts are compiled with
/// it. Reports [`Learning`].
pub fn serve(setup: &Setup, begun: &mut Option<Begun>, task: &Task) -> Result<Step, EngineError> {
    let now = match begun.take() {
        Some(begun) if begun.judged.epoch == task.judged.epoch => begun,
        _ => Begun::new(task.judged.clone()),
    };
    let now = begun.insert(now);
    let Some(function) = now.left.last().copied() else { return Ok(Step::Done) };
    let store = setup.learned.clone().map(Store::new);
    let outcome = learn(&now.program, function, &current(), store.as_ref(), task);
    let outcome = outcome.ok_or(EngineError::Cancelled)?;
    now.left.pop();
    now.found.done += 1;
    if let Some(entry) = outcome.entry() {
        let mut learned = (*current()).clone();
        learned.functions.insert(entry.key, entry.code.clone().into());
        set_current(learned);
        let kept = store.map_or(Ok(()), |store| store.keep(entry));
        now.found.failed = kept.err().map(|error| crate::host::files::message(&error));
    }
    if let Outcome::Better(entry) | Outcome::ProvedAgain(entry) = &outcome {
        now.found.better.push((name(&now.program, function), entry.steps));
    }
    task.found(now.found.clone());
    Ok(if now.left.is_empty() { Step::Done } else { Step::Begun })
}
