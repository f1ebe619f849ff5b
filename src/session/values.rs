//! Records a test that runs the function under the cursor, for the values after its lines.

use std::sync::Arc;

use super::task::{Step, Task};
use crate::compiler::program::Watch;
use crate::engine::{BaseResult, EngineError};
use crate::lang::index::{EntryId, Index as _, RoutineId};
use crate::lang::trap::Trap;
use crate::lang::verdict::Outcome;
use crate::testing::equivalence::closure;
use crate::testing::probes;
use crate::testing::trace::{self, Subject, Target, Trace};

/// The steps that are recorded while mutants wait to be judged, and while nothing waits.
pub const STEPS_AT_ONCE: u32 = 100_000;
const STEPS_IN_IDLE_TIME: u32 = 1_000_000;
/// The greatest number of tests that are recorded until one runs the function.
const TRIES: usize = 4;

/// The recorded test, or the call of a probe; `None` if none of those tried runs the function.
#[derive(Clone, Debug)]
pub struct ValuesRun(pub Option<(Subject, String, Arc<Trace>)>);

/// Records a test or property that runs `function`: the chosen one, else the first one that fails, else the first that is
/// unfinished, else the first, else the first probe that is a call, each of at most `steps` steps. The run is of the code of
/// level 0, where each variable has its value.
pub fn record(
    base: &BaseResult,
    (function, chosen): (RoutineId, Option<EntryId>),
    steps: u32,
    watch: &dyn Watch,
) -> ValuesRun {
    let shown = &base.compiled;
    let program = trace::program_of_values(shown);
    let rank = |id: &EntryId| match base.entries.get(id.position()).map(|entry| entry.outcome) {
        _ if Some(*id) == chosen => 0,
        Some(Outcome::Trap(Trap::Hole)) => 2,
        None | Some(Outcome::Pass) => 3,
        Some(_) => 1,
    };
    let calls = |id: &EntryId| closure(shown, shown.facts.entry(*id)).contains(&function);
    let mut entries: Vec<EntryId> = shown.entries().iter().filter(calls).collect();
    entries.sort_by_key(rank);
    let tests = entries.into_iter().map(|id| Subject::Entry { label: trace::entry_label(&program, id), id });
    let probes = probes::lines(shown).into_iter().filter_map(|probe| probe.call());
    let probes =
        probes.filter(|call| call.routine(&program).is_some_and(|own| closure(shown, own).contains(&function)));
    for subject in tests.take(TRIES).chain(probes.take(TRIES)) {
        let Ok(Target { routine, frame, title }) = subject.find(&program, &base.entries) else { continue };
        if watch.cancelled() {
            break;
        }
        let run = trace::record_for_values(&program, routine, &frame, steps);
        if run.calls().iter().any(|call| call.function == function) && run.prepare(watch) {
            return ValuesRun(Some((subject, title, Arc::new(run))));
        }
    }
    ValuesRun(None)
}

/// Records the test of the task's function; reports a [`ValuesRun`].
pub fn serve(task: &Task) -> Result<Step, EngineError> {
    if let Some(function) = task.subject.function {
        let run = record(&task.judged.shown, (function, task.subject.test), STEPS_IN_IDLE_TIME, task);
        if task.cancelled() {
            return Err(EngineError::Cancelled);
        }
        task.found(run);
    }
    Ok(Step::Done)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::cpu::CpuEngine;
    use crate::engine::{Engine, EngineSettings};

    /// The tests that are left, from a text with errors: by their order, one passes, is unfinished, fails, reaches another
    /// function only.
    #[test]
    fn chosen_then_failing_then_unfinished_tests_come_first() {
        let text = "fn half(n: int) -> int { return n / 2; }\n\
                    fn more(n: int) -> int { if n > 2 { return n + ; } return half(n); }\n\
                    test more(2) == 1;\ntest more(6) == 4;\ntest more(1) == 7;\ntest half(2) == 2;\n";
        let record = |text: &str, chosen| {
            let mut engine = CpuEngine::with_threads(1);
            engine.configure(EngineSettings { holes: true, ..engine.settings() });
            let base = engine.base(&text.into(), &|| false).expect("the CPU engine does not fail");
            let run = record(&base, (RoutineId::new(1), chosen), STEPS_AT_ONCE, &|| false);
            let (subject, _, trace) = run.0.expect("a run");
            assert!(trace.calls().iter().any(|call| call.function == RoutineId::new(1)));
            subject
        };
        let is = |id: u32| move |subject: Subject| matches!(subject, Subject::Entry { id: own, .. } if own.number() == id);
        assert!(is(2)(record(text, None)), "it fails");
        assert!(is(1)(record(&text.replace("== 7", "== 0"), None)), "it is unfinished");
        let correct = text.replace("== 7", "== 0").replace("n + ;", "4;");
        assert!(is(0)(record(&correct, None)));
        assert!(is(0)(record(text, Some(EntryId::new(0)))), "chosen");
        assert!(is(2)(record(text, Some(EntryId::new(3)))), "the chosen one does not run it");
        let (functions, _) = correct.split_once("test").expect("tests");
        let probe = format!("{functions}//? half(3)\n//? more(2) + 1\n//? more(2)\ntest half(2) == 2;\n");
        let call = Subject::of_call("more(2)").expect("a call");
        assert_eq!(record(&probe, None), call, "no test runs it, so the first probe that is a call of it");
    }
}
