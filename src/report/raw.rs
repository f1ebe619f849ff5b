//! Splits JSON into the texts of its parts, so that unchanged parts stay identical to the byte.

use serde::de::IgnoredAny;
use serde_json::Value;

use super::document;
use super::visible::next_hidden;

/// Returns whether a text is one JSON value. The functions below require that.
pub fn is_json(text: &str) -> bool {
    serde_json::from_str::<IgnoredAny>(text).is_ok()
}

/// Writes a JSON text as documents are written: without blanks, and with the escapes of [`document::json`]. Numbers and
/// the order of members stay. So a document that another program has laid out again is what it was.
pub fn compact(text: &str) -> String {
    let (bytes, mut out, mut at) = (text.as_bytes(), String::with_capacity(text.len()), 0);
    while at < bytes.len() {
        let (from, blank) = (at, bytes[at].is_ascii_whitespace());
        if bytes[at] == b'"' {
            at = string_end(bytes, at).unwrap_or(bytes.len());
            let own = text.get(from..at).unwrap_or("");
            let is_plain = !own.contains('\\') && next_hidden(own, 0).is_none();
            match if is_plain { None } else { serde_json::from_str::<String>(own).ok() } {
                Some(value) => out.push_str(&document::json(&value)),
                None => out.push_str(own),
            }
            continue;
        }
        while at < bytes.len() && bytes[at] != b'"' && bytes[at].is_ascii_whitespace() == blank {
            at += 1;
        }
        if !blank {
            out.push_str(text.get(from..at).unwrap_or(""));
        }
    }
    out
}

/// Returns whether two JSON texts have the same value: the order of members does not matter, nor how numbers are written.
pub fn same(one: &str, other: &str) -> bool {
    fn equal(one: &Value, other: &Value) -> bool {
        match (one, other) {
            (Value::Number(a), Value::Number(b)) => {
                a == b || a.is_f64() != b.is_f64() && a.as_f64() == b.as_f64()
            }
            (Value::Array(a), Value::Array(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| equal(a, b))
            }
            (Value::Object(a), Value::Object(b)) => {
                a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| equal(a, b)))
            }
            _ => one == other,
        }
    }
    let value = |text| serde_json::from_str::<Value>(text).ok();
    one == other || value(one).zip(value(other)).is_some_and(|(one, other)| equal(&one, &other))
}

/// Returns the members of an object, in order: the key as written, and the value. Empty if the text is not an
/// object.
pub fn members(text: &str) -> Vec<(&str, &str)> {
    let member = |part: &str| -> Option<(usize, usize)> {
        let end = string_end(part.as_bytes(), 0)?;
        Some((end, end + part.get(end..)?.find(':')? + 1))
    };
    let cut = |part| {
        let (end, value) = member(part)?;
        Some((part.get(..end)?, part.get(value..)?.trim()))
    };
    parts(text, '{', '}').into_iter().filter_map(cut).collect()
}

pub fn member<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    let is = |written: &str| written.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) == Some(key);
    members(text).into_iter().find(|(written, _)| is(written)).map(|(_, value)| value)
}

/// Returns the elements of an array, in order. Empty if the text is not an array.
pub fn elements(text: &str) -> Vec<&str> {
    parts(text, '[', ']')
}

/// Returns the texts between the commas of an object or array.
fn parts(text: &str, open: char, close: char) -> Vec<&str> {
    let inside = text.trim().strip_prefix(open).and_then(|rest| rest.strip_suffix(close));
    let Some(inside) = inside.map(str::trim).filter(|inside| !inside.is_empty()) else { return Vec::new() };
    let bytes = inside.as_bytes();
    let (mut parts, mut from, mut at, mut depth) = (Vec::new(), 0, 0, 0usize);
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => {
                at = string_end(bytes, at).unwrap_or(bytes.len());
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            b',' if depth == 0 => {
                parts.extend(inside.get(from..at).map(str::trim));
                from = at + 1;
            }
            _ => {}
        }
        at += 1;
    }
    parts.extend(inside.get(from..).map(str::trim));
    parts
}

fn string_end(bytes: &[u8], begin: usize) -> Option<usize> {
    let mut at = begin + 1;
    while *bytes.get(at)? != b'"' {
        at += 1 + usize::from(bytes[at] == b'\\');
    }
    Some(at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compacted_json_is_as_documents_are_written() {
        let text = "{ \"a b\" : [1.0,\n\t2e1 , \"\\u00e9 \\\"\\/\u{202e}\" ] ,\r\n \"c\":null}";
        assert_eq!(compact(text), "{\"a b\":[1.0,2e1,\"é \\\"/\\u202e\"],\"c\":null}");
        assert_eq!(compact("\"open"), "\"open");
        assert!(same("{\"a\":1,\"b\":[2.0]}", "{ \"b\": [2], \"a\": 1.0 }") && same("x", "x"));
        for other in ["{\"a\":1}", "{\"a\":1,\"b\":[3]}", "{\"a\":1,\"c\":[2]}", "[]", "x"] {
            assert!(!same("{\"a\":1,\"b\":[2]}", other), "{other}");
        }
    }

    #[test]
    fn json_parts_are_split_at_top_level_commas() {
        let text = r#" { "a" : [1, {"b": "},]\"\\"}], "c\"": "x:,", "d":null } "#;
        assert!(is_json(text));
        let found = [(r#""a""#, r#"[1, {"b": "},]\"\\"}]"#), (r#""c\"""#, r#""x:,""#), (r#""d""#, "null")];
        assert_eq!(members(text), found);
        assert_eq!(member(text, "d"), Some("null"));
        assert_eq!(elements(found[0].1), ["1", r#"{"b": "},]\"\\"}"#]);
        for none in ["", "[]", " [ ] ", "{}", "1", "\"[]\"", "[", "{\"a", "{\"a\"}", "{:}", "[\"]"] {
            let (_, _) = (members(none), elements(none));
        }
        assert!(elements("[ ]").is_empty() && members("{ }").is_empty() && elements("{}").is_empty());
    }
}
