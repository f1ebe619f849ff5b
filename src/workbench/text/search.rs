//! Search: a plain text, case-blind unless it has a capital letter.

use std::ops::Range;

use crate::workbench::text::{Buffer, Selection};

/// What is searched for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Finder {
    pub query: String,
}

/// How a search went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// Which match, from 1.
    pub index: usize,
    /// Of how many.
    pub count: usize,
}

impl Finder {
    /// Byte ranges of the matches in a text, from first to last.
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
    /// Selects the first match at or behind `from` (a position), going round at the end.
    pub fn find_forward(&mut self, finder: &Finder, from: usize) -> Option<Found> {
        let text = self.text().clone();
        let from = self.byte_of(from);
        let all: Vec<_> = finder.matches(&text).collect();
        let index = all.iter().position(|m| m.start >= from).unwrap_or(0);
        self.select_match(&all, index)
    }

    /// Selects the last match that ends at or before `from`, going round at the start.
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
