//! The thread of one engine. It judges the newest text where its engine serves, and then does what else is wished; where the
//! other one serves, it compares.

use std::cell::Cell;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::board::{Board, Desk, Judged};
use super::comparison::{Comparison, Extent};
use super::neural::Neural;
use super::noise::Simulation;
use super::{Compared, Progress, Update, baseline};
use crate::engine::{Engine, EngineError, Kind};
use crate::lang::verdict::Outcome;
use crate::program::{Compiled, Watch};

/// A wish is served when nothing was asked for so long.
const PAUSE: Duration = Duration::from_millis(60);
/// A test that runs so long is named, and then so often.
const LONG: Duration = Duration::from_millis(300);
const AGAIN: Duration = Duration::from_millis(200);
/// An engine that takes longer for a program alone is too slow to compare a sample.
const PATIENCE: Duration = Duration::from_secs(2);

/// Work on an engine that fails only with the engine.
type Done = Result<(), EngineError>;

/// One engine and what is kept for its work.
pub struct Worker {
    board: Arc<Board>,
    engine: Box<dyn Engine>,
    me: Kind,
    /// Mutants that a keystroke judges where there are enough; all of first order always are.
    budget: u32,
    neural: Neural,
    simulation: Simulation,
    /// The epoch that the conventional loop was measured for.
    measured: Option<u64>,
    comparison: Option<Comparison>,
}

/// Something that is done while nothing is asked.
struct Idle {
    /// How long nothing must have been asked before.
    pause: fn(&Board) -> Duration,
    due: fn(&Worker, &Desk, &Judged) -> bool,
    serve: fn(&mut Worker, &Arc<Judged>, u64) -> Done,
}

/// What the engine that serves does while nothing is asked, in this order.
const IDLE: [Idle; 3] = [
    Idle {
        pause: |_| PAUSE,
        due: |worker, desk, judged| desk.wanted.wish.is_some_and(|wish| worker.neural.due(wish, judged.epoch)),
        serve: Worker::compile_neurally,
    },
    Idle {
        pause: |_| PAUSE,
        due: |worker, desk, judged| desk.wanted.noise && worker.simulation.due(judged.epoch),
        serve: Worker::simulate_noise,
    },
    Idle {
        pause: |board| board.idle,
        due: |worker, _, judged| {
            worker.board.extent != Extent::Off
                && !judged.verdicts.is_empty()
                && worker.measured != Some(judged.epoch)
        },
        serve: Worker::measure_baseline,
    },
];

/// What an engine does next.
enum Turn {
    Quit,
    Judge {
        epoch: u64,
        revision: u64,
        text: Arc<str>,
    },
    Idle {
        job: &'static Idle,
        judged: Arc<Judged>,
        version: u64,
    },
    Compare {
        judged: Arc<Judged>,
        version: u64,
    },
    /// Nothing before that, if nothing is asked meanwhile; whether all engines rest.
    Wait(Option<Instant>, bool),
}

impl Worker {
    pub fn new(board: Arc<Board>, engine: Box<dyn Engine>, budget: u32, neural: Neural) -> Worker {
        let me = engine.kind();
        let simulation = Simulation::default();
        Worker { board, engine, me, budget, neural, simulation, measured: None, comparison: None }
    }

    /// Works until the session ends.
    ///
    /// # Errors
    /// Where the GPU engine has broken; the CPU engine goes on whatever happens.
    pub fn run(mut self) -> Done {
        loop {
            let turn = self.next();
            let done = match &turn {
                Turn::Quit => return Ok(()),
                Turn::Judge { epoch, revision, text } => self.judge(*epoch, *revision, text),
                Turn::Idle { job, judged, version } => (job.serve)(&mut self, judged, *version),
                Turn::Compare { judged, version } => self.compare(judged, *version),
                Turn::Wait(..) => Ok(()),
            };
            match done {
                Ok(()) | Err(EngineError::Cancelled) => self.board.describe(&*self.engine),
                Err(error) if self.me == Kind::Gpu => return Err(error),
                Err(error) => self.board.change(|desk| {
                    desk.notice(Some(error.to_string()));
                    // Nothing is tried twice in vain.
                    match turn {
                        Turn::Judge { epoch, .. } => desk.given_up = Some(epoch),
                        Turn::Compare { judged, .. } => desk.compared = Some(judged.epoch),
                        _ => {}
                    }
                }),
            }
        }
    }

