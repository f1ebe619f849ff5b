//! Records tests that run the function under the cursor, or each function, for the values after the lines.

use std::sync::Arc;

use super::task::{Step, Task};
use crate::compiler::program::Watch;
use crate::engine::{BaseResult, EngineError};
use crate::lang::index::{CallId, EntryId, Index as _, RoutineId};
use crate::lang::trap::Trap;
use crate::lang::verdict::Outcome;
use crate::testing::equivalence::closure;
use crate::testing::probes::{self, Probes};
use crate::testing::trace::{self, Subject, Target, Trace, ValuesFocus};

/// The steps that are recorded while mutants wait to be judged, and while nothing waits.
pub const STEPS_AT_ONCE: u32 = 50_000;
const STEPS_IN_IDLE_TIME: u32 = 1_000_000;
/// The greatest number of tests that are recorded until one runs the function.
const TRIES: usize = 4;

/// The recorded test, or the call of a probe; `None` if none of those tried runs the function.
#[derive(Clone, Debug)]
pub struct ValuesRun(pub Option<(Subject, String, Arc<Trace>)>);

/// Records a test or property that runs `function`: the chosen one, else the first one that fails, else the first that is
/// unfinished, else the first, else the first probe that is a call, together of at most `steps` steps. The run is of the code of
/// level 0, where each variable has its value.
pub fn record(
    base: &BaseResult,
    (function, chosen): (RoutineId, Option<EntryId>),
    steps: u32,
    watch: &dyn Watch,
) -> ValuesRun {
    let mut run = ValuesRun(None);
    each_run(base, &[function], chosen, steps, watch, |_, subject, title, trace| {
        run.0 = Some((subject, title, Arc::new(trace)));
    });
    run
}

/// Records tests, then calls of probes, in the order of [`record`], until each function has a run or [`TRIES`] of both did
/// not run it. Calls `found` with the functions whose run this is.
fn each_run(
    base: &BaseResult,
    functions: &[RoutineId],
    chosen: Option<EntryId>,
    steps: u32,
    watch: &dyn Watch,
    mut found: impl FnMut(&[RoutineId], Subject, String, Trace),
) {
    let shown = &base.compiled;
    let program = trace::program_of_values(shown);
    let rank = |id: &EntryId| match base.entries.get(id.position()).map(|entry| entry.outcome) {
        _ if Some(*id) == chosen => 0,
        Some(Outcome::Trap(Trap::Hole)) => 2,
        None | Some(Outcome::Pass) => 3,
        Some(_) => 1,
    };
    let mut entries: Vec<EntryId> = shown.entries().iter().collect();
    entries.sort_by_key(rank);
    let tests = entries.into_iter().map(|id| {
        let subject = Subject::Entry { label: trace::entry_label(&program, id), id };
        (subject, shown.facts.entry(id))
    });
    let calls = probes::lines(shown).into_iter().filter_map(|probe| probe.call());
    let calls = calls.filter_map(|call| Some((call.clone(), call.routine(&program)?)));
    let mut without: Vec<RoutineId> = functions.to_vec();
    let mut left = steps.saturating_mul(functions.len() as u32);
    for subjects in [tests.collect::<Vec<_>>(), calls.collect()] {
        // The functions without a run, each with the number of subjects that are left to be tried.
        let mut waiting: Vec<(RoutineId, usize)> = without.iter().map(|function| (*function, TRIES)).collect();
        for (subject, root) in subjects {
            if waiting.is_empty() || left == 0 || watch.cancelled() {
                break;
            }
            let reached = closure(shown, root);
            if !waiting.iter().any(|(function, _)| reached.contains(function)) {
                continue;
            }
            let Ok(Target { routine, frame, title }) = subject.find(&program, &base.entries) else { continue };
            let run = trace::record_for_values(&program, routine, &frame, steps.min(left));
            left = left.saturating_sub(run.len());
            let runs = |function: RoutineId| run.calls().iter().any(|call| call.function == function);
            let own: Vec<RoutineId> = waiting.iter().map(|own| own.0).filter(|own| runs(*own)).collect();
            waiting.iter_mut().filter(|own| reached.contains(&own.0)).for_each(|own| own.1 -= 1);
            waiting.retain(|(function, tries)| *tries > 0 && !own.contains(function));
            without.retain(|function| !own.contains(function));
            if !own.is_empty() && run.prepare(watch) {
                found(&own, subject, title, run);
            }
        }
    }
}

/// The values of all functions, as words after lines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ValueHints(pub Vec<ValueHint>);

/// The words after one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueHint {
    /// Counted from 1.
    pub line: u32,
    pub text: String,
    /// The test whose run it is, with its input.
    pub title: Arc<str>,
}

/// Returns the values of each function in its first call in the run that [`record`] would choose, and of each probe, as
/// `myriad run --values` prints them. `None` if cancelled.
pub fn hints(base: &BaseResult, watch: &dyn Watch) -> Option<ValueHints> {
    let functions: Vec<RoutineId> = base.compiled.functions().iter().collect();
    let mut all = Vec::new();
    each_run(base, &functions, None, STEPS_AT_ONCE, watch, |functions, _, title, trace| {
        let title: Arc<str> = title.into();
        for function in functions {
            let call = trace.calls().iter().position(|call| call.function == *function).map(CallId::at);
            let values = trace.values(ValuesFocus { call: call.unwrap_or_default(), ..ValuesFocus::default() });
            let own = values.texts(|_| true).into_iter();
            all.extend(own.map(|(line, text)| ValueHint { line, text, title: title.clone() }));
        }
    });
    let probes = Probes::run(&base.compiled, STEPS_AT_ONCE, watch).unwrap_or_default();
    let title: Arc<str> = "the value of this probe".into();
    all.extend(probes.words().map(|(line, text)| ValueHint { line, text, title: title.clone() }));
    all.sort_by_key(|hint| hint.line);
    (!watch.cancelled()).then_some(ValueHints(all))
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
