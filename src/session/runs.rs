//! The run that somebody looks at, recorded as soon as a text has been judged, and where it comes to breakpoints.

use std::sync::Arc;

use super::idle::{Setup, Step, Task};
use crate::compiler::program::{Compiled, Watch};
use crate::compiler::stage::Compiler;
use crate::compiler::variants::Variants;
use crate::engine::{Engine, EngineError};
use crate::host::measure::numbers::grouped;
use crate::lang::limits;
use crate::testing::trace::{self, Again, Beside, Condition, Subject, Target, Trace};

/// What is to be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wish {
    /// Another number is another wish.
    pub number: u32,
    pub subject: Subject,
    pub breakpoints: Vec<Breakpoint>,
    /// What it is to be compared with.
    pub against: Option<Against>,
}

/// Another run beside it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Against {
    /// One that was made before: of the text before an edit, or on another input.
    Run(String, Again),
    /// Of a property that fails, one on an input near by that it holds for.
    Passing,
    /// The same run of a mutant.
    Mutant(u32),
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
    /// The run that it was to be compared with, or why there is none.
    pub beside: Option<Result<Beside, String>>,
    /// Why conditions of breakpoints are not understood.
    pub refused: Vec<String>,
    /// Why the engine that serves has not made the run, where the CPU engine had to.
    pub instead: Option<EngineError>,
}

/// Positions at which a condition is tried.
const TRIES: usize = 200_000;
/// Positions between two looks at whether that still matters.
const LOOK: usize = 1_024;
/// Steps that are told of another run before and behind where the two part.
pub const BEFORE: i64 = 2;
pub const BEHIND: i64 = 4;

/// Records what is wished for on the engine that serves; tells a [`Recorded`]. Where the device refuses or is lost, the CPU engine makes the run.
pub fn serve(setup: &Setup, task: &Task, engine: &mut dyn Engine) -> Result<Step, EngineError> {
    let wish = task.board.lock().wanted.run.clone();
    let Some(wish) = wish.filter(|wish| Some(wish.number) == task.subject.function) else {
        return Err(EngineError::Cancelled);
    };
    let base = &task.judged.base;
    let mut instead = None;
    let run = match wish.subject.find(&base.compiled, &setup.ended(&task.judged)) {
        Ok(target) => {
            let (routine, frame) = (target.routine, &target.frame);
            let trace = match trace::record_on(engine, &base.compiled, routine, frame, task) {
                Err(EngineError::Cancelled) => return Err(EngineError::Cancelled),
                Err(error) => {
                    instead = Some(error);
                    trace::record(&base.compiled, routine, frame, limits::STEPS)
                }
                Ok(trace) => trace,
            };
            Ok((target, Arc::new(trace)))
        }
        Err(why) => Err(why),
    };
    if let Ok((_, trace)) = &run
        && !trace.prepare(task)
    {
        return Err(EngineError::Cancelled);
    }
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
                    if visits.len() > TRIES {
                        let tried = grouped(TRIES as u64);
                        refused
                            .push(format!("line {}: tried at the first {tried} times alone", breakpoint.line));
                    }
                    for (nth, position) in visits.iter().take(TRIES).enumerate() {
                        if nth % LOOK == 0 && task.cancelled() {
                            return Err(EngineError::Cancelled);
                        }
                        stops.extend(Some(*position).filter(|position| condition.holds(trace, *position)));
                    }
                }
                Err(why) => refused.push(format!("line {}: {why}", breakpoint.line)),
            }
        }
    }
    let beside = match (&run, &wish.against) {
        (Ok((target, trace)), Some(against)) => Some(beside(&base.compiled, trace, target, &wish, against)),
        _ => None,
    };
    if task.cancelled() {
        return Err(EngineError::Cancelled);
    }
    let run = run.map(|(target, trace)| (target.title, trace));
    stops.sort_unstable();
    stops.dedup();
    // Whoever works with a device that is gone has to hear of it.
    let lost = instead.clone().filter(|error| matches!(error, EngineError::Lost(_)));
    task.found(Recorded { wish, run, stops: Arc::new(stops), beside, refused, instead });
    lost.map_or(Ok(Step::Done), Err)
}

/// Another run, and where the first one parts from it.
fn beside(
    base: &Arc<Compiled>,
    trace: &Trace,
    target: &Target,
    wish: &Wish,
    against: &Against,
) -> Result<Beside, String> {
    let (title, other) = match against {
        Against::Run(title, other) => (title.clone(), other.clone()),
        Against::Passing => {
            let other = trace::passing(base, target)?;
            let again = Again { compiled: base.clone(), routine: other.routine, frame: other.frame.into() };
            (other.title, again)
        }
        Against::Mutant(id) => {
            let (title, mutant) = mutant(base, *id).ok_or("there is no such mutant that compiles")?;
            let routine = wish.subject.find(&mutant, &[])?.routine;
            // The same input, which is where the parameters are.
            let room = mutant.executable.routine(routine).map_or(0, |routine| routine.frame() as usize);
            let frame = &target.frame[..target.frame.len().min(room)];
            (title, Again { compiled: mutant, routine, frame: frame.into() })
        }
    };
    Ok(Beside::new(trace, &other, title, BEFORE, BEHIND))
}

/// A mutant by its id, compiled, and what it changes.
fn mutant(base: &Arc<Compiled>, id: u32) -> Option<(String, Arc<Compiled>)> {
    let variants = Variants::new(base.clone());
    let (found, text) = (variants.describe(id)?, variants.source(id)?);
    let title = format!("mutant #{id}: {} → {}", found.original, found.replacement);
    let mut compiler = Compiler::default();
    compiler.compile(&text);
    let mutant = compiler.compiled(&text.as_str().into());
    let compiles = mutant.facts.compiles();
    compiles.then(|| (title, Arc::new(mutant)))
}
