//! Documents for machines: one JSON object for each file, the same on every engine and machine.
//!
//! A field that does not apply is absent. Places are 1-based, in characters, ends exclusive. `docs/cli.md` is the
//! reference; fields may be added, none renamed.

use serde::Serialize;

use super::diagnostics::Diagnostic;
use super::places::Place;

/// The version of all documents. It changes when a field is renamed or changes its meaning.
pub const VERSION: u32 = 1;

/// Where something stands in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Span {
    pub line: u32,
    pub column: u32,
    pub end_line: u32,
    pub end_column: u32,
}

impl Span {
    pub fn new(start: Place, end: Place) -> Span {
        Span { line: start.line, column: start.column, end_line: end.line, end_column: end.column }
    }
}

/// A diagnostic as a machine reads it.
#[derive(Clone, Debug, Serialize)]
pub struct Finding {
    pub code: &'static str,
    pub severity: &'static str,
    #[serde(flatten)]
    pub span: Span,
    pub message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
}

impl From<&Diagnostic> for Finding {
    fn from(diagnostic: &Diagnostic) -> Finding {
        Finding {
            code: diagnostic.code.code(),
            severity: if diagnostic.code.is_error() { "error" } else { "warning" },
            span: Span::new(diagnostic.start, diagnostic.end),
            message: diagnostic.message.clone(),
            help: diagnostic.help.clone(),
        }
    }
}

/// The findings of a file, in order.
pub fn findings(diagnostics: &[Diagnostic]) -> Vec<Finding> {
    diagnostics.iter().map(Finding::from).collect()
}

/// A document as JSON, on one line.
pub fn json(document: &impl Serialize) -> String {
    // These documents hold strings, numbers and lists of them, which cannot fail to be written to memory.
    serde_json::to_string(document).unwrap_or_default()
}
