//! Sends every text through the shaders: the engine that does not serve compiles and runs the judged text at
//! once. The result is compared and timed. This is also the first step of comparing mutants.

use std::time::{Duration, Instant};

use super::comparison::{self, Compared, MeteredWork, Progress, TIME_LIMIT};
use super::job::{COMPARISON, CompareExtent};
use super::judged::Judged;
use super::shared_state::{SessionState, SharedState};
use super::task::{Step, Task};
use crate::compiler::program::Watch;
use crate::engine::{Engine, EngineError, Kind, Timings, leveled};
use crate::host::measure::energy::Energy;
use crate::lang::level::OptLevel;

/// Time limit for each text if every text goes through the shaders: the user may type an endless loop.
const AT_ONCE: Duration = Duration::from_millis(500);

/// The result of compiling and running a judged text with shaders.
#[derive(Clone, Debug, PartialEq)]
pub struct Shaders {
    /// Description of the engine.
    pub adapter: String,
    /// Its timings; `None` if it exceeded the time limit.
    pub timings: Option<Timings>,
    /// Time since the edit.
    pub since: Duration,
    /// Where the engines disagree, if they do.
    pub difference: Option<String>,
    /// Energy used by this text, and by all texts since the session began.
    pub energy: Energy,
    pub all: Energy,
}

/// Returns when the other engine should compile and run the judged text: at once if every text goes through the
/// shaders, else before its mutants are compared.
pub fn due(shared: &SharedState, state: &SessionState, judged: &Judged) -> Option<Instant> {
    // An engine requested by name is the only one used.
    let at_once = shared.shaders && judged.kind == Kind::Cpu && !state.wanted.choice.is_named();
    if at_once { Some(state.wanted.since) } else { comparison::comparison_due(shared, state) }
}

/// Compiles and runs the text and compares the results; reports [`Shaders`]. The engine holds the program from
/// then on. If the results differ or take too long, the mutants are not compared.
pub fn serve(task: &Task, engine: &mut dyn Engine) -> Result<Step, EngineError> {
    let (shared, judged) = (&task.shared, &task.judged);
    let at_once = shared.shaders && engine.kind() == Kind::Gpu;
    let started = Instant::now();
    let patience = if at_once { AT_ONCE } else { TIME_LIMIT };
    let late = || shared.extent != CompareExtent::All && started.elapsed() > patience;
    let piece = MeteredWork::begin(shared, engine.power_source());
    // Shaders do not apply what was learned.
    let shown = if judged.shown.compiled.level == OptLevel::Learned { &judged.base } else { &judged.shown };
    let level = shown.compiled.level;
    let watch = || task.cancelled() || late();
    let base = leveled::base(engine, level.into(), &judged.base.compiled.text, &watch, &mut |_| ());
    let (energy, spent) = piece.end();
    let (at, all) = {
        let mut state = shared.lock();
        // Work on every text is not charged to the idle budget.
        let all = if at_once { state.shaded(energy) } else { state.compared(energy, spent) };
        (state.wanted.text.as_ref().map_or(started, |edit| edit.at), all)
    };
    let base = match base {
        Err(EngineError::Cancelled) if !task.cancelled() => None,
        base => Some(base?),
    };
    if let Some(base) = &base
        && let Some(speeds) = shared.lock().speeds(judged.epoch, engine.kind())
    {
        speeds.base(engine.kind(), base.judged.timings.wall.as_secs_f64());
    }
    let difference = base.as_ref().and_then(|base| {
        let difference = base.shown.difference_from(shown);
        difference.or_else(|| base.judged.difference_from(&judged.base))
    });
    if base.is_none() || difference.is_some() {
        let energy = shared.change(|state| {
            state.finish(&COMPARISON, task.subject);
            state.comparing
        });
        let progress = if base.is_none() { Progress::TooSlow } else { Progress::Done };
        let difference = difference.clone();
        task.found(Compared { difference, energy, ..Compared::begun(engine.describe(), progress, judged) });
    }
    if at_once {
        let timings = base.map(|base| base.shown.timings);
        let (adapter, since) = (engine.describe(), at.elapsed());
        task.found(Shaders { adapter, timings, since, difference, energy, all });
    }
    Ok(Step::Done)
}
