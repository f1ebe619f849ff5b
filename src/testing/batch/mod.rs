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

use std::sync::Arc;

use rayon::prelude::*;

use crate::compiler::program::Watch;
use crate::compiler::stage::Compiler;
use crate::engine::{BaseResult, Candidate, Change, Engine, EngineError, Tested};
use crate::lang::index::RoutineId;
use crate::lang::verdict::Outcome;
use crate::report::diagnostics::diagnostics;
use crate::report::document;
use input::Entry;
use line::{Body, Line};
use near::{AssembledProgram, LineLexer, Outline};
use record::{Record, Status};

/// The maximum number of steps that the tests of an implicit base may take, because they are run a few more times.
const BASE_STEPS: u64 = 20_000_000;
/// The number of programs of a chunk that are tried as its base, and the maximum number of chunks until the next
/// attempt.
const TRIED: usize = 4;
const PATIENCE: u32 = 64;

/// Judges batch lines.
pub struct Batch {
    engine: Box<dyn Engine>,
    /// The base of the call, with its own tests and those of the call.
    given: Option<Arc<Outline>>,
    /// The tests of the call, appended to every candidate.
    tests: String,
    /// The engine's current base, if it is known.
    near: Option<Arc<Outline>>,
    /// The number of chunks until another base is tried, and the value that this countdown last started from.
    wait: (u32, u32),
}

/// A line in process.
enum Job {
    /// A line that is not a candidate, with its record.
    Invalid(Record),
    Program(Line, AssembledProgram),
}

impl Batch {
    pub fn new(engine: Box<dyn Engine>, tests: String) -> Batch {
        Batch { engine, given: None, tests, near: None, wait: (0, 0) }
    }

    /// Returns the number of lines to pass at once, if that many are available.
    pub fn at_once(&self) -> usize {
        self.engine.at_once()
    }

    /// Sets a base, to which the tests of the call are appended. Returns the engine's result. A program with errors
    /// does not become a base.
    ///
    /// # Errors
    /// If the work is cancelled, or the engine fails.
    pub fn base(&mut self, text: &str, watch: &dyn Watch) -> Result<BaseResult, EngineError> {
        let text: Arc<str> = near::joined(text, &self.tests).into();
        let base = self.engine.base(&text, watch)?;
        if Tested::from(&base) != Tested::Invalid {
            let outline = Arc::new(Outline::new(&base.compiled));
            self.near = Some(outline.clone()).filter(|_| self.engine.tests_incrementally());
            self.given = Some(outline);
        }
        Ok(base)
    }

    /// Judges lines. Returns their records in order, up to the first line that was not judged because of cancellation.
    ///
    /// # Errors
    /// If the engine fails.
    pub fn judge(&mut self, entries: Vec<Entry>, watch: &dyn Watch) -> Result<Vec<Record>, EngineError> {
        let (given, tests) = (self.given.as_deref(), self.tests.as_str());
        let read = |reader: &mut LineLexer, entry| job(entry, given, tests, reader);
        let mut jobs: Vec<Job> = entries.into_par_iter().map_init(LineLexer::default, read).collect();
        if self.given.is_none() && self.engine.tests_incrementally() {
            self.choose(&jobs, watch)?;
            if let Some(outline) = self.near.as_deref() {
                jobs.par_iter_mut().for_each(|job| {
                    if let Job::Program(_, whole) = job {
                        whole.compare(outline);
                    }
                });
                self.count(&jobs);
            }
        }
        let candidates: Vec<Candidate> = jobs.iter().filter_map(Job::candidate).collect();
        let mut tested = self.engine.test_all(&candidates, watch)?.into_iter();
        let ends: Vec<Option<Tested>> = jobs
            .iter()
            .map(|job| match job {
                Job::Invalid(_) => Some(Tested::Invalid),
                Job::Program(..) => tested.next().flatten(),
            })
            .collect();
        let judged = ends.iter().take_while(|end| end.is_some()).count();
        jobs.truncate(judged);
        let done: Vec<(Job, Tested)> = jobs.into_iter().zip(ends.into_iter().flatten()).collect();
        Ok(done
            .into_par_iter()
            .map_init(Compiler::default, |compiler, (job, end)| job.record(end, compiler))
            .collect())
    }

