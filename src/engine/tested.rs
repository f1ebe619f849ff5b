//! Tests programs once each. All tests and properties of a program run, even after a failure.

use super::{BaseResult, Engine, EngineError, EngineSettings, EntryResult};
use crate::compiler::program::Watch;
use crate::lang::index::RoutineId;
use crate::lang::verdict::Outcome;

/// Tests whole programs.
pub trait ProgramTester {
    /// Whether a program that differs from the last base in a few functions is cheaper to test than an
    /// unrelated one. If so, testing programs does not replace the base.
    fn tests_incrementally(&self) -> bool {
        false
    }

    /// Returns the best batch size for [`ProgramTester::test_all`]: smaller batches take the same time.
    fn at_once(&self) -> usize {
        1
    }

    /// Puts the current base aside, with the results for programs near it. Returns its number for
    /// [`ProgramTester::recall`], or `None` if the engine keeps one base only. There is no base afterwards.
    fn shelve(&mut self) -> Option<u64> {
        None
    }

    /// Makes a base current that was put aside. Returns `false` if the engine no longer has it.
    fn recall(&mut self, _number: u64) -> bool {
        false
    }

    /// Compiles programs and runs all tests of each. A program's result is `None` if the call was cancelled
    /// before its turn.
    ///
    /// # Errors
    /// If the device fails.
    fn test_all(
        &mut self,
        candidates: &[Candidate],
        watch: &dyn Watch,
    ) -> Result<Vec<Option<Tested>>, EngineError>;
}

/// A program to test.
#[derive(Clone, Debug)]
pub struct Candidate<'a> {
    pub text: &'a str,
    /// The functions in which the program differs from the engine's last base, if the caller knows them.
    pub changes: Option<Vec<Change<'a>>>,
}

/// A function of the base with a new text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change<'a> {
    /// Its index in the base.
    pub function: RoutineId,
    /// The text from `fn` to the closing brace.
    pub text: &'a str,
}

/// The result of testing a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tested {
    /// It does not compile.
    Invalid,
    Ended(TestTotals),
}

/// The summed results of all tests and properties of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TestTotals {
    pub tests: u32,
    pub passed: u32,
    /// The outcome of the first entry, in source order, that does not pass; [`Outcome::Pass`] if all pass.
    pub outcome: Outcome,
    /// Instructions executed by all entries; for a property, up to its first failing input.
    pub steps: u64,
}

impl TestTotals {
    /// The sum over no tests.
    pub const EMPTY: TestTotals = TestTotals { tests: 0, passed: 0, outcome: Outcome::Pass, steps: 0 };

    /// Adds the result of the next test.
    pub fn add(&mut self, outcome: Outcome, steps: u64) {
        self.tests += 1;
        self.passed += u32::from(outcome == Outcome::Pass);
        self.steps += steps;
        if self.outcome == Outcome::Pass {
            self.outcome = outcome;
        }
    }

    /// Sums the results of tests in source order.
    pub fn of(entries: &[EntryResult]) -> TestTotals {
        entries.iter().fold(TestTotals::EMPTY, |mut sum, entry| {
            sum.add(entry.outcome, entry.steps);
            sum
        })
    }
}

impl From<&BaseResult> for Tested {
    fn from(base: &BaseResult) -> Tested {
        let facts = &base.compiled.facts;
        if facts.compiles() { Tested::Ended(TestTotals::of(&base.entries)) } else { Tested::Invalid }
    }
}

/// Tests programs one after another, each as a base. If cancelled, the remaining results are `None`.
///
/// # Errors
/// If the engine fails.
pub fn one_by_one(
    engine: &mut dyn Engine,
    candidates: &[Candidate],
    watch: &dyn Watch,
) -> Result<Vec<Option<Tested>>, EngineError> {
    let (mut tested, settings) = (vec![None; candidates.len()], engine.settings());
    engine.configure(EngineSettings { level: settings.level.of_variants(), ..settings });
    let mut failed = None;
    for (place, candidate) in tested.iter_mut().zip(candidates) {
        match engine.base(&candidate.text.into(), watch) {
            Ok(base) => *place = Some(Tested::from(&base)),
            Err(EngineError::Cancelled) => break,
            Err(error) => {
                failed = Some(error);
                break;
            }
        }
    }
    engine.configure(settings);
    failed.map_or(Ok(tested), Err)
}
