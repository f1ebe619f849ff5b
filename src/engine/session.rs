//! The workbench's side of the engines: requests carry a revision, updates answer with it, stale work is dropped.
//!
//! One thread owns the engines. Each edit raises the revision that `latest` holds before it is queued, so the thread
//! sees, between two chunks of work, that what it does is stale. Of several queued edits only the newest is
//! served. The CPU engine serves from the first moment; the GPU engine is built and warmed on a thread of its own and
//! joins when it is ready. While nothing is asked, the engine that does not serve judges the same mutants again.

mod baseline;
mod cross_check;
mod engines;
mod hybrid;
mod neural;
mod noise;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use super::{BaseResult, Engine, EngineError, Kind, MutantResult};
use crate::energy::{Energy, Meter, Running};
use crate::noise::Report;
pub use baseline::Baseline;

use cross_check::CrossCheck;
use engines::Engines;
pub use hybrid::Routing;
use neural::Neural;
pub use neural::{Finding, LoadWeights, Wish};
pub use noise::SETTINGS as NOISE;
use noise::Simulation;

/// What the interface asks of the engine thread. Newer edits supersede older ones.
#[derive(Clone, Debug)]
pub enum Request {
    /// The text as of a revision.
    Edit {
        revision: u64,
        text: Arc<str>,
    },
    /// Use this engine from now on (`None`: choose automatically).
    Use(Option<Kind>),
    /// From now on, compile this function neurally whenever nothing else is asked.
    Neural(Option<Wish>),
    /// From now on, simulate noise on the newest text's tests whenever nothing else is asked; or no more.
    Noise(bool),
    Quit,
}

/// What the engine thread tells the interface.
#[derive(Clone, Debug)]
pub enum Update {
    /// The base's own panels: always first for a revision.
    Base { revision: u64, result: BaseResult },
    /// A part of the mutants' verdicts. `total` is how many this revision will judge in all, `first_order` how many
    /// first-order mutants it has.
    Mutants { revision: u64, total: u32, first_order: u32, part: MutantResult },
    /// All mutants of the revision are judged; `energy` is what base and mutants together took.
    Done { revision: u64, wall: Duration, energy: Energy },
    /// The other engine has judged `checked` mutants again; `difference` says where it disagrees.
    CrossCheck { revision: u64, checked: u32, other: String, difference: Option<String> },
    /// What the paper's conventional loop takes for some of the same mutants.
    Baseline { revision: u64, baseline: Baseline },
    /// What neural compilation finds of a function.
    Neural { revision: u64, function: u32, finding: Finding },
    /// What noise does to the tests of a revision.
    Noise { revision: u64, report: Arc<Report> },
    /// Which engine runs and why; shown in the status bar. `meter` says what measures its energy, or why nothing does.
    Engine { kind: Kind, description: String, reason: String, meter: String },
    /// Something the user must know: a lost device, an engine that cannot start.
    Notice(String),
}

/// An engine that is ready to serve, and why it would be taken by itself.
pub struct Built {
    pub engine: Box<dyn Engine>,
    /// Whether `auto` takes it before the CPU engine.
    pub preferred: bool,
    pub reason: String,
}

/// Builds and warms the GPU engine; slow, called on a thread of its own.
pub type BuildGpu = Arc<dyn Fn() -> Result<Built, EngineError> + Send + Sync>;

/// How a session is set up.
pub struct Options {
    /// The CPU engine, which serves at once.
    pub cpu: Box<dyn Engine>,
    /// `None` where no GPU engine is wanted at all.
    pub build_gpu: Option<BuildGpu>,
    /// The engine that the user asked for.
    pub wanted: Option<Kind>,
    /// Mutants that a keystroke judges where there are enough; all of first order always are.
    pub budget: u32,
    /// How long nothing must be asked before the cross-check begins.
    pub idle: Duration,
    /// Where the neural compiler's weights come from.
    pub weights: LoadWeights,
    /// What says how much energy a keystroke takes.
    pub meter: Meter,
    /// Where the hybrid compiler's router learns; nowhere if none is said.
    pub history: Option<PathBuf>,
}

/// Neural compilation begins when nothing was asked for so long.
const PAUSE: Duration = Duration::from_millis(60);

/// A running engine thread. Dropping it ends the thread at its next chunk.
pub struct Session {
    queue: Sender<Message>,
    latest: Arc<AtomicU64>,
    wishes: Arc<AtomicU64>,
}

