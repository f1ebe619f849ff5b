//! Converts byte offsets to lines and columns, both from 1, columns in characters.

use std::ops::Range;

use serde::Serialize;

/// A position in a text, 1-based, with the column in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ReportPlace {
    pub line: u32,
    pub column: u32,
}

/// A range in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Span {
    pub line: u32,
    pub column: u32,
    pub end_line: u32,
    pub end_column: u32,
}

impl Span {
    pub fn new(start: ReportPlace, end: ReportPlace) -> Span {
        Span { line: start.line, column: start.column, end_line: end.line, end_column: end.column }
    }
}

/// Counts the characters that begin in some bytes.
fn beginning(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| **byte & 0xc0 != 0x80).count()
}

/// Index of a text's lines, for converting offsets to positions.
#[derive(Clone, Debug)]
pub struct Lines<'a> {
    text: &'a str,
    starts: Vec<usize>,
    /// The number of characters that begin before each multiple of [`STEP`] bytes, so that a column costs the
    /// same on lines of any length. Empty for ASCII text, where bytes are characters.
    characters: Vec<usize>,
}

const STEP: usize = 64;

impl<'a> Lines<'a> {
    pub fn new(text: &'a str) -> Self {
        let starts =
            std::iter::once(0).chain(text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(i, _)| i + 1));
        let mut characters = Vec::new();
        if !text.is_ascii() {
            characters.reserve_exact(text.len() / STEP + 2);
            characters.push(0);
            for (block, bytes) in text.as_bytes().chunks(STEP).enumerate() {
                characters.push(characters[block] + beginning(bytes));
            }
        }
        Lines { text, starts: starts.collect(), characters }
    }

    /// Returns the position of a byte offset. Offsets past the end count as the end, offsets inside a character
    /// as its first byte. A leading byte order mark takes no column.
    pub fn place(&self, offset: usize) -> ReportPlace {
        let offset = offset.min(self.text.len());
        let line = self.line(offset) - 1;
        let start = self.starts[line];
        let offset = self.floor(offset);
        let before = self.characters_before(offset) - self.characters_before(start);
        let marks = usize::from(line == 0 && offset > 0 && self.text.starts_with('\u{feff}'));
        ReportPlace { line: line as u32 + 1, column: (before - marks) as u32 + 1 }
    }

    pub fn text(&self) -> &'a str {
        self.text
    }

    /// Returns the positions of some bytes.
    pub fn span(&self, bytes: Range<usize>) -> Span {
        Span::new(self.place(bytes.start), self.place(bytes.end))
    }

    /// Returns the number of characters that begin before a byte.
    fn characters_before(&self, offset: usize) -> usize {
        let block = offset / STEP;
        let Some(before) = self.characters.get(block) else { return offset };
        before + beginning(&self.text.as_bytes()[block * STEP..offset])
    }

    /// Returns the line of a byte offset, from 1.
    pub fn line(&self, offset: usize) -> usize {
        self.starts.partition_point(|start| *start <= offset)
    }

    /// Returns the byte range of the whole lines that a span touches, line endings included.
    pub fn around(&self, span: &Range<usize>) -> Range<usize> {
        let end = self.starts.get(self.line(span.end)).copied().unwrap_or(self.text.len());
        self.starts[self.line(span.start) - 1]..end
    }

    /// Returns the number of bytes of the longest line in a range of whole lines.
    pub fn longest(&self, lines: &Range<usize>) -> usize {
        let first = self.line(lines.start) - 1;
        let ends = self.starts[first + 1..].iter().copied().chain([self.text.len()]);
        let lengths = self.starts[first..].iter().zip(ends).take_while(|(start, _)| **start < lines.end);
        lengths.map(|(start, end)| end - start).max().unwrap_or(0)
    }

    fn floor(&self, mut offset: usize) -> usize {
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        offset
    }
}
