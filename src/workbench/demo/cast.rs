//! Recordings as asciicast, version 2: a header and an event a line, as JSON. That version is read by asciinema from 2.0 on, and by all
//! players.

use std::time::Duration;

use serde::Serialize;
use serde_json::json;

use super::record::Recording;
use crate::report::visible::visible;

#[derive(Serialize)]
struct Header {
    version: u32,
    width: u16,
    height: u16,
    /// Seconds.
    duration: f64,
    title: String,
    env: serde_json::Value,
}

/// Seconds with six digits.
fn seconds(time: Duration) -> f64 {
    time.as_micros() as f64 / 1e6
}

/// The whole cast. It has no date, so that two of them can be compared.
pub fn cast(recording: &Recording, title: &str) -> String {
    let (width, height) = recording.size;
    let env = json!({ "TERM": "xterm-256color" });
    let title = visible(title);
    let header = Header { version: 2, width, height, duration: seconds(recording.length), title, env };
    let mut lines = vec![json!(header).to_string()];
    for frame in &recording.frames {
        lines.push(json!([seconds(frame.at), "o", frame.output]).to_string());
    }
    // Players stop with the last event: what shows then is to be seen, too.
    lines.push(json!([seconds(recording.length), "o", ""]).to_string());
    lines.push(String::new());
    lines.join("\n")
}
