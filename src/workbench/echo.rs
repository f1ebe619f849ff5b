//! The key echo for an audience: the last keys pressed, and what each does.

use std::time::Duration;

use crossterm::event::KeyCode;

use crate::workbench::key::Key;

/// How long a key is shown before it fades, and how long it then stays faded.
pub const SHOWN: Duration = Duration::from_secs(2);
pub const FADING: Duration = Duration::from_secs(1);

/// The maximum number of entries kept.
const MOST: usize = 5;
/// The maximum number of typed characters kept.
const LONGEST: usize = 40;

/// A key press, or characters typed without a pause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyPress {
    pub key: Key,
    /// How many times in a row.
    pub times: u32,
    /// The end of the typed text, for characters that were typed.
    pub typed: Option<String>,
    /// The description from the table of keys.
    pub does: Option<&'static str>,
}

impl KeyPress {
    /// Returns the key's name as printed on a keyboard: a capital is typed with shift.
    pub fn name(&self) -> String {
        let name = match self.key.code {
            KeyCode::Char(c) if c.is_ascii_uppercase() && self.typed.is_none() => format!("shift-{c}"),
            _ => self.key.to_string(),
        };
        if self.times > 1 { format!("{name} ×{}", self.times) } else { name }
    }

    /// Returns the typed text, or else the key's name, in one line.
    pub fn brief(&self) -> String {
        self.typed.clone().unwrap_or_else(|| self.name())
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Echo {
    /// Oldest first.
    pressed: Vec<KeyPress>,
    /// The number of keys pressed so far.
    number: u64,
    fading: bool,
}

impl Echo {
    /// Records a key: `does` describes its command, or is `None` if it types a character. Returns the key's
    /// number.
    pub fn press(&mut self, key: Key, does: Option<&'static str>) -> u64 {
        let typed = key.typed().filter(|_| does.is_none());
        match (self.pressed.last_mut(), typed) {
            (Some(KeyPress { typed: Some(text), key: last, .. }), Some(c)) => {
                text.push(c);
                *last = key;
                if text.chars().count() > LONGEST {
                    text.remove(0);
                }
            }
            (Some(last), None) if last.key == key && last.does == does => last.times += 1,
            _ => self.pressed.push(KeyPress { key, times: 1, typed: typed.map(String::from), does }),
        }
        if self.pressed.len() > MOST {
            self.pressed.remove(0);
        }
        self.fading = false;
        self.number += 1;
        self.number
    }

    /// Advances the fading of key `number`: it fades, then disappears. Returns true if it now fades. A key
    /// that another key has followed is ignored.
    pub fn fade(&mut self, number: u64) -> bool {
        if number != self.number || self.pressed.is_empty() {
            return false;
        }
        if self.fading {
            self.pressed.clear();
        }
        self.fading = !self.fading;
        self.fading
    }

    /// Returns the newest key, and the keys before it, oldest first.
    pub fn shown(&self) -> Option<(&KeyPress, &[KeyPress])> {
        self.pressed.split_last()
    }

    pub fn fading(&self) -> bool {
        self.fading
    }
}
