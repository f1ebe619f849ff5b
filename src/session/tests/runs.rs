//! Runs recorded by the serving engine, or by the CPU engine if a device refuses; rounds that a device refuses
//! to record.

use super::*;
use crate::compiler::rounds::Recording;
use crate::compiler::stage::execute::Record;
use crate::engine::{StepRange, TracedRun};
use crate::lang::index::{EntryId, Index, Indices, Position};
use crate::session::job::{Job, ROUNDS};
use crate::testing::trace::{Trace, record};

/// A device that judges like the CPU engine and records runs itself, unless it refuses.
struct RecordingEngine {
    cpu: CpuEngine,
    base: Arc<Compiled>,
    refuses: Option<EngineError>,
}

impl Engine for RecordingEngine {
    fn kind(&self) -> Kind {
        Kind::Gpu
    }
    fn describe(&self) -> String {
        "recording".into()
    }
    fn settings(&self) -> EngineSettings {
        self.cpu.settings()
    }
    fn configure(&mut self, settings: EngineSettings) {
        self.cpu.configure(settings);
    }
    fn base(&mut self, text: &Arc<str>, watch: &dyn Watch) -> Result<BaseResult, EngineError> {
        let base = self.cpu.base(text, watch)?;
        self.base = base.compiled.clone();
        Ok(base)
    }
    fn variants(&self) -> MutantCounts {
        self.cpu.variants()
    }
    fn chunks(&mut self) -> &mut dyn ChunkJudge {
        &mut self.cpu
    }
    fn run(
        &mut self,
        function: RoutineId,
        arguments: &[u32],
        watch: &dyn Watch,
    ) -> Result<RunResult, EngineError> {
        self.cpu.run(function, arguments, watch)
    }
}

impl Abilities for RecordingEngine {
    fn test_all(
        &mut self,
        all: &[TestedCandidate],
        watch: &dyn Watch,
    ) -> Result<Vec<Option<Tested>>, EngineError> {
        self.cpu.test_all(all, watch)
    }
    fn rounds(&mut self, _: &Compiled, _: &dyn Watch) -> Result<Recording, EngineError> {
        Err(self.refuses.clone().unwrap_or_else(|| EngineError::Call("it has no shaders".into())))
    }
    fn trace(
        &mut self,
        run: TracedRun,
        _: &dyn Watch,
        sink: &mut dyn FnMut(StepRange),
    ) -> Option<Result<Record, EngineError>> {
        if let Some(error) = &self.refuses {
            return Some(Err(error.clone()));
        }
        let trace = record(&self.base, run.routine, run.frame, run.fuel);
        let mut position = Position::default();
        for steps in trace.steps().chunks(run.keyframe as usize) {
            let memory = trace.state(position).words;
            position = position + steps.len() as u32;
            let depth = trace.step(position).map_or(0, |next| next.depth.into());
            sink(StepRange { memory: &memory, steps: bytemuck::cast_slice(steps), depth });
        }
        Some(Ok(trace.record))
    }
}

/// A source of devices; the first device refuses to record runs.
struct Refusing {
    error: Option<EngineError>,
    built: Mutex<u32>,
}

impl Devices for Refusing {
    fn find(&self) -> Result<Found, EngineError> {
        Ok(Found { name: "recording".into(), preferred: true, reason: "it is there".into() })
    }
    fn build(
        &self,
        _: Purpose,
        _: &mut dyn FnMut(BuildProgress) -> bool,
        _: &Reporter,
    ) -> Result<Vec<Box<dyn Engine>>, EngineError> {
        let mut built = self.built.lock().unwrap();
        *built += 1;
        let refuses = self.error.clone().filter(|_| *built == 1);
        Ok(vec![Box::new(RecordingEngine { cpu: CpuEngine::with_threads(1), base: Arc::default(), refuses })])
    }
    fn processor(&self) -> Box<dyn Engine> {
        Box::new(CpuEngine::with_threads(1))
    }
}

const TEXT: &str = "fn down(n: int) -> int {\n    if n == 0 {\n        return 0;\n    }\n    return down(n - 1);\n}\nfn many(n: int) -> int {\n    let s = 0;\n    for i in 0..n {\n        s += down(3);\n    }\n    return s;\n}\ntest many(500) == 0;\n";

/// Opens the run of the test in a session with such a device.
fn watch(wanted: Preference, error: Option<EngineError>) -> (Session, Receiver<Update>) {
    look(&RUN, wanted, error)
}

/// Opens the panel of a job in a session with such a device.
fn look(job: &'static Job, wanted: Preference, error: Option<EngineError>) -> (Session, Receiver<Update>) {
    let devices = Arc::new(Refusing { error, built: Mutex::default() });
    let cpu = Box::new(CpuEngine::with_threads(1));
    let (session, updates) = super::session(cpu, Some(devices), wanted, 1, (false, CompareExtent::Off));
    session.send(Request::Look(VisibleJobs { jobs: vec![job], function: None, ..VisibleJobs::default() }));
    let subject = Subject::Entry { label: "many(500) == 0".into(), id: EntryId::FIRST };
    session.send(Request::Run(Arc::new(RunRequest { number: 1, subject, breakpoints: vec![], against: None })));
    session.send(Request::Edit(Edit { revision: 1, text: TEXT.into(), at: Instant::now(), fires_in: None }));
    (session, updates)
}

