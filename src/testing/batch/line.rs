//! Parses one line of a batch.

use serde::Serialize;
use serde::de::IgnoredAny;
use serde_json::{Number, Value};

use crate::report::raw::members;

/// A string or number from the input, returned unchanged in the record.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(untagged)]
pub enum Label {
    Text(String),
    Number(Number),
}

impl Label {
    /// Converts a JSON value. Returns `None` if it is neither a string nor a number.
    pub fn of(value: Value) -> Option<Label> {
        match value {
            Value::String(text) => Some(Label::Text(text)),
            Value::Number(number) => Some(Label::Number(number)),
            _ => None,
        }
    }

    /// Reads a label from its JSON text. A number must be written exactly as it will be printed. Longer numbers, and
    /// those with several spellings, would be returned changed.
    fn read(text: &str) -> Result<Label, String> {
        let label = serde_json::from_str(text).ok().and_then(Label::of);
        match label {
            Some(Label::Number(number)) if number.to_string() != text => Err(format!(
                "is the number `{}`, which would not be printed as it is written: make it a string",
                shortened(text)
            )),
            Some(label) => Ok(label),
            None if text.starts_with(|c: char| c.is_ascii_digit() || c == '-') => {
                Err(format!("is the number `{}`, which is out of range: make it a string", shortened(text)))
            }
            None => Err(format!("is {}, not a string or a number", kind(text))),
        }
    }
}

/// Shortens an ASCII text to its first 40 characters.
fn shortened(text: &str) -> String {
    const LONGEST: usize = 40;
    match text.get(..LONGEST) {
        Some(begin) if text.len() > LONGEST => format!("{begin}…"),
        _ => text.to_string(),
    }
}

/// Returns a name for the kind of a JSON text.
fn kind(text: &str) -> &'static str {
    match text.as_bytes().first() {
        Some(b'{') => "an object",
        Some(b'[') => "an array",
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
pub struct Line {
    /// The line number, counted from 1.
    pub number: u64,
    pub id: Label,
    pub group: Option<Label>,
    pub body: Body,
}

/// The reason why a line is not a candidate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineError {
    pub id: Option<Label>,
    pub group: Option<Label>,
    pub message: String,
}

/// The fields that are read. All other fields are ignored.
const FIELDS: [&str; 4] = ["id", "group", "source", "function"];

/// Returns the JSON texts of [`FIELDS`]. A null counts as absent.
fn fields(object: &str) -> Result<[Option<&str>; 4], String> {
    let mut found = [None; 4];
    for (key, value) in members(object) {
        let key: Option<String> = serde_json::from_str(key).ok();
        let Some(place) = FIELDS.iter().position(|field| Some(*field) == key.as_deref()) else { continue };
        if found[place].replace(value).is_some() {
            return Err(format!("it has more than one `{}`", FIELDS[place]));
        }
    }
    Ok(found.map(|value| value.filter(|value| *value != "null")))
}

impl Line {
    /// Reads a line.
    ///
    /// # Errors
    /// If the line is not a candidate.
    pub fn read(number: u64, bytes: &[u8]) -> Result<Line, LineError> {
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
        let [id, group, source, function] = fields(object).map_err(bad)?;
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
        let body = match (source, function) {
            (Some(source), None) => Body::Source(source),
            (None, Some(function)) => Body::Function(function),
            (Some(_), Some(_)) => {
                return Err(bad("it has both a `source` and a `function`: give only one of them".into()));
            }
            (None, None) => return Err(bad("it has neither a `source` nor a `function`".into())),
        };
        Ok(Line { number, id, group, body })
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

    fn read(text: &str) -> Result<Line, LineError> {
        Line::read(7, text.as_bytes())
    }

    #[test]
    fn labels_are_printed_exactly_as_read() {
        for id in
            ["1", "-0.5", "0.1", "18446744073709551615", "-7", "\"a\\u202e\\n\"", "\"\"", "123456789012345678"]
        {
            let line =
                read(&format!("{{\"id\": {id}, \"source\": \"x\", \"other\": [1]}}")).expect("a candidate");
            assert_eq!(crate::report::document::json(&line.id), id);
        }
        assert_ne!(read(r#"{"id":1,"source":""}"#), read(r#"{"id":"1","source":""}"#));
        // All other numbers would be printed differently.
        for id in
            ["1.50", "1e2", "1E+2", "-0", "0.10", "12345678901234567890123", "0.12345678901234567890", "1e400"]
        {
            let bad = read(&format!("{{\"id\": {id}, \"source\": \"x\"}}")).expect_err(id);
            assert!(
                bad.message.starts_with(&format!("its `id` is the number `{id}`, which")),
                "{}",
                bad.message
            );
            let bad = read(&format!("{{\"id\": 1, \"group\": {id}, \"source\": \"x\"}}")).expect_err(id);
            assert!(bad.message.contains("make it a string") && bad.id.is_some(), "{}", bad.message);
        }
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
        assert!(Line::read(1, b"{\"id\":\xff").expect_err("bad").message.contains("byte 7"));
        assert!(read(&"[".repeat(100_000)).is_err());
    }
}
