//! The last keys for an audience: what was pressed, and what it does.

use std::time::Duration;

use crossterm::event::KeyCode;

use crate::workbench::key::Key;

/// So long a key shows before it fades, and so long it then fades.
pub const SHOWN: Duration = Duration::from_secs(2);
pub const FADING: Duration = Duration::from_secs(1);

/// Entries that are kept.
const MOST: usize = 5;
/// Characters of what was typed that are kept.
const LONGEST: usize = 40;

/// A key, or what was typed without a pause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pressed {
    pub key: Key,
    /// How often in a row.
    pub times: u32,
    /// The end of what was typed, where it was.
    pub typed: Option<String>,
    /// What the table of keys says that it does.
    pub does: Option<&'static str>,
}

impl Pressed {
    /// Its name as a keyboard has it: a capital is typed with shift.
    pub fn name(&self) -> String {
        let name = match self.key.code {
            KeyCode::Char(c) if c.is_ascii_uppercase() && self.typed.is_none() => format!("shift-{c}"),
            _ => self.key.to_string(),
        };
        if self.times > 1 { format!("{name} ×{}", self.times) } else { name }
    }

    /// The same in a line: the text where it was typed.
    pub fn brief(&self) -> String {
        self.typed.clone().unwrap_or_else(|| self.name())
    }
}

/// What shows of the keys pressed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Echo {
    /// The newest last.
    pressed: Vec<Pressed>,
    /// How many keys there have been.
    number: u64,
    fading: bool,
}

impl Echo {
    /// Takes a key with what it does, or one that types a character; gives its number.
    pub fn press(&mut self, key: Key, does: Option<&'static str>) -> u64 {
        let typed = key.typed().filter(|_| does.is_none());
        match (self.pressed.last_mut(), typed) {
            (Some(Pressed { typed: Some(text), key: last, .. }), Some(c)) => {
                text.push(c);
                *last = key;
                if text.chars().count() > LONGEST {
                    text.remove(0);
                }
            }
            (Some(last), None) if last.key == key && last.does == does => last.times += 1,
            _ => self.pressed.push(Pressed { key, times: 1, typed: typed.map(String::from), does }),
        }
        if self.pressed.len() > MOST {
            self.pressed.remove(0);
        }
        self.fading = false;
        self.number += 1;
        self.number
    }

    /// The time of a key is up: it fades, or is gone. True where it goes on to fade; a key that another one followed does not.
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

    /// The newest key and those before it, the newest last.
    pub fn shown(&self) -> Option<(&Pressed, &[Pressed])> {
        self.pressed.split_last()
    }

    pub fn fading(&self) -> bool {
        self.fading
    }
}
