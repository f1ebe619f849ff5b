//! A line of a batch, as it is written.

use serde::{Deserialize, Serialize};
use serde_json::{Number, Value};

/// A string or number of the line's writer, given back as it was.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(untagged)]
pub enum Label {
    Text(String),
    Number(Number),
}

/// From here on a number may have been another one before it was read.
const WHOLE: f64 = 9_007_199_254_740_992.0;

impl Label {
    /// `None` for what is neither a string nor a number, or a number that cannot be given back.
    pub fn of(value: Value) -> Option<Label> {
        match value {
            Value::String(text) => Some(Label::Text(text)),
            Value::Number(number) => {
                let exact = !number.is_f64() || number.as_f64().is_some_and(|value| value.abs() < WHOLE);
                exact.then_some(Label::Number(number))
            }
            _ => None,
        }
    }
}

/// What is to be judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Body {
    /// A whole program.
    Source(String),
    /// Functions for the base.
    Function(String),
}

/// A candidate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// From 1.
    pub number: u64,
    pub id: Label,
    pub group: Option<Label>,
    pub body: Body,
}

/// Why a line is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bad {
    pub id: Option<Label>,
    pub group: Option<Label>,
    pub message: String,
}

/// Other fields are the writer's own affair.
#[derive(Deserialize)]
struct Fields {
    id: Option<Value>,
    group: Option<Value>,
    source: Option<String>,
    function: Option<String>,
}

/// What is known of a line that is no candidate.
#[derive(Deserialize)]
struct Names {
    id: Option<Value>,
    group: Option<Value>,
}

impl Line {
    /// Reads a line.
    ///
    /// # Errors
    /// If it is no candidate.
    pub fn read(number: u64, bytes: &[u8]) -> Result<Line, Bad> {
        let bad = |message: String| Bad { id: None, group: None, message };
        let text = std::str::from_utf8(bytes)
            .map_err(|error| bad(format!("it is not valid UTF-8: byte {}", error.valid_up_to() + 1)))?;
        let fields: Fields = serde_json::from_str(text).map_err(|error| {
            let names = serde_json::from_str(text).unwrap_or(Names { id: None, group: None });
            let [id, group] = [names.id, names.group].map(|raw| raw.and_then(Label::of));
            Bad { id, group, message: plainly(&error) }
        })?;
        let group = match fields.group {
            None => None,
            Some(value) => match Label::of(value) {
                None => return Err(bad("its `group` is no string and no number of at most 15 digits".into())),
                group => group,
            },
        };
        let Some(id) = fields.id.and_then(Label::of) else {
            let message = "it has no `id` that is a string, or a number of at most 15 digits".into();
            return Err(Bad { id: None, group, message });
        };
        let body = match (fields.source, fields.function) {
            (Some(source), None) => Body::Source(source),
            (None, Some(function)) => Body::Function(function),
            (both, _) => {
                let message = match both {
                    Some(_) => "it has both a `source` and a `function`: one of them is judged",
                    None => "it has neither a `source` nor a `function`",
                };
                return Err(Bad { id: Some(id), group, message: message.into() });
            }
        };
        Ok(Line { number, id, group, body })
    }
}

/// What the reader of JSON says, for one line.
fn plainly(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let what = text.split(" at line ").next().unwrap_or(&text);
    format!("it is no candidate: {what}, column {}", error.column())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Line, Bad> {
        Line::read(7, text.as_bytes())
    }

    #[test]
    fn labels_are_given_back_as_they_were() {
        for id in ["1", "-0.5", "18446744073709551615", "-7", "\"a\\u202e\\n\"", "\"\""] {
            let line =
                read(&format!("{{\"id\": {id}, \"source\": \"x\", \"other\": [1]}}")).expect("a candidate");
            assert_eq!(crate::report::document::json(&line.id), id);
        }
        assert_ne!(read(r#"{"id":1,"source":""}"#), read(r#"{"id":"1","source":""}"#));
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (text, said) in [
            ("", "EOF"),
            ("[1]", "no candidate"),
            ("{\"id\":1}", "neither a `source`"),
            ("{\"id\":1,\"source\":\"\",\"function\":\"\"}", "both"),
            ("{\"source\":\"\"}", "no `id`"),
            ("{\"id\":null,\"source\":\"\"}", "no `id`"),
            ("{\"id\":12345678901234567890123,\"source\":\"\"}", "no `id`"),
            ("{\"id\":1e400,\"source\":\"\"}", "out of range"),
            ("{\"id\":[1],\"source\":\"\"}", "no `id`"),
            ("{\"id\":1,\"source\":7}", "invalid type"),
            ("{\"id\":1,\"source\":\"\",\"group\":{}}", "`group`"),
            ("{\"id\":1,\"id\":2,\"source\":\"\"}", "duplicate"),
            ("{\"id\":1,\"source\":\"\\ud800\"}", "hex escape"),
            ("{\"id\":1,\"source\":\"x\"", "EOF"),
        ] {
            let bad = read(text).expect_err(text);
            assert!(bad.message.contains(said), "{text}: {}", bad.message);
        }
        let bad = read("{\"id\":\"a\",\"group\":2,\"source\":7}").expect_err("no string");
        assert!(bad.id.is_some() && bad.group.is_some(), "who wrote it is known");
        assert!(Line::read(1, b"{\"id\":\xff").expect_err("bad").message.contains("byte 7"));
        assert!(read(&"[".repeat(100_000)).is_err());
    }
}
