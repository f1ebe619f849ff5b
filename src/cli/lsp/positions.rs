//! Positions of the protocol: lines from 0, and UTF-16 code units from 0 in a line.

use std::ops::Range;

use lsp_types::Position;

/// Converts between byte offsets of a text and positions.
pub struct Positions<'a> {
    text: &'a str,
    /// The byte at which each line begins.
    starts: Vec<usize>,
}

impl<'a> Positions<'a> {
    pub fn new(text: &'a str) -> Positions<'a> {
        let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        Positions { text, starts }
    }

    /// Returns the position of a byte; a byte after the end counts as the end.
    pub fn position(&self, byte: usize) -> Position {
        let byte = byte.min(self.text.len());
        let line = self.starts.partition_point(|start| *start <= byte) - 1;
        let before = self.text.get(self.starts[line]..byte).unwrap_or("");
        Position::new(line as u32, before.encode_utf16().count() as u32)
    }

    pub fn range(&self, bytes: &Range<usize>) -> lsp_types::Range {
        lsp_types::Range::new(self.position(bytes.start), self.position(bytes.end))
    }

    /// Returns the byte at a position. A column after the end of its line counts as that end, a line after the last one as
    /// the end of the text.
    pub fn byte(&self, position: Position) -> usize {
        let Some(start) = self.starts.get(position.line as usize).copied() else { return self.text.len() };
        let line = self.text[start..].split_inclusive('\n').next().unwrap_or("");
        let line = line.strip_suffix('\n').map_or(line, |line| line.strip_suffix('\r').unwrap_or(line));
        let mut units = 0;
        let found = line.char_indices().find(|(_, c)| {
            let is_there = units >= position.character;
            units += c.len_utf16() as u32;
            is_there
        });
        start + found.map_or(line.len(), |(at, _)| at)
    }

    /// Returns the bytes of a range.
    pub fn bytes(&self, range: lsp_types::Range) -> Range<usize> {
        let start = self.byte(range.start);
        start..self.byte(range.end).max(start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_utf16_code_units() {
        let text = "a𝄞b\nü\r\n";
        let positions = Positions::new(text);
        for (byte, line, column) in
            [(0, 0, 0), (1, 0, 1), (5, 0, 3), (6, 0, 4), (7, 1, 0), (9, 1, 1), (11, 2, 0)]
        {
            assert_eq!(positions.position(byte), Position::new(line, column), "{byte}");
            assert_eq!(positions.byte(Position::new(line, column)), byte, "{line}:{column}");
        }
        assert_eq!(positions.byte(Position::new(0, 99)), 6);
        assert_eq!(positions.byte(Position::new(1, 99)), 9, "before the carriage return");
        assert_eq!(positions.byte(Position::new(99, 0)), text.len());
        assert_eq!(positions.position(99), Position::new(2, 0));
    }
}
