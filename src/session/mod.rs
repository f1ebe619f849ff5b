//! The workbench's interface to the engines. Requests carry a revision, updates refer to it, and stale work is
//! dropped.
//!
//! Each engine has a thread, and all threads share a [`SharedState`]: what is wanted, which engines exist, what has
//! been judged. A request changes it, so the latest request wins, running work notices that it is stale,
//! and no request waits for a slow device. The CPU engine serves from the start. The GPU engine is built on its
//! own thread when it is needed. It then serves, or repeats what the CPU engine has judged: the text at once,
//! mutants while the user is idle.

// A path begins with its room, in every member.
extern crate self as session;
use {::compiler, ::engine, ::host, ::lang, ::learned, ::network, ::paper, ::report, ::testing};

mod allowance;
mod baseline;
mod blocks;
mod changes;
mod comparison;
mod devices;
mod follow;
mod growth;
mod hybrid;
mod idle;
mod inputs;
pub mod job;
mod judged;
mod ladder;
mod learning;
mod machine;
mod matrix;
mod messages;
mod neural;
mod noise;
mod probes;
mod proofs;
mod proved;
mod repairs;
mod request;
mod roster;
mod rounds;
mod rules;
mod runs;
mod shaders;
mod shared_state;
mod speeds;
mod survivors;
mod task;
mod values;
mod wanted;
mod worker;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver};
use std::time::Duration;

use crate::engine::Engine;
use crate::engine::choose::Preference;
use crate::host::measure::energy::Meter;
use crate::lang::level::LevelChoice;
pub use baseline::Baseline;
pub use blocks::{BlockProfile, Graph};
pub use changes::Changes;
pub use comparison::{Compared, Progress};
pub use devices::{BuildProgress, Devices, Purpose};
pub use follow::Follow;
pub use growth::Growth;
pub use hybrid::Routing;
pub use inputs::Inputs;
pub use job::{CompareExtent, Finding, VisibleJobs};

pub use ladder::{PassPoint, PassProfile};
pub use learning::Learning;
pub use machine::Machine;
pub use matrix::{Filled, KillMatrix};
pub use messages::{Edit, Request, Update};
pub use neural::Neural;
pub use noise::SETTINGS as NOISE_SETTINGS;
pub use proofs::{Proof, Proofs};
pub use proved::Proved;
pub use repairs::{Filling, Repairs};
pub use request::{Breakpoint, CompareWith, RunRequest};
pub use roster::{Device, EngineInfo, Found};
pub use rounds::Rounds;
pub use runs::{BEFORE, BEHIND, Recorded};
pub use shaders::Shaders;
pub use survivors::Survivors;
pub use task::LoadWeights;
pub use values::{STEPS_AT_ONCE, ValueHint, ValueHints, ValuesRun, record as record_values};

use roster::EngineRegistry;
use shared_state::SharedState;
use task::Setup;
use wanted::Wanted;
use worker::Worker;

pub struct Options {
    /// The CPU engine, which serves at once.
    pub cpu: Box<dyn Engine>,
    /// Source of the GPU engine; `None` to use no GPU engine at all.
    pub devices: Option<Arc<dyn Devices>>,
    /// The engine that the user requested.
    pub wanted: Preference,
    /// Who chooses the level of bases.
    pub level: LevelChoice,
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
    /// The longest time that an expression for a `?` is sought, for each text.
    pub filling: Duration,
    /// Loads the neural compiler's weights.
    pub weights: LoadWeights,
    /// Measures the energy of a keystroke.
    pub meter: Meter,
    /// The history that the hybrid compiler's router learns from; `None` to learn nothing.
    pub history: Option<PathBuf>,
    /// The folder of the store of learned code; `None` to keep nothing.
    pub learned: Option<PathBuf>,
}

/// The threads of a session. Dropping it makes each thread end at its next poll of the shared state.
pub struct Session {
    shared: Arc<SharedState>,
    /// Number of updates that the interface has received.
    delivered: Arc<AtomicU64>,
    /// Receives nothing; it disconnects when the last thread has ended.
    ended: Receiver<()>,
}

impl Session {
    /// Starts the threads. One of them calls `updates` for each update, in order and without a lock, so `updates` may
    /// call the session.
    ///
    /// # Errors
    /// If a thread cannot be started.
    pub fn start(
        options: Options,
        mut updates: impl FnMut(Update) + Send + 'static,
    ) -> std::io::Result<Session> {
        let Options {
            mut cpu,
            devices,
            wanted,
            level,
            budget,
            shaders,
            idle,
            extent,
            inputs,
            filling,
            weights,
            meter,
            history,
            learned,
        } = options;
        let roster = EngineRegistry::new(EngineInfo::of(&*cpu), devices.is_some());
        let (sender, incoming) = mpsc::channel();
        let delivered = Arc::new(AtomicU64::new(0));
        let count = delivered.clone();
        // A thread of its own calls the interface, so that an update never waits for a lock that the interface
        // holds.
        let forward = move || {
            for update in incoming {
                updates(update);
                count.fetch_add(1, Ordering::Release);
            }
        };
        std::thread::Builder::new().name("updates".into()).spawn(forward)?;
        let shared =
            SharedState::new(Wanted::new(wanted, level), roster, (meter, shaders, extent, idle), sender);
        let shared = Arc::new(shared);
        // Announces which engine serves.
        shared.change(|_| ());
        let setup = Arc::new(Setup::new(weights, (history, learned), inputs, filling));
        let (alive, ended) = mpsc::channel();
        let (here, mine, own) = (alive.clone(), shared.clone(), setup.clone());
        // The CPU engine fails only if its thread panics, so the result is dropped.
        let work = move || drop((Worker::new(mine, &mut *cpu, false, budget, &own).run(), here));
        std::thread::Builder::new().name("engine".into()).spawn(work)?;
        if let Some(devices) = devices {
            let shared = shared.clone();
            let work = move || {
                devices::run(&shared, &*devices, budget, &setup);
                // Dropped before `alive`: after `ended` disconnects, no thread holds the shared state.
                drop(shared);
                drop(alive);
            };
            std::thread::Builder::new().name("devices".into()).spawn(work)?;
        }
        Ok(Session { shared, delivered, ended })
    }

    /// Sends a request. It takes effect at once: work that it makes stale is cancelled, and it replaces earlier
    /// requests of the same kind.
    pub fn send(&self, request: Request) {
        self.shared.ask(request);
    }

    /// Returns whether all requests have been served and all their updates delivered.
    pub fn is_idle(&self) -> bool {
        let state = self.shared.lock();
        state.settled == Some(state.wanted.version) && self.delivered.load(Ordering::Acquire) == state.sent
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