enum Message {
    Request(Request),
    Gpu(Result<Built, EngineError>),
}

impl Session {
    /// Starts the thread; it calls `updates` for each thing that it has to tell.
    pub fn start(options: Options, updates: impl FnMut(Update) + Send + 'static) -> std::io::Result<Session> {
        let (queue, requests) = mpsc::channel();
        let latest = Arc::new(AtomicU64::new(0));
        let wishes = Arc::new(AtomicU64::new(0));
        let worker = Worker {
            queue: queue.clone(),
            requests,
            latest: latest.clone(),
            wishes: wishes.clone(),
            neural: Neural::new(options.weights, options.history),
            simulation: Simulation::default(),
            updates: Box::new(updates),
            engines: Engines::new(options.cpu, options.build_gpu, options.wanted),
            budget: options.budget,
            idle: options.idle,
            described: String::new(),
            text: None,
            check: None,
            meter: options.meter,
            compared: None,
        };
        std::thread::Builder::new().name("engine".into()).spawn(move || worker.run())?;
        Ok(Session { queue, latest, wishes })
    }

    /// Queues a request; an edit makes all work on older ones stale at once.
    pub fn send(&self, request: Request) {
        match &request {
            Request::Edit { revision, .. } => self.latest.store(*revision, Ordering::Release),
            Request::Quit => self.latest.store(u64::MAX, Ordering::Release),
            Request::Neural(_) | Request::Noise(_) => {
                self.wishes.fetch_add(1, Ordering::Release);
            }
            Request::Use(_) => {}
        }
        // The thread is gone only if it panicked; the interface then goes on without verdicts.
        let _ = self.queue.send(Message::Request(request));
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.send(Request::Quit);
    }
}

struct Worker {
    queue: Sender<Message>,
    requests: Receiver<Message>,
    latest: Arc<AtomicU64>,
    /// Counts the wishes for what is done while nothing else is asked: a newer one ends the work on an older one.
    wishes: Arc<AtomicU64>,
    neural: Neural,
    simulation: Simulation,
    updates: Box<dyn FnMut(Update) + Send>,
    engines: Engines,
    budget: u32,
    idle: Duration,
    /// The description that the interface knows.
    described: String,
    /// The newest text and its revision.
    text: Option<(u64, Arc<str>)>,
    check: Option<CrossCheck>,
    meter: Meter,
    /// The revision that the conventional loop was measured for.
    compared: Option<u64>,
}

impl Worker {
    fn run(mut self) {
        self.engines.start(&self.queue);
        self.announce();
        while let Some(message) = self.next_message() {
            match message {
                Message::Request(Request::Quit) => return,
                Message::Request(Request::Edit { revision, text }) => {
                    self.text = Some((revision, text));
                    self.judge();
                }
                Message::Request(Request::Use(kind)) => {
                    if let Some(notice) = self.engines.want(kind, &self.queue) {
                        self.tell(Update::Notice(notice));
                    }
                    self.announce();
                    self.judge();
                }
                Message::Request(Request::Neural(wish)) => self.neural.ask(wish),
                Message::Request(Request::Noise(wanted)) => self.simulation.ask(wanted),
                Message::Gpu(built) => self.receive_gpu(built),
            }
        }
    }

    /// The next thing to do, of queued edits only the newest; compiles neurally, simulates noise or works on the
    /// cross-check while there is none.
    fn next_message(&mut self) -> Option<Message> {
        let mut wait = self.idle;
        let first = loop {
            let wished = self.wished();
            let noise = wished.is_none() && self.noise_due();
            let resting = self.rest();
            let received = if wished.is_some() || noise {
                self.requests.recv_timeout(wait.min(PAUSE))
            } else if self.can_cross_check() || self.can_compare() {
                self.requests.recv_timeout(wait)
            } else {
                self.requests.recv().map_err(|_| RecvTimeoutError::Disconnected)
            };
            if let Some(resting) = resting {
                resting.rest();
            }
            match received {
                Ok(message) => break message,
                Err(RecvTimeoutError::Disconnected) => return None,
                Err(RecvTimeoutError::Timeout) => match wished {
                    Some(wish) => self.compile_neurally(wish),
                    None if noise => self.simulate_noise(),
                    None if self.can_compare() => self.compare(),
                    None => self.cross_check(),
                },
            }
            wait = Duration::ZERO;
        };
        let mut edit = match first {
            Message::Request(Request::Edit { .. }) => first,
            other => return Some(other),
        };
        while let Ok(next) = self.requests.try_recv() {
            match next {
                Message::Request(Request::Edit { .. }) => edit = next,
                // Rare, and the edit can wait behind it: put it back in line.
                other => {
                    let _ = self.queue.send(edit);
                    return Some(other);
                }
            }
        }
        Some(edit)
    }

