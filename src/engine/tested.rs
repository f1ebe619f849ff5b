//! Programs that are tested and forgotten: each is compiled and runs all of its tests and properties, whatever the first of them say.

use super::{BaseResult, Engine, EngineError, EntryResult};
use crate::compiler::program::Watch;
use crate::lang::verdict::Outcome;

/// A program to be tested.
#[derive(Clone, Debug)]
pub struct Candidate<'a> {
    pub text: &'a str,
    /// Where it is the engine's last base but for these functions: what they are instead. Who does not know leaves it open.
    pub changes: Option<Vec<Change<'a>>>,
}

/// A function of a base in another writing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change<'a> {
    /// Its number in the base.
    pub function: u32,
    /// From the `fn` to the closing brace.
    pub text: &'a str,
}

/// What became of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tested {
    /// It does not compile.
    Invalid,
    Ended(Sum),
}

/// How all tests and properties of a program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sum {
    pub tests: u32,
    pub passed: u32,
    /// Of the first, in the order of the text, that does not pass; [`Outcome::Pass`] where all do.
    pub outcome: Outcome,
    /// Instructions that all of them executed; of a property up to its first failing input.
    pub steps: u64,
}

impl Sum {
    /// Of no test yet.
    pub const EMPTY: Sum = Sum { tests: 0, passed: 0, outcome: Outcome::Pass, steps: 0 };

    /// Adds the next test.
    pub fn add(&mut self, outcome: Outcome, steps: u64) {
        self.tests += 1;
        self.passed += u32::from(outcome == Outcome::Pass);
        self.steps += steps;
        if self.outcome == Outcome::Pass {
            self.outcome = outcome;
        }
    }

    /// Of tests in order.
    pub fn of(entries: &[EntryResult]) -> Sum {
        entries.iter().fold(Sum::EMPTY, |mut sum, entry| {
            sum.add(entry.outcome, entry.steps);
            sum
        })
    }
}

impl From<&BaseResult> for Tested {
    fn from(base: &BaseResult) -> Tested {
        let facts = &base.compiled.facts;
        if facts.compiles() { Tested::Ended(Sum::of(&base.entries)) } else { Tested::Invalid }
    }
}

/// Tests programs one after the other, each as a base. `None` from the one on at which it was cancelled.
///
/// # Errors
/// If the engine fails.
pub fn one_by_one<E: Engine + ?Sized>(
    engine: &mut E,
    candidates: &[Candidate],
    watch: &dyn Watch,
) -> Result<Vec<Option<Tested>>, EngineError> {
    let mut tested = vec![None; candidates.len()];
    for (place, candidate) in tested.iter_mut().zip(candidates) {
        match engine.base(&candidate.text.into(), watch) {
            Ok(base) => *place = Some(Tested::from(&base)),
            Err(EngineError::Cancelled) => break,
            Err(error) => return Err(error),
        }
    }
    Ok(tested)
}
