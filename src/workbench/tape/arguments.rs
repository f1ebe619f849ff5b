//! The words after a command: times, numbers, names and places.

use std::time::Duration;

use super::line::{Fault, TapeWord};
use crate::workbench::key::Key;
use crate::workbench::open::OpenPlace;

/// Limit of a pause or a wait.
const LONGEST: Duration = Duration::from_secs(600);
/// Limit of the repetitions of a key in one line.
const TIMES: u32 = 1_000;
/// Limit of the characters of a caption.
const CAPTION: usize = 150;
/// The words after a command.
pub struct Arguments<'a> {
    pub command: &'a TapeWord,
    pub rest: &'a [TapeWord],
    pub form: &'static str,
}

impl<'a> Arguments<'a> {
    pub fn wrong(&self, word: &TapeWord, message: &str) -> Fault {
        Fault::new(word.span.clone(), message, &format!("it is written `{}`", self.form))
    }
    pub fn missing(&self) -> Fault {
        self.wrong(self.command, "something is missing after this")
    }
    pub fn too_many(&self, word: &TapeWord) -> Fault {
        self.wrong(word, "this line has too many words")
    }
    pub fn none(&self) -> Result<(), Fault> {
        self.rest.first().map_or(Ok(()), |word| Err(self.too_many(word)))
    }
    pub fn only(&self) -> Result<&'a TapeWord, Fault> {
        match self.rest {
            [] => Err(self.missing()),
            [word] => Ok(word),
            [_, more, ..] => Err(self.too_many(more)),
        }
    }
    pub fn two(&self) -> Result<[&'a TapeWord; 2], Fault> {
        match self.rest {
            [] | [_] => Err(self.missing()),
            [one, other] => Ok([one, other]),
            [_, _, more, ..] => Err(self.too_many(more)),
        }
    }
}

/// Splits a command's word into the name and the time after `@`.
pub fn with_time(word: &TapeWord) -> Result<(&str, Option<Duration>), Fault> {
    match word.text.split_once('@') {
        // `alt-@` is a key.
        Some((name, text)) if !name.is_empty() && !text.is_empty() && !word.quoted => {
            let at = word.span.end - text.len();
            let behind = TapeWord { text: text.to_string(), span: at..word.span.end, quoted: false };
            Ok((name, Some(time(&behind)?)))
        }
        _ => Ok((&word.text, None)),
    }
}

/// Parses a time: `500ms`, `2s`, or `0.5` in seconds.
pub fn time(word: &TapeWord) -> Result<Duration, Fault> {
    let text = word.text.as_str();
    let (number, unit) = match text.strip_suffix("ms") {
        Some(number) => (number, 1e-3),
        None => (text.strip_suffix('s').unwrap_or(text), 1.0),
    };
    let digits = number.chars().all(|c| c.is_ascii_digit() || c == '.');
    let seconds = number.parse::<f64>().ok().filter(|_| digits).map(|n| n * unit);
    let time =
        seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()).filter(|time| *time <= LONGEST);
    let help = "a time is `500ms`, `2s` or `0.5`, and ten minutes at most";
    time.ok_or_else(|| Fault::new(word.span.clone(), "this is not a time", help))
}

pub fn count(word: &TapeWord) -> Result<u32, Fault> {
    let number = word.text.parse().ok().filter(|n| (1..=TIMES).contains(n));
    let help = format!("from 1 to {TIMES}; a text is typed by `Type \"…\"`");
    number.ok_or_else(|| Fault::new(word.span.clone(), "this is not a number of times", &help))
}

/// Parses a place: `LINE:COLUMN`, counted from 1.
pub fn place(word: &TapeWord) -> Result<OpenPlace, Fault> {
    let number = |text: &str| text.parse().ok().filter(|n| *n > 0);
    let found = word
        .text
        .split_once(':')
        .and_then(|(line, column)| Some(OpenPlace { line: number(line)?, column: number(column)? }));
    found.ok_or_else(|| Fault::new(word.span.clone(), "this is not a place", "it is written `12:5`"))
}

pub fn caption_of(word: &TapeWord) -> Result<String, Fault> {
    let fits = word.text.chars().count() <= CAPTION;
    let help = format!("{CAPTION} characters at most, so that it fits above the picture");
    fits.then(|| word.text.clone())
        .ok_or_else(|| Fault::new(word.span.clone(), "this caption is too long", &help))
}

pub fn file_name(word: &TapeWord) -> Result<String, Fault> {
    let named = std::path::Path::new(&word.text).file_name().is_some();
    let wrong = || Fault::new(word.span.clone(), "this is not the name of a file", "such as samples/gcd.myr");
    named.then(|| word.text.clone()).ok_or_else(wrong)
}

/// Returns the key that types a character; enter for a line end.
pub fn typing(c: char) -> Key {
    Key::typing(if c == '\n' { '\r' } else { c })
}
