//! The thread of one engine. It judges the newest text if its engine serves, and runs idle jobs otherwise.

use std::cell::Cell;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::idle::{IdleWork, WORK, next_idle_job};
use super::job::{self, Finding, SessionSubject};
use super::judged::Judged;
use super::messages::{Edit, Update};
use super::proved::Proved;
use super::shared_state::{SessionState, SharedState};
use super::task::{Serve, Setup, Step, Task};
use super::{probes, values};
use crate::compiler::program::{Compiled, Watch};
use crate::compiler::variants::{Folding, Ignored, Variants};
use crate::engine::leveled::{self, LeveledBase};
use crate::engine::{BaseResult, Engine, EngineError, Kind, MutantResult, Timings};
use crate::lang::index::{EntryId, Indices, MutantId};
use crate::lang::level::LevelChoice;
use crate::lang::trap::Trap;
use crate::lang::verdict::Outcome;
use crate::testing::equivalence::Prover;

/// A test that runs longer than `LONG` is reported, and again after each `REPEAT`.
/// Shorter tests end before a message about them could be read.
const LONG: Duration = Duration::from_millis(300);
const REPEAT: Duration = Duration::from_millis(200);

/// Result of work on an engine; an error means that the engine is lost.
type Done = Result<(), EngineError>;

/// An engine with the state of its jobs.
pub struct Worker<'a> {
    shared: Arc<SharedState>,
    engine: &'a mut dyn Engine,
    me: Kind,
    /// Whether the CPU shares the GPU engine's work.
    together: bool,
    /// Number of mutants judged on each keystroke, if there are as many. First-order mutants are always judged.
    budget: u32,
    jobs: Vec<(&'static IdleWork, Serve)>,
    prover: Prover,
    setup: Arc<Setup>,
}

/// The engine's next action.
enum Action {
    Leave,
    Judge {
        epoch: u64,
        level: LevelChoice,
        edit: Edit,
    },
    /// Continue the job with this index.
    Idle(usize, Task),
    /// Wait until that time or a request; the flag says whether all engines are idle.
    Wait(Option<Instant>, bool),
}

