//! Names of keys: `ctrl-s`, `shift-f6`, `pageup`, `?`.

use std::fmt;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// A key with its modifiers in canonical form: letters carry their case instead of a shift modifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    pub code: KeyCode,
    pub ctrl: bool,
    pub alt: bool,
    pub shift: bool,
}

const NAMES: &[(&str, KeyCode)] = &[
    ("enter", KeyCode::Enter),
    ("esc", KeyCode::Esc),
    ("tab", KeyCode::Tab),
    ("backspace", KeyCode::Backspace),
    ("delete", KeyCode::Delete),
    ("insert", KeyCode::Insert),
    ("left", KeyCode::Left),
    ("right", KeyCode::Right),
    ("up", KeyCode::Up),
    ("down", KeyCode::Down),
    ("home", KeyCode::Home),
    ("end", KeyCode::End),
    ("pageup", KeyCode::PageUp),
    ("pagedown", KeyCode::PageDown),
    ("space", KeyCode::Char(' ')),
];

/// The number of rows that a page key moves in a list over the screen.
const PAGE: usize = 10;

impl Key {
    /// Returns the row of a list after this key; `None` if the key does not move in it.
    pub fn row_after(self, row: usize, last: usize) -> Option<usize> {
        let row = match self.code {
            _ if let Some(is_down) = self.step() => {
                if is_down {
                    row + 1
                } else {
                    row.saturating_sub(1)
                }
            }
            KeyCode::PageUp => row.saturating_sub(PAGE),
            KeyCode::PageDown => row + PAGE,
            _ => return None,
        };
        Some(row.min(last))
    }

    /// Returns whether the key moves a row down in a list, or up; `None` if it does neither. Letters move with ctrl, so that a
    /// list whose filter is typed has them, too.
    pub fn step(self) -> Option<bool> {
        match self.code {
            KeyCode::Down => Some(true),
            KeyCode::Up => Some(false),
            KeyCode::Char('n' | 'j') if self.ctrl => Some(true),
            KeyCode::Char('p' | 'k') if self.ctrl => Some(false),
            _ => None,
        }
    }

    pub fn parse(name: &str) -> Option<Key> {
        let mut rest = name;
        let (mut ctrl, mut alt, mut shift) = (false, false, false);
        loop {
            if let Some(tail) = rest.strip_prefix("ctrl-").filter(|t| !t.is_empty()) {
                (rest, ctrl) = (tail, true);
            } else if let Some(tail) = rest.strip_prefix("alt-").filter(|t| !t.is_empty()) {
                (rest, alt) = (tail, true);
            } else if let Some(tail) = rest.strip_prefix("shift-").filter(|t| !t.is_empty()) {
                (rest, shift) = (tail, true);
            } else {
                break;
            }
        }
        let mut chars = rest.chars();
        let code = match (chars.next(), chars.as_str()) {
            (Some(c), "") => KeyCode::Char(c),
            (Some('f'), number) if number.parse::<u8>().is_ok_and(|n| (1..=12).contains(&n)) => {
                KeyCode::F(number.parse().unwrap_or(1))
            }
            _ => NAMES.iter().find(|(n, _)| *n == rest)?.1,
        };
        Some(Key { code, ctrl, alt, shift })
    }

    /// Parses a key's name as people write it, with capital letters or `+`, into the key that terminals report.
    pub fn read(name: &str) -> Option<Key> {
        let (modifiers, last) = match name.char_indices().rev().nth(1) {
            // The last character may be a sign of its own: `ctrl--`, `ctrl-+`.
            Some((at, c)) => match name[..at + c.len_utf8()].rfind(['-', '+']) {
                Some(at) => name.split_at(at + 1),
                None => ("", name),
            },
            None => ("", name),
        };
        let is_character = last.chars().count() == 1;
        let last = if is_character { last.to_string() } else { last.to_lowercase() };
        let key = Key::parse(&(modifiers.to_lowercase().replace('+', "-") + &last))?;
        let KeyCode::Char(c) = key.code else { return Some(key) };
        let code = KeyCode::Char(if key.ctrl {
            c.to_ascii_lowercase()
        } else if key.shift {
            c.to_ascii_uppercase()
        } else {
            c
        });
        Some(Key { code, shift: key.shift && key.ctrl, ..key })
    }

    /// Returns ctrl with a letter.
    pub fn control(letter: char) -> Key {
        Key { code: KeyCode::Char(letter), ctrl: true, alt: false, shift: false }
    }

    /// Returns the same key with or without shift.
    pub fn with_shift(self, shift: bool) -> Key {
        Key { shift, ..self }
    }

    /// Returns the key that types a character of a text.
    pub fn typing(c: char) -> Key {
        let (code, ctrl) = match c {
            '\r' => (KeyCode::Enter, false),
            '\n' => (KeyCode::Char('j'), true),
            '\t' => (KeyCode::Tab, false),
            c => (KeyCode::Char(c), false),
        };
        Key { code, ctrl, alt: false, shift: false }
    }

    /// Returns the character that the key types, if any.
    pub fn typed(self) -> Option<char> {
        match self.code {
            KeyCode::Char(c) if !self.ctrl && !self.alt => Some(c),
            _ => None,
        }
    }
}

impl From<KeyEvent> for Key {
    fn from(event: KeyEvent) -> Key {
        let has = |m| event.modifiers.contains(m);
        let (ctrl, alt) = (has(KeyModifiers::CONTROL), has(KeyModifiers::ALT));
        let shift = has(KeyModifiers::SHIFT);
        match event.code {
            KeyCode::BackTab => Key { code: KeyCode::Tab, ctrl, alt, shift: true },
            // Terminals without a code for ctrl-/ send the code of ctrl-7 or ctrl-_.
            KeyCode::Char('7' | '_') if ctrl => Key { code: KeyCode::Char('/'), ctrl, alt, shift: false },
            KeyCode::Char(c) if ctrl => Key { code: KeyCode::Char(c.to_ascii_lowercase()), ctrl, alt, shift },
            KeyCode::Char(c) => Key { code: KeyCode::Char(c), ctrl, alt, shift: false },
            // Keyboards have twelve function keys; terminals report shift-F1 as F13, and so on.
            KeyCode::F(n @ 13..=24) => Key { code: KeyCode::F(n - 12), ctrl, alt, shift: true },
            code => Key { code, ctrl, alt, shift },
        }
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        for (on, name) in [(self.ctrl, "ctrl-"), (self.alt, "alt-"), (self.shift, "shift-")] {
            if on {
                f.write_str(name)?;
            }
        }
        match self.code {
            KeyCode::F(n) => write!(f, "F{n}"),
            code => match NAMES.iter().find(|(_, c)| *c == code) {
                Some((name, _)) => f.write_str(name),
                None => match code {
                    KeyCode::Char(c) => write!(f, "{c}"),
                    other => write!(f, "{other:?}"),
                },
            },
        }
    }
}
