//! Escapes text from outside: characters that could change a terminal's state, reorder text or be invisible are
//! shown as placeholders.
//!
//! Programs, file names, arguments and environment variables may contain anything. The command line and the
//! workbench both escape them with this module.

use std::borrow::Cow;
use std::fmt::Write;

/// Unicode controls (Cc), formats (Cf), line and paragraph separators (Zl, Zp), and default-ignorable
/// characters: the first and last character of each range, in order. Also included is the empty braille pattern
/// (U+2800), a symbol that looks like a space.
const HIDDEN: [(char, char); 28] = [
    ('\0', '\u{1f}'),
    ('\u{7f}', '\u{9f}'),
    ('\u{ad}', '\u{ad}'),
    ('\u{34f}', '\u{34f}'),
    ('\u{600}', '\u{605}'),
    ('\u{61c}', '\u{61c}'),
    ('\u{6dd}', '\u{6dd}'),
    ('\u{70f}', '\u{70f}'),
    ('\u{890}', '\u{891}'),
    ('\u{8e2}', '\u{8e2}'),
    ('\u{115f}', '\u{1160}'),
    ('\u{17b4}', '\u{17b5}'),
    ('\u{180b}', '\u{180f}'),
    ('\u{200b}', '\u{200f}'),
    ('\u{2028}', '\u{202e}'),
    ('\u{2060}', '\u{206f}'),
    ('\u{2800}', '\u{2800}'),
    ('\u{3164}', '\u{3164}'),
    ('\u{fe00}', '\u{fe0f}'),
    ('\u{feff}', '\u{feff}'),
    ('\u{ffa0}', '\u{ffa0}'),
    ('\u{fff0}', '\u{fffb}'),
    ('\u{110bd}', '\u{110bd}'),
    ('\u{110cd}', '\u{110cd}'),
    ('\u{13430}', '\u{1343f}'),
    ('\u{1bca0}', '\u{1bca3}'),
    ('\u{1d173}', '\u{1d17a}'),
    ('\u{e0000}', '\u{e0fff}'),
];

/// Returns whether a character is always replaced.
pub fn is_hidden(c: char) -> bool {
    if (' '..='~').contains(&c) {
        return false;
    }
    let behind = HIDDEN.partition_point(|(first, _)| *first <= c);
    behind > 0 && c <= HIDDEN[behind - 1].1
}

/// Returns the placeholder of a character: the Unicode control picture of an ASCII control, the number of any
/// other.
pub fn placeholder(c: char) -> String {
    match c {
        '\0'..='\x1f' => char::from_u32(0x2400 + c as u32).unwrap_or('?').to_string(),
        '\x7f' => '\u{2421}'.to_string(),
        _ => format!("‹{:x}›", c as u32),
    }
}

/// Escapes text for one line; line endings and tabs are replaced, too.
pub fn visible(text: &str) -> String {
    with_placeholders(text, |_| false).into_owned()
}

/// Escapes text for one line of at most this number of characters; longer text ends in an ellipsis.
pub fn shortened(text: &str, most: usize) -> String {
    cut(visible(text), most)
}

/// Cuts a text to at most this number of characters, of which the last is then an ellipsis.
pub fn cut(mut text: String, most: usize) -> String {
    let mut ends = text.char_indices().skip(most.saturating_sub(1)).map(|(at, _)| at);
    if let (Some(end), Some(_)) = (ends.next(), ends.next()) {
        text.truncate(end);
        text.push('…');
    }
    text
}

/// Puts a piece of source on one line; an empty one becomes `(nothing)`.
pub fn on_one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    if words.is_empty() { "(nothing)".into() } else { visible(&words.join(" ")) }
}

/// Like [`visible`], for text of several lines; line endings and tabs are kept.
pub fn escape_hidden_lines(text: &str) -> Cow<'_, str> {
    with_placeholders(text, |rest| rest.starts_with(['\n', '\t']))
}

/// Like [`escape_hidden_lines`], for text with colours: colour sequences are kept. Text from outside is escaped
/// before colours are added, so this only catches omissions.
pub fn escape_hidden_styled(text: &str) -> Cow<'_, str> {
    let mut out = String::new();
    let (mut from, mut at) = (0, 0);
    while let Some(found) = text[at..].find('\x1b') {
        at += found;
        match colour(&text[at..]) {
            Some(length) => {
                out.push_str(&escape_hidden_lines(&text[from..at]));
                out.push_str(&text[at..at + length]);
                at += length;
                from = at;
            }
            None => at += 1,
        }
    }
    if from == 0 {
        return escape_hidden_lines(text);
    }
    out.push_str(&escape_hidden_lines(&text[from..]));
    Cow::Owned(out)
}

