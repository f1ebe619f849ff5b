//! Batches: programs that others wrote, one a line, each tested as a whole.
//!
//! Lines go in and a record for each comes out, in the same order, a chunk at a time, so that what is held does not grow with the input. A
//! program near to one that is known already (the base of the call, or else one that came before) costs what it changes; which programs are near
//! decides on the time alone, never on a record.

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
use crate::lang::verdict::Outcome;
use crate::report::diagnostics::diagnostics;
use crate::report::document;
use input::Entry;
use line::{Body, Line};
use near::{Outline, Reader, Whole};
use record::{Record, Status};

/// A program that no one named becomes a base only if its tests take no more steps than this: they are run some more times then.
const BASE_STEPS: u64 = 20_000_000;
/// Programs of a chunk that are tried as its base, and chunks that at most go by until others are tried.
const TRIED: usize = 4;
const PATIENCE: u32 = 64;

/// Judges lines.
pub struct Batch {
    engine: Box<dyn Engine>,
    /// The base of the call, with its tests and those of the call.
    given: Option<Arc<Outline>>,
    /// Stands behind every candidate.
    tests: String,
    /// What the engine's base is, if it is known.
    near: Option<Arc<Outline>>,
    /// Chunks to go by until another base is tried, and how many that were the last time.
    wait: (u32, u32),
}

/// A line on its way.
enum Job {
    /// It is no candidate: its record.
    Bad(Record),
    Whole(Line, Whole),
}

impl Batch {
    pub fn new(engine: Box<dyn Engine>, tests: String) -> Batch {
        Batch { engine, given: None, tests, near: None, wait: (0, 0) }
    }

    /// As many lines as it should be given at once, where there are so many.
    pub fn at_once(&self) -> usize {
        self.engine.at_once()
    }

    /// Takes a base, to which the tests of the call are added. What that gives is returned; where it has errors it is no base.
    ///
    /// # Errors
    /// If it is cancelled, or the engine fails.
    pub fn base(&mut self, text: &str, watch: &dyn Watch) -> Result<BaseResult, EngineError> {
        let text: Arc<str> = near::joined(text, &self.tests).into();
        let base = self.engine.base(&text, watch)?;
        if Tested::from(&base) != Tested::Invalid {
            let outline = Arc::new(Outline::new(&base.compiled));
            self.near = Some(outline.clone()).filter(|_| self.engine.tests_near());
            self.given = Some(outline);
        }
        Ok(base)
    }

    /// Judges lines: their records in order, up to the first that was not judged because it was stopped.
    ///
    /// # Errors
    /// If the engine fails.
    pub fn judge(&mut self, entries: Vec<Entry>, watch: &dyn Watch) -> Result<Vec<Record>, EngineError> {
        let (given, tests) = (self.given.as_deref(), self.tests.as_str());
        let read = |reader: &mut Reader, entry| job(entry, given, tests, reader);
        let mut jobs: Vec<Job> = entries.into_par_iter().map_init(Reader::default, read).collect();
        if self.given.is_none() && self.engine.tests_near() {
            self.choose(&jobs, watch)?;
            if let Some(outline) = self.near.as_deref() {
                jobs.par_iter_mut().for_each(|job| {
                    if let Job::Whole(_, whole) = job {
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
                Job::Bad(_) => Some(Tested::Invalid),
                Job::Whole(..) => tested.next().flatten(),
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

    /// Makes one of a chunk the base that others are near to, where there is none.
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
                // Nobody waits for the rest.
                Err(EngineError::Cancelled) => break,
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Gives a base up to which too few of a chunk were near.
    fn count(&mut self, jobs: &[Job]) {
        let near = jobs.iter().filter(|job| matches!(job, Job::Whole(_, whole) if whole.is_near())).count();
        if near * 4 < jobs.len() {
            self.near = None;
            let wait = (self.wait.1 * 2 + 1).min(PATIENCE);
            self.wait = (wait, wait);
        } else {
            self.wait = (0, 0);
        }
    }
}

/// What a line asks for.
fn job(entry: Entry, given: Option<&Outline>, tests: &str, reader: &mut Reader) -> Job {
    let line = match entry.read() {
        Ok(line) => line,
        Err(record) => return Job::Bad(*record),
    };
    let whole = match (&line.body, given) {
        (Body::Function(text), Some(base)) => base.with(text, reader),
        (Body::Function(_), None) => {
            let why = "a `function` needs the program that it belongs to: name it by `--base`";
            return Job::Bad(Record::bad(line.number, Some(line.id), line.group, why));
        }
        (Body::Source(text), given) => {
            let mut whole = Whole::new(near::joined(text, tests));
            if let Some(base) = given {
                whole.compare(base);
            }
            whole
        }
    };
    Job::Whole(line, whole)
}

impl Job {
    fn candidate(&self) -> Option<Candidate<'_>> {
        let Job::Whole(_, whole) = self else { return None };
        let change = |(function, range): &(u32, std::ops::Range<usize>)| {
            Some(Change { function: *function, text: whole.text.get(range.clone())? })
        };
        let changes = whole.changes.as_ref().and_then(|changes| changes.iter().map(change).collect());
        Some(Candidate { text: &whole.text, changes })
    }

    fn record(self, end: Tested, compiler: &mut Compiler) -> Record {
        let (line, whole) = match self {
            Job::Bad(record) => return record,
            Job::Whole(line, whole) => (line, whole),
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
