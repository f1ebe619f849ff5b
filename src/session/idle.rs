//! Jobs that run while the user is idle: one row of [`JOBS`] each. A job works on a judged text and reports its
//! result as a value of its own type, which only the panel that shows it needs to import.

use std::any::{Any, TypeId};
use std::fmt::{self, Debug};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use super::board::{SessionState, SharedState};
use super::comparison::{self, CompareExtent};
use super::wanted::Wanted;
use super::{
    Judged, Update, baseline, changes, growth, hybrid, inputs, ladder, matrix, neural, noise, repairs, rounds,
    runs, shaders, survivors,
};
use crate::compiler::program::Watch;
use crate::engine::{Engine, EngineError, EntryResult, Kind};
use crate::lang::index::RoutineId;
use crate::network::weights::Weights;
use crate::testing::trace;

/// A kind of work that is done while no request is pending.
pub struct Job {
    pub name: &'static str,
    pub occasion: JobScope,
    pub by: JobEngine,
    /// Returns when the job is due unless a request comes first, or `None` if it has nothing to do.
    pub due: fn(&SharedState, &SessionState, &Judged) -> Option<Instant>,
    /// Builds the function that does the job on one engine.
    pub make: fn(&Arc<Setup>) -> Serve,
}

/// The engine that does a job.
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

/// The subject of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JobScope {
    /// Every judged text.
    Text,
    /// Every judged text, while a panel that shows the result is open.
    Look,
    /// The function under the cursor, while a panel that shows the result is open.
    Function,
    /// The requested run, while a panel that shows the result is open.
    Run,
}

pub static RUN: Job = Job {
    name: "run",
    occasion: JobScope::Run,
    by: JobEngine::Server,
    // The user waits for this run, so it is due at once.
    due: |_, desk, _| Some(desk.wanted.since),
    make: |setup| {
        let (setup, mut prepared) = (setup.clone(), false);
        Box::new(move |task, engine| {
            let step = runs::serve(&setup, task, engine)?;
            // Memory for the second recording is allocated while the user looks at the first. Later recordings
            // reuse the memory of the last but one.
            if !std::mem::replace(&mut prepared, true) {
                trace::preallocate_buffers_in_background();
            }
            Ok(step)
        })
    },
};

pub static ROOM: Job = Job {
    name: "room",
    occasion: JobScope::Text,
    by: JobEngine::Server,
    due: unasked,
    make: |_| {
        Box::new(|_, _| {
            trace::preallocate_buffers_in_background();
            Ok(Step::Done)
        })
    },
};

pub static INPUTS: Job = Job {
    name: "inputs",
    occasion: JobScope::Text,
    by: JobEngine::Server,
    due: unasked,
    make: |setup| {
        let (setup, mut begun) = (setup.clone(), None);
        Box::new(move |task, _| inputs::serve(&setup, &mut begun, task))
    },
};

pub static REPAIRS: Job = Job {
    name: "repairs",
    occasion: JobScope::Text,
    by: JobEngine::Server,
    // Shown next to the failing test, so it is sought for every text. If idle work is off, only while the
    // repairs are open.
    due: |board, desk, _| {
        let wanted = board.extent != CompareExtent::Off || desk.wanted.looked.jobs.contains(&&REPAIRS);
        wanted.then_some(desk.wanted.since)
    },
    make: |_| {
        let mut begun = None;
        Box::new(move |task, engine| repairs::serve(&mut begun, task, engine))
    },
};

pub static NEURAL: Job = Job {
    name: "neural",
    occasion: JobScope::Function,
    by: JobEngine::Server,
    due: soon,
    make: |setup| {
        let setup = setup.clone();
        Box::new(move |task, engine| neural::compile(&setup, task, engine))
    },
};

pub static GROWTH: Job = Job {
    name: "growth",
    occasion: JobScope::Function,
    by: JobEngine::Server,
    due: soon,
    make: |setup| {
        let setup = setup.clone();
        Box::new(move |task, engine| growth::measure(&setup, task, engine))
    },
};

pub static ROUTER: Job = Job {
    name: "router",
    occasion: JobScope::Function,
    by: JobEngine::Server,
    due: soon,
    make: |setup| {
        let mut hybrid = hybrid::Hybrid::new(setup.clone());
        Box::new(move |task, engine| hybrid.serve(task, engine))
    },
};

