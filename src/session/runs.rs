//! Records the run that the user looks at as soon as a text has been judged, and finds where it reaches
//! breakpoints.

use std::sync::Arc;

use super::request::{CompareWith, RunRequest};
use super::task::{Setup, Step, Task};
use crate::compiler::program::{Compiled, Watch};
use crate::compiler::stage::compile_at;
use crate::compiler::variants::Variants;
use crate::engine::{Engine, EngineError};
use crate::host::measure::numbers::grouped;
use crate::lang::index::{MutantId, Position};
use crate::lang::limits;
use crate::testing::trace::{self, Condition, ReplayKey, RunDiff, Target, Trace};

#[derive(Clone, Debug)]
pub struct Recorded {
    pub wish: Arc<RunRequest>,
    /// The title and the run, or the reason why it is missing.
    pub run: Result<(String, Arc<Trace>), String>,
    /// The positions at which breakpoints are reached, ascending.
    pub stops: Arc<Vec<Position>>,
    /// The run compared with, or the reason why it is missing.
    pub beside: Option<Result<RunDiff, String>>,
    /// Errors in conditions of breakpoints.
    pub refused: Vec<String>,
    /// Why the serving engine could not record the run, if the CPU engine did it instead.
    pub instead: Option<EngineError>,
}

/// Maximum number of positions at which a condition is evaluated.
const TRIES: usize = 200_000;
/// Number of positions between two checks for cancellation.
const LOOK: usize = 1_024;
/// Number of steps of the other run that are kept before and after the point where the runs diverge.
pub const BEFORE: i64 = 2;
pub const BEHIND: i64 = 4;

/// Records the requested run on the serving engine; reports a [`Recorded`]. If the device refuses or is lost,
/// the CPU engine records it.
pub fn serve(setup: &Setup, task: &Task, engine: &mut dyn Engine) -> Result<Step, EngineError> {
    let wish = task.shared.lock().wanted.run.clone();
    let Some(wish) = wish.filter(|wish| Some(wish.number) == task.subject.run) else {
        return Err(EngineError::Cancelled);
    };
    let base = &task.judged.shown;
    // The engine holds the base at the level of variants, and can record only that one.
    let held = base.compiled.level == task.judged.base.compiled.level;
    let mut instead = None;
    let run = match wish.subject.find(&base.compiled, &setup.ended(&task.judged)) {
        Ok(target) => {
            let (routine, frame) = (target.routine, &target.frame);
            let alone = || trace::record(&base.compiled, routine, frame, limits::STEPS);
            let recorded = held.then(|| trace::record_on(engine, &base.compiled, routine, frame, task));
            let trace = match recorded.unwrap_or_else(|| Ok(alone())) {
                Err(EngineError::Cancelled) => return Err(EngineError::Cancelled),
                Err(error) => {
                    instead = Some(error);
                    alone()
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
                    if let Some((position, trap)) = condition.trapped() {
                        let (step, trap) = (trace::step_number(position), trap.ident());
                        let line = breakpoint.line;
                        refused.push(format!("line {line}: its condition traps, first at step {step}: {trap}"));
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
    // The worker must learn that its device is lost.
    let lost = instead.clone().filter(EngineError::is_lost);
    task.found(Recorded { wish, run, stops: Arc::new(stops), beside, refused, instead });
    lost.map_or(Ok(Step::Done), Err)
}

/// Records the other run and finds where it diverges from the first.
fn beside(
    base: &Arc<Compiled>,
    trace: &Trace,
    target: &Target,
    wish: &RunRequest,
    against: &CompareWith,
) -> Result<RunDiff, String> {
    let (title, other) = match against {
        CompareWith::Run(title, other) => (title.clone(), other.clone()),
        CompareWith::Passing => {
            let other = trace::passing(base, target)?;
            let again = ReplayKey { compiled: base.clone(), routine: other.routine, frame: other.frame.into() };
            (other.title, again)
        }
        CompareWith::Mutant(id) => {
            let (title, mutant) = mutant(base, *id).ok_or("there is no such mutant that compiles")?;
            let routine = wish.subject.find(&mutant, &[])?.routine;
            // The same input: parameters occupy the start of the frame.
            let room = mutant.executable.routine(routine).map_or(0, |routine| routine.frame() as usize);
            let frame = &target.frame[..target.frame.len().min(room)];
            (title, ReplayKey { compiled: mutant, routine, frame: frame.into() })
        }
    };
    Ok(RunDiff::new(trace, &other, title, BEFORE, BEHIND))
}

/// Compiles a mutant by id; returns its description and the program.
fn mutant(base: &Arc<Compiled>, id: MutantId) -> Option<(String, Arc<Compiled>)> {
    let variants = Variants::new(base.clone());
    let (found, text) = (variants.describe(id)?, variants.source(id)?);
    let title = format!("mutant #{id}: {} → {}", found.original, found.replacement);
    let mutant = compile_at(base.level, &text);
    let compiles = mutant.facts.compiles();
    compiles.then(|| (title, Arc::new(mutant)))
}
