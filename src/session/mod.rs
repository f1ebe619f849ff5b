//! The workbench's side of the engines: requests carry a revision, updates answer with it, stale work is dropped.
//!
//! Each engine has a thread, and all threads share a [`board`]: what is wanted, which engines there are, what has been
//! judged. A request changes the board, so of several the latest holds, whoever is at work sees that its work is stale, and
//! nobody waits behind a slow device. The CPU engine serves from the first moment; the GPU engine is built on its own
//! thread when it is needed and then serves, or does again what the other one has judged: the text at once, mutants while nothing is
//! asked.

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
pub use comparison::{Compared, Extent, Progress};
pub use devices::{Devices, Found, Pieces, Purpose};
pub use growth::Growth;
pub use hybrid::Routing;
pub use idle::{Finding, LoadWeights, Looked};
pub use inputs::Inputs;
pub use ladder::{Ladder, Rung};
pub use machine::Machine;
pub use matrix::{Filled, Noticed};
pub use neural::Neural;
pub use noise::SETTINGS as NOISE_SETTINGS;
pub use repairs::Repairs;
pub use roster::{Device, Seat};
pub use rounds::Rounds;
pub use runs::{Against, BEFORE, BEHIND, Breakpoint, Recorded, Wish};
pub use shaders::Shaders;
pub use survivors::Survivors;

use board::Board;
use idle::Setup;
use judged::Judged;
use roster::Roster;
use wanted::Wanted;
use worker::Worker;

/// What the interface asks of the engine thread. Newer edits supersede older ones.
#[derive(Clone, Debug)]
pub enum Request {
    Edit(Edit),
    /// Use this engine from now on.
    Use(Preference),
    /// From now on, do what this needs whenever nothing else is asked.
    Look(Looked),
    /// From now on, record this run of every text while somebody looks at it.
    Run(Arc<Wish>),
    Quit,
}

/// The text as of a revision.
#[derive(Clone, Debug)]
pub struct Edit {
    pub revision: u64,
    pub text: Arc<str>,
    /// When somebody asked for it: the answers to it count from there.
    pub at: Instant,
}

/// What the engine thread tells the interface.
#[derive(Clone, Debug)]
pub enum Update {
    /// The base's own panels: always first for a revision.
    Base { revision: u64, at: Instant, result: BaseResult },
    /// A part of the mutants' verdicts. `total` is how many this revision will judge in all, `first_order` how many
    /// first-order mutants it has.
    Mutants { revision: u64, total: u32, first_order: u32, part: MutantResult },
    /// All mutants of the revision are judged; `energy` is what base and mutants together took.
    Done { revision: u64, at: Instant, wall: Duration, energy: Energy },
    /// The base takes long: this test or property, the first that has not ended, has run on so many of its inputs.
    Running { revision: u64, compiled: Arc<Compiled>, entry: u32, inputs: u32, taken: Duration },
    /// What was found while nothing was asked.
    Found(Finding),
    /// Which engine runs and why; shown in the status bar. `meter` says what measures its energy, or why nothing does, and `device` how
    /// far the GPU engine is, whichever runs.
    Engine { kind: Kind, description: String, reason: String, meter: String, device: Device },
    /// Something the user must know: a lost device, an engine that cannot start.
    Notice(String),
}

impl Update {
    /// When somebody asked for what it answers, where it is of a text's being judged.
    pub fn at(&self) -> Option<Instant> {
        match self {
            Update::Base { at, .. } | Update::Done { at, .. } => Some(*at),
            _ => None,
        }
    }
}

/// How a session is set up.
pub struct Options {
    /// The CPU engine, which serves at once.
    pub cpu: Box<dyn Engine>,
    /// Where the GPU engine comes from; `None` where none is wanted at all.
    pub devices: Option<Arc<dyn Devices>>,
    /// The engine that the user asked for.
    pub wanted: Preference,
    /// Mutants that a keystroke judges where there are enough; all of first order always are.
    pub budget: u32,
    /// Whether every text that the CPU engine has judged goes through the shaders at once.
    pub shaders: bool,
    /// How long nothing must be asked before engines are compared and the conventional loop is measured.
    pub idle: Duration,
    /// How much of it is done then.
    pub extent: Extent,
    /// Inputs of each property that are gone on to while nothing is asked.
    pub inputs: u32,
    /// Where the neural compiler's weights come from.
    pub weights: LoadWeights,
    /// What says how much energy a keystroke takes.
    pub meter: Meter,
    /// Where the hybrid compiler's router learns; nowhere if none is said.
    pub history: Option<PathBuf>,
}

/// The threads of a session. Dropping it ends each at its next look at the board.
pub struct Session {
    board: Arc<Board>,
    /// Hears nothing, and of its end when the last thread has ended.
    ended: Receiver<()>,
}

impl Session {
    /// Starts the threads; they call `updates` for each thing that they have to tell, one at a time. It must not take long.
    ///
    /// # Errors
    /// If there is no thread to be had.
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
        let roster = Roster::new(Seat::of(&*cpu), devices.is_some());
        let board = Board::new(Wanted::new(wanted), roster, (meter, shaders, extent, idle), Box::new(updates));
        let board = Arc::new(board);
        // Says which engine serves.
        board.change(|_| ());
        let setup = Arc::new(Setup::new(weights, history, inputs));
        let (alive, ended) = mpsc::channel();
        let (here, shared, own) = (alive.clone(), board.clone(), setup.clone());
        // The CPU engine fails with its thread alone.
        let work = move || drop((Worker::new(shared, &mut *cpu, false, budget, &own).run(), here));
        std::thread::Builder::new().name("engine".into()).spawn(work)?;
        if let Some(devices) = devices {
            let board = board.clone();
            let work = move || {
                devices::run(&board, &*devices, budget, &setup);
                // Whoever hears of the end is alone with the board.
                drop(board);
                drop(alive);
            };
            std::thread::Builder::new().name("devices".into()).spawn(work)?;
        }
        Ok(Session { board, ended })
    }

    /// Asks for something. It holds at once: all work that it makes stale is cancelled, and of the same kind of request
    /// the latest counts.
    pub fn send(&self, request: Request) {
        self.board.ask(request);
    }

    /// Whether nothing is left to do of all that was asked, and all that came of it has been told.
    pub fn rests(&self) -> bool {
        let desk = self.board.lock();
        desk.settled == Some(desk.wanted.version)
    }

    /// Ends the session and waits until its threads have ended, for so long at most. Where the program ends while a driver is
    /// still at work, some drivers crash.
    pub fn finish(&self, patience: Duration) {
        self.send(Request::Quit);
        // Nobody sends anything: this is the end of all threads, or of patience.
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
