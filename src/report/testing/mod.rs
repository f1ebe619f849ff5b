//! What mutants say of a file's tests, as reports that others read: the public schema's JSON, a page of HTML, Markdown for a review.

mod html;
mod markdown;
mod schema;

use super::document::Span;
use super::mutants::Tally;
use crate::host::measure::numbers::grouped;
use crate::lang::verdict::MutantStatus;

/// The forms of a report, by the ends of files' names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Json,
    Html,
    Markdown,
}

/// A file whose mutants were judged: single changes, for pairs have no part in a score.
pub struct Judged {
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
    /// Whether it passes on the program, and so judges.
    pub judges: bool,
}

/// A single change.
pub struct Mutant {
    pub id: u32,
    pub operator: &'static str,
    pub span: Span,
    pub original: String,
    pub replacement: String,
    pub status: MutantStatus,
    /// Indices of the tests that notice it, as far as they are known: at least the first one.
    pub noticed_by: Vec<u32>,
    /// Why it survives or is ignored.
    pub reason: Option<String>,
    /// A test that would notice it.
    pub test: Option<String>,
    /// Of a survivor the lines that it changes, before and after, as a unified difference.
    pub diff: Option<String>,
}

impl Judged {
    /// How many single changes were judged; of a partial result, of how many.
    fn count(&self) -> String {
        let judged = grouped(self.tally.singles.judged().into());
        match self.mutants.iter().any(|mutant| mutant.status == MutantStatus::Pending) {
            true => format!("{judged} of {} (partial)", grouped(self.mutants.len() as u64)),
            false => judged,
        }
    }
}

impl Form {
    /// The form of a file of this name.
    pub fn of_name(name: &str) -> Option<Form> {
        let (_, end) = name.rsplit_once('.')?;
        match end.to_ascii_lowercase().as_str() {
            "json" => Some(Form::Json),
            "html" | "htm" => Some(Form::Html),
            "md" | "markdown" => Some(Form::Markdown),
            _ => None,
        }
    }

    /// The report on some files.
    pub fn write(self, files: &[Judged]) -> String {
        match self {
            Form::Json => schema::report(files),
            Form::Html => html::page(files),
            Form::Markdown => markdown::page(files),
        }
    }
}

impl Judged {
    /// The mutants that no test notices, by lines.
    fn survivors(&self) -> impl Iterator<Item = &Mutant> {
        self.mutants.iter().filter(|mutant| mutant.status == MutantStatus::Survived)
    }
}
