//! JSON documents: one object for each file, the same on every engine and machine.
//!
//! A field that does not apply is absent. Positions are 1-based, in characters, with exclusive ends.
//! `docs/cli.md` is the reference. Fields may be added, but never renamed.

use std::io;

use serde::ser::Error;
use serde::{Serialize, Serializer};
use serde_json::ser::Formatter;
use serde_json::value::RawValue;

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

/// A JSON object under construction: a document's fields in their order, each with its value. It is for documents of few
/// rows; rows by the thousand derive `Serialize`.
#[derive(Clone, Debug, Default)]
pub struct Object {
    /// The fields so far as JSON, separated by commas.
    fields: String,
}

impl Object {
    pub fn new() -> Object {
        Object::default()
    }

    /// Returns the beginning of the document of a call that concerns no file.
    pub fn of_call() -> Object {
        Object::new().field("version", VERSION).field("files", [(); 0])
    }

    pub fn field(self, name: &str, value: impl Serialize) -> Object {
        self.and(&format!("{}:{}", json(&name), json(&value)))
    }

    /// Adds a field that may not apply.
    pub fn option(self, name: &str, value: Option<impl Serialize>) -> Object {
        match value {
            Some(value) => self.field(name, value),
            None => self,
        }
    }

    pub fn list(self, name: &str, values: impl IntoIterator<Item = impl Serialize>) -> Object {
        self.field(name, values.into_iter().collect::<Vec<_>>())
    }

    /// Adds a list unless it is empty.
    pub fn unless_empty(self, name: &str, values: impl IntoIterator<Item = impl Serialize>) -> Object {
        let values: Vec<_> = values.into_iter().collect();
        self.option(name, Some(values).filter(|values| !values.is_empty()))
    }

    /// Adds a field that is absent unless it is true.
    pub fn flag(self, name: &str, is_set: bool) -> Object {
        self.option(name, is_set.then_some(true))
    }

    /// Adds the fields of another object; of nothing, nothing.
    pub fn join(self, other: impl Serialize) -> Object {
        let other = json(&other);
        self.and(other.strip_prefix('{').and_then(|fields| fields.strip_suffix('}')).unwrap_or_default())
    }

    fn and(mut self, fields: &str) -> Object {
        if !fields.is_empty() && !self.fields.is_empty() {
            self.fields.push(',');
        }
        self.fields.push_str(fields);
        self
    }
}

impl Serialize for Object {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        RawValue::from_string(format!("{{{}}}", self.fields)).map_err(S::Error::custom)?.serialize(serializer)
    }
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
        let _ = document.serialize(&mut serde_json::Serializer::with_formatter(&mut bytes, Printable));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_have_their_fields_in_order_and_leave_out_what_does_not_apply() {
        let inner = Object::new().field("share", 0.7f32).flag("all", false).flag("proved", true);
        let none: Option<u32> = None;
        let empty = Object::new().option("none", none).unless_empty("names", [""; 0]).join(none);
        assert_eq!(json(&empty), "{}");
        let object = Object::of_call().field("text", "a\u{1b}\"").list("rows", [inner, empty]);
        let object = Object::new().join(object).join(Span { line: 1, column: 2, end_line: 3, end_column: 4 });
        let rows = "[{\"share\":0.7,\"proved\":true},{}]";
        let span = "\"line\":1,\"column\":2,\"end_line\":3,\"end_column\":4";
        let text = "\"text\":\"a\\u001b\\\"\"";
        assert_eq!(json(&object), format!("{{\"version\":1,\"files\":[],{text},\"rows\":{rows},{span}}}"));
    }
}