pub static NOISE: Job = Job {
    name: "noise",
    occasion: JobScope::Look,
    by: JobEngine::Server,
    due: soon,
    make: |_| Box::new(noise::simulate),
};

pub static SURVIVORS: Job = Job {
    name: "survivors",
    occasion: JobScope::Look,
    by: JobEngine::Server,
    due: soon,
    make: |_| {
        let mut begun = None;
        Box::new(move |task, _| survivors::serve(&mut begun, task))
    },
};

pub static MATRIX: Job = Job {
    name: "matrix",
    occasion: JobScope::Look,
    by: JobEngine::Server,
    due: soon,
    make: |_| {
        let mut begun = None;
        Box::new(move |task, _| matrix::serve(&mut begun, task))
    },
};

pub static CHANGES: Job = Job {
    name: "changes",
    occasion: JobScope::Text,
    by: JobEngine::Server,
    due: |_, desk, _| Some(desk.wanted.since),
    make: |_| {
        let mut before = None;
        Box::new(move |task, _| changes::serve(&mut before, task))
    },
};

pub static BASELINE: Job = Job {
    name: "baseline",
    occasion: JobScope::Text,
    by: JobEngine::Server,
    due: |board, desk, judged| {
        let wanted = board.extent != CompareExtent::Off && !judged.verdicts.is_empty();
        wanted.then_some(desk.wanted.since + board.idle)
    },
    make: |_| Box::new(baseline::measure),
};

pub static SHADERS: Job = Job {
    name: "shaders",
    occasion: JobScope::Text,
    by: JobEngine::Other,
    due: shaders::due,
    make: |_| Box::new(shaders::serve),
};

pub static COMPARISON: Job = Job {
    name: "comparison",
    occasion: JobScope::Text,
    by: JobEngine::Other,
    due: comparison::due,
    make: |_| {
        let mut begun = None;
        Box::new(move |task, engine| comparison::serve(&mut begun, task, engine))
    },
};

pub static LADDER: Job = Job {
    name: "ladder",
    occasion: JobScope::Look,
    by: JobEngine::Server,
    due: soon,
    make: |_| Box::new(|task, _| ladder::serve(task)),
};

pub static ROUNDS: Job = Job {
    name: "rounds",
    occasion: JobScope::Look,
    by: JobEngine::Device,
    due: soon,
    make: |_| Box::new(rounds::serve),
};

/// All jobs, in the order in which an engine does them.
pub static JOBS: [&Job; 16] = [
    &RUN,
    &CHANGES,
    &ROOM,
    &REPAIRS,
    &INPUTS,
    &NEURAL,
    &GROWTH,
    &ROUTER,
    &NOISE,
    &SURVIVORS,
    &MATRIX,
    &LADDER,
    &BASELINE,
    &ROUNDS,
    &SHADERS,
    &COMPARISON,
];

/// A job whose panel is open becomes due this long after the last request.
const PAUSE: Duration = Duration::from_millis(60);

/// Due after a pause, if idle work that nobody requested is allowed.
fn unasked(board: &SharedState, desk: &SessionState, _: &Judged) -> Option<Instant> {
    (board.extent != CompareExtent::Off).then_some(desk.wanted.since + PAUSE)
}

fn soon(_: &SharedState, desk: &SessionState, _: &Judged) -> Option<Instant> {
    Some(desk.wanted.since + PAUSE)
}

/// Returns when an engine of this kind has its next job on a text that the other engine has judged.
pub fn next_idle_job(board: &SharedState, desk: &SessionState, by: Kind) -> Option<Instant> {
    let judged = desk.current().filter(|judged| judged.kind != by)?;
    let is_open =
        |job: &Job| job.subject(&desk.wanted, judged).is_some_and(|subject| !desk.is_done(job, subject));
    let jobs = JOBS.iter().filter(|job| job.by.is(by, false) && is_open(job));
    jobs.filter_map(|job| (job.due)(board, desk, judged)).min()
}

