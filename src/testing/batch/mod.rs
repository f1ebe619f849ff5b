//! Batches of external programs, one per line, each tested as a whole.
//!
//! Each input line yields one record, in the same order. Lines are processed in chunks, so memory use does not grow
//! with the input. A program near a known one (the base of the call, or else an earlier program) costs only its
//! changes. Nearness affects time alone, never a record.

pub mod input;
pub mod line;
pub mod near;
pub mod pass;
pub mod record;
mod rights;
pub mod tasks;

use std::collections::HashMap;
use std::sync::Arc;

use rayon::prelude::*;

use crate::compiler::program::Watch;
use crate::compiler::stage::Compiler;
use crate::engine::{BaseResult, CandidateChange, Engine, EngineError, Tested, TestedCandidate};
use crate::lang::index::RoutineId;
use crate::lang::verdict::Outcome;
use crate::report::diagnostics::diagnostics;
use crate::report::document;
use input::InputEntry;
use line::{BatchLine, Body};
use near::{AssembledProgram, LineLexer, Outline};
use record::{BatchRecord, Status};
use rights::Rights;
use tasks::{BatchTask, GroupFiles, Tasks};

/// The maximum number of steps that the tests of an implicit base may take, because they are run a few more times.
const BASE_STEPS: u64 = 20_000_000;
/// The number of programs of a chunk that are tried as its base, and the maximum number of chunks until the next
/// attempt.
const TRIED: usize = 4;
const PATIENCE: u32 = 64;
/// The number of candidates of a group from which an implicit base pays off.
const WORTH: usize = 4;
/// The number of candidates after which an implicit base is dropped if few of them are near to it.
const COMPARED: usize = 16;
pub struct CandidateBatch {
    engine: Box<dyn Engine>,
    tasks: Tasks,
    /// The number of tasks of the last lines.
    different: usize,
    /// A function that tests call and that a candidate may replace although it did not have to.
    exposed: Option<String>,
}

enum BatchJob {
    /// A line that is not a candidate, with its record.
    Invalid(BatchRecord),
    Program(Program),
}

struct Program {
    line: BatchLine,
    whole: AssembledProgram,
    task: usize,
    rights: Rights,
}

impl CandidateBatch {
    pub fn new(engine: Box<dyn Engine>, tests: String) -> CandidateBatch {
        CandidateBatch::with_files(engine, tests, GroupFiles::default())
    }

    /// Like [`CandidateBatch::new`], with a base or tests for each group.
    pub fn with_files(engine: Box<dyn Engine>, tests: String, files: GroupFiles) -> CandidateBatch {
        CandidateBatch { engine, tasks: Tasks::new(&tests, files), different: 0, exposed: None }
    }

    /// Returns the number of lines to pass at once, if that many are available.
    pub fn at_once(&self) -> usize {
        self.engine.at_once()
    }

    /// Returns the number of tasks that the last lines were for. Each change of the task costs as much as some lines.
    pub fn different_tasks(&self) -> usize {
        self.different
    }

    /// Returns a function of a base that tests call and that candidates may replace although it is not theirs: so far, a
    /// candidate without `replaces` replaced another one.
    pub fn exposed(&self) -> Option<&str> {
        self.exposed.as_deref()
    }

    /// Sets a base, to which the tests of the call are appended. Returns the engine's result. A program with errors
    /// does not become a base.
    ///
    /// # Errors
    /// If the work is cancelled, or the engine fails.
    pub fn base(&mut self, text: &str, watch: &dyn Watch) -> Result<BaseResult, EngineError> {
        self.tasks.set_base(text, &mut *self.engine, watch)
    }

