//! Positions of the protocol: lines from 0, and UTF-16 code units from 0 in a line.

use std::ops::Range;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Position {
    #[serde(deserialize_with = "nearest")]
    pub line: u32,
    #[serde(deserialize_with = "nearest")]
    pub character: u32,
}

/// The protocol's range: the end is not part of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PositionRange {
    pub start: Position,
    pub end: Position,
}

/// Reads a number; one that is too large or small becomes the largest or smallest.
fn nearest<'de, D: Deserializer<'de>>(from: D) -> Result<u32, D::Error> {
    f64::deserialize(from).map(|number| number as u32)
}

/// Returns the byte of a column in a line without its `\n`; of a later column, that of the line's end.
pub fn column(line: &str, is_last: bool, character: u32) -> usize {
    let line = if is_last { line } else { line.strip_suffix('\r').unwrap_or(line) };
    let mut units = 0;
    let found = line.char_indices().find(|(_, c)| {
        let is_there = units >= character;
        units += c.len_utf16() as u32;
        is_there
    });
    found.map_or(line.len(), |(at, _)| at)
}

/// Converts between byte offsets of a text and positions.
pub struct Positions {
    text: Arc<str>,
    /// The byte at which each line begins.
    starts: Vec<usize>,
}

impl Positions {
    pub fn new(text: Arc<str>) -> Positions {
        let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        Positions { text, starts }
    }

    /// Returns the position of a byte; a byte after the end counts as the end.
    pub fn position(&self, byte: usize) -> Position {
        let byte = byte.min(self.text.len());
        let line = self.starts.partition_point(|start| *start <= byte) - 1;
        let before = self.text.get(self.starts[line]..byte).unwrap_or("");
        Position { line: line as u32, character: before.encode_utf16().count() as u32 }
    }

    pub fn range(&self, bytes: &Range<usize>) -> PositionRange {
        PositionRange { start: self.position(bytes.start), end: self.position(bytes.end) }
    }

    /// Returns the byte at a position. A column after the end of its line counts as that end, a line after the last one as
    /// the end of the text.
    pub fn byte(&self, position: Position) -> usize {
        let line = position.line as usize;
        let Some(start) = self.starts.get(line).copied() else { return self.text.len() };
        let next = self.starts.get(line + 1);
        let end = next.map_or(self.text.len(), |next| next - 1);
        start + column(&self.text[start..end], next.is_none(), position.character)
    }

    /// Returns the bytes of the lines that some bytes touch.
    pub fn lines(&self, bytes: &Range<usize>) -> Range<usize> {
        let PositionRange { start, end } = self.range(bytes);
        self.starts[start.line as usize]..self.byte(Position { character: u32::MAX, ..end })
    }

    pub fn bytes(&self, of: PositionRange) -> Range<usize> {
        let start = self.byte(of.start);
        start..self.byte(of.end).max(start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_utf16_code_units() {
        let text = "a𝄞b\nü\r\n";
        let positions = Positions::new(text.into());
        let at = |line, character| Position { line, character };
        for (byte, line, column) in
            [(0, 0, 0), (1, 0, 1), (5, 0, 3), (6, 0, 4), (7, 1, 0), (9, 1, 1), (11, 2, 0)]
        {
            assert_eq!(positions.position(byte), at(line, column), "{byte}");
            assert_eq!(positions.byte(at(line, column)), byte, "{line}:{column}");
        }
        assert_eq!(positions.byte(at(0, 99)), 6);
        assert_eq!(positions.byte(at(1, 99)), 9, "before the carriage return");
        assert_eq!(positions.byte(at(99, 0)), text.len());
        assert_eq!(positions.position(99), at(2, 0));
    }

    #[test]
    fn numbers_outside_of_the_range_become_the_nearest_ones() {
        for (written, read) in
            [("7", 7), ("7.0", 7), ("-1", 0), ("1e300", u32::MAX), ("18446744073709551616", u32::MAX)]
        {
            let position = serde_json::from_str::<Position>(&format!(r#"{{"line":{written},"character":0}}"#));
            assert_eq!(position.map(|position| position.line).ok(), Some(read), "{written}");
        }
        assert!(serde_json::from_str::<Position>(r#"{"line":"1","character":0}"#).is_err());
    }
}
