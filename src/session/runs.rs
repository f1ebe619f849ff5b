//! The run that somebody looks at, recorded as soon as a text has been judged, and where it comes to breakpoints.

use std::sync::Arc;

use super::idle::{Setup, Step, Task};
use crate::engine::EngineError;
use crate::lang::limits;
use crate::program::Compiled;
use crate::program::Watch;
use crate::stage::Compiler;
use crate::trace::{self, Condition, Parting, Subject, Trace};
use crate::variants::Variants;

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
#[derive(Clone, Debug)]
pub enum Against {
    /// One that was recorded: of the text before an edit, say.
    Run(String, Arc<Trace>),
    /// The same run of a mutant.
    Mutant(u32),
}

impl PartialEq for Against {
    fn eq(&self, other: &Against) -> bool {
        match (self, other) {
            (Against::Run(_, one), Against::Run(_, other)) => Arc::ptr_eq(one, other),
            (Against::Mutant(one), Against::Mutant(other)) => one == other,
            _ => false,
        }
    }
}

impl Eq for Against {}

/// The other run, and where the two part.
#[derive(Clone, Debug)]
pub struct Beside {
    pub title: String,
    pub trace: Arc<Trace>,
    pub parting: Parting,
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
}

/// Positions at which a condition is tried.
const TRIES: usize = 20_000;

/// Records what is wished for; tells a [`Recorded`].
pub fn serve(setup: &Setup, task: &Task) -> Result<Step, EngineError> {
    let wish = task.board.lock().wanted.run.clone();
    let Some(wish) = wish.filter(|wish| Some(wish.number) == task.subject.function) else {
        return Err(EngineError::Cancelled);
    };
    let base = &task.judged.base;
    let run = wish.subject.find(&base.compiled, &setup.ended(&task.judged)).map(|target| {
        let trace = trace::record(&base.compiled, target.routine, &target.frame, limits::STEPS);
        trace.prepare();
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
    let beside = match (&run, &wish.against) {
        (Ok((_, trace)), Some(against)) => Some(beside(&base.compiled, trace, &wish, against)),
        _ => None,
    };
    if task.cancelled() {
        return Err(EngineError::Cancelled);
    }
    stops.sort_unstable();
    stops.dedup();
    task.found(Recorded { wish, run, stops: Arc::new(stops), beside, refused });
    Ok(Step::Done)
}

/// Another run, and where the first one parts from it.
fn beside(base: &Arc<Compiled>, trace: &Trace, wish: &Wish, against: &Against) -> Result<Beside, String> {
    let (title, other) = match against {
        Against::Run(title, other) => (title.clone(), other.clone()),
        Against::Mutant(id) => {
            let (title, mutant) = mutant(base, *id).ok_or("there is no such mutant that compiles")?;
            let target = wish.subject.find(&mutant, &[])?;
            // The same input, which is where the parameters are.
            let frame = trace.state(0).words;
            let room = mutant.executable.routine(target.routine).map_or(0, |routine| routine.frame() as usize);
            let frame = &frame[..frame.len().min(room)];
            let other = trace::record(&mutant, target.routine, frame, limits::STEPS);
            other.prepare();
            (title, Arc::new(other))
        }
    };
    let parting = trace::compare(trace, &other);
    Ok(Beside { title, trace: other, parting })
}

/// A mutant by its id, compiled, and what it changes.
fn mutant(base: &Arc<Compiled>, id: u32) -> Option<(String, Arc<Compiled>)> {
    let variants = Variants::new(base.clone());
    let (found, text) = (variants.describe(id)?, variants.source(id)?);
    let title = format!("mutant #{id}: {} → {}", found.original, found.replacement);
    let mut compiler = Compiler::default();
    compiler.compile(&text);
    let mutant = compiler.compiled(&text.as_str().into());
    let compiles = mutant.facts.errors == 0 && !mutant.facts.stopped();
    compiles.then(|| (title, Arc::new(mutant)))
}
