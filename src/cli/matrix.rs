//! `myriad mutate --matrix`: which tests notice which first-order mutants, what each test is for, and a
//! smallest sufficient set of tests.

use std::fmt::Write;

use super::limit::Limit;
use super::progress::CliProgress;
use super::titles::{Heading, heading};
use crate::compiler::program::Watch;
use crate::engine::BaseResult;
use crate::host::measure::numbers::{grouped, plural};
use crate::lang::index::{EntryId, Index, MutantId};
use crate::lang::verdict::Verdict;
use crate::report::document::Object;
use crate::report::visible::visible;
use crate::testing::mutation::{Entries, Examiner, Least, Matrix, OracleRole};

pub struct MatrixReport {
    tests: Vec<Test>,
    least: Least,
    /// Ids of representative mutants: a set of tests that notices all of these also notices every other mutant
    /// that any test notices.
    minimal: Vec<MutantId>,
    matrix: Matrix,
}

/// A test or property that judges mutants.
struct Test {
    index: EntryId,
    line: u32,
    title: String,
    /// The number of mutants that it notices.
    notices: u32,
    role: OracleRole,
}

impl MatrixReport {
    /// Runs all noticed first-order mutants on all tests. Also returns the number of mutants left when the
    /// limit was reached.
    pub fn examine(base: &BaseResult, verdicts: &[Verdict], limit: &Limit) -> (MatrixReport, usize) {
        let mut examiner = Examiner::new(base.compiled.clone(), &base.entries);
        let mut matrix = Matrix { oracles: examiner.oracles(), rows: Vec::new() };
        let singles = (examiner.first_order() as usize).min(verdicts.len());
        let mut progress = CliProgress::new("mutants run by every test");
        let mut left = singles;
        for (id, verdict) in MutantId::all().zip(verdicts).take(singles) {
            let noticed = examiner.noticed(id, verdict, limit).unwrap_or_default();
            if limit.cancelled() {
                break;
            }
            left -= 1;
            matrix.rows.extend((!noticed.is_empty()).then_some((id, noticed)));
            progress.update(id.position() + 1, singles);
        }
        let program = &base.compiled;
        let test = |index: &EntryId| {
            let Heading { title, line, .. } = heading(program, *index);
            let (notices, role) = (matrix.kill_count(*index), matrix.oracle_role(*index));
            Test { index: *index, line, title, notices, role }
        };
        let noticed = MatrixReport {
            tests: matrix.oracles.iter().map(test).collect(),
            least: matrix.least(),
            minimal: matrix.minimal().iter().map(|minimal| minimal.id).collect(),
            matrix,
        };
        (noticed, left)
    }

    /// Returns the tests that notice a mutant, if any.
    pub fn by(&self, id: MutantId) -> Option<Vec<EntryId>> {
        let row = self.matrix.rows.binary_search_by_key(&id, |(id, _)| *id).ok()?;
        let (_, noticed): &(MutantId, Entries) = self.matrix.rows.get(row)?;
        Some(noticed.iter().collect())
    }

    pub fn document(&self) -> Object {
        let test = |test: &Test| {
            let standing = match test.role {
                OracleRole::Needed(_) => "needed",
                OracleRole::Redundant => "redundant",
                OracleRole::Idle => "idle",
            };
            let place = Object::new().field("index", test.index).field("line", test.line);
            place.field("notices", test.notices).field("alone", test.role.alone()).field("standing", standing)
        };
        // A set of tests that notices as much as all tests, and whether it is proved that no smaller set does.
        let least = Object::new().field("tests", &self.least.entries).field("proved", self.least.proved);
        Object::new()
            .list("tests", self.tests.iter().map(test))
            .field("least", least)
            .field("minimal", &self.minimal)
    }

    /// Formats the result as text: the sufficient set, and the purpose of each test.
    pub fn text(&self) -> String {
        let all = plural(self.tests.len() as u64, "test");
        let perhaps = if self.least.proved { "" } else { ", fewer may suffice" };
        let mut text = format!("  {} of {all} notice as much as all{perhaps}\n", self.least.entries.len());
        for Test { index, line, title, notices, role } in &self.tests {
            let mark = if self.least.entries.contains(index) { "kept" } else { "spare" };
            let says = role.text(*notices);
            let _ = writeln!(text, "  {mark:<5} {line:>4}  {}  {says}", visible(title));
        }
        let (few, noticed) = (self.minimal.len() as u64, self.matrix.rows.len() as u64);
        let _ =
            writeln!(text, "  {} represent all {} that are noticed", plural(few, "change"), grouped(noticed));
        text
    }
}
