//! Messages of JSON-RPC on a stream of bytes: a header with the length of a body, and the body. A client can send anything: what
//! cannot be read is answered or skipped, and memory grows with what has arrived.

use std::io::{BufRead, Read};
use std::num::IntErrorKind;

use serde_json::{Value, json};

/// The greatest length of a body, in bytes.
pub const LIMIT: u64 = 64 << 20;

/// The greatest length of a line of a header, in bytes. Of a longer one, each piece of this length counts as a line.
const LINE: u64 = 4 << 10;

/// The code and message of an error.
pub type Refusal = (i32, String);

// The codes that the protocol has for errors.
pub const PARSE_ERROR: i32 = -32700;
pub const INVALID_REQUEST: i32 = -32600;
pub const METHOD_NOT_FOUND: i32 = -32601;
pub const INVALID_PARAMS: i32 = -32602;
pub const NOT_INITIALIZED: i32 = -32002;
pub const REQUEST_FAILED: i32 = -32803;

/// The reason why no message could be read.
#[derive(Debug, PartialEq, Eq)]
pub enum WireFault {
    /// The body is not JSON, or the header has no length. Others can follow.
    Unreadable(String),
    /// The body is longer than [`LIMIT`].
    TooLong,
    /// The stream has ended.
    Closed,
}

/// A request or, without an id, a notification.
#[derive(Debug, PartialEq)]
pub struct Message {
    pub id: Option<Value>,
    pub method: String,
    pub params: Value,
}

impl Message {
    /// Reads a message; `None` for an answer to a request of the server. The version of JSON-RPC is not looked at.
    ///
    /// # Errors
    /// The answer to a value that is not a message.
    pub fn read(value: Value) -> Result<Option<Message>, Value> {
        let refused = |id, why: &str| Err(answer(id, Err((INVALID_REQUEST, why.into()))));
        let Value::Object(mut fields) = value else {
            return refused(Value::Null, "a message is one JSON object; batches are not supported");
        };
        let id = fields.remove("id");
        if !matches!(id, None | Some(Value::Number(_) | Value::String(_))) && fields.contains_key("method") {
            return refused(Value::Null, "`id` is not a number or a string");
        }
        match fields.remove("method") {
            Some(Value::String(method)) => {
                Ok(Some(Message { id, method, params: fields.remove("params").unwrap_or_default() }))
            }
            None if fields.contains_key("result") || fields.contains_key("error") => Ok(None),
            _ => refused(id.unwrap_or_default(), "a message has a `method`, which is a string"),
        }
    }
}

pub fn answer(id: Value, result: Result<Value, Refusal>) -> Value {
    match result {
        Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
        Err((code, message)) => {
            json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } })
        }
    }
}

pub fn framed(message: &Value) -> String {
    let body = message.to_string();
    format!("Content-Length: {}\r\n\r\n{body}", body.len())
}

/// Reads the next message.
///
/// # Errors
/// See [`WireFault`].
pub fn receive(from: &mut impl BufRead) -> Result<Value, WireFault> {
    let length = header(from)?;
    let mut body = Vec::new();
    match from.by_ref().take(length).read_to_end(&mut body) {
        Ok(read) if read as u64 == length => parse(&mut body),
        _ => Err(WireFault::Closed),
    }
}

/// Reads a header, and returns the length of the body.
fn header(from: &mut impl BufRead) -> Result<u64, WireFault> {
    let (mut length, mut has_lines) = (None, false);
    loop {
        let mut line = Vec::new();
        match from.by_ref().take(LINE).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return Err(WireFault::Closed),
            Ok(_) => {}
        }
        let line = String::from_utf8_lossy(&line).to_ascii_lowercase();
        match line.trim() {
            "" if has_lines => break,
            "" => continue,
            // A body that is longer than announced leaves its end before the next header.
            line => match line.rsplit_once("content-length:").map(|(_, value)| value.trim().parse::<u64>()) {
                Some(Err(error)) if *error.kind() == IntErrorKind::PosOverflow => length = Some(u64::MAX),
                Some(value) => length = value.ok(),
                None => {}
            },
        }
        has_lines = true;
    }
    match length {
        None => Err(WireFault::Unreadable("a header without a valid Content-Length".into())),
        Some(length) if length > LIMIT => Err(WireFault::TooLong),
        Some(length) => Ok(length),
    }
}

fn parse(body: &mut [u8]) -> Result<Value, WireFault> {
    let read = match serde_json::from_slice(body) {
        Err(_) if mend(body) => serde_json::from_slice(body),
        read => read,
    };
    read.map_err(|error| WireFault::Unreadable(error.to_string()))
}