impl<'a> Worker<'a> {
    pub fn new(
        shared: Arc<SharedState>,
        engine: &'a mut dyn Engine,
        together: bool,
        budget: u32,
        setup: &Arc<Setup>,
    ) -> Worker<'a> {
        let me = engine.kind();
        let jobs = WORK.iter().map(|work| (work, (work.make)(setup))).collect();
        Worker { shared, engine, me, together, budget, jobs, prover: Prover::default(), setup: setup.clone() }
    }

    /// Works until the session ends or the engines that do the GPU engine's work must be regrouped.
    ///
    /// # Errors
    /// If the GPU engine has failed. The CPU engine continues after any error.
    pub fn run(mut self) -> Done {
        loop {
            let turn = self.next();
            let done = match &turn {
                Action::Leave => return Ok(()),
                Action::Judge { epoch, level, edit } => self.judge(*epoch, *level, edit),
                Action::Idle(number, task) => self.serve(*number, task),
                Action::Wait(..) => Ok(()),
            };
            match done {
                // Cancellation is not an error: newer work waits.
                Ok(()) | Err(EngineError::Cancelled) if self.me == Kind::Gpu => {
                    self.shared.describe(self.engine)
                }
                Ok(()) | Err(EngineError::Cancelled) => {}
                Err(error) if self.me == Kind::Gpu => return Err(error),
                Err(error) => self.shared.change(|state| {
                    state.notice(Some(error.to_string()));
                    // Failed work is not tried again.
                    match turn {
                        Action::Judge { epoch, .. } => state.failed_epoch = Some(epoch),
                        Action::Idle(number, task) => state.finish(self.jobs[number].0.job, task.subject),
                        _ => {}
                    }
                }),
            }
        }
    }

    /// Waits for the next work.
    fn next(&self) -> Action {
        let mut state = self.shared.lock();
        loop {
            let now = Instant::now();
            match self.turn(&mut state, now) {
                Action::Wait(until, resting) => {
                    // While all engines are idle, a meter measures idle power.
                    let device = self.engine.power_source();
                    let metered = resting && self.shared.meter.missing(device).is_none();
                    let running = metered.then(|| self.shared.meter.start(device));
                    state = self.shared.wait(state, until.map(|until| until.saturating_duration_since(now)));
                    if let Some(running) = running {
                        running.finish_idle();
                    }
                }
                turn => return turn,
            }
        }
    }

    fn turn(&self, state: &mut SessionState, now: Instant) -> Action {
        let (epoch, version) = (state.wanted.epoch, state.wanted.version);
        // Together, the engines are one engine of a different kind, so this worker ends and another begins.
        if state.wanted.quit || (self.me == Kind::Gpu && state.together() != self.together) {
            return Action::Leave;
        }
        // Only one engine judges a text, so that verdicts do not arrive twice.
        let serves = state.serving() == Some(self.me);
        let Some(judged) = state.current().cloned() else {
            let edit = state.wanted.text.clone().filter(|_| serves && state.failed_epoch != Some(epoch));
            return edit.map_or(Action::Wait(None, serves), |edit| Action::Judge {
                epoch,
                level: state.wanted.level,
                edit,
            });
        };
        // Takes the first job that is due; a job that is not due does not delay later ones.
        let mut until: Option<Instant> = None;
        for (number, (work, _)) in self.jobs.iter().enumerate() {
            let job = work.job;
            if !job.by.is(self.me, serves) {
                continue;
            }
            let subject = state.wanted.subject(job, &judged);
            let Some(subject) = subject.filter(|subject| !state.is_done(job, *subject)) else { continue };
            match (work.due)(&self.shared, state, &judged) {
                Some(due) if due <= now => {
                    return Action::Idle(
                        number,
                        Task { shared: self.shared.clone(), judged, subject, version },
                    );
                }
                Some(due) => until = Some(until.map_or(due, |until| until.min(due))),
                None => {}
            }
        }
        if until.is_some() {
            return Action::Wait(until, false);
        }
        if !serves {
            return Action::Wait(None, false);
        }
        // The other engine compares only when this one has nothing left to do.
        if state.settled.replace(version) != Some(version) {
            self.shared.wake();
        }
        let other = if self.me == Kind::Cpu { Kind::Gpu } else { Kind::Cpu };
        Action::Wait(None, next_idle_job(&self.shared, state, other).is_none())
    }

    /// Compiles and judges a text.
    fn judge(&mut self, epoch: u64, level: LevelChoice, edit: &Edit) -> Done {
        let Edit { revision, at, ref text, .. } = *edit;
        let started = Instant::now();
        let shared = self.shared.clone();
        let running = shared.meter.start(self.engine.power_source());
        let told = Cell::new(None);
        let watch = Judging { shared: &shared, epoch, revision, started, last_report: told };
        let show = &mut |shown: &BaseResult| {
            shared.tell(epoch, Update::Base { revision, at, result: shown.clone() });
            record_values(&shared, epoch, revision, shown);
            probes::run_at_once(&shared, epoch, revision, &shown.compiled);
        };
        let LeveledBase { shown, judged: base } = leveled::base(self.engine, level, text, &watch, show)?;
        let variants = self.engine.variants();
        // First-order mutants decide the score, so the budget does not limit them.
        let budget = if shared.lock().wanted.all { u32::MAX } else { self.budget };
        let total = variants.first_order.max(budget.min(variants.all));
        let runs = base.entries.iter().any(|entry| entry.outcome == Outcome::Pass);
        let (mut verdicts, mut counted) = (Vec::new(), Vec::new());
        let ignored = Ignored::new(&base.compiled);
        let mut folding = Folding::default();
        let described = Variants::new(base.compiled.clone());
        let stale = || shared.is_stale(epoch);
        // Mutants without a known verdict, and the time for them.
        let (mut anew, mut spent) = (0, Duration::ZERO);
        if runs && total > 0 {
            let first_order = variants.first_order;
            let engine = &mut *self.engine;
            self.prover.while_judging(&described, &stale, |arrived| {
                let begun = Instant::now();
                let done = engine.mutants(Indices::first(total), &stale, &mut |mut part| {
                    arrived(part.first, &part.verdicts);
                    anew += (part.verdicts.len() as u32).saturating_sub(part.reused);
                    verdicts.extend(&part.verdicts);
                    if !ignored.is_empty() {
                        ignored.apply(&described, &mut folding, part.first, &mut part.verdicts);
                    }
                    counted.extend(&part.verdicts);
                    shared.tell(epoch, Update::Mutants { revision, total, first_order, part });
                });
                spent = begun.elapsed();
                done
            })?;
        }
        // After judging: proofs are about survivors, and a verdict must not wait for them.
        let proving = Instant::now();
        let proved = Proved::of(&mut self.prover, &described, &verdicts, &mut counted, &stale);
        let proved = proved.ok_or(EngineError::Cancelled)?;
        let proofs = self.prover.take_times();
        if !proofs.spent.is_zero() {
            let timings = Timings { proofs, wall: proving.elapsed(), ..Timings::default() };
            let part = MutantResult {
                first: Indices::<MutantId>::first(verdicts.len() as u32).end(),
                verdicts: vec![],
                reused: 0,
                timings,
            };
            shared.tell(epoch, Update::Mutants { revision, total, first_order: variants.first_order, part });
        }
        // The meter stops before the stored proofs are added, which are part of no measurement.
        let (wall, energy) = (started.elapsed(), running.stop());
        let proved =
            self.setup.proofs(|known| proved.with_known(known, &base.compiled, &verdicts, &mut counted));
        let (equal, by_prover) = (proved.equal.clone(), proved.by_prover.clone());
        // The verdicts are complete with these: no score comes before them.
        if !equal.is_empty() {
            shared.tell(epoch, Update::Proved { revision, proved: Arc::new(proved) });
        }
        shared.tell(epoch, Update::Done { revision, at, wall, energy });
        let compiling = base.timings.wall.as_secs_f64();
        let judged =
            Judged { epoch, revision, kind: self.me, base, shown, verdicts, counted, equal, by_prover };
        shared.change(|state| {
            state.judged = Some(Arc::new(judged));
            if let Some(speeds) = state.speeds(epoch, self.me) {
                speeds.base(self.me, compiling);
                speeds.batch(self.me, anew, spent.as_secs_f64());
            }
        });
        Ok(())
    }

    /// Runs one call of a job.
    fn serve(&mut self, number: usize, task: &Task) -> Done {
        let (work, serve) = &mut self.jobs[number];
        if serve(task, self.engine)? == Step::Done {
            self.shared.change(|state| state.finish(work.job, task.subject));
        }
        Ok(())
    }
}

