//! The values of probes: soon after the tests' results for short runs, in idle time for all.

use super::job::{self, Finding, SessionSubject};
use super::messages::Update;
use super::shared_state::SharedState;
use super::task::{Step, Task};
use super::values::STEPS_AT_ONCE;
use crate::compiler::program::Compiled;
use crate::engine::EngineError;
use crate::lang::limits;
use crate::testing::probes::Probes;

/// Runs the probes of a text for a few steps each, unless the text becomes stale.
pub fn run_at_once(shared: &SharedState, epoch: u64, revision: u64, compiled: &Compiled) {
    let Some(probes) = Probes::run(compiled, STEPS_AT_ONCE, &|| shared.is_stale(epoch)) else { return };
    if !probes.is_cut() {
        let subject = SessionSubject { epoch, ..SessionSubject::default() };
        shared.lock().finish(&job::PROBES, subject);
    }
    if Probes::are_in(&compiled.text) {
        shared.tell(epoch, Update::Found(Finding::new(revision, None, probes)));
    }
}

/// Runs the probes of a text for as many steps as a test; reports [`Probes`].
pub fn serve(task: &Task) -> Result<Step, EngineError> {
    let probes = Probes::run(&task.judged.shown.compiled, limits::STEPS, task);
    task.found(probes.ok_or(EngineError::Cancelled)?);
    Ok(Step::Done)
}
