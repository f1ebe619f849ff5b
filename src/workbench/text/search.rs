//! Search for a text or a regular expression, case-insensitive unless the query has an uppercase letter.

use std::ops::{Range, RangeInclusive};

use regex::{Regex, RegexBuilder};

use crate::workbench::text::{Buffer, Selection};

/// The maximum size of a compiled regular expression, in bytes. The engine's time is linear in the text.
const PATTERN: usize = 1 << 20;

/// The maximum number of bytes that replacing all matches may insert.
const INSERTED: usize = 64 << 20;

#[derive(Clone, Debug, Default)]
pub struct Finder {
    query: String,
    /// The compiled query if it is a regular expression, or why it is not one.
    pattern: Option<Result<Regex, String>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextMatch {
    /// The index of the match, from 1.
    pub index: usize,
    pub count: usize,
}

impl Finder {
    pub fn new(query: &str, is_regex: bool) -> Finder {
        let is_blind = !query.chars().any(char::is_uppercase);
        match is_regex && !query.is_empty() {
            true => Finder::exact(query, query, is_blind),
            false => Finder { query: query.to_string(), pattern: None },
        }
    }

    /// Returns a search for a regular expression, that is shown as another text.
    pub fn exact(query: &str, pattern: &str, is_blind: bool) -> Finder {
        let mut builder = RegexBuilder::new(pattern);
        let pattern =
            builder.case_insensitive(is_blind).multi_line(true).size_limit(PATTERN).build().map_err(reason);
        Finder { query: query.to_string(), pattern: Some(pattern) }
    }

    pub fn query(&self) -> &str {
        &self.query
    }
    pub fn is_empty(&self) -> bool {
        self.query.is_empty()
    }
    /// Returns why the query is not a regular expression, if it should be one.
    pub fn error(&self) -> Option<&str> {
        self.pattern.as_ref()?.as_ref().err().map(String::as_str)
    }

    /// Returns the byte ranges of the matches in a text, in order; empty matches are left out.
    pub fn matches<'a>(&'a self, text: &'a str) -> Box<dyn Iterator<Item = Range<usize>> + 'a> {
        match &self.pattern {
            Some(Ok(pattern)) => {
                Box::new(pattern.find_iter(text).map(|found| found.range()).filter(|range| !range.is_empty()))
            }
            Some(Err(_)) => Box::new(std::iter::empty()),
            None => Box::new(self.plain_matches(text)),
        }
    }

    fn plain_matches<'a>(&'a self, text: &'a str) -> impl Iterator<Item = Range<usize>> + 'a {
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

    /// Returns the text that replaces a match. In the replacement of a regular expression, `$1` and `$name` are its groups.
    fn replacement(&self, text: &str, found: &Range<usize>, with: &str) -> String {
        let Some(Ok(pattern)) = &self.pattern else { return with.to_string() };
        let mut out = String::new();
        match pattern.captures_at(text, found.start) {
            Some(groups) => groups.expand(with, &mut out),
            None => out.push_str(with),
        }
        out
    }
}

/// Returns the last line of the engine's message, which says what is wrong.
fn reason(error: regex::Error) -> String {
    let text = match error {
        regex::Error::CompiledTooBig(_) => return "the expression is too large".to_string(),
        error => error.to_string(),
    };
    let last = text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("");
    last.trim().trim_start_matches("error: ").to_string()
}

impl Buffer {
    /// Selects the first match at or after the position `from`, wrapping around at the end.
    pub fn find_forward(&mut self, finder: &Finder, from: usize) -> Option<TextMatch> {
        let text = self.text().clone();
        let from = self.byte_of(from);
        let all: Vec<_> = finder.matches(&text).collect();
        let index = all.iter().position(|m| m.start >= from).unwrap_or(0);
        self.select_match(&all, index)
    }

