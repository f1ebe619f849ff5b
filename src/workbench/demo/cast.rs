//! Writes recordings as asciicast version 2: a header, then one event per line, as JSON. Version 2 is supported
//! by asciinema since 2.0 and by all players.

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
    /// In seconds.
    duration: f64,
    title: String,
    env: serde_json::Value,
}

/// Returns seconds, rounded down to microseconds.
fn seconds(time: Duration) -> f64 {
    time.as_micros() as f64 / 1e6
}

/// Returns the whole cast. It contains no date, so that casts can be compared.
pub fn cast(recording: &Recording, title: &str) -> String {
    let (width, height) = recording.size;
    let env = json!({ "TERM": "xterm-256color" });
    let title = visible(title);
    let header = Header { version: 2, width, height, duration: seconds(recording.length), title, env };
    let mut lines = vec![json!(header).to_string()];
    let mut sizes = recording.sizes.iter().peekable();
    for frame in &recording.frames {
        while let Some((at, (width, height))) = sizes.next_if(|(at, _)| *at <= frame.at) {
            lines.push(json!([seconds(*at), "r", format!("{width}x{height}")]).to_string());
        }
        lines.push(json!([seconds(frame.at), "o", frame.output]).to_string());
    }
    // Players stop at the last event; an empty one at the end keeps the final screen visible.
    lines.push(json!([seconds(recording.length), "o", ""]).to_string());
    lines.push(String::new());
    lines.join("\n")
}
