//! Detects what a terminal must never receive. It has its own table, since the program's may be wrong.
#![allow(dead_code, reason = "each test uses a part")]

/// A colour sequence that the program itself never prints, so if it is in the output, it came from the input.
pub const FOREIGN: &str = "\u{1b}[8;5m";

/// A word that begins a line only if a line ending of the input is printed unescaped.
pub const FORGED: &str = "FORGED";

/// All hostile text in one line, `FOREIGN` included. No NUL, since names and arguments cannot contain it.
pub const ALL: &str = "x\u{1b}]52;c;QQ==\u{7}\u{9b}31m\u{9d}0;t\u{9c}\u{7f}\u{8}\u{b}\u{c}\r\u{85}\u{1b}[8;5m\u{1b}[2J\
\u{61c}\u{200e}\u{200f}\u{202a}\u{202e}\u{2066}\u{2069}\u{200b}\u{200c}\u{200d}\u{2060}\u{2064}\u{feff}\u{ad}\u{fe0f}\
\u{e0041}\u{e0100}\u{2028}\u{2029}\u{fff9}\u{fffb}\u{180e}\u{34f}\u{3164}\u{206a}y";

/// Returns whether a character changes the terminal's state, reorders text, or is invisible.
pub fn is_hostile(c: char) -> bool {
    let c = c as u32;
    let within = |ranges: &[(u32, u32)]| ranges.iter().any(|(lo, hi)| (*lo..=*hi).contains(&c));
    within(&[(0, 8), (0xb, 0x1f), (0x7f, 0x9f), (0xad, 0xad), (0x34f, 0x34f), (0x61c, 0x61c)])
        || within(&[(0x115f, 0x1160), (0x17b4, 0x17b5), (0x180b, 0x180f), (0x3164, 0x3164), (0xffa0, 0xffa0)])
        || within(&[(0x200b, 0x200f), (0x2028, 0x202e), (0x2060, 0x206f), (0xfe00, 0xfe0f), (0xfeff, 0xfeff)])
        || within(&[(0xfff0, 0xfffb), (0x1d173, 0x1d17a), (0x1bca0, 0x1bca3), (0xe0000, 0xe0fff)])
}

/// Returns the first forbidden part of an output with the reason. `colours` allows the program's own colours.
pub fn offence(bytes: &[u8], colours: bool) -> Option<String> {
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => return Some(format!("no UTF-8 at byte {}", error.valid_up_to())),
    };
    let near = |at: usize| {
        let before = text[..at].char_indices().rev().nth(60).map_or(0, |(i, _)| i);
        text[before..].chars().take(120).collect::<String>()
    };
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let at = text.len() - rest.len();
        if colours && let Some(length) = colour(rest) {
            if rest.starts_with(FOREIGN) {
                return Some(format!("a colour of somebody else's in {:?}", near(at)));
            }
            rest = &rest[length..];
            continue;
        }
        if is_hostile(c) {
            return Some(format!("U+{:04X} in {:?}", c as u32, near(at)));
        }
        rest = &rest[c.len_utf8()..];
    }
    let forged = text.lines().find(|line| line.starts_with(FORGED));
    forged.map(|line| format!("a forged line {line:?}"))
}

/// Like [`offence`], for the output on a terminal: lines end with a carriage return, and progress lines are
/// overwritten.
pub fn offence_on_a_terminal(bytes: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(bytes).replace("\r\n", "\n").replace("\r\u{1b}[K", "");
    let mut plain = String::new();
    let mut rest = text.as_str();
    while let Some(at) = rest.find("\r\u{1b}[") {
        plain.push_str(&rest[..at]);
        rest = &rest[at + 3..];
        // Moves the cursor up by some lines and erases what is below.
        let behind = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        match behind.strip_prefix("A\u{1b}[J") {
            Some(behind) => rest = behind,
            None => plain.push_str("\r\u{1b}["),
        }
    }
    plain.push_str(rest);
    offence(plain.as_bytes(), true)
}

/// Returns the length of a colour sequence at the beginning of a text.
fn colour(text: &str) -> Option<usize> {
    let body = text.strip_prefix("\u{1b}[")?;
    let length = body.bytes().take_while(|b| b.is_ascii_digit() || *b == b';').count();
    body[length..].starts_with('m').then_some(length + 3)
}
