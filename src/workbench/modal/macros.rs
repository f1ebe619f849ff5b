//! Macros: keys that are recorded into a register and played from it. A register holds them as text, with the names of keys
//! in angle brackets, so that they can be put, corrected and copied back.

use std::collections::VecDeque;

use crossterm::event::KeyCode;

use super::registers::{LONGEST, Register, is_name};
use super::{KeySet, Modal, Outcome};
use crate::workbench::key::Key;

/// The maximum number of keys that wait to be played.
const WAITING: usize = 100_000;

/// The work that the keys of one played macro may do: their number times the length of the text, at most so much.
const WORK: usize = 1 << 28;

/// The length of text below which keys cost the same.
const SHORT: usize = 1 << 15;

#[derive(Clone, Debug, Default)]
pub(super) struct Macros {
    /// The register that keys are recorded for, and the keys so far.
    recording: Option<(char, String)>,
    /// The register that was played last.
    last: Option<char>,
    waiting: VecDeque<Key>,
    is_playing: bool,
    /// Whether the last command failed, which ends a macro.
    pub has_failed: bool,
}

impl Modal {
    pub(super) fn is_recording(&self) -> bool {
        self.macros.recording.is_some()
    }
    /// Returns the register that keys are recorded for.
    pub(super) fn recorded(&self) -> Option<char> {
        self.macros.recording.as_ref().map(|(name, _)| *name)
    }

    /// Records a key that the user types.
    pub fn record(&mut self, key: Key) {
        if let Some((_, text)) = self.macros.recording.as_mut().filter(|_| !self.macros.is_playing)
            && text.len() < LONGEST
        {
            text.push_str(&spelled(key));
        }
    }

    pub(super) fn begin_recording(&mut self, name: char) -> Outcome {
        let is_default = self.set == KeySet::Helix && name == '@';
        if !is_default && (!is_name(name) || matches!(name, '_' | '"')) {
            return Err("no such register: keys are recorded into a to z");
        }
        self.macros.recording = Some((name, String::new()));
        Ok(None)
    }

    pub(super) fn end_recording(&mut self) -> Outcome {
        if let Some((name, mut text)) = self.macros.recording.take() {
            // The key that ends the recording.
            text.pop();
            self.registers.write(name, Register { text, is_lines: false });
        }
        Ok(None)
    }

    /// Queues the keys of a register to be played next, `count` times.
    pub(super) fn queue(&mut self, name: char, count: usize) -> Outcome {
        let is_vi = self.set == KeySet::Vi;
        let name = match name {
            '@' if is_vi => self.macros.last.ok_or("no macro was played yet: @ and its letter")?,
            name => name,
        };
        let register = self.registers.named(name).ok_or(match is_vi {
            true => "nothing is recorded there: q and a letter begins, q ends",
            false => "nothing is recorded there: Q begins, and Q ends",
        })?;
        let keys = read(&register.text);
        if keys.len().saturating_mul(count).saturating_add(self.macros.waiting.len()) > WAITING {
            self.stop();
            return Err("the macro is stopped: too many keys wait to be played");
        }
        self.macros.last = Some(name);
        for _ in 0..count {
            keys.iter().rev().for_each(|key| self.macros.waiting.push_front(*key));
        }
        Ok(None)
    }

    /// Returns the number of keys that may be played in a text of this length before the user types again.
    pub fn most_played(length: usize) -> usize {
        WORK / length.max(SHORT)
    }

    /// Returns the next key to play.
    pub fn next_played(&mut self) -> Option<Key> {
        let next = self.macros.waiting.pop_front();
        self.macros.is_playing = next.is_some();
        self.macros.has_failed &= next.is_none();
        next
    }

    /// Returns whether the last command failed.
    pub fn has_failed(&self) -> bool {
        self.macros.has_failed
    }

    /// Ends the macro that is played, also in the middle of a command.
    pub fn stop(&mut self) {
        self.keys.clear();
        self.next = None;
        self.macros.waiting.clear();
        self.macros.is_playing = false;
    }
}

/// Returns a key as text.
fn spelled(key: Key) -> String {
    match key.typed() {
        Some('<') => "<lt>".to_string(),
        Some(c) => c.to_string(),
        None => format!("<{}>", key.to_string().to_lowercase()),
    }
}

/// Returns the keys that a text types.
fn read(text: &str) -> Vec<Key> {
    let mut keys = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let named = rest.strip_prefix('<').and_then(|rest| rest.split_once('>')).and_then(|(name, tail)| {
            let key = if name == "lt" { Some(Key::typing('<')) } else { Key::parse(name) };
            Some((key.filter(|_| name.len() > 1)?, tail))
        });
        let (key, tail) = named.unwrap_or_else(|| {
            let key = if c == '\n' { Key { code: KeyCode::Enter, ..Key::typing(c) } } else { Key::typing(c) };
            (Key { ctrl: false, ..key }, &rest[c.len_utf8()..])
        });
        keys.push(key);
        rest = tail;
    }
    keys
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spelled_keys_are_read_back() {
        for name in ["a", "<", "esc", "enter", "ctrl-r", "alt-left", "space", "f3", "tab", "shift-tab", ">"] {
            let key = Key::parse(name).expect("a key");
            assert_eq!(read(&spelled(key)), [key], "{name}");
        }
        assert_eq!(read("a<b\n").len(), 4);
    }
}