    /// Selects the last match that ends at or before `from`, wrapping around at the start.
    pub fn find_backward(&mut self, finder: &Finder, from: usize) -> Option<TextMatch> {
        let text = self.text().clone();
        let from = self.byte_of(from);
        let all: Vec<_> = finder.matches(&text).collect();
        let index = all.iter().rposition(|m| m.end <= from).unwrap_or(all.len().saturating_sub(1));
        self.select_match(&all, index)
    }

    fn select_match(&mut self, all: &[Range<usize>], index: usize) -> Option<TextMatch> {
        let range = all.get(index)?;
        let anchor = self.position_of_byte(range.start);
        let head = self.position_of_byte(range.end);
        self.select(Selection { anchor, head });
        Some(TextMatch { index: index + 1, count: all.len() })
    }

    /// Replaces the selection if it is a match, as one undo step. Returns whether it was.
    pub fn replace_found(&mut self, finder: &Finder, with: &str) -> bool {
        let text = self.text().clone();
        let selected = self.selection().range();
        let bytes = self.byte_of(selected.start)..self.byte_of(selected.end);
        if !finder.matches(&text).take_while(|m| m.start <= bytes.start).any(|m| m == bytes) {
            return false;
        }
        let with = self.with_own_line_ends(&finder.replacement(&text, &bytes, with));
        let at = selected.start + with.chars().count();
        self.replace_all(vec![(selected, with)], Selection::at(at));
        true
    }

    /// Replaces all matches as one undo step; the cursor moves with the text. Returns their number.
    ///
    /// # Errors
    /// Says why if the text would become too large.
    pub fn replace_every(&mut self, finder: &Finder, with: &str) -> Result<usize, &'static str> {
        let text = self.text().clone();
        let mut inserted = 0;
        let mut edits = Vec::new();
        for found in finder.matches(&text) {
            let with = self.with_own_line_ends(&finder.replacement(&text, &found, with));
            inserted += with.len();
            if inserted > INSERTED {
                return Err("nothing replaced: the text would become larger than 64 MiB");
            }
            edits.push((self.position_of_byte(found.start)..self.position_of_byte(found.end), with));
        }
        let count = edits.len();
        self.change_all(edits);
        Ok(count)
    }

    /// Replaces the matches in each of some lines, or only the first, as one undo step; empty matches, too. The cursor goes
    /// to the last line that has changed. Returns the number of matches.
    ///
    /// # Errors
    /// Says why if the text would become too large.
    pub fn substitute(
        &mut self,
        finder: &Finder,
        with: &str,
        lines: RangeInclusive<usize>,
        is_global: bool,
    ) -> Result<usize, &'static str> {
        let plain = || Regex::new(&regex::escape(&finder.query)).ok();
        let pattern = match &finder.pattern {
            Some(pattern) => pattern.clone().ok(),
            None => plain(),
        };
        let Some(pattern) = pattern else { return Ok(0) };
        let (limit, mut count, mut inserted, mut edits) = (usize::from(!is_global), 0, 0, Vec::new());
        let mut last = 0;
        for line in lines {
            let text = self.line_text(line);
            let found = pattern.find_iter(&text).take(if is_global { usize::MAX } else { 1 }).count();
            if found == 0 {
                continue;
            }
            let new = self.with_own_line_ends(&pattern.replacen(&text, limit, with));
            count += found;
            inserted += new.len();
            if inserted > INSERTED {
                return Err("nothing replaced: the text would become larger than 64 MiB");
            }
            last = line
                + edits
                    .iter()
                    .chain([&(0..0, new.clone())])
                    .map(|(_, new): &(_, String)| new.matches('\n').count())
                    .sum::<usize>();
            edits.push((self.line_start(line)..self.line_end(line), new));
        }
        if count > 0 {
            // Undo leads back to the first of them.
            self.select(Selection::at(edits[0].0.start));
            self.replace_all(edits, self.selection);
            let start = self.line_start(last);
            let indent = self.line_text(last).chars().take_while(|c| matches!(c, ' ' | '\t')).count();
            self.select(Selection::at(start + indent));
        }
        Ok(count)
    }
}
