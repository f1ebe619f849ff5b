//! Plain-text search, case-insensitive unless the query has an uppercase letter.

use std::ops::Range;

use crate::workbench::text::{Buffer, Selection};

/// A search query.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Finder {
    pub query: String,
}

/// The result of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// The index of the match, from 1.
    pub index: usize,
    /// The number of matches.
    pub count: usize,
}

impl Finder {
    /// Returns the byte ranges of the matches in a text, in order.
    pub fn matches<'a>(&'a self, text: &'a str) -> impl Iterator<Item = Range<usize>> + 'a {
        let blind = !self.query.chars().any(char::is_uppercase);
        let needle = self.query.as_bytes();
        let haystack = text.as_bytes();
        let mut from = 0;
        std::iter::from_fn(move || {
            if needle.is_empty() {
                return None;
            }
            while from + needle.len() <= haystack.len() {
                let part = &haystack[from..from + needle.len()];
                let hit = if blind { part.eq_ignore_ascii_case(needle) } else { part == needle };
                if hit {
                    let range = from..from + needle.len();
                    from = range.end;
                    return Some(range);
                }
                from += 1;
            }
            None
        })
    }
}

impl Buffer {
    /// Selects the first match at or after the position `from`, wrapping around at the end.
    pub fn find_forward(&mut self, finder: &Finder, from: usize) -> Option<Found> {
        let text = self.text().clone();
        let from = self.byte_of(from);
        let all: Vec<_> = finder.matches(&text).collect();
        let index = all.iter().position(|m| m.start >= from).unwrap_or(0);
        self.select_match(&all, index)
    }

    /// Selects the last match that ends at or before `from`, wrapping around at the start.
    pub fn find_backward(&mut self, finder: &Finder, from: usize) -> Option<Found> {
        let text = self.text().clone();
        let from = self.byte_of(from);
        let all: Vec<_> = finder.matches(&text).collect();
        let index = all.iter().rposition(|m| m.end <= from).unwrap_or(all.len().saturating_sub(1));
        self.select_match(&all, index)
    }

    fn select_match(&mut self, all: &[Range<usize>], index: usize) -> Option<Found> {
        let range = all.get(index)?;
        let anchor = self.position_of_byte(range.start);
        let head = self.position_of_byte(range.end);
        self.select(Selection { anchor, head });
        Some(Found { index: index + 1, count: all.len() })
    }
}
