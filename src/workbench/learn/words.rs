//! Splits the line of a goal into words. Text in quotes or backticks is one word.

use std::ops::Range;

use super::format::HeaderLine;

/// A word with its byte range in the file. Quotes and backticks are included.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LearnWord<'a> {
    pub text: &'a str,
    pub span: Range<usize>,
}

impl<'a> LearnWord<'a> {
    /// Returns the text between two of these quotes, if the word is quoted in them.
    pub fn within(&self, quote: char) -> Option<&'a str> {
        self.text.strip_prefix(quote)?.strip_suffix(quote)
    }
}

/// Splits a line into words. An unclosed quote extends to the end of the line.
pub fn words<'a>(line: HeaderLine<'a>) -> Vec<LearnWord<'a>> {
    let mut words = Vec::new();
    let mut at = 0;
    while let Some(begin) = line.text[at..].find(|c: char| !c.is_whitespace()).map(|skip| at + skip) {
        let rest = &line.text[begin..];
        let quote = rest.chars().next().filter(|c| matches!(c, '"' | '`'));
        let length = match quote {
            Some(quote) => rest[1..].find(quote).map_or(rest.len(), |end| end + 2),
            None => rest.find(char::is_whitespace).unwrap_or(rest.len()),
        };
        at = begin + length;
        words.push(LearnWord { text: &line.text[begin..at], span: line.at + begin..line.at + at });
    }
    words
}

/// Matches a line against a form. Returns the words in each placeholder, or `None` if they do not match. A
/// placeholder at the end takes the rest of the line.
pub fn holes<'w, 'a>(form: &str, line: &'w [LearnWord<'a>]) -> Option<Vec<&'w [LearnWord<'a>]>> {
    let parts: Vec<&str> = form.split(' ').collect();
    let mut found = Vec::new();
    for (i, part) in parts.iter().enumerate() {
        let last = i + 1 == parts.len();
        if is_hole(part) {
            let taken = if last { line.get(i..)? } else { line.get(i..=i)? };
            found.push(Some(taken).filter(|taken| !taken.is_empty())?);
        } else if line.get(i)?.text != *part || last && line.len() > parts.len() {
            return None;
        }
    }
    Some(found)
}

/// Returns whether a word of a form is a placeholder.
fn is_hole(part: &str) -> bool {
    part.contains(|c: char| c.is_ascii_uppercase()) && !part.contains(|c: char| c.is_ascii_lowercase())
}

/// Counts the words of a form that a line contains in order, to guess which form was meant.
pub fn likeness(form: &str, line: &[LearnWord]) -> usize {
    let mut rest = line.iter();
    form.split(' ')
        .filter(|part| !is_hole(part))
        .filter(|part| rest.clone().any(|word| word.text == *part) && rest.any(|word| word.text == *part))
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str) -> Vec<LearnWord<'_>> {
        words(HeaderLine { text, at: 7 })
    }

    #[test]
    fn quoted_text_is_one_word() {
        let line = cut("at  most 40 steps in \"two words\"");
        let texts: Vec<&str> = line.iter().map(|word| word.text).collect();
        assert_eq!(texts, ["at", "most", "40", "steps", "in", "\"two words\""]);
        assert_eq!(line[5].within('"'), Some("two words"));
        assert_eq!(line[1].span, 11..15);
        assert_eq!(cut("`a b").len(), 1);
        assert_eq!(cut("\"").last().and_then(|word| word.within('"')), None);
    }

    #[test]
    fn goal_form_matches_words_in_its_holes() {
        let line = cut("bytecode of f has LOAD_CONST 42");
        let found = holes("bytecode of FUNCTION has INSTRUCTION", &line).expect("of that form");
        assert_eq!((found[0][0].text, found[1].len()), ("f", 2));
        assert!(holes("bytecode of FUNCTION has no INSTRUCTION", &line).is_none());
        assert!(holes("tests pass", &cut("tests pass now")).is_none());
        assert!(holes("at most N tokens in FUNCTION", &cut("at most 3 tokens in")).is_none());
        assert_eq!(likeness("at most N tokens in FUNCTION", &cut("at most ten tokens of f")), 3);
    }
}
