//! One call of a job, and the state that all jobs share.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use super::job::{Finding, JobResult, SessionSubject};
use super::judged::Judged;
use super::messages::Update;
use super::proved::KnownProofs;
use super::shared_state::SharedState;
use crate::compiler::program::Watch;
use crate::engine::{Engine, EngineError, EntryResult};
use crate::network::weights::Weights;
use crate::testing::rules::KnownRules;

/// State shared by the jobs of all engines.
pub struct Setup {
    load: LoadWeights,
    loaded: OnceLock<Result<Arc<Weights>, String>>,
    /// The history that the hybrid compiler's router learns from; `None` to learn nothing.
    pub history: Option<PathBuf>,
    /// The folder of the store of learned code; `None` to keep nothing.
    pub learned: Option<PathBuf>,
    /// Number of inputs that each property is tested on while the user is idle.
    pub inputs: u32,
    /// The longest time that an expression for a `?` is sought, for each text.
    pub filling: Duration,
    /// The epoch of a text, and the results of its tests on more inputs so far.
    ended: Mutex<(u64, Vec<EntryResult>)>,
    /// The prover's answers about mutants of this text and of earlier ones.
    proofs: Mutex<KnownProofs>,
    /// The verdicts on rules of this text and of earlier ones.
    rules: Mutex<KnownRules>,
}

/// Reads the weights, on first use.
pub type LoadWeights = Arc<dyn Fn() -> Result<Arc<Weights>, String> + Send + Sync>;

impl Setup {
    /// `kept` names the history and the store of learned code.
    pub fn new(
        load: LoadWeights,
        kept: (Option<PathBuf>, Option<PathBuf>),
        inputs: u32,
        filling: Duration,
    ) -> Setup {
        let (history, learned) = kept;
        Setup {
            load,
            loaded: OnceLock::new(),
            history,
            learned,
            inputs,
            filling,
            ended: Mutex::default(),
            proofs: Mutex::default(),
            rules: Mutex::default(),
        }
    }

    /// Stores the results of an epoch's tests on more inputs.
    pub fn keep_ended(&self, epoch: u64, ended: &[EntryResult]) {
        *self.ended.lock().unwrap_or_else(PoisonError::into_inner) = (epoch, ended.to_vec());
    }

    /// Returns the stored results of this text's tests, or else the engine's own.
    pub fn ended(&self, judged: &Judged) -> Vec<EntryResult> {
        let kept = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.0 == judged.epoch && !kept.1.is_empty() { kept.1.clone() } else { judged.shown.entries.clone() }
    }

    /// Reads or extends the prover's answers.
    pub fn proofs<T>(&self, with: impl FnOnce(&mut KnownProofs) -> T) -> T {
        with(&mut self.proofs.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Reads or extends the verdicts on rules.
    pub fn rules<T>(&self, with: impl FnOnce(&mut KnownRules) -> T) -> T {
        with(&mut self.rules.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns the weights, or why they cannot be loaded.
    pub fn weights(&self) -> Result<Arc<Weights>, String> {
        self.loaded.get_or_init(|| (self.load)()).clone()
    }
}

/// Does a job with an engine. If it fails or is cancelled, results that it has already reported remain.
pub type Serve = Box<dyn FnMut(&Task, &mut dyn Engine) -> Result<Step, EngineError> + Send>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// More work remains; the job will be called again when it is due.
    Begun,
    Done,
}

/// One call of a job on an engine.
pub struct Task {
    pub shared: Arc<SharedState>,
    pub judged: Arc<Judged>,
    pub subject: SessionSubject,
    /// The version at which it began.
    pub version: u64,
}

impl Task {
    /// Reports what has been found so far.
    pub fn found(&self, what: impl JobResult) {
        let SessionSubject { epoch, function, .. } = self.subject;
        self.shared.tell(epoch, Update::Found(Finding::new(self.judged.revision, function, what)));
    }
}

/// A task is cancelled by any request that arrives after it began.
impl Watch for Task {
    fn cancelled(&self) -> bool {
        self.shared.is_overtaken(self.version)
    }
}
