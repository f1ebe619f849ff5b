//! A request for a recorded run.

use crate::lang::index::MutantId;
use crate::testing::trace::{ReplayKey, Subject};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunRequest {
    /// Identifies the request: a new number is a new request.
    pub number: u32,
    pub subject: Subject,
    pub breakpoints: Vec<Breakpoint>,
    pub against: Option<CompareWith>,
}

/// A second run for comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CompareWith {
    /// An earlier run: of the text before an edit, or on another input. With its title.
    Run(String, ReplayKey),
    /// For a failing property: a run on a nearby input for which it holds.
    Passing,
    /// The same run on a mutant.
    Mutant(MutantId),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breakpoint {
    /// Line number, from 1.
    pub line: u32,
    /// An expression of the language that must hold there; `None` always stops.
    pub condition: Option<String>,
}