    /// Chooses a program of the chunk as the base for the others, if no base is set.
    fn choose(&mut self, jobs: &[Job], watch: &dyn Watch) -> Result<(), EngineError> {
        if self.near.is_some() || self.wait.0 > 0 {
            self.wait.0 = self.wait.0.saturating_sub(1);
            return Ok(());
        }
        let candidates = jobs.iter().filter_map(Job::candidate);
        for Candidate { text, .. } in candidates.take(TRIED) {
            match self.engine.base(&text.into(), watch) {
                Ok(base) => {
                    let fits = |steps: u64| steps <= BASE_STEPS;
                    if matches!(Tested::from(&base), Tested::Ended(sum) if fits(sum.steps)) {
                        self.near = Some(Arc::new(Outline::new(&base.compiled)));
                        break;
                    }
                }
                // The remaining programs are no longer needed.
                Err(EngineError::Cancelled) => break,
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Drops the base if less than a quarter of the chunk is near to it.
    fn count(&mut self, jobs: &[Job]) {
        let near = jobs.iter().filter(|job| matches!(job, Job::Program(_, whole) if whole.is_near())).count();
        if near * 4 < jobs.len() {
            self.near = None;
            let wait = (self.wait.1 * 2 + 1).min(PATIENCE);
            self.wait = (wait, wait);
        } else {
            self.wait = (0, 0);
        }
    }
}

/// Returns the work that a line requests.
fn job(entry: Entry, given: Option<&Outline>, tests: &str, reader: &mut LineLexer) -> Job {
    let line = match entry.read() {
        Ok(line) => line,
        Err(record) => return Job::Invalid(*record),
    };
    let whole = match (&line.body, given) {
        (Body::Function(text), Some(base)) => base.with(text, reader),
        (Body::Function(_), None) => {
            let why = "a `function` needs the program that it belongs to: name it with `--base`";
            return Job::Invalid(Record::bad(line.number, Some(line.id), line.group, why));
        }
        (Body::Source(text), given) => {
            let mut whole = AssembledProgram::new(near::joined(text, tests));
            if let Some(base) = given {
                whole.compare(base);
            }
            whole
        }
    };
    Job::Program(line, whole)
}

impl Job {
    fn candidate(&self) -> Option<Candidate<'_>> {
        let Job::Program(_, whole) = self else { return None };
        let change = |(function, range): &(RoutineId, std::ops::Range<usize>)| {
            Some(Change { function: *function, text: whole.text.get(range.clone())? })
        };
        let changes = whole.changes.as_ref().and_then(|changes| changes.iter().map(change).collect());
        Some(Candidate { text: &whole.text, changes })
    }

    fn record(self, end: Tested, compiler: &mut Compiler) -> Record {
        let (line, whole) = match self {
            Job::Invalid(record) => return record,
            Job::Program(line, whole) => (line, whole),
        };
        let Line { id, group, .. } = line;
        let empty = Record { id: Some(id), group, ..Record::default() };
        match end {
            Tested::Invalid => {
                compiler.compile(&whole.text);
                let found = diagnostics(&compiler.compiled(&whole.text.as_str().into()));
                let errors: Vec<_> = found.into_iter().filter(|found| found.code.is_error()).collect();
                Record { status: Status::Invalid, diagnostics: document::findings(&errors), ..empty }
            }
            Tested::Ended(sum) => {
                let status = match sum.outcome {
                    Outcome::Pass if sum.tests == 0 => Status::Untested,
                    outcome => Status::of(outcome),
                };
                Record { status, tests_passed: sum.passed, tests: sum.tests, steps: sum.steps, ..empty }
            }
        }
    }
}
