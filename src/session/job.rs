//! The jobs that run while the user is idle, what the user looks at, and the results. A job reports its result as a
//! value of its own type, which only the panel that shows it needs to import.

use std::any::{Any, TypeId};
use std::fmt::{self, Debug};
use std::sync::Arc;

use crate::engine::Kind;
use crate::lang::index::{EntryId, RoutineId};

/// A kind of work that is done while no request is pending.
pub struct Job {
    pub name: &'static str,
    pub occasion: JobScope,
    pub by: JobEngine,
}

impl Job {
    const fn new(name: &'static str, occasion: JobScope, by: JobEngine) -> Job {
        Job { name, occasion, by }
    }

    /// Whether the job proves something, or compiles whole mutants or candidates, so that the text must have no error.
    pub fn needs_correct(&self) -> bool {
        [&BASELINE, &GROWTH, &MATRIX, &NEURAL, &NOISE, &ROUNDS, &ROUTER].iter().any(|job| job.name == self.name)
    }
}

pub static RUN: Job = Job::new("run", JobScope::Run, JobEngine::Server);
pub static ROOM: Job = Job::new("room", JobScope::Text, JobEngine::Server);
pub static INPUTS: Job = Job::new("inputs", JobScope::Text, JobEngine::Server);
pub static REPAIRS: Job = Job::new("repairs", JobScope::Text, JobEngine::Server);
pub static NEURAL: Job = Job::new("neural", JobScope::Function, JobEngine::Server);
pub static GROWTH: Job = Job::new("growth", JobScope::Function, JobEngine::Server);
pub static ROUTER: Job = Job::new("router", JobScope::Function, JobEngine::Server);
pub static NOISE: Job = Job::new("noise", JobScope::Look, JobEngine::Server);
pub static SURVIVORS: Job = Job::new("survivors", JobScope::Look, JobEngine::Server);
pub static MATRIX: Job = Job::new("matrix", JobScope::Look, JobEngine::Server);
pub static CHANGES: Job = Job::new("changes", JobScope::Text, JobEngine::Server);
pub static BASELINE: Job = Job::new("baseline", JobScope::Text, JobEngine::Server);
pub static SHADERS: Job = Job::new("shaders", JobScope::Text, JobEngine::Other);
pub static COMPARISON: Job = Job::new("comparison", JobScope::Text, JobEngine::Other);
pub static LADDER: Job = Job::new("ladder", JobScope::Look, JobEngine::Server);
pub static VALUES: Job = Job::new("values", JobScope::Values, JobEngine::Server);
pub static RULES: Job = Job::new("rules", JobScope::Text, JobEngine::Server);
pub static APPLIED_RULES: Job = Job::new("applied rules", JobScope::Look, JobEngine::Server);
pub static PROBES: Job = Job::new("probes", JobScope::Text, JobEngine::Server);
/// It is done with each text, before the mutants, and never later.
pub static VALUE_HINTS: Job = Job::new("value hints", JobScope::Look, JobEngine::Server);
pub static BLOCKS: Job = Job::new("blocks", JobScope::Look, JobEngine::Server);
pub static PROOFS: Job = Job::new("proofs", JobScope::Text, JobEngine::Server);
pub static LEARNING: Job = Job::new("learning", JobScope::Text, JobEngine::Server);
pub static ROUNDS: Job = Job::new("rounds", JobScope::Look, JobEngine::Device);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JobEngine {
    /// The engine that serves.
    Server,
    /// The engine that does not serve.
    Other,
    /// The GPU engine, whether or not it serves.
    Device,
}

impl JobEngine {
    /// Returns whether an engine of this kind does the job. `serves` says whether it is the serving engine.
    pub fn is(self, kind: Kind, serves: bool) -> bool {
        match self {
            JobEngine::Server => serves,
            JobEngine::Other => !serves,
            JobEngine::Device => kind == Kind::Gpu,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JobScope {
    /// Every judged text.
    Text,
    /// Every judged text, while a panel that shows the result is open.
    Look,
    /// The function under the cursor, while a panel that shows the result is open.
    Function,
    /// Likewise, in the run of the chosen test.
    Values,
    /// The requested run, while a panel that shows the result is open.
    Run,
}

impl PartialEq for Job {
    fn eq(&self, other: &Job) -> bool {
        self.name == other.name
    }
}

impl Debug for Job {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// The visible part of the interface.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VisibleJobs {
    /// Jobs whose results are visible.
    pub jobs: Vec<&'static Job>,
    /// The function under the cursor if one of the jobs needs it: its index in the newest text.
    pub function: Option<RoutineId>,
    /// The test that the user chose for the values, if it is still there.
    pub test: Option<EntryId>,
}

/// A job finishes each subject once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SessionSubject {
    pub epoch: u64,
    pub function: Option<RoutineId>,
    pub test: Option<EntryId>,
    /// The number of the requested run.
    pub run: Option<u32>,
}

/// The result of a job; each job has its own type.
pub trait JobResult: Any + Debug + Send + Sync {}

impl<T: Any + Debug + Send + Sync> JobResult for T {}

/// A result and the text that it is of. A newer finding of the same type replaces it.
#[derive(Clone, Debug)]
pub struct Finding {
    pub revision: u64,
    /// The function that the result is of, if it is of one.
    pub function: Option<RoutineId>,
    what: Arc<dyn JobResult>,
}

impl Finding {
    /// Returns the result if it has this type.
    pub fn what<T: JobResult>(&self) -> Option<&T> {
        (&*self.what as &dyn Any).downcast_ref()
    }

    pub fn kind(&self) -> TypeId {
        (*self.what).type_id()
    }

    pub fn new(revision: u64, function: Option<RoutineId>, what: impl JobResult) -> Finding {
        Finding { revision, function, what: Arc::new(what) }
    }
}

/// How much is compared while the user is idle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CompareExtent {
    Off,
    /// Some of the mutants, spread evenly.
    #[default]
    Sample,
    All,
}
