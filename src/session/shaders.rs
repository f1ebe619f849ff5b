//! Every text through the shaders: where the CPU engine serves, the other one compiles and runs what it has judged, at once.
//! What comes of it is compared and timed. It is the first thing that a comparison of mutants needs, too.

use std::time::{Duration, Instant};

use super::Judged;
use super::board::{Board, Desk};
use super::comparison::{self, Compared, Extent, PATIENCE, Piece, Progress};
use super::idle::{COMPARISON, Step, Task};
use crate::compiler::program::Watch;
use crate::engine::{Engine, EngineError, Kind, Timings};
use crate::host::measure::energy::Energy;

/// Where every text is to go through the shaders, none may take processors for longer: a loop without end is soon typed.
const AT_ONCE: Duration = Duration::from_millis(500);

/// What the shaders make of a text that the CPU engine has judged.
#[derive(Clone, Debug, PartialEq)]
pub struct Shaders {
    /// What the engine is called that they are of.
    pub adapter: String,
    /// What it took; `None` where that is too long to wait for.
    pub timings: Option<Timings>,
    /// Since somebody asked for the text.
    pub since: Duration,
    /// Where the engines disagree, if they do.
    pub difference: Option<String>,
    /// What this text has taken, and what all have since the session began.
    pub energy: Energy,
    pub all: Energy,
}

/// When the other engine is to compile and run what one has judged: at once if it is to show what shaders do, else before it
/// compares mutants.
pub fn due(board: &Board, desk: &Desk, judged: &Judged) -> Option<Instant> {
    // An engine asked for by name is the only one used.
    let at_once = board.shaders && judged.kind == Kind::Cpu && !desk.wanted.choice.is_named();
    if at_once { Some(desk.wanted.since) } else { comparison::rested(board, desk) }
}

/// Compiles and runs the text, and compares; tells [`Shaders`]. The engine holds the program from then on. What differs is compared no
/// further, nor what takes too long.
pub fn serve(task: &Task, engine: &mut dyn Engine) -> Result<Step, EngineError> {
    let (board, judged) = (&task.board, &task.judged);
    let at_once = board.shaders && engine.kind() == Kind::Gpu;
    let started = Instant::now();
    let patience = if at_once { AT_ONCE } else { PATIENCE };
    let late = || board.extent != Extent::All && started.elapsed() > patience;
    let piece = Piece::begin(board, engine.powered_by());
    let base = engine.base(&judged.base.compiled.text, &|| task.cancelled() || late());
    let (energy, spent) = piece.end();
    let (at, all) = {
        let mut desk = board.lock();
        // What every text takes is none of what may be spent while nobody types.
        let all = if at_once { desk.shaded(energy) } else { desk.compared(energy, spent) };
        (desk.wanted.text.as_ref().map_or(started, |edit| edit.at), all)
    };
    let base = match base {
        Err(EngineError::Cancelled) if !task.cancelled() => None,
        base => Some(base?),
    };
    let difference = base.as_ref().and_then(|base| base.difference_from(&judged.base));
    if base.is_none() || difference.is_some() {
        let energy = board.change(|desk| {
            desk.finish(&COMPARISON, task.subject);
            desk.comparing
        });
        let progress = if base.is_none() { Progress::TooSlow } else { Progress::Done };
        let difference = difference.clone();
        task.found(Compared { difference, energy, ..Compared::begun(engine.describe(), progress, judged) });
    }
    if at_once {
        let timings = base.map(|base| base.timings);
        let (adapter, since) = (engine.describe(), at.elapsed());
        task.found(Shaders { adapter, timings, since, difference, energy, all });
    }
    Ok(Step::Done)
}
