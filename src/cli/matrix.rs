//! `myriad mutate --matrix`: which test notices which single change, what each test is for, and how few would do.

use std::fmt::Write;

use serde::Serialize;

use super::limit::Limit;
use super::progress::Progress;
use super::test::{name_of, title_of};
use crate::compiler::program::Watch;
use crate::engine::BaseResult;
use crate::host::measure::numbers::{grouped, plural};
use crate::lang::verdict::Verdict;
use crate::report::visible::visible;
use crate::testing::mutation::{Entries, Examiner, Least, Matrix, Standing};

/// What the matrix says of tests and mutants.
#[derive(Serialize)]
pub struct Noticed {
    tests: Vec<Test>,
    least: Few,
    /// Ids of mutants that stand for all that are noticed.
    minimal: Vec<u32>,
    #[serde(skip)]
    matrix: Matrix,
}

/// A test or property that judges.
#[derive(Serialize)]
struct Test {
    index: u32,
    line: u32,
    /// How many mutants it notices, and how many of them nobody else does.
    notices: u32,
    alone: u32,
    standing: &'static str,
    #[serde(skip)]
    title: String,
}

/// Tests that notice as much as all.
#[derive(Serialize)]
struct Few {
    tests: Vec<u32>,
    /// Whether fewer cannot.
    proved: bool,
}

impl Noticed {
    /// Runs all single changes that are noticed by all tests. Also how many were left when the limit was reached.
    pub fn examine(base: &BaseResult, verdicts: &[Verdict], limit: &Limit) -> (Noticed, usize) {
        let mut examiner = Examiner::new(base.compiled.clone(), &base.entries);
        let mut matrix = Matrix { oracles: examiner.oracles(), rows: Vec::new() };
        let singles = (examiner.singles() as usize).min(verdicts.len());
        let mut progress = Progress::new("mutants run by every test");
        let mut left = singles;
        for (id, verdict) in (0..).zip(verdicts).take(singles) {
            let noticed = examiner.noticed(id, verdict, limit).unwrap_or_default();
            if limit.cancelled() {
                break;
            }
            left -= 1;
            matrix.rows.extend((!noticed.is_empty()).then_some((id, noticed)));
            progress.update(id as usize + 1, singles);
        }
        let program = &base.compiled;
        let test = |index: &u32| {
            let head = program.entry(*index).map_or(0, |entry| entry.head());
            let (standing, alone) = match matrix.standing(*index) {
                Standing::Needed(alone) => ("needed", alone),
                Standing::Redundant => ("redundant", 0),
                Standing::Idle => ("idle", 0),
            };
            let title = name_of(program, head).unwrap_or_else(|| title_of(program, head));
            let (line, notices) = (program.view().line(head), matrix.notices(*index));
            Test { index: *index, line, notices, alone, standing, title }
        };
        let Least { entries, proved } = matrix.least();
        let noticed = Noticed {
            tests: matrix.oracles.iter().map(test).collect(),
            least: Few { tests: entries, proved },
            minimal: matrix.minimal().iter().map(|minimal| minimal.id).collect(),
            matrix,
        };
        (noticed, left)
    }

    /// The tests that notice a mutant, where any does.
    pub fn by(&self, id: u32) -> Option<Vec<u32>> {
        let row = self.matrix.rows.binary_search_by_key(&id, |(id, _)| *id).ok()?;
        let (_, noticed): &(u32, Entries) = self.matrix.rows.get(row)?;
        Some(noticed.iter().collect())
    }

    /// For people: how few tests would do, and of each test what it is for.
    pub fn text(&self) -> String {
        let all = plural(self.tests.len() as u64, "test");
        let perhaps = if self.least.proved { "" } else { ", perhaps fewer do" };
        let mut text = format!("  {} of {all} notice as much as all{perhaps}\n", self.least.tests.len());
        for Test { index, line, notices, alone, standing, title } in &self.tests {
            let mark = if self.least.tests.contains(index) { "kept" } else { "spare" };
            let says = match *standing {
                "idle" => "notices nothing".to_string(),
                "redundant" => format!("notices {}, as others do", grouped((*notices).into())),
                _ => format!("notices {}, {} alone", grouped((*notices).into()), grouped((*alone).into())),
            };
            let _ = writeln!(text, "  {mark:<5} {line:>4}  {}  {says}", visible(title));
        }
        let (few, noticed) = (self.minimal.len() as u64, self.matrix.rows.len() as u64);
        let _ = writeln!(text, "  {} stand for {} that are noticed", plural(few, "change"), grouped(noticed));
        text
    }
}