    /// Judges lines. Returns their records in order, up to the first line that was not judged because of cancellation.
    ///
    /// # Errors
    /// If the engine fails.
    pub fn judge(
        &mut self,
        entries: Vec<InputEntry>,
        watch: &dyn Watch,
    ) -> Result<Vec<BatchRecord>, EngineError> {
        self.tasks.bound();
        let lines: Vec<Result<BatchLine, Box<BatchRecord>>> =
            entries.into_par_iter().map(InputEntry::read).collect();
        let mut placed = Vec::with_capacity(lines.len());
        for line in lines {
            placed.push(match line {
                Ok(line) => {
                    let task = self.tasks.of(&line, &mut *self.engine, watch)?;
                    Ok((line, task))
                }
                Err(record) => Err(record),
            });
        }
        let tasks = &self.tasks;
        let read = |reader: &mut LineLexer, placed: Result<(BatchLine, usize), Box<BatchRecord>>| match placed {
            Ok((line, task)) => job(line, task, tasks.get(task), reader),
            Err(record) => BatchJob::Invalid(*record),
        };
        let mut jobs: Vec<BatchJob> = placed.into_par_iter().map_init(LineLexer::default, read).collect();
        if self.exposed.is_none() {
            let programs = jobs.iter().filter_map(|job| match job {
                BatchJob::Program(program) => Some(program),
                BatchJob::Invalid(_) => None,
            });
            self.exposed = programs.filter_map(|program| program.rights.exposed.clone()).next();
        }
        // The places of each task's jobs, in the order of their first lines.
        let mut by_task: Vec<(usize, Vec<usize>)> = Vec::new();
        let mut rows: HashMap<usize, usize> = HashMap::new();
        for (place, job) in jobs.iter().enumerate() {
            let BatchJob::Program(Program { task, .. }) = job else { continue };
            let row = *rows.entry(*task).or_insert_with(|| {
                by_task.push((*task, Vec::new()));
                by_task.len() - 1
            });
            by_task[row].1.push(place);
        }
        self.different = by_task.len();
        if self.engine.tests_incrementally() {
            for (task, places) in &by_task {
                self.compare(*task, places, &mut jobs, watch)?;
            }
        }
        let tested = self.test(&jobs, by_task, watch)?;
        let judged =
            jobs.iter().zip(&tested).take_while(|(job, end)| job.is_invalid() || end.is_some()).count();
        jobs.truncate(judged);
        Ok(jobs
            .into_par_iter()
            .zip(tested)
            .map_init(Compiler::default, |compiler, (job, end)| {
                job.record(end.unwrap_or(Tested::Invalid), compiler)
            })
            .collect())
    }

    /// Tests programs, those near to a base together. A result is `None` if the call was cancelled before its turn.
    fn test(
        &mut self,
        jobs: &[BatchJob],
        by_task: Vec<(usize, Vec<usize>)>,
        watch: &dyn Watch,
    ) -> Result<Vec<Option<Tested>>, EngineError> {
        let CandidateBatch { engine, tasks, .. } = self;
        let mut tested = vec![None; jobs.len()];
        let mut run = |engine: &mut dyn Engine, places: &[usize], near: bool| -> Result<(), EngineError> {
            let candidates = places.iter().filter_map(|place| jobs[*place].candidate());
            let candidates: Vec<TestedCandidate> = candidates
                .map(|own| TestedCandidate { changes: own.changes.filter(|_| near), ..own })
                .collect();
            for (place, end) in places.iter().zip(engine.test_all(&candidates, watch)?) {
                tested[*place] = end;
            }
            Ok(())
        };
        let near = |(task, _): &(usize, Vec<usize>)| tasks.get(*task).is_some_and(|task| task.near.is_some());
        let (near, far): (Vec<_>, Vec<_>) = by_task.into_iter().partition(near);
        for (task, places) in near {
            tasks.engage(task, &mut **engine, watch)?;
            run(&mut **engine, &places, true)?;
        }
        let far: Vec<usize> = far.into_iter().flat_map(|(_, places)| places).collect();
        if !far.is_empty() {
            tasks.shelve(&mut **engine);
            run(&mut **engine, &far, false)?;
        }
        Ok(tested)
    }

    /// Compares the programs of a task without a base of its own with an implicit base, which is chosen among them.
    fn compare(
        &mut self,
        place: usize,
        places: &[usize],
        jobs: &mut [BatchJob],
        watch: &dyn Watch,
    ) -> Result<(), EngineError> {
        let CandidateBatch { engine, tasks, .. } = self;
        let Some(task) = tasks.get_mut(place).filter(|task| task.given.is_none()) else { return Ok(()) };
        task.seen += places.len();
        if task.near.is_none() {
            if task.wait.0 > 0 {
                task.wait.0 -= 1;
            } else if !task.grouped || task.seen >= WORTH {
                tasks.shelve(&mut **engine);
                let near =
                    choose(&mut **engine, places.iter().filter_map(|place| jobs[*place].candidate()), watch)?;
                if let Some((task, near)) = tasks.get_mut(place).zip(near) {
                    task.near = Some(near);
                    tasks.engaged(place);
                }
            }
        }
        let Some(task) = tasks.get_mut(place) else { return Ok(()) };
        let Some(outline) = task.near.clone() else { return Ok(()) };
        let mut near = 0;
        for place in places {
            if let BatchJob::Program(Program { whole, .. }) = &mut jobs[*place] {
                whole.compare(&outline);
                near += usize::from(whole.is_near());
            }
        }
        task.compared = (task.compared.0 + places.len(), task.compared.1 + near);
        if task.compared.0 >= COMPARED {
            // The base is dropped if less than a quarter is near to it.
            if task.compared.1 * 4 < task.compared.0 {
                task.near = None;
                let wait = (task.wait.1 * 2 + 1).min(PATIENCE);
                task.wait = (wait, wait);
            } else {
                task.wait = (0, 0);
            }
            task.compared = (0, 0);
        }
        Ok(())
    }
}

