//! The thread of one engine. It judges the newest text if its engine serves, and runs idle jobs otherwise.

use std::cell::Cell;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::board::{SessionState, SharedState};
use super::idle::{WORK, Work, next_idle_job};
use super::judged::Judged;
use super::messages::{Edit, Update};
use super::task::{Serve, Setup, Step, Task};
use crate::compiler::program::{Compiled, Watch};
use crate::compiler::variants::{Folding, Ignored, Variants};
use crate::engine::{Engine, EngineError, Kind};
use crate::lang::index::{EntryId, Indices};
use crate::lang::verdict::Outcome;

/// A test that runs longer than `LONG` is reported, and again after each `REPEAT`.
const LONG: Duration = Duration::from_millis(300);
const REPEAT: Duration = Duration::from_millis(200);

/// Result of work on an engine; an error means that the engine is lost.
type Done = Result<(), EngineError>;

/// An engine with the state of its jobs.
pub struct Worker<'a> {
    board: Arc<SharedState>,
    engine: &'a mut dyn Engine,
    me: Kind,
    /// Whether the CPU shares the GPU engine's work.
    together: bool,
    /// Number of mutants judged on each keystroke, if there are as many. First-order mutants are always judged.
    budget: u32,
    jobs: Vec<(&'static Work, Serve)>,
}

/// The engine's next action.
enum Action {
    Leave,
    Judge {
        epoch: u64,
        edit: Edit,
    },
    /// Continue the job with this index.
    Idle(usize, Task),
    /// Wait until that time or a request; the flag says whether all engines are idle.
    Wait(Option<Instant>, bool),
}

