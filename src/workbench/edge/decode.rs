//! Decodes a terminal's input: keys, the mouse, pastes.
//!
//! `ESC [ 1 ; 2 R` is shift-F3 in xterm and tmux, but also a cursor position report for the first line. The
//! workbench never requests that report, so the sequence is decoded as the key.

use crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};

use crate::workbench::edge::keycodes::{has_foreign, letter, modifiers, numbered, pointed};
use crate::workbench::edge::received::Input;

/// The sequences before and after a bracketed paste.
pub const PASTE: &[u8] = b"\x1b[200~";
pub const PASTE_END: &[u8] = b"\x1b[201~";

/// The kind of a key event that is not a press, in kitty's protocol.
const RELEASE: u32 = 3;

/// Decodes the start of `bytes`. Returns the number of bytes used, and the event if they are one; `None` if
/// more bytes are needed. With `all`, no more will come, so a lone ESC is the key.
pub fn decode(bytes: &[u8], all: bool) -> Option<(usize, Option<Input>)> {
    match *bytes {
        [] => None,
        [0x1b] if all => Some((1, key(KeyCode::Esc))),
        [0x1b] => None,
        [0x1b, 0x1b, ..] => Some((1, key(KeyCode::Esc))),
        [0x1b, b'[', ..] if bytes.len() > 2 || !all => control_sequence(bytes, all),
        [0x1b, b'O', ..] if bytes.len() > 2 || !all => {
            let code = letter(*bytes.get(2)?).or((bytes[2] == b'M').then_some(KeyCode::Enter));
            Some((3, code.and_then(key)))
        }
        [0x1b, introducer, ..] if introduces_string(introducer) && (bytes.len() > 2 || !all) => {
            if is_string(bytes) {
                return control_string(bytes, all);
            }
            if bytes.len() == 2 { None } else { alt(bytes, all) }
        }
        [0x1b, ..] => alt(bytes, all),
        [b'\r', ..] => Some((1, key(KeyCode::Enter))),
        [b'\t', ..] => Some((1, key(KeyCode::Tab))),
        [0x7f, ..] => Some((1, key(KeyCode::Backspace))),
        [0, ..] => Some((1, control(' '))),
        [c @ 0x01..=0x1a, ..] => Some((1, control((c - 1 + b'a') as char))),
        [c @ 0x1c..=0x1f, ..] => Some((1, control((c - 0x1c + b'4') as char))),
        [c, ..] if c < 0x80 => Some((1, character(c as char))),
        _ => several_bytes(bytes),
    }
}

/// Decodes a key with alt, which is preceded by ESC.
fn alt(bytes: &[u8], all: bool) -> Option<(usize, Option<Input>)> {
    let (used, event) = decode(&bytes[1..], all)?;
    Some((1 + used, event.map(with_alt)))
}

/// Returns whether a byte after ESC introduces a control string: an operating system command, a device
/// control string, or an application program command.
fn introduces_string(byte: u8) -> bool {
    matches!(byte, b']' | b'P' | b'_')
}

/// Returns whether `bytes` begin a control string, which answers a query by this or another program. The
/// introducer alone is also a key with alt, so the following byte decides: it must be one with which replies
/// begin.
pub fn is_string(bytes: &[u8]) -> bool {
    match *bytes {
        [0x1b, b']', next, ..] => next.is_ascii_digit() || matches!(next, b'l' | b'L' | b'I'),
        [0x1b, b'P', next, ..] => (b' '..=b'?').contains(&next),
        [0x1b, b'_', next, ..] => next == b'G',
        _ => false,
    }
}

/// Returns whether an incomplete sequence cannot be a key: after its third byte, its end comes, however late.
pub fn awaits_end(bytes: &[u8]) -> bool {
    matches!(bytes, [0x1b, b'[', _, ..]) && !bytes.starts_with(PASTE)
}

/// Returns whether `next` begins with the rest of a sequence whose start was given up, and taken for a key.
pub fn is_rest(given_up: &[u8], next: &[u8]) -> bool {
    let whole = [given_up, next].concat();
    if is_string(&whole) {
        let end = next.iter().position(|byte| *byte < b' ').map(|end| &next[end..]);
        return end.is_some_and(|end| end[0] == 0x07 || end.starts_with(b"\x1b\\"));
    }
    let Some(inner) = whole.strip_prefix(b"\x1b[") else { return false };
    let length = inner.iter().take_while(|byte| (b'0'..=b'?').contains(*byte)).count();
    let (parameters, last) = (&inner[..length], inner.get(length));
    // Other texts after a bracket may be typed.
    match last {
        _ if parameters.starts_with(b"<") => last.is_none_or(u8::is_ascii_alphabetic),
        Some(b'~') => length > 0,
        Some(last) => last.is_ascii_alphabetic() && parameters.contains(&b';'),
        None => false,
    }
}