/// Chooses a program as the engine's base for the others.
fn choose<'a>(
    engine: &mut dyn Engine,
    candidates: impl Iterator<Item = TestedCandidate<'a>>,
    watch: &dyn Watch,
) -> Result<Option<Arc<Outline>>, EngineError> {
    for TestedCandidate { text, .. } in candidates.take(TRIED) {
        match engine.base(&text.into(), watch) {
            Ok(base) => {
                let fits = |steps: u64| steps <= BASE_STEPS;
                if matches!(Tested::from(&base), Tested::Ended(sum) if fits(sum.steps)) {
                    return Ok(Some(Arc::new(Outline::new(&base.compiled))));
                }
            }
            // The remaining programs are no longer needed.
            Err(EngineError::Cancelled) => break,
            Err(error) => return Err(error),
        }
    }
    Ok(None)
}

/// Returns the work that a line requests.
fn job(line: BatchLine, place: usize, task: Option<&BatchTask>, reader: &mut LineLexer) -> BatchJob {
    let bad = |why: &str| {
        BatchJob::Invalid(BatchRecord::bad(line.number, Some(line.id.clone()), line.group.clone(), why))
    };
    let Some(task) = task else { return bad("its group is not known") };
    if let Some(why) = &task.wrong {
        return bad(why);
    }
    let given = task.given.as_deref();
    let (whole, rights) = match (&line.body, given) {
        (Body::Function(text), Some(base)) => {
            let own = base.text().len() - task.tests.len();
            let wanted = line.replaces.as_deref().map(|name| (name, base.function(name)));
            if let Some((name, function)) = wanted
                && function.is_none_or(|function| base.start(function) >= own)
            {
                return bad(&format!("its `replaces` is `{name}`, which is not a function of its base"));
            }
            let whole = base.with(text, reader);
            let wanted = wanted.and_then(|(_, function)| function);
            let rights = Rights::new(base, own, &whole, wanted);
            (whole, rights)
        }
        (Body::Function(_), None) => {
            return bad(
                "a `function` needs the program that it belongs to: name it with `--base` or `--bases`, or add it as `base`",
            );
        }
        (Body::Source(text), given) => {
            let mut whole = AssembledProgram::new(near::joined(text, &task.tests));
            if let Some(base) = given {
                whole.compare(base);
            }
            (whole, Rights::default())
        }
    };
    BatchJob::Program(Program { line, whole, task: place, rights })
}

impl BatchJob {
    fn is_invalid(&self) -> bool {
        matches!(self, BatchJob::Invalid(_))
    }

    fn candidate(&self) -> Option<TestedCandidate<'_>> {
        let BatchJob::Program(Program { whole, .. }) = self else { return None };
        let change = |(function, range): &(RoutineId, std::ops::Range<usize>)| {
            Some(CandidateChange { function: *function, text: whole.text.get(range.clone())? })
        };
        let changes = whole.changes.as_ref().and_then(|changes| changes.iter().map(change).collect());
        Some(TestedCandidate { text: &whole.text, changes })
    }

    fn record(self, end: Tested, compiler: &mut Compiler) -> BatchRecord {
        let Program { line, whole, rights, .. } = match self {
            BatchJob::Invalid(record) => return record,
            BatchJob::Program(program) => program,
        };
        let BatchLine { id, group, .. } = line;
        let empty = BatchRecord { id: Some(id), group, replaced: rights.replaced, ..BatchRecord::default() };
        match end {
            Tested::Invalid => {
                compiler.compile(&whole.text);
                let found = diagnostics(&compiler.compiled(&whole.text.as_str().into()));
                let errors: Vec<_> = found.into_iter().filter(|found| found.code.is_error()).collect();
                BatchRecord { status: Status::Invalid, diagnostics: document::findings(&errors), ..empty }
            }
            Tested::Ended(sum) => {
                if let Some((status, why)) = rights.wrong {
                    return BatchRecord { status, message: Some(why), replaced: None, ..empty };
                }
                let mut is_unfinished = || {
                    compiler.compile(&whole.text);
                    compiler.program(&whole.text).holes().next().is_some()
                };
                let status = match sum.outcome {
                    _ if whole.text.contains('?') && is_unfinished() => Status::Unfinished,
                    Outcome::Pass if sum.tests == 0 => Status::Untested,
                    outcome => Status::of(outcome),
                };
                BatchRecord { status, tests_passed: sum.passed, tests: sum.tests, steps: sum.steps, ..empty }
            }
        }
    }
}
