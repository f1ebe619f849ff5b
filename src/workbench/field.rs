//! A line of input in a prompt.

use crossterm::event::KeyCode;

use crate::workbench::key::Key;

/// The maximum length of an input line, in characters. It exceeds any path; every key scans the whole line.
const LONGEST: usize = 10_000;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Field {
    pub text: String,
    /// In characters.
    pub cursor: usize,
}

impl Field {
    pub fn new(text: &str) -> Field {
        Field { text: text.to_string(), cursor: text.chars().count() }
    }

    fn byte(&self, at: usize) -> usize {
        self.text.char_indices().nth(at).map_or(self.text.len(), |(byte, _)| byte)
    }

    /// Inserts the first line of a text, without control characters, up to the room left.
    pub fn insert(&mut self, text: &str) {
        let room = LONGEST.saturating_sub(self.text.chars().count());
        let line = text.lines().next().unwrap_or("");
        let line: String = line.chars().filter(|c| !c.is_control()).take(room).collect();
        self.text.insert_str(self.byte(self.cursor), &line);
        self.cursor += line.chars().count();
    }

    /// Handles a key. Returns false if the key has no meaning here.
    pub fn key(&mut self, key: Key) -> bool {
        let len = self.text.chars().count();
        match key.code {
            _ if key.typed().is_some() => {
                if let Some(c) = key.typed() {
                    self.insert(c.encode_utf8(&mut [0; 4]));
                }
            }
            KeyCode::Char('u') if key.ctrl => *self = Field::default(),
            KeyCode::Backspace | KeyCode::Char('h')
                if self.cursor > 0 && (key.code == KeyCode::Backspace || key.ctrl) =>
            {
                self.cursor -= 1;
                self.text.remove(self.byte(self.cursor));
            }
            KeyCode::Delete if self.cursor < len => {
                self.text.remove(self.byte(self.cursor));
            }
            KeyCode::Left => self.cursor = self.cursor.saturating_sub(1),
            KeyCode::Right => self.cursor = (self.cursor + 1).min(len),
            KeyCode::Home => self.cursor = 0,
            KeyCode::End => self.cursor = len,
            _ => return false,
        }
        true
    }
}