/// Like [`next_idle_job`], for jobs that run only while their panel is open.
pub fn next_visible_job(board: &SharedState, desk: &SessionState, by: Kind) -> Option<Instant> {
    let judged = desk.current().filter(|judged| judged.kind != by)?;
    let is_open =
        |job: &Job| job.subject(&desk.wanted, judged).is_some_and(|subject| !desk.is_done(job, subject));
    let looked_at = |job: &Job| job.occasion != JobScope::Text && job.by.is(by, false);
    let jobs = JOBS.iter().filter(|job| looked_at(job) && is_open(job));
    jobs.filter_map(|job| (job.due)(board, desk, judged)).min()
}

impl Job {
    /// Returns the subject that the job should work on, or `None` if no panel shows its result.
    pub fn subject(&self, wanted: &Wanted, judged: &Judged) -> Option<Subject> {
        let looked = &wanted.looked;
        let mut subject = Subject { epoch: judged.epoch, function: None, run: None };
        match self.occasion {
            JobScope::Run => subject.run = Some(wanted.run.as_ref()?.number),
            // A function that no longer exists belongs to an older text; the interface will send a new one.
            JobScope::Function => {
                let functions = judged.base.compiled.functions();
                subject.function = Some(looked.function.filter(|function| functions.contains(*function))?);
            }
            _ => {}
        }
        let wanted = self.occasion == JobScope::Text || looked.jobs.contains(&self);
        wanted.then_some(subject)
    }
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
}

/// A job finishes each subject once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Subject {
    pub epoch: u64,
    pub function: Option<RoutineId>,
    /// The number of the requested run.
    pub run: Option<u32>,
}

/// State shared by the jobs of all engines.
pub struct Setup {
    load: LoadWeights,
    loaded: OnceLock<Result<Arc<Weights>, String>>,
    /// The history that the hybrid compiler's router learns from; `None` to learn nothing.
    pub history: Option<PathBuf>,
    /// Number of inputs that each property is tested on while the user is idle.
    pub inputs: u32,
    /// The epoch of a text, and the results of its tests on more inputs so far.
    ended: Mutex<(u64, Vec<EntryResult>)>,
}

/// Reads the weights, on first use.
pub type LoadWeights = Arc<dyn Fn() -> Result<Arc<Weights>, String> + Send + Sync>;

impl Setup {
    pub fn new(load: LoadWeights, history: Option<PathBuf>, inputs: u32) -> Setup {
        Setup { load, loaded: OnceLock::new(), history, inputs, ended: Mutex::default() }
    }

    /// Stores the results of an epoch's tests on more inputs.
    pub fn keep_ended(&self, epoch: u64, ended: &[EntryResult]) {
        *self.ended.lock().unwrap_or_else(PoisonError::into_inner) = (epoch, ended.to_vec());
    }

    /// Returns the stored results of this text's tests, or else the engine's own.
    pub fn ended(&self, judged: &Judged) -> Vec<EntryResult> {
        let kept = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.0 == judged.epoch && !kept.1.is_empty() { kept.1.clone() } else { judged.base.entries.clone() }
    }

    /// Returns the weights, or why they cannot be loaded.
    pub fn weights(&self) -> Result<Arc<Weights>, String> {
        self.loaded.get_or_init(|| (self.load)()).clone()
    }
}

/// Does a job with an engine. If it fails or is cancelled, results that it has already reported remain.
pub type Serve = Box<dyn FnMut(&Task, &mut dyn Engine) -> Result<Step, EngineError> + Send>;

/// Outcome of one call of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// More work remains; the job will be called again when it is due.
    Begun,
    Done,
}

/// One call of a job on an engine.
pub struct Task {
    pub board: Arc<SharedState>,
    pub judged: Arc<Judged>,
    pub subject: Subject,
    /// The version at which it began.
    pub version: u64,
}

impl Task {
    /// Reports what has been found so far.
    pub fn found(&self, what: impl JobResult) {
        let Subject { epoch, function, .. } = self.subject;
        self.board.tell(epoch, Update::Found(Finding::new(self.judged.revision, function, what)));
    }
}

/// A task is cancelled by any request that arrives after it began.
impl Watch for Task {
    fn cancelled(&self) -> bool {
        self.board.is_overtaken(self.version)
    }
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

    /// Returns the type of the result.
    pub fn kind(&self) -> TypeId {
        (*self.what).type_id()
    }

    pub fn new(revision: u64, function: Option<RoutineId>, what: impl JobResult) -> Finding {
        Finding { revision, function, what: Arc::new(what) }
    }
}