/// Returns the length of the colour sequence at the beginning of a text, if there is one.
fn colour(text: &str) -> Option<usize> {
    let body = text.strip_prefix("\x1b[")?;
    let length = body.bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b';').count();
    body[length..].starts_with('m').then_some(length + 3)
}

/// Returns the first hidden character at or after byte `from`, with its offset. Printable ASCII, which most
/// text is, is skipped in blocks.
pub fn next_hidden(text: &str, from: usize) -> Option<(usize, char)> {
    const STRETCH: usize = 64;
    let bytes = text.as_bytes();
    let printable = |byte: &u8| byte.wrapping_sub(b' ') <= b'~' - b' ';
    let mut at = from;
    while at < bytes.len() {
        let mut end = (at + STRETCH).min(bytes.len());
        // Branch-free, so that the compiler vectorizes the loop.
        if !bytes[at..end].iter().fold(true, |all, byte| all & printable(byte)) {
            while !text.is_char_boundary(end) {
                end += 1;
            }
            let found = text[at..end].char_indices().find(|(_, c)| is_hidden(*c));
            if let Some((place, c)) = found {
                return Some((at + place, c));
            }
        }
        at = end;
    }
    None
}

/// Replaces hidden characters, except those for which `keeps` returns true; it receives the text from that
/// character on.
fn with_placeholders(text: &str, keeps: impl Fn(&str) -> bool) -> Cow<'_, str> {
    let mut out = String::new();
    let (mut from, mut at) = (0, 0);
    while let Some((place, c)) = next_hidden(text, at) {
        at = place + c.len_utf8();
        if !keeps(&text[place..]) {
            out.push_str(&text[from..place]);
            out.push_str(&placeholder(c));
            from = at;
        }
    }
    if from == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(&text[from..]);
    Cow::Owned(out)
}

/// A piece of source for display with marks below it: the escaped text, with the position of each source byte.
pub struct Excerpt {
    pub text: String,
    /// Pairs of offsets at each end of a placeholder, in the source and in `text`.
    places: Vec<(usize, usize)>,
}

impl Excerpt {
    pub fn new(source: &str) -> Excerpt {
        let (mut text, mut places) = (String::with_capacity(source.len()), Vec::new());
        // Before the first placeholder, both offsets are the same.
        for (at, c) in source.char_indices() {
            let ends_line = c == '\n' || (c == '\r' && source[at..].starts_with("\r\n"));
            if !is_hidden(c) || ends_line || c == '\t' {
                text.push(c);
                continue;
            }
            places.push((at, text.len()));
            text.push_str(&placeholder(c));
            places.push((at + c.len_utf8(), text.len()));
        }
        Excerpt { text, places }
    }

    /// Returns the offset in `text` of a source offset.
    pub fn place(&self, at: usize) -> usize {
        match self.places.partition_point(|(source, _)| *source <= at).checked_sub(1) {
            Some(before) => {
                let (source, here) = self.places[before];
                here + (at - source)
            }
            None => at,
        }
    }
}