/// Decodes a control string. It is skipped unless it states the background colour. It ends with ST (`ESC \`) or BEL; any other control
/// character cancels it.
fn control_string(bytes: &[u8], all: bool) -> Option<(usize, Option<Input>)> {
    let rest = if all { Some((bytes.len(), None)) } else { None };
    let Some(length) = bytes[2..].iter().position(|byte| *byte < b' ') else { return rest };
    let end = 2 + length;
    match bytes[end..] {
        [0x07, ..] => Some((end + 1, background(&bytes[2..end]))),
        [0x1b, b'\\', ..] => Some((end + 2, background(&bytes[2..end]))),
        [0x1b] => rest,
        _ => Some((end, None)),
    }
}

/// Reads the answer to a query of the background colour: `11;rgb:RRRR/GGGG/BBBB`, with one to four hexadecimal digits each.
fn background(text: &[u8]) -> Option<Input> {
    let colours = std::str::from_utf8(text).ok()?.strip_prefix("11;rgb:")?;
    let mut parts = colours.split('/').map(|digits| {
        let most =
            (1u32 << (4 * u32::try_from(digits.len()).ok().filter(|length| (1..=4).contains(length))?)) - 1;
        u8::try_from(u32::from_str_radix(digits, 16).ok()? * 255 / most).ok()
    });
    match (parts.next()?, parts.next()?, parts.next()?, parts.next()) {
        (Some(red), Some(green), Some(blue), None) => Some(Input::Background(red, green, blue)),
        _ => None,
    }
}

fn key(code: KeyCode) -> Option<Input> {
    Some(Input::Event(Event::Key(code.into())))
}
fn with(code: KeyCode, modifiers: KeyModifiers) -> Option<Input> {
    Some(Input::Event(Event::Key(KeyEvent::new(code, modifiers))))
}
fn control(c: char) -> Option<Input> {
    with(KeyCode::Char(c), KeyModifiers::CONTROL)
}
fn character(c: char) -> Option<Input> {
    let modifiers = if c.is_uppercase() { KeyModifiers::SHIFT } else { KeyModifiers::empty() };
    with(KeyCode::Char(c), modifiers)
}
fn with_alt(input: Input) -> Input {
    match input {
        Input::Event(Event::Key(mut key)) => {
            key.modifiers |= KeyModifiers::ALT;
            Input::Event(Event::Key(key))
        }
        other => other,
    }
}

/// Decodes a multi-byte character; a byte that cannot begin one is skipped.
fn several_bytes(bytes: &[u8]) -> Option<(usize, Option<Input>)> {
    let length = match bytes[0] {
        0xc2..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf4 => 4,
        _ => return Some((1, None)),
    };
    let there = &bytes[..length.min(bytes.len())];
    match std::str::from_utf8(there) {
        Ok(text) => Some((length, text.chars().next().and_then(character))),
        // The available bytes may be the beginning of a character.
        Err(error) if error.error_len().is_none() => None,
        Err(_) => Some((1, None)),
    }
}

