//! Splits a line of a tape into words and quoted texts. `#` begins a comment.

use std::ops::Range;

/// A word or a quoted text, with its span in the tape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    pub text: String,
    pub span: Range<usize>,
    pub quoted: bool,
}

const QUOTES: [char; 3] = ['"', '\'', '`'];

/// Splits a line that begins at byte `start` of the tape.
pub fn words(line: &str, start: usize) -> Result<Vec<Word>, Fault> {
    let mut words = Vec::new();
    let mut rest = line;
    loop {
        rest = rest.trim_start();
        let at = line.len() - rest.len();
        let Some(first) = rest.chars().next() else { return Ok(words) };
        if first == '#' {
            return Ok(words);
        }
        let length = match QUOTES.contains(&first) {
            true => {
                let Some(end) = rest[1..].find(first) else {
                    let span = start + at..start + line.trim_end().len();
                    return Err(Fault::new(span, "the text has no end", &format!("end it with {first}")));
                };
                end + 2
            }
            false => rest.find(char::is_whitespace).unwrap_or(rest.len()),
        };
        let (word, behind) = rest.split_at(length);
        let span = start + at..start + at + length;
        let quoted = length > 1 && QUOTES.contains(&first);
        if quoted && behind.chars().next().is_some_and(|c| !c.is_whitespace()) {
            let span = span.end..span.end + behind.chars().next().map_or(0, char::len_utf8);
            return Err(Fault::new(
                span,
                "there must be a space after a quoted text",
                "to quote a text that contains quotes, use another kind of quotes around it",
            ));
        }
        let text = if quoted { &word[1..length - 1] } else { word };
        words.push(Word { text: text.to_string(), span, quoted });
        rest = behind;
    }
}

/// A fault in a line of a tape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Byte range in the tape.
    pub span: Range<usize>,
    pub message: String,
    pub help: String,
}

impl Fault {
    pub fn new(span: Range<usize>, message: &str, help: &str) -> Fault {
        Fault { span, message: message.to_string(), help: help.to_string() }
    }
}
