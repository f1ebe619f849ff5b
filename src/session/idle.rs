//! What is done while nothing is asked: a row for each job. A job works on what has been judged and tells what it finds as a
//! value of a type of its own, which nobody but its panel has to know.

use std::any::{Any, TypeId};
use std::fmt::{self, Debug};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use super::board::{Board, Desk};
use super::comparison::{self, Extent};
use super::wanted::Wanted;
use super::{
    Judged, Update, baseline, changes, growth, hybrid, inputs, ladder, matrix, neural, noise, repairs, rounds,
    runs, shaders, survivors,
};
use crate::compiler::program::Watch;
use crate::engine::{Engine, EngineError, EntryResult, Kind};
use crate::network::weights::Weights;
use crate::testing::trace;

/// Something that is done while nothing is asked.
pub struct Job {
    pub name: &'static str,
    pub occasion: Occasion,
    pub by: By,
    /// When it is due, unless something is asked before; `None` where there is nothing to do.
    pub due: fn(&Board, &Desk, &Judged) -> Option<Instant>,
    /// Makes what does it, for one engine.
    pub make: fn(&Arc<Setup>) -> Serve,
}

/// Which engine does a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// The one that serves.
    Server,
    /// The other one.
    Other,
    /// The GPU engine, whichever serves.
    Device,
}

impl By {
    /// Whether an engine of this kind does it, which serves or does not.
    pub fn is(self, kind: Kind, serves: bool) -> bool {
        match self {
            By::Server => serves,
            By::Other => !serves,
            By::Device => kind == Kind::Gpu,
        }
    }
}

/// What a job is done for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Occasion {
    /// Every text that has been judged.
    Text,
    /// The same while somebody looks at what it finds.
    Look,
    /// The function under the cursor, while somebody looks.
    Function,
    /// What is to be run, while somebody looks.
    Run,
}

pub static RUN: Job = Job {
    name: "run",
    occasion: Occasion::Run,
    by: By::Server,
    // Somebody waits for it.
    due: |_, desk, _| Some(desk.wanted.since),
    make: |setup| {
        let (setup, mut prepared) = (setup.clone(), false);
        Box::new(move |task, engine| {
            let step = runs::serve(&setup, task, engine)?;
            // The second recording is made while the first is looked at; from the third on each leaves its room to the next but one.
            if !std::mem::replace(&mut prepared, true) {
                trace::make_room_aside();
            }
            Ok(step)
        })
    },
};

pub static ROOM: Job = Job {
    name: "room",
    occasion: Occasion::Text,
    by: By::Server,
    due: unasked,
    make: |_| {
        Box::new(|_, _| {
            trace::make_room_aside();
            Ok(Step::Done)
        })
    },
};

pub static INPUTS: Job = Job {
    name: "inputs",
    occasion: Occasion::Text,
    by: By::Server,
    due: unasked,
    make: |setup| {
        let (setup, mut begun) = (setup.clone(), None);
        Box::new(move |task, _| inputs::serve(&setup, &mut begun, task))
    },
};

pub static REPAIRS: Job = Job {
    name: "repairs",
    occasion: Occasion::Text,
    by: By::Server,
    // Who reads that a test fails reads how it can be mended; where nothing is to be done unasked, only who looks at repairs.
    due: |board, desk, _| {
        let wanted = board.extent != Extent::Off || desk.wanted.looked.jobs.contains(&&REPAIRS);
        wanted.then_some(desk.wanted.since)
    },
    make: |_| {
        let mut begun = None;
        Box::new(move |task, engine| repairs::serve(&mut begun, task, engine))
    },
};

pub static NEURAL: Job = Job {
    name: "neural",
    occasion: Occasion::Function,
    by: By::Server,
    due: soon,
    make: |setup| {
        let setup = setup.clone();
        Box::new(move |task, engine| neural::compile(&setup, task, engine))
    },
};

pub static GROWTH: Job = Job {
    name: "growth",
    occasion: Occasion::Function,
    by: By::Server,
    due: soon,
    make: |setup| {
        let setup = setup.clone();
        Box::new(move |task, engine| growth::measure(&setup, task, engine))
    },
};