/// Decodes a sequence that begins with `ESC [`.
fn control_sequence(bytes: &[u8], all: bool) -> Option<(usize, Option<Input>)> {
    if bytes.starts_with(PASTE) {
        let end = bytes.windows(PASTE_END.len()).position(|part| part == PASTE_END)?;
        let text = String::from_utf8_lossy(&bytes[PASTE.len()..end]).into_owned();
        return Some((end + PASTE_END.len(), Some(Input::Event(Event::Paste(text)))));
    }
    match *bytes {
        // The first function keys of the Linux console.
        [_, _, b'[', last, ..] => {
            return Some((4, (b'A'..=b'E').contains(&last).then(|| KeyCode::F(1 + last - b'A')).and_then(key)));
        }
        [_, _, b'[' | b'M', ..] if bytes.len() < 6 && !all => return None,
        [_, _, b'M', button, column, row, ..] => {
            let less = |byte: u8, by: u8| u16::from(byte.saturating_sub(by));
            return Some((6, mouse(less(button, 32).into(), less(column, 33), less(row, 33), false)));
        }
        _ => {}
    }
    let inner = &bytes[2..];
    let Some(length) = inner.iter().position(|byte| !(0x20..=0x3f).contains(byte)) else {
        return if all { Some((bytes.len(), None)) } else { None };
    };
    let used = 2 + length + 1;
    let (parameters, last) = (&inner[..length], inner[length]);
    if !(0x40..=0x7e).contains(&last) {
        // The sequence is broken off; the byte after it is decoded separately.
        return Some((used - 1, None));
    }
    let text = std::str::from_utf8(parameters).unwrap_or("");
    let (mark, text) = match text.strip_prefix('<') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    // Parts after a colon are the kind of a key press, or other characters of its key.
    let parts = |part: &str| part.split(':').map(|number| number.parse().unwrap_or(0)).collect();
    let numbers: Vec<Vec<u32>> = text.split(';').map(parts).collect();
    let part = |i: usize, j: usize| numbers.get(i).and_then(|parts| parts.get(j)).copied().unwrap_or(0);
    let number = |i: usize| part(i, 0);
    let place = |i: usize| (number(i).min(u32::from(u16::MAX)) as u16).saturating_sub(1);
    let held = modifiers(number(1));
    let event = match last {
        b'M' | b'm' if mark && numbers.len() == 3 => mouse(number(0), place(1), place(2), last == b'm'),
        b'M' if numbers.len() == 3 => mouse(number(0).saturating_sub(32), place(1), place(2), false),
        b'R' if number(0) > 1 => None,
        _ if part(1, 1) == RELEASE => None,
        b'Z' => with(KeyCode::BackTab, KeyModifiers::SHIFT),
        b'u' | b'~' if (last == b'u' || number(0) == 27) && has_foreign(number(1)) => None,
        b'u' => pointed(number(0), part(0, 1), held).and_then(|code| with(code, held)),
        b'~' if number(0) == 27 => pointed(number(2), 0, held).and_then(|code| with(code, held)),
        b'~' => numbered(number(0)).and_then(|code| with(code, held)),
        _ => letter(last).and_then(|code| with(code, held)),
    };
    Some((used, event))
}

/// Decodes a mouse event. Buttons and modifiers are bits of one number; places are counted from 0.
fn mouse(number: u32, column: u16, row: u16, released: bool) -> Option<Input> {
    let button = match number & 0b11 {
        0 => MouseButton::Left,
        1 => MouseButton::Middle,
        _ => MouseButton::Right,
    };
    let kind = match (number & 0b1100_0011, number & 32 != 0) {
        (0..=2, false) if released => MouseEventKind::Up(button),
        (0..=2, false) => MouseEventKind::Down(button),
        (0..=2, true) => MouseEventKind::Drag(button),
        (3, true) => MouseEventKind::Moved,
        (3, false) => MouseEventKind::Up(MouseButton::Left),
        (64, false) => MouseEventKind::ScrollUp,
        (65, false) => MouseEventKind::ScrollDown,
        (66, false) => MouseEventKind::ScrollLeft,
        (67, false) => MouseEventKind::ScrollRight,
        _ => return None,
    };
    let held = [(4, KeyModifiers::SHIFT), (8, KeyModifiers::ALT), (16, KeyModifiers::CONTROL)];
    let modifiers = held.into_iter().filter(|(bit, _)| number & bit != 0);
    let modifiers = modifiers.fold(KeyModifiers::empty(), |sum, (_, one)| sum | one);
    Some(Input::Event(Event::Mouse(MouseEvent { kind, column, row, modifiers })))
}

#[cfg(test)]
mod tests {
    use super::super::super::key::Key;
    use super::*;

    /// Returns the names of all keys in some bytes.
    fn keys(bytes: &[u8]) -> Vec<String> {
        let mut rest = bytes;
        let mut names = Vec::new();
        while let Some((used, event)) = decode(rest, true) {
            rest = &rest[used..];
            if let Some(Input::Event(Event::Key(key))) = event {
                names.push(Key::from(key).to_string());
            }
        }
        assert!(rest.is_empty(), "{rest:?} is left of {bytes:?}");
        names
    }