    /// Waits for something to do.
    fn next(&self) -> Turn {
        let mut desk = self.board.lock();
        loop {
            let now = Instant::now();
            match self.turn(&mut desk, now) {
                Turn::Wait(until, resting) => {
                    // While all rest, a meter sees the idle power.
                    let device = self.engine.powered_by();
                    let metered = resting && self.board.meter.missing(device).is_none();
                    let running = metered.then(|| self.board.meter.start(device));
                    desk = self.board.wait(desk, until.map(|until| until.saturating_duration_since(now)));
                    if let Some(running) = running {
                        running.rest();
                    }
                }
                turn => return turn,
            }
        }
    }

    fn turn(&self, desk: &mut Desk, now: Instant) -> Turn {
        let (epoch, version) = (desk.wanted.epoch, desk.wanted.version);
        if desk.wanted.quit {
            return Turn::Quit;
        }
        if desk.serving() != Some(self.me) {
            return match self.board.comparison_due(desk, self.me).zip(desk.current().cloned()) {
                Some((due, judged)) if due <= now => Turn::Compare { judged, version },
                due => Turn::Wait(due.map(|(due, _)| due), false),
            };
        }
        let Some(judged) = desk.current().cloned() else {
            let text = desk.wanted.text.clone().filter(|_| desk.given_up != Some(epoch));
            return match text {
                Some((revision, text)) => Turn::Judge { epoch, revision, text },
                None => Turn::Wait(None, true),
            };
        };
        let due = IDLE.iter().find(|job| (job.due)(self, desk, &judged));
        if let Some(job) = due {
            let when = desk.wanted.since + (job.pause)(&self.board);
            return if when <= now {
                Turn::Idle { job, judged, version }
            } else {
                Turn::Wait(Some(when), false)
            };
        }
        if desk.settled.replace(version) != Some(version) {
            self.board.wake();
        }
        let other = if self.me == Kind::Cpu { Kind::Gpu } else { Kind::Cpu };
        Turn::Wait(None, self.board.comparison_due(desk, other).is_none())
    }

    /// Compiles and judges a text.
    fn judge(&mut self, epoch: u64, revision: u64, text: &Arc<str>) -> Done {
        let started = Instant::now();
        let board = self.board.clone();
        let running = board.meter.start(self.engine.powered_by());
        let told = Cell::new(None);
        let base = self.engine.base(text, &Judging { board: &board, epoch, revision, started, told })?;
        let variants = self.engine.variants();
        let total = variants.first_order.max(self.budget.min(variants.all));
        let runs = base.entries.iter().any(|entry| entry.outcome == Outcome::Pass);
        board.tell(epoch, Update::Base { revision, result: base.clone() });
        let mut verdicts = Vec::new();
        if runs && total > 0 {
            let first_order = variants.first_order;
            self.engine.mutants(0, total, &|| board.is_stale(epoch), &mut |part| {
                verdicts.extend(&part.verdicts);
                board.tell(epoch, Update::Mutants { revision, total, first_order, part });
            })?;
        }
        board.tell(epoch, Update::Done { revision, wall: started.elapsed(), energy: running.stop() });
        let judged = Judged { epoch, revision, kind: self.me, base, verdicts };
        board.change(|desk| desk.judged = Some(Arc::new(judged)));
        Ok(())
    }

    /// Serves a wish for the neural or the hybrid compiler.
    fn compile_neurally(&mut self, judged: &Arc<Judged>, version: u64) -> Done {
        let (board, revision, epoch) = (self.board.clone(), judged.revision, judged.epoch);
        let Some(wish) = board.lock().wanted.wish else { return Ok(()) };
        let mut tell = |finding| {
            board.tell(epoch, Update::Neural { revision, function: wish.function, finding });
        };
        let cancelled = || board.is_overtaken(version);
        let compiled = &judged.base.compiled;
        self.neural.serve(wish, epoch, self.engine.as_mut(), compiled, &cancelled, &mut tell)
    }

