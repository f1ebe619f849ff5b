//! Tests programs once each. All tests and properties of a program run, even after a failure.

use super::{BaseResult, Engine, EngineError, EngineSettings, EntryResult};
use crate::compiler::program::Watch;
use crate::lang::index::RoutineId;
use crate::lang::verdict::Outcome;

#[derive(Clone, Debug)]
pub struct TestedCandidate<'a> {
    pub text: &'a str,
    /// The functions in which the program differs from the engine's last base, if the caller knows them.
    pub changes: Option<Vec<CandidateChange<'a>>>,
}

/// A function of the base with a new text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CandidateChange<'a> {
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
    candidates: &[TestedCandidate],
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