    /// Watches the idle power of the engine that serves, where there is a meter.
    fn rest(&self) -> Option<Running> {
        let device = self.engines.serving().powered_by();
        self.meter.missing(device).is_none().then(|| self.meter.start(device))
    }

    fn tell(&mut self, update: Update) {
        (self.updates)(update);
    }

    /// Says which engine serves now, and why.
    fn announce(&mut self) {
        let (kind, reason) = (self.engines.kind(), self.engines.reason());
        let description = self.engines.serving().describe();
        self.described.clone_from(&description);
        let device = self.engines.serving().powered_by();
        let meter =
            self.meter.missing(device).map_or_else(|| self.meter.source(device).to_string(), String::from);
        self.tell(Update::Engine { kind, description, reason, meter });
    }

    /// Says so where the engine is not what it was: of several devices that share the work one may be lost.
    fn announce_changes(&mut self) {
        if self.engines.serving().describe() != self.described {
            self.announce();
        }
    }

    /// Takes the GPU engine that was built, or why there is none.
    fn receive_gpu(&mut self, built: Result<Built, EngineError>) {
        let before = self.engines.kind();
        if let Some(notice) = self.engines.receive(built) {
            self.tell(Update::Notice(notice));
        }
        self.announce();
        if self.engines.kind() != before {
            self.judge();
        }
    }

    /// Gives up a GPU engine that broke, and has it built anew.
    fn lose_gpu(&mut self, error: &EngineError) {
        let notice = self.engines.lose(error, &self.queue);
        self.tell(Update::Notice(notice));
        self.announce();
    }

    /// What is to be done where work that nobody waits for has ended with an error: being called off is none.
    fn ended_early(&mut self, kind: Kind, error: EngineError) {
        match error {
            EngineError::Cancelled => {}
            error if kind == Kind::Gpu => {
                self.lose_gpu(&error);
                self.judge();
            }
            error => self.tell(Update::Notice(error.to_string())),
        }
    }

    /// Compiles and judges the newest text; finishes on the CPU engine if the GPU engine breaks.
    fn judge(&mut self) {
        let Some((revision, text)) = self.text.clone() else { return };
        self.check = None;
        let mut kind = self.engines.kind();
        loop {
            match self.judge_on(kind, revision, &text) {
                Ok(()) | Err(EngineError::Cancelled) => return self.announce_changes(),
                Err(error) if kind == Kind::Gpu => {
                    self.lose_gpu(&error);
                    kind = Kind::Cpu;
                }
                Err(error) => return self.tell(Update::Notice(error.to_string())),
            }
        }
    }

    fn judge_on(&mut self, kind: Kind, revision: u64, text: &Arc<str>) -> Result<(), EngineError> {
        let started = Instant::now();
        let latest = self.latest.clone();
        let cancelled = move || latest.load(Ordering::Acquire) != revision;
        let budget = self.budget;
        let meter = self.meter.clone();
        let gone = || EngineError::Lost("it is gone".into());
        let engine = self.engines.get(kind).ok_or_else(gone)?;
        let running = meter.start(engine.powered_by());
        let base = engine.base(text)?;
        let variants = engine.variants();
        let total = variants.first_order.max(budget.min(variants.all));
        let runs = base.entries.iter().any(|entry| entry.outcome == super::Outcome::Pass);
        let mut check = CrossCheck::new(kind, base.clone());
        self.tell(Update::Base { revision, result: base });
        if cancelled() {
            return Err(EngineError::Cancelled);
        }
        if runs && total > 0 {
            let updates = &mut self.updates;
            let engine = self.engines.get(kind).ok_or_else(gone)?;
            engine.mutants(0, total, &cancelled, &mut |part| {
                check.record(&part);
                let first_order = variants.first_order;
                updates(Update::Mutants { revision, total, first_order, part });
            })?;
        }
        self.tell(Update::Done { revision, wall: started.elapsed(), energy: running.stop() });
        self.check = Some(check);
        Ok(())
    }

    /// The function to be compiled neurally, once the newest text is judged.
    fn wished(&self) -> Option<Wish> {
        let (revision, _) = self.text.as_ref()?;
        self.check.as_ref()?;
        self.neural.due(*revision)
    }

