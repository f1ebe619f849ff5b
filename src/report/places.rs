//! Byte offsets as people count: lines and columns from 1, columns in characters.

/// A place in a text, 1-based, the column in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    pub line: u32,
    pub column: u32,
}

/// The starts of a text's lines, to turn offsets into places.
#[derive(Clone, Debug)]
pub struct Lines<'a> {
    text: &'a str,
    starts: Vec<usize>,
}

impl<'a> Lines<'a> {
    pub fn new(text: &'a str) -> Self {
        let starts =
            std::iter::once(0).chain(text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(i, _)| i + 1));
        Lines { text, starts: starts.collect() }
    }

    /// The place of a byte offset; offsets past the end are the end, those inside of a character its beginning. A
    /// leading byte order mark takes no column.
    pub fn place(&self, offset: usize) -> Place {
        let offset = offset.min(self.text.len());
        let line = self.starts.partition_point(|start| *start <= offset) - 1;
        let start = self.starts[line];
        let before = self.text.get(start..self.floor(offset)).unwrap_or("");
        let marks = usize::from(line == 0 && before.starts_with('\u{feff}'));
        Place { line: line as u32 + 1, column: (before.chars().count() - marks) as u32 + 1 }
    }

    fn floor(&self, mut offset: usize) -> usize {
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        offset
    }
}
