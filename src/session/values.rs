//! Records a test that runs the function under the cursor, for the values after its lines.

use std::sync::Arc;

use super::task::{Step, Task};
use crate::compiler::program::{Compiled, Watch};
use crate::compiler::stage::BackEnd;
use crate::engine::{BaseResult, EngineError};
use crate::lang::index::{EntryId, Index as _, RoutineId};
use crate::lang::level::OptLevel;
use crate::lang::verdict::Outcome;
use crate::testing::equivalence::closure;
use crate::testing::trace::{self, Target, Trace};

/// The steps that are recorded while mutants wait to be judged, and while nothing waits.
pub const STEPS_AT_ONCE: u32 = 100_000;
const STEPS_IN_IDLE_TIME: u32 = 1_000_000;
/// The greatest number of tests that are recorded until one runs the function.
const TRIES: usize = 4;

/// The recorded test; `None` if none of those tried runs the function.
#[derive(Clone, Debug)]
pub struct ValuesRun(pub Option<(EntryId, String, Arc<Trace>)>);

/// Records a test or property that runs `function`: the first one that fails, else the first, each of at most `steps`
/// steps. The run is of the code of level 0, where each variable has its value.
pub fn record(base: &BaseResult, function: RoutineId, steps: u32, watch: &dyn Watch) -> ValuesRun {
    let shown = &base.compiled;
    let mut back = BackEnd::default();
    back.compile_at(shown, OptLevel::Lowered);
    let BackEnd { ir, executable, .. } = back;
    let program = Arc::new(Compiled { ir, executable, level: OptLevel::Lowered, ..Compiled::clone(shown) });
    let fails =
        |id: &EntryId| base.entries.get(id.position()).is_some_and(|entry| entry.outcome != Outcome::Pass);
    let calls = |id: &EntryId| closure(shown, shown.facts.entry(*id)).contains(&function);
    let mut entries: Vec<EntryId> = shown.entries().iter().filter(calls).collect();
    entries.sort_by_key(|id| !fails(id));
    for id in entries.into_iter().take(TRIES) {
        let Some(result) = base.entries.get(id.position()) else { continue };
        let Ok(Target { routine, frame, title }) = Target::of_result(&program, id, result) else { continue };
        if watch.cancelled() {
            break;
        }
        let run = trace::record(&program, routine, &frame, steps);
        if run.calls().iter().any(|call| call.function == function) && run.prepare(watch) {
            return ValuesRun(Some((id, title, Arc::new(run))));
        }
    }
    ValuesRun(None)
}

/// Records the test of the task's function; reports a [`ValuesRun`].
pub fn serve(task: &Task) -> Result<Step, EngineError> {
    if let Some(function) = task.subject.function {
        let run = record(&task.judged.shown, function, STEPS_IN_IDLE_TIME, task);
        if task.cancelled() {
            return Err(EngineError::Cancelled);
        }
        task.found(run);
    }
    Ok(Step::Done)
}