pub static ROUTER: Job = Job {
    name: "router",
    occasion: Occasion::Function,
    by: By::Server,
    due: soon,
    make: |setup| {
        let mut hybrid = hybrid::Hybrid::new(setup.clone());
        Box::new(move |task, engine| hybrid.serve(task, engine))
    },
};

pub static NOISE: Job = Job {
    name: "noise",
    occasion: Occasion::Look,
    by: By::Server,
    due: soon,
    make: |_| Box::new(noise::simulate),
};

pub static SURVIVORS: Job = Job {
    name: "survivors",
    occasion: Occasion::Look,
    by: By::Server,
    due: soon,
    make: |_| {
        let mut begun = None;
        Box::new(move |task, _| survivors::serve(&mut begun, task))
    },
};

pub static MATRIX: Job = Job {
    name: "matrix",
    occasion: Occasion::Look,
    by: By::Server,
    due: soon,
    make: |_| {
        let mut begun = None;
        Box::new(move |task, _| matrix::serve(&mut begun, task))
    },
};

pub static CHANGES: Job = Job {
    name: "changes",
    occasion: Occasion::Text,
    by: By::Server,
    due: |_, desk, _| Some(desk.wanted.since),
    make: |_| {
        let mut before = None;
        Box::new(move |task, _| changes::serve(&mut before, task))
    },
};

pub static BASELINE: Job = Job {
    name: "baseline",
    occasion: Occasion::Text,
    by: By::Server,
    due: |board, desk, judged| {
        let wanted = board.extent != Extent::Off && !judged.verdicts.is_empty();
        wanted.then_some(desk.wanted.since + board.idle)
    },
    make: |_| Box::new(baseline::measure),
};

pub static SHADERS: Job = Job {
    name: "shaders",
    occasion: Occasion::Text,
    by: By::Other,
    due: shaders::due,
    make: |_| Box::new(shaders::serve),
};

pub static COMPARISON: Job = Job {
    name: "comparison",
    occasion: Occasion::Text,
    by: By::Other,
    due: comparison::due,
    make: |_| {
        let mut begun = None;
        Box::new(move |task, engine| comparison::serve(&mut begun, task, engine))
    },
};

pub static LADDER: Job = Job {
    name: "ladder",
    occasion: Occasion::Look,
    by: By::Server,
    due: soon,
    make: |_| Box::new(|task, _| ladder::serve(task)),
};