    /// Serves a wish on the engine that has judged the text.
    fn compile_neurally(&mut self, wish: Wish) {
        let (Some(check), Some(&(revision, _))) = (&self.check, self.text.as_ref()) else { return };
        let (kind, compiled) = (check.kind(), check.compiled().clone());
        let cancelled = self.outdated(revision);
        let Some(engine) = self.engines.get(kind) else { return };
        let (updates, function) = (&mut self.updates, wish.function);
        let mut tell = |finding| updates(Update::Neural { revision, function, finding });
        let served = self.neural.serve(wish, revision, engine, &compiled, &cancelled, &mut tell);
        served.unwrap_or_else(|error| self.ended_early(kind, error));
    }

    /// Whether the conventional loop has not been measured for the newest text.
    fn can_compare(&self) -> bool {
        self.check.as_ref().is_some_and(|check| check.verdicts() > 0)
            && self.text.as_ref().is_some_and(|(revision, _)| self.compared != Some(*revision))
    }

    /// Measures the conventional loop on the mutants that were judged.
    fn compare(&mut self) {
        let (Some(check), Some(&(revision, _))) = (&self.check, self.text.as_ref()) else { return };
        let (kind, base, count) = (check.kind(), check.base().clone(), check.verdicts());
        let cancelled = self.outdated(revision);
        let Some(engine) = self.engines.get(kind) else { return };
        let measured = baseline::measure(base, count, engine, &self.meter, &cancelled);
        // Overtaken, the next text is measured, or this one again.
        if measured != Err(EngineError::Cancelled) {
            self.compared = Some(revision);
        }
        match measured {
            Ok(Some(baseline)) => self.tell(Update::Baseline { revision, baseline }),
            Ok(None) => {}
            Err(error) => self.ended_early(kind, error),
        }
    }

    /// Whether noise is to be simulated, once the newest text is judged.
    fn noise_due(&self) -> bool {
        let judged = self.text.as_ref().filter(|_| self.check.is_some());
        judged.is_some_and(|(revision, _)| self.simulation.due(*revision))
    }

    /// Simulates noise on the engine that has judged the text.
    fn simulate_noise(&mut self) {
        let (Some(check), Some(&(revision, _))) = (&self.check, self.text.as_ref()) else { return };
        let (kind, base) = (check.kind(), check.base().clone());
        let cancelled = self.outdated(revision);
        let Some(engine) = self.engines.get(kind) else { return };
        match self.simulation.serve(revision, engine, &base, &cancelled) {
            Ok(report) => self.tell(Update::Noise { revision, report: Arc::new(report) }),
            Err(error) => self.ended_early(kind, error),
        }
    }

    /// Whether something is left to check and the engine for it is there.
    fn can_cross_check(&self) -> bool {
        let check = self.check.as_ref().filter(|check| !check.is_done());
        check.is_some_and(|check| check.kind() == Kind::Gpu || self.engines.gpu.is_some())
    }

    /// One step of the cross-check, by the engine that does not serve. A wish interrupts it.
    fn cross_check(&mut self) {
        let Some(mut check) = self.check.take() else { return };
        let other = if check.kind() == Kind::Cpu { Kind::Gpu } else { Kind::Cpu };
        let Some((revision, text)) = self.text.clone() else { return };
        let cancelled = self.outdated(revision);
        let Some(engine) = self.engines.get(other) else { return };
        let name = engine.describe();
        match check.step(engine, &text, &cancelled) {
            Ok(()) => {
                let (checked, difference) = (check.checked(), check.difference());
                self.check = Some(check);
                self.tell(Update::CrossCheck { revision, checked, other: name, difference });
            }
            // The part that was begun is judged again; of a stale text nothing is.
            Err(EngineError::Cancelled) => self.check = Some(check),
            Err(error) if other == Kind::Gpu => self.lose_gpu(&error),
            Err(error) => self.tell(Update::Notice(error.to_string())),
        }
    }

    /// Says whether what is done for a revision while nothing is asked has been overtaken, by an edit or a wish.
    fn outdated(&self, revision: u64) -> impl Fn() -> bool + use<> {
        let (latest, wishes) = (self.latest.clone(), self.wishes.clone());
        let number = wishes.load(Ordering::Acquire);
        move || latest.load(Ordering::Acquire) != revision || wishes.load(Ordering::Acquire) != number
    }
}

#[cfg(test)]
mod tests;
