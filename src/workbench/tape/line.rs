//! Splits a line of a tape into words and quoted texts. `#` begins a comment.

use std::ops::Range;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TapeWord {
    pub text: String,
    pub span: Range<usize>,
    pub quoted: bool,
}

const QUOTES: [char; 3] = ['"', '\'', '`'];

/// Begins a line of a text that follows a command.
pub const LINE_MARK: char = '|';

/// Returns the text of a line that follows a command: all after its mark and one space.
pub fn marked(line: &str) -> &str {
    let text = line.strip_prefix(LINE_MARK).unwrap_or(line);
    text.strip_prefix(' ').unwrap_or(text)
}

/// Returns a text as lines with marks. The end of the last line is the end of the text.
pub fn mark_lines(text: &str) -> String {
    text.split('\n').map(|line| format!("{LINE_MARK} {line}\n")).collect()
}

/// Returns a text in quotes; in several pieces if it contains every kind of quote.
pub fn quoted(text: &str) -> Vec<String> {
    let mut pieces: Vec<String> = Vec::new();
    let mut rest = text;
    while !rest.is_empty() || pieces.is_empty() {
        let end = |quote: &char| rest.find(*quote).unwrap_or(rest.len());
        // The first of the best.
        let quote = QUOTES.into_iter().rev().max_by_key(end).unwrap_or(QUOTES[0]);
        let (piece, after) = rest.split_at(end(&quote));
        pieces.push(format!("{quote}{piece}{quote}"));
        rest = after;
    }
    pieces
}

/// Splits a line that begins at byte `start` of the tape.
pub fn words(line: &str, start: usize) -> Result<Vec<TapeWord>, Fault> {
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
        words.push(TapeWord { text: text.to_string(), span, quoted });
        rest = behind;
    }
}

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
