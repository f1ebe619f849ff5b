//! The values of runs, as inlay hints at the ends of lines.

use serde_json::{Value, json};

use super::document::Document;
use super::positions::{Position, PositionRange};
use crate::cli::live::Verdicts;

/// The maximum number of characters of a hint; the tooltip has all of them.
const LENGTH: usize = 80;

/// Returns the hints on the lines of a range, each with the test whose run has the values.
pub fn hints(verdicts: &Verdicts, document: &Document, range: PositionRange) -> Vec<Value> {
    let lines = range.start.line..=range.end.line;
    let values = verdicts.values(document.revision).iter().map(|hint| (hint.line.saturating_sub(1), hint));
    let shown = values.filter(|(line, _)| lines.contains(line)).map(|(line, hint)| {
        let end = document.positions.byte(Position { line, character: u32::MAX });
        let end = document.text[..end].trim_end().len();
        let long = hint.text.char_indices().nth(LENGTH).and_then(|(at, _)| hint.text.get(..at));
        json!({
            "position": document.positions.position(end),
            "label": long.map_or(hint.text.clone(), |part| format!("{part}…")),
            "paddingLeft": true,
            "tooltip": format!("{}\nin {}", hint.text, hint.title),
        })
    });
    shown.collect()
}