impl<'a> Worker<'a> {
    pub fn new(
        board: Arc<SharedState>,
        engine: &'a mut dyn Engine,
        together: bool,
        budget: u32,
        setup: &Arc<Setup>,
    ) -> Worker<'a> {
        let me = engine.kind();
        let jobs = WORK.iter().map(|work| (work, (work.make)(setup))).collect();
        Worker { board, engine, me, together, budget, jobs }
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
                Action::Judge { epoch, edit } => self.judge(*epoch, edit),
                Action::Idle(number, task) => self.serve(*number, task),
                Action::Wait(..) => Ok(()),
            };
            match done {
                Ok(()) | Err(EngineError::Cancelled) if self.me == Kind::Gpu => {
                    self.board.describe(self.engine)
                }
                Ok(()) | Err(EngineError::Cancelled) => {}
                Err(error) if self.me == Kind::Gpu => return Err(error),
                Err(error) => self.board.change(|desk| {
                    desk.notice(Some(error.to_string()));
                    // Failed work is not tried again.
                    match turn {
                        Action::Judge { epoch, .. } => desk.failed_epoch = Some(epoch),
                        Action::Idle(number, task) => desk.finish(self.jobs[number].0.job, task.subject),
                        _ => {}
                    }
                }),
            }
        }
    }

    /// Waits for the next work.
    fn next(&self) -> Action {
        let mut desk = self.board.lock();
        loop {
            let now = Instant::now();
            match self.turn(&mut desk, now) {
                Action::Wait(until, resting) => {
                    // While all engines are idle, a meter measures idle power.
                    let device = self.engine.power_source();
                    let metered = resting && self.board.meter.missing(device).is_none();
                    let running = metered.then(|| self.board.meter.start(device));
                    desk = self.board.wait(desk, until.map(|until| until.saturating_duration_since(now)));
                    if let Some(running) = running {
                        running.finish_idle();
                    }
                }
                turn => return turn,
            }
        }
    }

    fn turn(&self, desk: &mut SessionState, now: Instant) -> Action {
        let (epoch, version) = (desk.wanted.epoch, desk.wanted.version);
        if desk.wanted.quit || (self.me == Kind::Gpu && desk.together() != self.together) {
            return Action::Leave;
        }
        let serves = desk.serving() == Some(self.me);
        let Some(judged) = desk.current().cloned() else {
            let edit = desk.wanted.text.clone().filter(|_| serves && desk.failed_epoch != Some(epoch));
            return edit.map_or(Action::Wait(None, serves), |edit| Action::Judge { epoch, edit });
        };
        // Takes the first job that is due; a job that is not due does not delay later ones.
        let mut until: Option<Instant> = None;
        for (number, (work, _)) in self.jobs.iter().enumerate() {
            let job = work.job;
            if !job.by.is(self.me, serves) {
                continue;
            }
            let subject = desk.wanted.subject(job, &judged);
            let Some(subject) = subject.filter(|subject| !desk.is_done(job, *subject)) else { continue };
            match (work.due)(&self.board, desk, &judged) {
                Some(due) if due <= now => {
                    return Action::Idle(number, Task { board: self.board.clone(), judged, subject, version });
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
        if desk.settled.replace(version) != Some(version) {
            self.board.wake();
        }
        let other = if self.me == Kind::Cpu { Kind::Gpu } else { Kind::Cpu };
        Action::Wait(None, next_idle_job(&self.board, desk, other).is_none())
    }

    /// Compiles and judges a text.
    fn judge(&mut self, epoch: u64, edit: &Edit) -> Done {
        let Edit { revision, at, ref text } = *edit;
        let started = Instant::now();
        let board = self.board.clone();
        let running = board.meter.start(self.engine.power_source());
        let told = Cell::new(None);
        let base = self.engine.base(text, &Judging { board: &board, epoch, revision, started, told })?;
        let variants = self.engine.variants();
        let total = variants.first_order.max(self.budget.min(variants.all));
        let runs = base.entries.iter().any(|entry| entry.outcome == Outcome::Pass);
        board.tell(epoch, Update::Base { revision, at, result: base.clone() });
        let (mut verdicts, mut shown) = (Vec::new(), Vec::new());
        let ignored = Ignored::new(&base.compiled);
        let mut folding = Folding::default();
        let described = (!ignored.is_empty()).then(|| Variants::new(base.compiled.clone()));
        if runs && total > 0 {
            let first_order = variants.first_order;
            self.engine.mutants(Indices::first(total), &|| board.is_stale(epoch), &mut |mut part| {
                verdicts.extend(&part.verdicts);
                if let Some(variants) = &described {
                    ignored.apply(variants, &mut folding, part.first, &mut part.verdicts);
                }
                shown.extend(&part.verdicts);
                board.tell(epoch, Update::Mutants { revision, total, first_order, part });
            })?;
        }
        board.tell(epoch, Update::Done { revision, at, wall: started.elapsed(), energy: running.stop() });
        let judged = Judged { epoch, revision, kind: self.me, base, verdicts, told: shown };
        board.change(|desk| desk.judged = Some(Arc::new(judged)));
        Ok(())
    }

    /// Runs one call of a job.
    fn serve(&mut self, number: usize, task: &Task) -> Done {
        let (work, serve) = &mut self.jobs[number];
        if serve(task, self.engine)? == Step::Done {
            self.board.change(|desk| desk.finish(work.job, task.subject));
        }
        Ok(())
    }
}

/// The watch for judging the text of an epoch.
struct Judging<'a> {
    board: &'a SharedState,
    epoch: u64,
    revision: u64,
    started: Instant,
    /// When the running entry was last reported.
    told: Cell<Option<Instant>>,
}

impl Watch for Judging<'_> {
    fn cancelled(&self) -> bool {
        self.board.is_stale(self.epoch)
    }

    fn running(&self, compiled: &Arc<Compiled>, entry: EntryId, inputs: u32) {
        let taken = self.started.elapsed();
        if taken < LONG || self.told.get().is_some_and(|told| told.elapsed() < REPEAT) {
            return;
        }
        self.told.set(Some(Instant::now()));
        let (revision, compiled) = (self.revision, compiled.clone());
        self.board.tell(self.epoch, Update::Running { revision, compiled, entry, inputs, taken });
    }
}
