//! The workbench's interface to the engines. Requests carry a revision, updates refer to it, and stale work is
//! dropped.
//!
//! Each engine has a thread, and all threads share a [`board`]: what is wanted, which engines exist, what has
//! been judged. A request changes the board, so the latest request wins, running work notices that it is stale,
//! and no request waits for a slow device. The CPU engine serves from the start. The GPU engine is built on its
//! own thread when it is needed. It then serves, or repeats what the CPU engine has judged: the text at once,
//! mutants while the user is idle.

mod allowance;
mod baseline;
mod board;
mod changes;
mod comparison;
mod devices;
mod growth;
mod hybrid;
pub mod idle;
mod inputs;
mod judged;
mod ladder;
mod machine;
mod matrix;
mod neural;
mod noise;
mod repairs;
mod roster;
mod rounds;
mod runs;
mod shaders;
mod survivors;
mod wanted;
mod worker;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

use crate::compiler::program::Compiled;
use crate::engine::choose::Preference;
use crate::engine::{BaseResult, Engine, Kind, MutantResult};
use crate::host::measure::energy::{Energy, Meter};
pub use baseline::Baseline;
pub use changes::Changes;
pub use comparison::{CompareExtent, Compared, Progress};
pub use devices::{BuildProgress, Devices, Found, Purpose};
pub use growth::Growth;
pub use hybrid::Routing;
pub use idle::{Finding, LoadWeights, VisibleJobs};
pub use inputs::Inputs;
pub use ladder::{PassPoint, PassProfile};
pub use machine::Machine;
pub use matrix::{Filled, Noticed};
pub use neural::Neural;
pub use noise::SETTINGS as NOISE_SETTINGS;
pub use repairs::Repairs;
pub use roster::{Device, EngineInfo};
pub use rounds::Rounds;
pub use runs::{BEFORE, BEHIND, Breakpoint, CompareWith, Recorded, RunRequest};
pub use shaders::Shaders;
pub use survivors::Survivors;

use board::SharedState;
use idle::Setup;
use judged::Judged;
use roster::EngineRegistry;
use wanted::Wanted;
use worker::Worker;

/// A request of the interface to the engine threads. A newer edit supersedes older ones.
#[derive(Clone, Debug)]
pub enum Request {
    Edit(Edit),
    /// Use this engine from now on.
    Use(Preference),
    /// From now on, run the jobs that this needs whenever no other request is pending.
    Look(VisibleJobs),
    /// From now on, record this run of every text while its panel is open.
    Run(Arc<RunRequest>),
    Quit,
}

/// The text of a revision.
#[derive(Clone, Debug)]
pub struct Edit {
    pub revision: u64,
    pub text: Arc<str>,
    /// When the user made the edit; latencies are measured from here.
    pub at: Instant,
}

/// An update that the engine threads send to the interface.
#[derive(Clone, Debug)]
pub enum Update {
    /// Results of the base program. Always the first update of a revision.
    Base { revision: u64, at: Instant, result: BaseResult },
    /// Verdicts on some of the mutants. `total` is the number of mutants that will be judged for this revision,
    /// `first_order` the number of its first-order mutants.
    Mutants { revision: u64, total: u32, first_order: u32, part: MutantResult },
    /// All mutants of the revision have been judged. `energy` is that of the base and the mutants together.
    Done { revision: u64, at: Instant, wall: Duration, energy: Energy },
    /// The base takes long: `entry`, the first test or property that has not ended, has run on `inputs` of its
    /// inputs.
    Running { revision: u64, compiled: Arc<Compiled>, entry: u32, inputs: u32, taken: Duration },
    /// The result of an idle job.
    Found(Finding),
    /// The engine that serves and why; shown in the status bar. `meter` describes what measures its energy, or
    /// why nothing does. `device` is the state of the GPU engine, whichever engine serves.
    Engine { kind: Kind, description: String, reason: String, meter: String, device: Device },
    /// A message that the user must see: a lost device, an engine that cannot start.
    Notice(String),
}