/// Records a test for the values after the lines, if the user sees them: so they come before the mutants' verdicts. A run
/// that is too long for this is recorded as a whole in idle time.
fn record_values(shared: &SharedState, epoch: u64, revision: u64, shown: &BaseResult) {
    let looked = shared.lock().wanted.looked.clone();
    let stale = || shared.is_stale(epoch);
    if looked.jobs.contains(&&job::VALUE_HINTS)
        && let Some(hints) = values::hints(shown, &stale)
    {
        shared.tell(epoch, Update::Found(Finding::new(revision, None, hints)));
    }
    let function = looked.function.filter(|_| looked.jobs.contains(&&job::VALUES));
    let Some(function) = function.filter(|function| shown.compiled.functions().contains(*function)) else {
        return;
    };
    let run = values::record(shown, (function, looked.test), values::STEPS_AT_ONCE, &stale);
    let whole = run.0.as_ref().is_some_and(|(_, _, trace)| trace.record.trap != Trap::StepLimit);
    if whole {
        let subject = SessionSubject { epoch, function: Some(function), test: looked.test, run: None };
        shared.change(|state| state.finish(&job::VALUES, subject));
    }
    shared.tell(epoch, Update::Found(Finding::new(revision, Some(function), run)));
}

/// The watch for judging the text of an epoch.
struct Judging<'a> {
    shared: &'a SharedState,
    epoch: u64,
    revision: u64,
    started: Instant,
    /// When the running entry was last reported.
    last_report: Cell<Option<Instant>>,
}

impl Watch for Judging<'_> {
    fn cancelled(&self) -> bool {
        self.shared.is_stale(self.epoch)
    }

    fn running(&self, compiled: &Arc<Compiled>, entry: EntryId, inputs: u32) {
        let taken = self.started.elapsed();
        if taken < LONG || self.last_report.get().is_some_and(|told| told.elapsed() < REPEAT) {
            return;
        }
        self.last_report.set(Some(Instant::now()));
        let (revision, compiled) = (self.revision, compiled.clone());
        self.shared.tell(self.epoch, Update::Running { revision, compiled, entry, inputs, taken });
    }
}