    /// Simulates noise on the tests.
    fn simulate_noise(&mut self, judged: &Arc<Judged>, version: u64) -> Done {
        let board = self.board.clone();
        let cancelled = || board.is_overtaken(version);
        let report = self.simulation.serve(judged.epoch, self.engine.as_mut(), &judged.base, &cancelled)?;
        board.tell(judged.epoch, Update::Noise { revision: judged.revision, report: Arc::new(report) });
        Ok(())
    }

    /// Measures the conventional loop on the mutants that were judged.
    fn measure_baseline(&mut self, judged: &Arc<Judged>, version: u64) -> Done {
        let (board, count) = (self.board.clone(), judged.verdicts.len() as u32);
        let cancelled = || board.is_overtaken(version);
        let measured =
            baseline::measure(judged.base.clone(), count, self.engine.as_mut(), &board.meter, &cancelled);
        // Overtaken, it is measured again.
        if measured != Err(EngineError::Cancelled) {
            self.measured = Some(judged.epoch);
        }
        if let Some(baseline) = measured? {
            board.tell(judged.epoch, Update::Baseline { revision: judged.revision, baseline });
        }
        Ok(())
    }

    /// Does a stretch of the other engine's work again.
    fn compare(&mut self, judged: &Arc<Judged>, version: u64) -> Done {
        let mut comparison = match self.comparison.take() {
            Some(begun) if begun.judged().epoch == judged.epoch => begun,
            _ => Comparison::new(judged.clone(), self.board.extent),
        };
        let (board, started) = (self.board.clone(), Instant::now());
        let late = || board.extent == Extent::Sample && started.elapsed() > PATIENCE;
        let cancelled = || board.is_overtaken(version) || late();
        let powered_by = self.engine.powered_by();
        let charge = board.charge(powered_by);
        let step = comparison.step(self.engine.as_mut(), &cancelled);
        board.settle(charge);
        let slow = step == Err(EngineError::Cancelled) && !board.is_overtaken(version);
        if step.is_err() && !slow {
            // The stretch that was begun is compared again, unless the text has become another one.
            self.comparison = Some(comparison);
            return step;
        }
        let done = slow || comparison.is_done();
        let progress = match (slow, done) {
            (true, _) => Progress::TooSlow,
            (_, true) => Progress::Done,
            _ => Progress::Running,
        };
        let mut desk = board.lock();
        let energy = desk.comparing;
        let compared = Compared {
            other: self.engine.describe(),
            progress,
            checked: comparison.checked(),
            of: comparison.of(),
            total: judged.verdicts.len() as u32,
            difference: comparison.difference(),
            energy,
        };
        if desk.wanted.epoch == judged.epoch {
            desk.tell(Update::CrossCheck { revision: judged.revision, compared });
        }
        drop(desk);
        if done {
            board.change(|desk| desk.compared = Some(judged.epoch));
        }
        self.comparison = Some(comparison);
        Ok(())
    }
}

/// Somebody waits for the text of an epoch.
struct Judging<'a> {
    board: &'a Board,
    epoch: u64,
    revision: u64,
    started: Instant,
    /// When it was last told what runs.
    told: Cell<Option<Instant>>,
}

impl Watch for Judging<'_> {
    fn cancelled(&self) -> bool {
        self.board.is_stale(self.epoch)
    }

    fn running(&self, compiled: &Arc<Compiled>, entry: u32, inputs: u32) {
        let taken = self.started.elapsed();
        if taken < LONG || self.told.get().is_some_and(|told| told.elapsed() < AGAIN) {
            return;
        }
        self.told.set(Some(Instant::now()));
        let (revision, compiled) = (self.revision, compiled.clone());
        self.board.tell(self.epoch, Update::Running { revision, compiled, entry, inputs, taken });
    }
}
