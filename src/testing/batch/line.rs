//! Parses one line of a batch.

use std::sync::Arc;

use serde::de::IgnoredAny;

use crate::report::document;
use crate::report::raw::members;

/// A string or number from the input, returned unchanged in the record.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Label {
    Text(String),
    /// A number as written, of any length and precision.
    Number(Box<str>),
}

impl Label {
    /// Reads a label from its JSON text, which is valid.
    ///
    /// # Errors
    /// The reason if the text is neither a string nor a number.
    pub fn read(text: &str) -> Result<Label, String> {
        if text.starts_with(|c: char| c.is_ascii_digit() || c == '-') {
            return Ok(Label::Number(text.into()));
        }
        let read = serde_json::from_str(text).map(Label::Text);
        read.map_err(|_| format!("is {}, not a string or a number", kind(text)))
    }

    pub fn json(&self) -> String {
        match self {
            Label::Text(text) => document::json(text),
            Label::Number(number) => number.to_string(),
        }
    }

    /// Returns the label as it is written outside of JSON.
    pub fn text(&self) -> &str {
        match self {
            Label::Text(text) => text,
            Label::Number(number) => number,
        }
    }
}

/// Returns a name for the kind of a JSON text.
fn kind(text: &str) -> &'static str {
    match text.as_bytes().first() {
        Some(b'{') => "an object",
        Some(b'[') => "an array",
        Some(b'"') if serde_json::from_str::<String>(text).is_ok() => "a string",
        Some(b'"') => "a string that is not Unicode",
        Some(b't' | b'f') => "a truth value",
        Some(b'n') => "null",
        _ => "a number",
    }
}

/// The code to judge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Body {
    /// A whole program.
    Source(String),
    /// Functions that replace or extend those of the base.
    Function(String),
}

/// A candidate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BatchLine {
    /// The line number, counted from 1.
    pub number: u64,
    pub id: Label,
    pub group: Option<Label>,
    pub body: Body,
    /// The program that the functions belong to, and the tests, if the line has its own.
    pub base: Option<Arc<str>>,
    pub tests: Option<Arc<str>>,
    /// The function of the base that `function` must replace.
    pub replaces: Option<String>,
}

/// The reason why a line is not a candidate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineError {
    pub id: Option<Label>,
    pub group: Option<Label>,
    pub message: String,
}

/// The fields that are read. All other fields are ignored.
const FIELDS: [&str; 7] = ["id", "group", "source", "function", "base", "tests", "replaces"];

/// Returns the JSON texts of [`FIELDS`]. A null counts as absent.
fn fields(object: &str) -> Result<[Option<&str>; FIELDS.len()], String> {
    let mut found = [None; FIELDS.len()];
    for (key, value) in members(object) {
        let key: Option<String> = serde_json::from_str(key).ok();
        let Some(place) = FIELDS.iter().position(|field| Some(*field) == key.as_deref()) else { continue };
        if found[place].replace(value).is_some() {
            return Err(format!("it has more than one `{}`", FIELDS[place]));
        }
    }
    Ok(found.map(|value| value.filter(|value| *value != "null")))
}

impl BatchLine {
    /// Reads a line.
    ///
    /// # Errors
    /// If the line is not a candidate.
    pub fn read(number: u64, bytes: &[u8]) -> Result<BatchLine, LineError> {
        let bad = |message: String| LineError { id: None, group: None, message };
        let text = std::str::from_utf8(bytes)
            .map_err(|error| bad(format!("it is not valid UTF-8: byte {}", error.valid_up_to() + 1)))?;
        serde_json::from_str::<IgnoredAny>(text).map_err(|error| bad(plainly(&error)))?;
        let object = text.trim();
        if !object.starts_with('{') {
            return Err(bad(format!(
                "it is not a candidate: a candidate is an object, and this is {}",
                kind(object)
            )));
        }
        let [id, group, source, function, base, tests, replaces] = fields(object).map_err(bad)?;
        let [id, group] = [id, group].map(|text| text.map(Label::read));
        // The record keeps a valid id or group even if the rest is wrong, so that its line can be found.
        let [known_id, known_group] = [&id, &group].map(|label| label.clone().and_then(Result::ok));
        let bad = |message: String| LineError { id: known_id.clone(), group: known_group.clone(), message };
        let id = id.ok_or_else(|| bad("it has no `id`, which is a string or a number".into()))?;
        let id = id.map_err(|why| bad(format!("its `id` {why}")))?;
        let group = group.transpose().map_err(|why| bad(format!("its `group` {why}")))?;
        let code = |field: &str, text: Option<&str>| -> Result<Option<String>, String> {
            let Some(text) = text else { return Ok(None) };
            let read = serde_json::from_str(text).map(Some);
            read.map_err(|_| format!("its `{field}` is {}, not a string", kind(text)))
        };
        let source = code("source", source).map_err(bad)?;
        let function = code("function", function).map_err(bad)?;
        let base = code("base", base).map_err(bad)?.map(Arc::from);
        let tests = code("tests", tests).map_err(bad)?.map(Arc::from);
        let replaces = code("replaces", replaces).map_err(bad)?;
        let body = match (source, function) {
            (Some(source), None) => Body::Source(source),
            (None, Some(function)) => Body::Function(function),
            (Some(_), Some(_)) => {
                return Err(bad("it has both a `source` and a `function`: give only one of them".into()));
            }
            (None, None) => return Err(bad("it has neither a `source` nor a `function`".into())),
        };
        Ok(BatchLine { number, id, group, body, base, tests, replaces })
    }
}