impl Update {
    /// Returns when the edit that this update answers was made, if it answers one.
    pub fn at(&self) -> Option<Instant> {
        match self {
            Update::Base { at, .. } | Update::Done { at, .. } => Some(*at),
            _ => None,
        }
    }
}

/// Settings of a session.
pub struct Options {
    /// The CPU engine, which serves at once.
    pub cpu: Box<dyn Engine>,
    /// Source of the GPU engine; `None` to use no GPU engine at all.
    pub devices: Option<Arc<dyn Devices>>,
    /// The engine that the user requested.
    pub wanted: Preference,
    /// Number of mutants judged on each keystroke, if there are as many. First-order mutants are always judged.
    pub budget: u32,
    /// Whether every text that the CPU engine has judged also goes through the shaders at once.
    pub shaders: bool,
    /// Time without requests after which engines are compared and the conventional loop is measured.
    pub idle: Duration,
    /// How much of that is done.
    pub extent: CompareExtent,
    /// Number of inputs that each property is tested on while the user is idle.
    pub inputs: u32,
    /// Loads the neural compiler's weights.
    pub weights: LoadWeights,
    /// Measures the energy of a keystroke.
    pub meter: Meter,
    /// The history that the hybrid compiler's router learns from; `None` to learn nothing.
    pub history: Option<PathBuf>,
}

/// The threads of a session. Dropping it makes each thread end at its next poll of the board.
pub struct Session {
    board: Arc<SharedState>,
    /// Receives nothing; it disconnects when the last thread has ended.
    ended: Receiver<()>,
}

impl Session {
    /// Starts the threads. They call `updates` for each update, never concurrently. It must return quickly.
    ///
    /// # Errors
    /// If a thread cannot be started.
    pub fn start(options: Options, updates: impl FnMut(Update) + Send + 'static) -> std::io::Result<Session> {
        let Options {
            mut cpu,
            devices,
            wanted,
            budget,
            shaders,
            idle,
            extent,
            inputs,
            weights,
            meter,
            history,
        } = options;
        let roster = EngineRegistry::new(EngineInfo::of(&*cpu), devices.is_some());
        let board =
            SharedState::new(Wanted::new(wanted), roster, (meter, shaders, extent, idle), Box::new(updates));
        let board = Arc::new(board);
        // Announces which engine serves.
        board.change(|_| ());
        let setup = Arc::new(Setup::new(weights, history, inputs));
        let (alive, ended) = mpsc::channel();
        let (here, shared, own) = (alive.clone(), board.clone(), setup.clone());
        // The CPU engine fails only if its thread panics, so the result is dropped.
        let work = move || drop((Worker::new(shared, &mut *cpu, false, budget, &own).run(), here));
        std::thread::Builder::new().name("engine".into()).spawn(work)?;
        if let Some(devices) = devices {
            let board = board.clone();
            let work = move || {
                devices::run(&board, &*devices, budget, &setup);
                // The board is dropped before `alive`, so that after `ended` disconnects no thread holds the board.
                drop(board);
                drop(alive);
            };
            std::thread::Builder::new().name("devices".into()).spawn(work)?;
        }
        Ok(Session { board, ended })
    }

    /// Sends a request. It takes effect at once: work that it makes stale is cancelled, and it replaces earlier
    /// requests of the same kind.
    pub fn send(&self, request: Request) {
        self.board.ask(request);
    }

    /// Returns whether all requests have been served and all their updates sent.
    pub fn is_idle(&self) -> bool {
        let desk = self.board.lock();
        desk.settled == Some(desk.wanted.version)
    }

    /// Ends the session and waits for its threads, for at most `patience`. Some drivers crash if the program
    /// ends while they are at work.
    pub fn finish(&self, patience: Duration) {
        self.send(Request::Quit);
        // Nothing is ever sent: this returns when all threads have ended, or on timeout.
        let _ = self.ended.recv_timeout(patience);
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.send(Request::Quit);
    }
}

#[cfg(test)]
mod tests;