pub static ROUNDS: Job = Job {
    name: "rounds",
    occasion: Occasion::Look,
    by: By::Device,
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

/// What somebody looks at is done when nothing was asked for so long.
const PAUSE: Duration = Duration::from_millis(60);

/// After a pause, where anything is to be done that nobody asked for.
fn unasked(board: &Board, desk: &Desk, _: &Judged) -> Option<Instant> {
    (board.extent != Extent::Off).then_some(desk.wanted.since + PAUSE)
}

fn soon(_: &Board, desk: &Desk, _: &Judged) -> Option<Instant> {
    Some(desk.wanted.since + PAUSE)
}

/// When the engine of a kind has something to do with what the other has judged, if it has.
pub fn due_beside(board: &Board, desk: &Desk, by: Kind) -> Option<Instant> {
    let judged = desk.current().filter(|judged| judged.kind != by)?;
    let is_open =
        |job: &Job| job.subject(&desk.wanted, judged).is_some_and(|subject| !desk.is_done(job, subject));
    let jobs = JOBS.iter().filter(|job| job.by.is(by, false) && is_open(job));
    jobs.filter_map(|job| (job.due)(board, desk, judged)).min()
}

/// The same of what somebody looks at.
pub fn due_looked_at(board: &Board, desk: &Desk, by: Kind) -> Option<Instant> {
    let judged = desk.current().filter(|judged| judged.kind != by)?;
    let is_open =
        |job: &Job| job.subject(&desk.wanted, judged).is_some_and(|subject| !desk.is_done(job, subject));
    let looked_at = |job: &Job| job.occasion != Occasion::Text && job.by.is(by, false);
    let jobs = JOBS.iter().filter(|job| looked_at(job) && is_open(job));
    jobs.filter_map(|job| (job.due)(board, desk, judged)).min()
}

impl Job {
    /// What it is to be done for, of what has been judged; `None` where nobody looks.
    pub fn subject(&self, wanted: &Wanted, judged: &Judged) -> Option<Subject> {
        let looked = &wanted.looked;
        let function = match self.occasion {
            Occasion::Run => Some(wanted.run.as_ref()?.number),
            // A function that is gone is older than the text: what is looked at now will be told.
            Occasion::Function => Some(looked.function.filter(|f| *f < judged.base.compiled.facts.functions)?),
            _ => None,
        };
        let wanted = self.occasion == Occasion::Text || looked.jobs.contains(&self);
        wanted.then_some(Subject { epoch: judged.epoch, function })
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

/// What the interface looks at.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Looked {
    /// The jobs whose findings show.
    pub jobs: Vec<&'static Job>,
    /// The function under the cursor, where one of them is about it: its number among those of the newest text.
    pub function: Option<u32>,
}

/// What a job is done for, once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Subject {
    pub epoch: u64,
    /// The function that it is of, or the number of what is run.
    pub function: Option<u32>,
}

/// What the jobs of all engines share.
pub struct Setup {
    load: LoadWeights,
    loaded: OnceLock<Result<Arc<Weights>, String>>,
    /// Where the hybrid compiler's router learns; nowhere if none is said.
    pub history: Option<PathBuf>,
    /// Inputs of each property to go on to.
    pub inputs: u32,
    /// How the tests of the text of an epoch end on more inputs, so far.
    ended: Mutex<(u64, Vec<EntryResult>)>,
}

/// Reads the weights; called when they are first needed.
pub type LoadWeights = Arc<dyn Fn() -> Result<Arc<Weights>, String> + Send + Sync>;

impl Setup {
    pub fn new(load: LoadWeights, history: Option<PathBuf>, inputs: u32) -> Setup {
        Setup { load, loaded: OnceLock::new(), history, inputs, ended: Mutex::default() }
    }

    /// Keeps how the tests of the text of an epoch end on more inputs.
    pub fn keep_ended(&self, epoch: u64, ended: &[EntryResult]) {
        *self.ended.lock().unwrap_or_else(PoisonError::into_inner) = (epoch, ended.to_vec());
    }

    /// How they end, as far as that is known; else as the engine says.
    pub fn ended(&self, judged: &Judged) -> Vec<EntryResult> {
        let kept = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.0 == judged.epoch && !kept.1.is_empty() { kept.1.clone() } else { judged.base.entries.clone() }
    }

    /// The weights, or why there are none.
    pub fn weights(&self) -> Result<Arc<Weights>, String> {
        self.loaded.get_or_init(|| (self.load)()).clone()
    }
}

/// Does a job with an engine. Where it fails or is cancelled, what it has told stays.
pub type Serve = Box<dyn FnMut(&Task, &mut dyn Engine) -> Result<Step, EngineError> + Send>;

/// How far a job has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// There is more to do, when it is due again.
    Begun,
    Done,
}

/// A job as an engine is to do it now.
pub struct Task {
    pub board: Arc<Board>,
    pub judged: Arc<Judged>,
    pub subject: Subject,
    /// The request after which it was begun.
    pub version: u64,
}

impl Task {
    /// Tells what has been found so far.
    pub fn found(&self, what: impl Fact) {
        let Subject { epoch, function } = self.subject;
        self.board.tell(epoch, Update::Found(Finding::new(self.judged.revision, function, what)));
    }
}

/// It is cancelled where something was asked meanwhile.
impl Watch for Task {
    fn cancelled(&self) -> bool {
        self.board.is_overtaken(self.version)
    }
}

/// What a job finds, of a type of its own.
pub trait Fact: Any + Debug + Send + Sync {}
impl<T: Any + Debug + Send + Sync> Fact for T {}

/// What has been found, and of which text. The newest of a type says all that is known.
#[derive(Clone, Debug)]
pub struct Finding {
    pub revision: u64,
    /// The function that it is of, if it is of one.
    pub function: Option<u32>,
    what: Arc<dyn Fact>,
}

impl Finding {
    /// What has been found, if it is of this type.
    pub fn what<T: Fact>(&self) -> Option<&T> {
        (&*self.what as &dyn Any).downcast_ref()
    }

    /// The type of what has been found.
    pub fn kind(&self) -> TypeId {
        (*self.what).type_id()
    }

    pub fn new(revision: u64, function: Option<u32>, what: impl Fact) -> Finding {
        Finding { revision, function, what: Arc::new(what) }
    }
}