/// Returns the JSON parser's message without its line number, which is always 1.
fn plainly(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let what = text.split(" at line ").next().unwrap_or(&text);
    format!("it is not a candidate: {what}, column {}", error.column())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<BatchLine, LineError> {
        BatchLine::read(7, text.as_bytes())
    }

    #[test]
    fn labels_are_printed_exactly_as_read() {
        let long = "9".repeat(400);
        for id in [
            "1",
            "1.0",
            "1.50",
            "1e2",
            "1E+2",
            "-0",
            "-0.5",
            "0.10",
            "1e400",
            "18446744073709551616",
            &long,
            "0.12345678901234567890",
            "\"a\\u202e\\n\"",
            "\"\"",
        ] {
            let line = read(&format!("{{\"id\": {id}, \"group\":{id} , \"source\": \"x\", \"other\": [1]}}"))
                .expect("a candidate");
            assert_eq!((line.id.json().as_str(), line.group.map(|group| group.json())), (id, Some(id.into())));
        }
        assert_ne!(read(r#"{"id":1,"source":""}"#), read(r#"{"id":"1","source":""}"#));
        assert_ne!(read(r#"{"id":1,"source":""}"#), read(r#"{"id":1.0,"source":""}"#));
    }

    #[test]
    fn invalid_candidate_line_is_explained() {
        for (text, said) in [
            ("", "EOF"),
            ("[1]", "this is an array"),
            (
                r#"["x", null, null, "fn f() -> int { return 1; }"]"#,
                "a candidate is an object, and this is an array",
            ),
            ("7", "this is a number"),
            ("\"x\"", "this is a string"),
            ("{\"id\":1}", "neither a `source`"),
            ("{\"id\":1,\"source\":\"\",\"function\":\"\"}", "both"),
            ("{\"source\":\"\"}", "no `id`"),
            ("{\"id\":null,\"source\":\"\"}", "no `id`"),
            ("{\"id\":[1],\"source\":\"\"}", "its `id` is an array, not a string or a number"),
            ("{\"id\":true,\"source\":\"\"}", "its `id` is a truth value"),
            ("{\"id\":1,\"source\":7}", "its `source` is a number, not a string"),
            ("{\"id\":1,\"function\":{}}", "its `function` is an object, not a string"),
            ("{\"id\":1,\"source\":\"\",\"group\":{}}", "its `group` is an object"),
            ("{\"id\":1,\"function\":\"\",\"base\":7}", "its `base` is a number, not a string"),
            (
                "{\"id\":1,\"function\":\"\",\"tests\":[\"test 1 == 1;\"]}",
                "its `tests` is an array, not a string",
            ),
            ("{\"id\":1,\"id\":2,\"source\":\"\"}", "more than one `id`"),
            ("{\"id\":1,\"\\u0069d\":2,\"source\":\"\"}", "more than one `id`"),
            ("{\"id\":1,\"source\":\"\\ud800\"}", "its `source` is a string that is not Unicode"),
            ("{\"id\":1,\"source\":\"x\"", "EOF"),
        ] {
            let bad = read(text).expect_err(text);
            assert!(bad.message.contains(said), "{text}: {}", bad.message);
            for internal in ["Fields", "struct", "expected a", "invalid type"] {
                assert!(!bad.message.contains(internal), "{text}: {}", bad.message);
            }
        }
        let bad = read("{\"id\":\"a\",\"group\":2,\"source\":7}").expect_err("no string");
        assert!(bad.id.is_some() && bad.group.is_some(), "the id and group are kept");
        assert!(BatchLine::read(1, b"{\"id\":\xff").expect_err("bad").message.contains("byte 7"));
        assert!(read(&"[".repeat(100_000)).is_err());
    }
}