/// Quotes a file name for a shell, so that it can be pasted.
///
/// Hidden characters are written as `$'\x1b'`, which bash, zsh and others support. A name that begins with a
/// dash is prefixed with `./`.
pub fn shell_word(name: &std::ffi::OsStr) -> String {
    let bytes = name.as_encoded_bytes();
    let dash = if bytes.first() == Some(&b'-') { "./" } else { "" };
    let text = std::str::from_utf8(bytes).ok();
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"_./+:,@%-".contains(byte);
    match text {
        Some(text) if !bytes.is_empty() && bytes.iter().all(plain) => format!("{dash}{text}"),
        Some(text) if !text.chars().any(is_hidden) => format!("'{dash}{}'", text.replace('\'', r"'\''")),
        _ => {
            let mut word = format!("$'{dash}");
            for byte in bytes {
                let _ = match byte {
                    b'\'' | b'\\' => write!(word, "\\{}", char::from(*byte)),
                    b' '..=b'~' => write!(word, "{}", char::from(*byte)),
                    _ => write!(word, "\\x{byte:02x}"),
                };
            }
            word + "'"
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_characters_are_sorted_and_recognized() {
        assert!(HIDDEN.windows(2).all(|pair| pair[0].1 < pair[1].0 && pair[0].0 <= pair[0].1));
        for c in "\0\t\n\u{1b}\u{7f}\u{80}\u{9b}\u{9d}\u{9f}\u{ad}\u{61c}\u{200b}\u{200d}\u{200e}\u{2028}\u{202e}\u{2064}".chars()
        {
            assert!(is_hidden(c), "{c:?}");
        }
        for c in "\u{2066}\u{2069}\u{feff}\u{fe0f}\u{fff9}\u{e0001}\u{e0041}\u{e01ef}\u{180e}\u{3164}\u{2800}"
            .chars()
        {
            assert!(is_hidden(c), "{c:?}");
        }
        for c in " ~a\u{a0}é\u{301}漢🚀ا‹›␛\u{2801}\u{fffd}\u{fffc}\u{2010}\u{202f}".chars() {
            assert!(!is_hidden(c), "{c:?}");
        }
        // All controls are hidden.
        assert!((char::MIN..=char::MAX).all(|c| !c.is_control() || is_hidden(c)));
    }

    #[test]
    fn hidden_characters_are_found_at_every_position() {
        for before in (0..140).chain([64 * 7 - 1]) {
            for (c, filler) in [('\u{1b}', "a"), ('\u{202e}', "é"), ('\u{9b}', "漢"), ('\n', "→ ")] {
                let text = format!("{}{c}{}", filler.repeat(before), filler.repeat(70));
                let at = before * filler.len();
                assert_eq!(next_hidden(&text, 0), Some((at, c)), "{before} {c:?}");
                assert_eq!(next_hidden(&text, at), Some((at, c)));
                assert_eq!(next_hidden(&text, at + c.len_utf8()), None);
            }
        }
        assert_eq!(next_hidden("", 0), None);
    }

    #[test]
    fn line_breaks_and_colours_are_kept_on_request() {
        let text = "a\tb\r\n\u{1b}[31mc\u{1b}[0m\u{1b}]0;t\u{7}\u{9b}2J\u{1b}[2J\u{1b}[1";
        assert_eq!(visible(text), "a␉b␍␊␛[31mc␛[0m␛]0;t␇‹9b›2J␛[2J␛[1");
        assert_eq!(escape_hidden_lines(text), "a\tb␍\n␛[31mc␛[0m␛]0;t␇‹9b›2J␛[2J␛[1");
        assert_eq!(escape_hidden_styled(text), "a\tb␍\n\u{1b}[31mc\u{1b}[0m␛]0;t␇‹9b›2J␛[2J␛[1");
        assert!(matches!(escape_hidden_styled("nothing to do\n"), Cow::Borrowed(_)));
    }

    #[test]
    fn excerpt_maps_source_positions_to_shown_text() {
        let source = "é\u{9b}a\t\u{202e}b\r\nc\rd";
        let excerpt = Excerpt::new(source);
        assert_eq!(excerpt.text, "é‹9b›a\t‹202e›b\r\nc␍d");
        for (c, shown) in
            [('é', "é"), ('\u{9b}', "‹9b›"), ('a', "a"), ('\u{202e}', "‹202e›"), ('b', "b"), ('d', "d")]
        {
            let at = source.find(c).unwrap();
            assert!(excerpt.text[excerpt.place(at)..excerpt.place(at + c.len_utf8())] == *shown, "{c:?}");
        }
        assert_eq!(excerpt.place(source.len()), excerpt.text.len());
    }

    #[test]
    fn shell_words_are_quoted_for_pasting() {
        let word = |text: &str| shell_word(text.as_ref());
        assert_eq!(word("samples/gcd.myr"), "samples/gcd.myr");
        assert_eq!(word("-rf"), "./-rf");
        assert_eq!(word(""), "''");
        assert_eq!(word("$(touch x)"), "'$(touch x)'");
        assert_eq!(word("it's"), r"'it'\''s'");
        assert_eq!(word("~"), "'~'");
        assert_eq!(word("a\n'b\u{1b}\\"), r"$'a\x0a\'b\x1b\\'");
        assert_eq!(word("-\u{202e}"), r"$'./-\xe2\x80\xae'");
    }
}
