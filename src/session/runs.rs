//! The run that somebody looks at, recorded as soon as a text has been judged, and where it comes to breakpoints.

use std::sync::Arc;

use super::idle::{Step, Task};
use crate::engine::EngineError;
use crate::lang::limits;
use crate::program::Watch;
use crate::trace::{self, Condition, Subject, Trace};

/// What is to be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wish {
    /// Another number is another wish.
    pub number: u32,
    pub subject: Subject,
    pub breakpoints: Vec<Breakpoint>,
}

/// Where a run is to be stopped at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breakpoint {
    /// From 1.
    pub line: u32,
    /// An expression of the language that has to hold there; always, if none.
    pub condition: Option<String>,
}

/// A run, recorded.
#[derive(Clone, Debug)]
pub struct Recorded {
    /// What was wished for.
    pub wish: Arc<Wish>,
    /// What it is called, and the run; or why there is none.
    pub run: Result<(String, Arc<Trace>), String>,
    /// The positions at which breakpoints are come to, ascending.
    pub stops: Arc<Vec<u32>>,
    /// Why conditions of breakpoints are not understood.
    pub refused: Vec<String>,
}

/// Positions at which a condition is tried.
const TRIES: usize = 20_000;

/// Records what is wished for; tells a [`Recorded`].
pub fn serve(task: &Task) -> Result<Step, EngineError> {
    let wish = task.board.lock().wanted.run.clone();
    let Some(wish) = wish.filter(|wish| Some(wish.number) == task.subject.function) else {
        return Err(EngineError::Cancelled);
    };
    let base = &task.judged.base;
    let run = wish.subject.find(&base.compiled, &base.entries).map(|target| {
        let trace = trace::record(&base.compiled, target.routine, &target.frame, limits::STEPS);
        (target.title, Arc::new(trace))
    });
    let (mut stops, mut refused) = (Vec::new(), Vec::new());
    if let Ok((_, trace)) = &run {
        for breakpoint in &wish.breakpoints {
            let visits = trace.visits(breakpoint.line);
            let Some(text) = &breakpoint.condition else {
                stops.extend_from_slice(visits);
                continue;
            };
            match Condition::new(&trace.compiled, breakpoint.line, text) {
                Ok(mut condition) => {
                    for position in visits.iter().take(TRIES) {
                        if task.cancelled() {
                            return Err(EngineError::Cancelled);
                        }
                        stops.extend(Some(*position).filter(|position| condition.holds(trace, *position)));
                    }
                }
                Err(why) => refused.push(format!("line {}: {why}", breakpoint.line)),
            }
        }
    }
    stops.sort_unstable();
    stops.dedup();
    task.found(Recorded { wish, run, stops: Arc::new(stops), refused });
    Ok(Step::Done)
}
