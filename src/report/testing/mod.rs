//! Mutation testing reports for other tools: JSON in the public schema, an HTML page, and Markdown for code
//! reviews.

mod html;
mod markdown;
mod schema;

use super::document::Span;
use super::mutants::Tally;
use crate::host::measure::numbers::grouped;
use crate::lang::index::{EntryId, MutantId};
use crate::lang::verdict::MutantStatus;

/// The format of a report, chosen by the extension of its file name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReportFormat {
    Json,
    Html,
    Markdown,
}

/// A file whose first-order mutants were judged; second-order ones do not count in a score.
pub struct JudgedFile {
    pub name: String,
    pub text: String,
    pub tally: Tally,
    pub tests: Vec<Test>,
    /// By id, ascending.
    pub mutants: Vec<Mutant>,
}

/// A test or property.
pub struct Test {
    pub title: String,
    pub line: u32,
    pub column: u32,
    /// Whether it passes on the program, and therefore judges mutants.
    pub judges: bool,
}

/// A first-order mutant.
pub struct Mutant {
    pub id: MutantId,
    pub operator: &'static str,
    pub span: Span,
    pub original: String,
    pub replacement: String,
    pub status: MutantStatus,
    /// Indices of the tests known to notice it: at least the first one.
    pub noticed_by: Vec<EntryId>,
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
    /// Returns the format for a file name.
    pub fn of_name(name: &str) -> Option<ReportFormat> {
        let (_, end) = name.rsplit_once('.')?;
        match end.to_ascii_lowercase().as_str() {
            "json" => Some(ReportFormat::Json),
            "html" | "htm" => Some(ReportFormat::Html),
            "md" | "markdown" => Some(ReportFormat::Markdown),
            _ => None,
        }
    }

    /// Writes the report on some files.
    pub fn write(self, files: &[JudgedFile]) -> String {
        match self {
            ReportFormat::Json => schema::report(files),
            ReportFormat::Html => html::page(files),
            ReportFormat::Markdown => markdown::page(files),
        }
    }
}

impl JudgedFile {
    /// Returns the mutants that no test notices, in order of lines.
    fn survivors(&self) -> impl Iterator<Item = &Mutant> {
        self.mutants.iter().filter(|mutant| mutant.status == MutantStatus::Survived)
    }
}
