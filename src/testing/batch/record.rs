//! The record of each line of a batch.

use serde::Serialize;

use super::line::{Label, LineError};
use crate::lang::trap::Trap;
use crate::lang::verdict::Outcome;
use crate::report::document::{self, Finding};

/// Declares the statuses with their names and descriptions.
macro_rules! statuses {
    ($($(#[$meta:meta])* $status:ident = $name:literal, $about:literal;)*) => {
        /// The status of a line.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub enum Status { $($(#[$meta])* $status,)* }

        impl Status {
            pub const ALL: &'static [Status] = &[$(Status::$status,)*];

            pub fn name(self) -> &'static str {
                match self { $(Status::$status => $name,)* }
            }

            /// Returns a description for people.
            pub fn about(self) -> &'static str {
                match self { $(Status::$status => $about,)* }
            }
        }
    };
}

statuses! {
    Pass = "pass", "every test passes";
    Fail = "fail", "the first test that does not pass is false";
    Trap = "trap", "the first test that does not pass traps";
    Timeout = "timeout", "the first test that does not pass runs out of steps";
    Unfinished = "unfinished", "it has a `?`, so it never passes";
    Discarded = "discarded", "the first test that does not pass is a property whose condition no input meets";
    Untested = "untested", "it compiles, and has no test";
    Invalid = "invalid", "it does not compile";
    Missing = "missing", "its `function` replaces no function of the base, or not the one in `replaces`";
    Refused = "refused", "its `function` replaces more than one function of the base, or a function of the tests, or has tests although it has `replaces`";
    #[default]
    Error = "error", "the line is not a candidate";
}

impl Status {
    /// Returns the status of a program with tests, from the outcome of the first test that does not pass.
    pub fn of(outcome: Outcome) -> Status {
        match outcome {
            Outcome::Pass => Status::Pass,
            Outcome::Fail => Status::Fail,
            Outcome::Trap(Trap::StepLimit) => Status::Timeout,
            Outcome::Trap(Trap::Hole) => Status::Unfinished,
            Outcome::Trap(_) => Status::Trap,
            Outcome::Discarded => Status::Discarded,
        }
    }
}

#[derive(Clone, Debug, Default)]
pub struct BatchRecord {
    pub id: Option<Label>,
    pub group: Option<Label>,
    pub status: Status,
    pub tests_passed: u32,
    pub tests: u32,
    pub diagnostics: Vec<Finding>,
    pub steps: u64,
    /// For a candidate that is not tested: the reason.
    pub message: Option<String>,
    /// For functions without `replaces`: the function of the base that they replace.
    pub replaced: Option<String>,
    /// For a line that is not a candidate: its number, and the reason.
    pub wrong: Option<(u64, String)>,
}

#[derive(Serialize)]
struct BatchVerdict<'a> {
    status: &'static str,
    tests_passed: u32,
    tests: u32,
    #[serde(skip_serializing_if = "<[Finding]>::is_empty")]
    diagnostics: &'a [Finding],
    #[serde(skip_serializing_if = "Option::is_none")]
    message: &'a Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    replaced: &'a Option<String>,
    steps: u64,
}

#[derive(Serialize)]
struct Wrong<'a> {
    status: &'static str,
    line: u64,
    message: &'a str,
}

/// Returns an object as JSON, with members before its own.
pub fn after(members: &str, object: &impl Serialize) -> String {
    let own = document::json(object);
    format!("{{{members}{}", own.strip_prefix('{').unwrap_or(&own))
}

impl BatchRecord {
    /// Returns the record of a line that is not a candidate.
    pub fn bad(number: u64, id: Option<Label>, group: Option<Label>, message: &str) -> BatchRecord {
        BatchRecord { id, group, wrong: Some((number, message.into())), ..BatchRecord::default() }
    }

    pub fn of(number: u64, bad: LineError) -> BatchRecord {
        BatchRecord::bad(number, bad.id, bad.group, &bad.message)
    }

    /// Returns the record as a line of JSON.
    pub fn line(&self) -> String {
        let BatchRecord {
            id,
            group,
            status,
            tests_passed,
            tests,
            diagnostics,
            steps,
            message,
            replaced,
            wrong,
        } = self;
        let status = status.name();
        let (tests_passed, tests, steps) = (*tests_passed, *tests, *steps);
        let label = |name, label: &Option<Label>| match label {
            Some(label) => format!("\"{name}\":{},", label.json()),
            None => String::new(),
        };
        let labels = label("id", id) + &label("group", group);
        let mut line = match wrong {
            Some((line, message)) => after(&labels, &Wrong { status, line: *line, message }),
            None => after(
                &labels,
                &BatchVerdict { status, tests_passed, tests, diagnostics, message, replaced, steps },
            ),
        };
        line.push('\n');
        line
    }
}
