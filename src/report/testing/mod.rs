//! Mutation testing reports for other tools: JSON in the public schema, an HTML page, and Markdown for code
//! reviews.

mod badge;
pub(super) mod html;
mod markdown;
mod schema;

use std::ops::RangeInclusive;

use super::document::Span;
use super::mutants::{Counts, Tally};
use crate::host::measure::numbers::grouped;
use crate::lang::index::{EntryId, Index, MutantId};
use crate::lang::verdict::MutantStatus;

/// The format of a report, chosen by the extension of its file name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReportFormat {
    Json,
    Html,
    Markdown,
    /// A picture of the score.
    Badge,
    /// The score as a line of JSON.
    BadgeJson,
}

/// A file whose first-order mutants were judged; second-order ones do not count in a score.
pub struct JudgedFile {
    pub name: String,
    pub text: String,
    pub tally: Tally,
    pub tests: Vec<Test>,
    pub functions: Vec<TestingFunction>,
    /// By id, ascending.
    pub mutants: Vec<TestingMutant>,
}

pub struct Test {
    pub title: String,
    pub line: u32,
    pub column: u32,
    /// Whether it passes on the program, and therefore judges mutants.
    pub judges: bool,
}

pub struct TestingFunction {
    pub name: String,
    pub lines: RangeInclusive<u32>,
}

/// A first-order mutant.
pub struct TestingMutant {
    pub id: MutantId,
    pub operator: &'static str,
    pub span: Span,
    pub original: String,
    pub replacement: String,
    pub status: MutantStatus,
    /// Indices of the tests known to notice it: at least the first one.
    pub noticed_by: Vec<EntryId>,
    /// For a duplicate: the mutant with the same bytecode.
    pub copy_of: Option<MutantId>,
    /// Whether a test executes the changed code, as far as that is known.
    pub reached: bool,
    /// Why it survives or is ignored.
    pub reason: Option<String>,
    /// A test that would notice it.
    pub test: Option<String>,
    /// For a survivor: the lines that it changes, as a unified diff.
    pub diff: Option<String>,
}

impl JudgedFile {
    /// Formats the number of mutants judged, and for a partial result also the total.
    fn count(&self) -> String {
        let judged = grouped(self.tally.first_order.judged().into());
        match self.mutants.iter().any(|mutant| mutant.status == MutantStatus::Pending) {
            true => format!("{judged} of {} (partial)", grouped(self.mutants.len() as u64)),
            false => judged,
        }
    }
}

impl ReportFormat {
    pub fn of_name(name: &str) -> Option<ReportFormat> {
        if name.to_ascii_lowercase().ends_with(".badge.json") {
            return Some(ReportFormat::BadgeJson);
        }
        let (_, end) = name.rsplit_once('.')?;
        match end.to_ascii_lowercase().as_str() {
            "json" => Some(ReportFormat::Json),
            "html" | "htm" => Some(ReportFormat::Html),
            "md" | "markdown" => Some(ReportFormat::Markdown),
            "svg" => Some(ReportFormat::Badge),
            _ => None,
        }
    }

    pub fn write(self, files: &[JudgedFile]) -> String {
        match self {
            ReportFormat::Json => schema::report(files),
            ReportFormat::Html => html::page(files),
            ReportFormat::Markdown => markdown::page(files),
            ReportFormat::Badge => badge::svg(files),
            ReportFormat::BadgeJson => badge::json(files),
        }
    }
}

/// Formats the score, and the numbers of noticed and of surviving mutants.
fn scores(counts: &Counts) -> [String; 3] {
    let score = counts.score().map_or("–".into(), |score| score.to_string());
    [score, grouped((counts.killed + counts.timeout).into()), grouped(counts.survived.into())]
}

fn total(files: &[JudgedFile]) -> Counts {
    files.iter().fold(Counts::default(), |sum, file| sum.plus(file.tally.first_order))
}

impl JudgedFile {
    /// Returns the counts of each function with mutants, those with most survivors first.
    fn by_function(&self) -> Vec<(&str, Counts)> {
        let mut rows = Vec::new();
        for function in &self.functions {
            let mut counts = Counts::default();
            let own = self.mutants.iter().filter(|mutant| function.lines.contains(&mutant.span.line));
            own.for_each(|mutant| counts.add(mutant.status));
            rows.push((function.name.as_str(), counts));
        }
        rows.retain(|(_, counts)| counts.judged() > 0);
        rows.sort_by_key(|(_, counts)| std::cmp::Reverse(counts.survived));
        rows
    }

    /// Returns the tests that judge, with the number of mutants that each is known to notice, the largest first.
    fn by_test(&self) -> Vec<(&Test, u64)> {
        let mut noticed = vec![0; self.tests.len()];
        for test in self.mutants.iter().flat_map(|mutant| &mutant.noticed_by) {
            noticed.get_mut(test.position()).into_iter().for_each(|count| *count += 1);
        }
        let mut rows: Vec<(&Test, u64)> =
            self.tests.iter().zip(noticed).filter(|(test, _)| test.judges).collect();
        rows.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        rows
    }

    /// Returns the mutants that no test notices, in order of lines.
    fn survivors(&self) -> impl Iterator<Item = &TestingMutant> {
        self.mutants.iter().filter(|mutant| mutant.status == MutantStatus::Survived)
    }
}