    #[test]
    fn key_sequences_are_decoded() {
        for (bytes, name) in [
            ("a", "a"),
            ("Ä", "Ä"),
            ("漢", "漢"),
            ("\r", "enter"),
            ("\t", "tab"),
            ("\x7f", "backspace"),
            ("\x08", "ctrl-h"),
            ("\x13", "ctrl-s"),
            ("\0", "ctrl-space"),
            ("\x1d", "ctrl-5"),
            ("\x1f", "ctrl-/"),
            ("\x1b", "esc"),
            ("\x1b1", "alt-1"),
            ("\x1b[", "alt-["),
            ("\x1bO", "alt-O"),
            ("\x1b\r", "alt-enter"),
            ("\x1b[A", "up"),
            ("\x1bOB", "down"),
            ("\x1b[1;2C", "shift-right"),
            ("\x1b[1;5D", "ctrl-left"),
            ("\x1b[H", "home"),
            ("\x1b[4~", "end"),
            ("\x1b[3;5~", "ctrl-delete"),
            ("\x1b[Z", "shift-tab"),
            ("\x1bOP", "F1"),
            ("\x1b[[C", "F3"),
            ("\x1bOR", "F3"),
            ("\x1b[13~", "F3"),
            ("\x1b[24~", "F12"),
            ("\x1b[17;2~", "shift-F6"),
            ("\x1b[27;5;13~", "ctrl-enter"),
            ("\x1b[97;5u", "ctrl-a"),
            ("\x1b[97u", "a"),
            ("\x1b[97;1:2u", "a"),
            ("\x1b[120:88;2u", "X"),
            ("\x1b[120;2u", "X"),
            ("\x1b[49:33;2u", "!"),
            ("\x1b[27;2;88~", "X"),
            ("\x1b[115;6u", "ctrl-shift-s"),
            ("\x1b[57399u", "0"),
            ("\x1b[57414u", "enter"),
            ("\x1b[57417;2u", "shift-left"),
            ("\x1b[57426;129u", "delete"),
            ("\x1b[1;1:2A", "up"),
        ] {
            assert_eq!(keys(bytes.as_bytes()), [name], "{bytes:?}");
        }
        assert_eq!(keys(b"\x1b\x1b[Ax"), ["esc", "up", "x"]);
        assert_eq!(keys(b"\xffx\xe6y"), ["x", "y"], "invalid UTF-8 is skipped");
        assert_eq!(keys(b"\x1b[?62;c\x1b[I\x1b[99~x"), ["x"], "and so are unknown sequences");
    }

    #[test]
    fn releases_and_modifier_keys_type_nothing() {
        for bytes in [
            "\x1b[97;1:3u",
            "\x1b[120:88;2:3u",
            "\x1b[13;1:3u",
            "\x1b[1;1:3A",
            "\x1b[3;1:3~",
            "\x1b[57427u",
            "\x1b[57441u",
            "\x1b[57444;9u",
            "\x1b[57358u",
            "\x1b[97;9u",
        ] {
            assert_eq!(keys(format!("a{bytes}b").as_bytes()), ["a", "b"], "{bytes:?}");
        }
    }

    #[test]
    fn rest_of_a_sequence_differs_from_typed_text() {
        for (given_up, next, is) in [
            ("\x1b", "[<35;10;9M", true),
            ("\x1b[", "<35;10;9M", true),
            ("\x1b[", "<35;1", true),
            ("\x1b", "[3~", true),
            ("\x1b", "[97;5u", true),
            ("\x1b", "]11;rgb:0000/0000/0000\x1b\\", true),
            ("\x1b]1", "0000/0000\x07", true),
            ("\x1b", "[1]", false),
            ("\x1b", "[1; 2]", false),
            ("\x1b", "[A", false),
            ("\x1b", "[", false),
            ("\x1b", "x", false),
            ("\x1b[", "35", false),
            ("\x1b]1", "c", false),
            ("\x1b]1", "c\r", false),
        ] {
            assert_eq!(is_rest(given_up.as_bytes(), next.as_bytes()), is, "{given_up:?} {next:?}");
        }
    }