/// Replaces each escape of half a character (`\ud800`) by that of U+FFFD. Returns whether there was one.
fn mend(body: &mut [u8]) -> bool {
    let unit = |body: &[u8], at: usize| {
        let digits = body.get(at..at + 6)?.strip_prefix(b"\\u")?;
        u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
    };
    let (mut at, mut is_mended) = (0, false);
    while at < body.len() {
        at += match (body[at], unit(body, at)) {
            (b'\\', Some(0xd800..=0xdbff)) if matches!(unit(body, at + 6), Some(0xdc00..=0xdfff)) => 12,
            (b'\\', Some(0xd800..=0xdfff)) => {
                body[at + 2..at + 6].copy_from_slice(b"fffd");
                is_mended = true;
                6
            }
            (b'\\', _) => 2,
            _ => 1,
        };
    }
    is_mended
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads everything.
    fn received(mut bytes: &[u8]) -> Vec<Result<Value, WireFault>> {
        let mut all = Vec::new();
        loop {
            let received = receive(&mut bytes);
            let is_last = matches!(received, Err(WireFault::Closed | WireFault::TooLong));
            all.push(received);
            if is_last {
                return all;
            }
        }
    }

    #[test]
    fn messages_are_found_among_others_that_cannot_be_read() {
        let good = framed(&json!({ "ü": 1 }));
        let long = "x".repeat(3 * LINE as usize);
        // What comes before a good message, and the number of answers to it.
        for (before, refused) in [
            (String::new(), 0),
            ("\r\n\n \r\n".into(), 0),
            ("Content-Type: x\r\ncontent-LENGTH:0\r\n\r\n".into(), 1),
            ("Content-Length: 2\n\n{}".into(), 0),
            ("Content-Length: 3\r\n\r\n{}}".into(), 1),
            ("Content-Length: 1\r\n\r\n{\"a\": 1}".into(), 1),
            ("Content-Length: -4\r\n\r\n".into(), 1),
            ("Content-Length: x\r\n\r\n{}\r\n\r\n".into(), 2),
            (long.clone() + "\r\n\r\n" + &long, 1),
            ("Content-Length: 9\r\nContent-Length: 2\r\n\r\n[]".into(), 0),
            (format!("Content-Length: 200\r\n\r\n{}", "[".repeat(200)), 1),
        ] {
            let all = received((before.clone() + &good).as_bytes());
            let count = all.iter().filter(|one| matches!(one, Err(WireFault::Unreadable(_)))).count();
            assert_eq!(count, refused, "{before:?}: {all:?}");
            assert_eq!(all[all.len() - 2..], [Ok(json!({ "ü": 1 })), Err(WireFault::Closed)], "{before:?}");
        }
        let not_text = received(b"Content-Length: 3\r\n\r\n\"\xff\"");
        assert!(
            matches!(not_text[..], [Err(WireFault::Unreadable(_)), Err(WireFault::Closed)]),
            "{not_text:?}"
        );
    }

    #[test]
    fn long_bodies_are_refused_before_they_arrive() {
        for length in ["67108865", "99999999999999999999999999"] {
            let header = format!("Content-Length: {length}\r\n\r\n{{}}");
            assert_eq!(received(header.as_bytes()), [Err(WireFault::TooLong)]);
        }
        assert_eq!(received(b"Content-Length: 67108864\r\n\r\n{}"), [Err(WireFault::Closed)]);
    }

    #[test]
    fn halves_of_characters_are_replaced() {
        for (body, text) in [
            (r#""\ud800""#, "\u{fffd}"),
            (r#""\udc00\ud834\udd1e\ud834""#, "\u{fffd}𝄞\u{fffd}"),
            (r#""\\ud800\ud800\\""#, "\\ud800\u{fffd}\\"),
            (r#""\uD800\u0041\ud800\n""#, "\u{fffd}A\u{fffd}\n"),
        ] {
            assert_eq!(parse(&mut body.as_bytes().to_vec()), Ok(json!(text)), "{body}");
        }
        assert!(parse(&mut br#""\ud800\"#.to_vec()).is_err());
    }

    #[test]
    fn values_that_are_not_messages_are_refused_with_their_ids() {
        let refused = |value: Value| Message::read(value).expect_err("an answer");
        for (value, id) in [
            (json!([{ "method": "x" }]), json!(null)),
            (json!(3), json!(null)),
            (json!({}), json!(null)),
            (json!({ "id": 7 }), json!(7)),
            (json!({ "id": "a", "method": 3 }), json!("a")),
            (json!({ "id": null, "method": "x" }), json!(null)),
            (json!({ "id": [1], "method": "x" }), json!(null)),
        ] {
            let answer = refused(value.clone());
            assert_eq!((&answer["error"]["code"], &answer["id"]), (&json!(-32600), &id), "{value}");
        }
        assert_eq!(Message::read(json!({ "id": 1, "result": null })), Ok(None));
        let read = Message::read(json!({ "jsonrpc": "1.0", "id": 1.5, "method": "x" }));
        let message = Message { id: Some(json!(1.5)), method: "x".into(), params: Value::Null };
        assert_eq!(read, Ok(Some(message)));
    }
}
