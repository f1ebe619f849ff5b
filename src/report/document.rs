//! JSON documents: one object for each file, the same on every engine and machine.
//!
//! A field that does not apply is absent. Positions are 1-based, in characters, with exclusive ends.
//! `docs/cli.md` is the reference. Fields may be added, but never renamed.

use std::io;

use serde::Serialize;
use serde_json::Serializer;
use serde_json::ser::Formatter;

use super::diagnostics::Diagnostic;
pub use super::places::Span;
use super::visible::next_hidden;
use crate::lang::level::OptLevel;

/// The version of all documents. It changes when a field is renamed or changes its meaning.
pub const VERSION: u32 = 1;

/// Returns the beginning of the document of a command that compiles, up to its own fields. `level` is the level at
/// which the programs ran; mutants and patches ran at [`OptLevel::of_variants`].
pub fn head(level: OptLevel) -> String {
    format!("{{\"version\":{VERSION},\"opt\":{},", level.number())
}

/// A diagnostic in JSON.
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

/// Converts the diagnostics of a file, in order.
pub fn findings(diagnostics: &[Diagnostic]) -> Vec<Finding> {
    diagnostics.iter().map(Finding::from).collect()
}

/// Formats a document as JSON, on one line.
pub fn json(document: &impl Serialize) -> String {
    json_rows(std::slice::from_ref(document))
}

/// Formats documents as JSON, separated by commas.
pub fn json_rows(documents: &[impl Serialize]) -> String {
    let mut bytes = Vec::new();
    for (place, document) in documents.iter().enumerate() {
        // Rows are about as long as the first one.
        if place == 1 {
            bytes.reserve((bytes.len() + 1) * documents.len());
        }
        if place > 0 {
            bytes.push(b',');
        }
        // Documents consist of strings, numbers and lists, so writing them to memory cannot fail.
        let _ = document.serialize(&mut Serializer::with_formatter(&mut bytes, Printable));
    }
    String::from_utf8(bytes).unwrap_or_default()
}

/// JSON formatter that escapes hidden characters, so that a terminal can show the output. The meaning is
/// unchanged.
struct Printable;

impl Formatter for Printable {
    fn write_string_fragment<W: ?Sized + io::Write>(
        &mut self,
        writer: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        let mut from = 0;
        while let Some((at, c)) = next_hidden(fragment, from) {
            writer.write_all(&fragment.as_bytes()[from..at])?;
            for unit in c.encode_utf16(&mut [0; 2]) {
                write!(writer, "\\u{unit:04x}")?;
            }
            from = at + c.len_utf8();
        }
        writer.write_all(&fragment.as_bytes()[from..])
    }
}