    #[test]
    fn background_colour_is_read_from_its_reply() {
        for (reply, colour) in [
            ("\x1b]11;rgb:ffff/8080/0000\x1b\\", Some(Input::Background(255, 128, 0))),
            ("\x1b]11;rgb:1b/1e/28\x07", Some(Input::Background(0x1b, 0x1e, 0x28))),
            ("\x1b]10;rgb:1b/1e/28\x07", None),
            ("\x1b]11;rgb:1b/1e\x07", None),
            ("\x1b]11;rgb:1b/1e/28/00\x07", None),
            ("\x1b]11;rgb:00000/1e/28\x07", None),
        ] {
            assert_eq!(decode(reply.as_bytes(), true), Some((reply.len(), colour)), "{reply:?}");
        }
    }

    #[test]
    fn replies_to_queries_are_swallowed() {
        for reply in [
            "\x1b]11;rgb:0000/0000/0000\x1b\\",
            "\x1b]10;rgb:ffff/ffff/ffff\x07",
            "\x1b]52;c;aGFsbG8=\x1b\\",
            "\x1b]ltitle\x1b\\",
            "\x1bP1+r544e=78\x1b\\",
            "\x1bP>|tmux 3.4\x1b\\",
            "\x1bP!|00000000\x1b\\",
            "\x1b_Gi=31;OK\x1b\\",
        ] {
            assert_eq!(keys(format!("a{reply}b").as_bytes()), ["a", "b"], "{reply:?}");
            for end in 3..reply.len() {
                let part = &reply.as_bytes()[..end];
                assert_eq!(decode(part, false), None, "{part:?}: more is awaited");
                assert_eq!(decode(part, true), Some((end, None)), "{part:?}: broken off");
            }
        }
        // A character that cancels a string is a key; an introducer alone is a key, too.
        assert_eq!(keys(b"\x1b]11;rgb\r\x1b]11;\x1b[A"), ["enter", "up"]);
        assert_eq!(keys(b"\x1b]"), ["alt-]"]);
        assert_eq!(keys(b"\x1bP"), ["alt-P"]);
        assert_eq!(keys(b"\x1bPa\x1b]x"), ["alt-P", "a", "alt-]", "x"]);
    }

    #[test]
    fn shift_f3_is_decoded_in_all_its_forms() {
        // From tmux and xterm; kitty and VTE; the Linux console and GNU screen.
        for bytes in ["\x1b[1;2R", "\x1b[13;2~", "\x1b[28~"] {
            assert_eq!(keys(bytes.as_bytes()), ["shift-F3"], "{bytes:?}");
        }
        assert_eq!(keys(b"\x1b[12;40R"), [""; 0], "a cursor position report is not a key");
    }

    #[test]
    fn incomplete_sequences_wait_for_more_input() {
        for bytes in ["\x1b", "\x1b[", "\x1b[1;", "\x1bO", "\x1b[200~abc", "\x1b[<0;1", "\x1b[M  "] {
            assert_eq!(decode(bytes.as_bytes(), false), None, "{bytes:?}");
        }
        assert_eq!(decode(&"漢".as_bytes()[..2], false), None);
        assert_eq!(decode(b"\x1b[200~a\r\x1bb", true), None, "the end of a paste comes, however late");
        let paste = Input::Event(Event::Paste("a\rb".to_string()));
        assert_eq!(decode(b"\x1b[200~a\rb\x1b[201~x", false), Some((15, Some(paste))));
    }

    #[test]
    fn mouse_events_are_decoded_in_all_their_forms() {
        let mouse = |kind, modifiers| Event::Mouse(MouseEvent { kind, column: 9, row: 4, modifiers });
        let at = |kind, modifiers| Some(Input::Event(mouse(kind, modifiers)));
        let (none, shift) = (KeyModifiers::empty(), KeyModifiers::SHIFT);
        let left = MouseButton::Left;
        for (bytes, event) in [
            ("\x1b[<0;10;5M", at(MouseEventKind::Down(left), none)),
            ("\x1b[<0;10;5m", at(MouseEventKind::Up(left), none)),
            ("\x1b[<4;10;5M", at(MouseEventKind::Down(left), shift)),
            ("\x1b[<32;10;5M", at(MouseEventKind::Drag(left), none)),
            ("\x1b[<65;10;5M", at(MouseEventKind::ScrollDown, none)),
            ("\x1b[32;10;5M", at(MouseEventKind::Down(left), none)),
            ("\x1b[M *%", at(MouseEventKind::Down(left), none)),
        ] {
            assert_eq!(decode(bytes.as_bytes(), false), Some((bytes.len(), event)), "{bytes:?}");
        }
    }
}