/// Returns the first recorded run for which `fits` holds.
fn recorded(
    updates: &Receiver<Update>,
    fits: impl Fn(&Trace) -> bool,
) -> (Arc<Trace>, Option<EngineError>, Vec<Update>) {
    let of = |update: &Update| match update {
        Update::Found(finding) => finding.what::<Recorded>().and_then(|recorded| {
            let (_, trace) = recorded.run.as_ref().ok()?;
            Some((trace.clone(), recorded.instead.clone()))
        }),
        _ => None,
    };
    let seen = until(updates, |update| of(update).is_some_and(|(trace, _)| fits(&trace)));
    let (trace, instead) = seen.last().and_then(of).expect("a run");
    (trace, instead, seen)
}

#[test]
fn run_is_recorded_by_the_serving_engine() {
    for (wanted, by) in [
        (Preference::Gpu, Kind::Gpu),
        (Preference::All, Kind::Gpu),
        (Preference::Auto, Kind::Gpu),
        (Preference::Cpu, Kind::Cpu),
    ] {
        let (_session, updates) = watch(wanted, None);
        let (trace, instead, _) = recorded(&updates, |trace| trace.by == by);
        assert_eq!((trace.by, instead), (by, None), "{wanted:?}");
        let host = record(
            &trace.compiled,
            trace.compiled.facts.entry(EntryId::FIRST),
            &[],
            crate::lang::limits::STEPS,
        );
        assert!(host.len() > 2 * crate::testing::trace::KEYFRAME as u32, "{} steps", host.len());
        assert!(trace.steps() == host.steps() && trace.calls() == host.calls(), "{wanted:?}");
        assert_eq!((trace.record, host.by), (host.record, Kind::Cpu));
        for position in Indices::first(host.len()).iter().step_by(777) {
            assert_eq!(trace.state(position), host.state(position));
        }
    }
}

#[test]
fn run_refused_by_the_device_is_recorded_on_the_cpu() {
    for error in [EngineError::TooLarge("a run".into()), DeviceFailure::Memory.because("no memory")] {
        let (session, updates) = watch(Preference::Gpu, Some(error.clone()));
        let (trace, instead, mut seen) = recorded(&updates, |_| true);
        assert_eq!((trace.by, instead), (Kind::Cpu, Some(error)));
        // The device continues with everything else.
        seen.extend(updates_until_idle(&session, &updates));
        assert!(!seen.iter().any(|update| matches!(update, Update::Notice(_))), "{seen:?}");
    }
}

#[test]
fn run_that_loses_the_device_falls_back_until_it_is_rebuilt() {
    let lost = DeviceFailure::Lost.because("unplugged");
    let (_session, updates) = watch(Preference::Gpu, Some(lost.clone()));
    let (trace, instead, _) = recorded(&updates, |_| true);
    assert_eq!((trace.by, instead), (Kind::Cpu, Some(lost)));
    let (_, instead, seen) = recorded(&updates, |trace| trace.by == Kind::Gpu);
    assert_eq!(instead, None);
    assert!(seen.iter().any(|update| matches!(update, Update::Notice(text) if text.contains("unplugged"))));
}

/// Returns all updates until no work is left.
fn updates_until_idle(session: &Session, updates: &Receiver<Update>) -> Vec<Update> {
    while !session.is_idle() {
        std::thread::sleep(Duration::from_millis(5));
    }
    updates.try_iter().collect()
}

/// Returns the error of rounds that a device refused to record.
fn refused(update: &Update) -> Option<EngineError> {
    match update {
        Update::Found(finding) => finding.what::<Rounds>()?.recording.clone().err(),
        _ => None,
    }
}

#[test]
fn rounds_refused_by_the_device_report_its_error() {
    for error in [EngineError::TooLarge("3,000 tokens".into()), DeviceFailure::Memory.because("no memory")] {
        let (session, updates) = look(&ROUNDS, Preference::Gpu, Some(error.clone()));
        let mut seen = until(&updates, |update| refused(update).is_some());
        assert_eq!(seen.last().and_then(refused), Some(error));
        // It is tried once, and the device continues with everything else.
        seen.extend(updates_until_idle(&session, &updates));
        assert_eq!(seen.iter().filter_map(refused).count(), 1);
        assert!(!seen.iter().any(|update| matches!(update, Update::Notice(_))), "{seen:?}");
    }
}

#[test]
fn device_lost_while_recording_rounds_is_rebuilt() {
    let lost = DeviceFailure::Lost.because("unplugged");
    let (_session, updates) = look(&ROUNDS, Preference::Gpu, Some(lost.clone()));
    let seen = until(&updates, |update| refused(update).is_some());
    assert_eq!(seen.last().and_then(refused), Some(lost));
    // The next device reports a different error.
    let fault = EngineError::Call("it has no shaders".into());
    let seen = until(&updates, |update| refused(update).as_ref() == Some(&fault));
    assert!(seen.iter().any(|update| matches!(update, Update::Notice(text) if text.contains("unplugged"))));
}
